//! The user's folders, by the XDG base directory specification.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where this program keeps what belongs to the user; nothing is created by asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    config: PathBuf,
    data: PathBuf,
    state: PathBuf,
    cache: PathBuf,
    runtime: PathBuf,
}

/// No folder can be told.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no home directory is known: HOME is not set to an absolute path, and {variable} is not either. Set HOME")]
pub struct NoHome {
    /// The variable that would do without HOME.
    variable: &'static str,
}

impl Dirs {
    /// The folders of the environment.
    ///
    /// # Errors
    /// [`NoHome`] when a folder is given neither by its own variable nor by HOME.
    pub fn from_env() -> Result<Dirs, NoHome> {
        Dirs::from(std::env::var_os)
    }

    /// The folders that variables give.
    ///
    /// # Errors
    /// As [`Dirs::from_env`].
    pub fn from(variable: impl Fn(&'static str) -> Option<OsString>) -> Result<Dirs, NoHome> {
        // The specification wants a relative path ignored.
        let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let folder = |name, below_home: &str| {
            let base = absolute(name).or_else(|| home.as_ref().map(|home| home.join(below_home)));
            base.map(|base| base.join("landfall")).ok_or(NoHome { variable: name })
        };
        let state = folder("XDG_STATE_HOME", ".local/state")?;
        Ok(Dirs {
            config: folder("XDG_CONFIG_HOME", ".config")?,
            data: folder("XDG_DATA_HOME", ".local/share")?,
            cache: folder("XDG_CACHE_HOME", ".cache")?,
            // There is no fallback in HOME for it; the state folder is as private and lives longer.
            runtime: absolute("XDG_RUNTIME_DIR").map_or_else(|| state.join("run"), |base| base.join("landfall")),
            state,
        })
    }

    /// What the user wrote: `servers.toml`.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// What was installed: language servers.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// What must outlive a run: ledgers, logs.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// What may be deleted at any time: indexes of language servers, build caches.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Sockets and locks; the caller makes it with mode 0700.
    pub fn runtime(&self) -> &Path {
        &self.runtime
    }

    /// Where language servers are installed, one folder each.
    pub fn servers(&self) -> PathBuf {
        self.data.join("servers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(variables: &[(&'static str, &str)]) -> Result<Dirs, NoHome> {
        let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, OsString::from(value))).collect();
        Dirs::from(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()))
    }

    #[test]
    fn home_is_the_fallback() {
        let dirs = dirs(&[("HOME", "/home/u"), ("XDG_DATA_HOME", "/data"), ("XDG_CACHE_HOME", "relative")]).unwrap();
        assert_eq!(dirs.config(), Path::new("/home/u/.config/landfall"));
        assert_eq!(dirs.data(), Path::new("/data/landfall"));
        assert_eq!(dirs.servers(), Path::new("/data/landfall/servers"));
        assert_eq!(dirs.cache(), Path::new("/home/u/.cache/landfall"), "a relative path is ignored");
        assert_eq!(dirs.runtime(), Path::new("/home/u/.local/state/landfall/run"));
    }

    #[test]
    fn without_home_the_missing_variable_is_named() {
        let error = dirs(&[("HOME", ""), ("XDG_STATE_HOME", "/s")]).unwrap_err().to_string();
        assert!(error.contains("HOME is not set") && error.contains("XDG_CONFIG_HOME"), "{error}");
        let all =
            [("XDG_STATE_HOME", "/s"), ("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "/d"), ("XDG_CACHE_HOME", "/k")];
        assert_eq!(dirs(&all).unwrap().state(), Path::new("/s/landfall"), "HOME is not needed when all are given");
    }
}
