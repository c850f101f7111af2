//! Where clients keep their configuration: the user's, or one project's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The folders that configurations are below.
#[derive(Debug, Clone)]
pub(super) struct Places {
    home: PathBuf,
    config: PathBuf,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
    project: Option<PathBuf>,
    /// This program, as a client can start it.
    pub(super) program: String,
}

impl Places {
    /// The folders of the environment; with `project` (absolute), that project's files are meant.
    ///
    /// # Errors
    /// When HOME is not known.
    pub(super) fn from_env(project: Option<PathBuf>) -> anyhow::Result<Places> {
        let program = program(project.is_some(), std::env::var_os("PATH"))?;
        Places::from(std::env::var_os, project, program)
    }

    /// The folders that variables give.
    ///
    /// # Errors
    /// As [`Places::from_env`].
    pub(super) fn from(
        variable: impl Fn(&'static str) -> Option<OsString>,
        project: Option<PathBuf>,
        program: String,
    ) -> anyhow::Result<Places> {
        let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME").context("no home directory is known: set HOME to an absolute path")?;
        Ok(Places {
            config: absolute("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            claude: absolute("CLAUDE_CONFIG_DIR"),
            codex: absolute("CODEX_HOME"),
            home,
            project,
            program,
        })
    }

    /// Whether a project's configuration is meant, not the user's.
    pub(super) fn is_project(&self) -> bool {
        self.project.is_some()
    }

    /// A file of the project, or else of the user's configuration folder (`~/.config`).
    pub(super) fn project_or_config(&self, in_project: &str, in_config: &str) -> PathBuf {
        self.project.as_ref().map_or_else(|| self.config.join(in_config), |project| project.join(in_project))
    }

    /// A file of the project, or else of the user's home.
    pub(super) fn project_or_home(&self, in_project: &str, in_home: &str) -> PathBuf {
        self.project.as_ref().map_or_else(|| self.home.join(in_home), |project| project.join(in_project))
    }

    /// Where Claude Code keeps the MCP servers.
    pub(super) fn claude_servers(&self) -> PathBuf {
        match (&self.project, &self.claude) {
            (Some(project), _) => project.join(".mcp.json"),
            (None, Some(folder)) => folder.join(".claude.json"),
            (None, None) => self.home.join(".claude.json"),
        }
    }

    /// Where Claude Code keeps hooks and permissions.
    pub(super) fn claude_settings(&self) -> PathBuf {
        match (&self.project, &self.claude) {
            (None, Some(folder)) => folder.join("settings.json"),
            _ => self.project_or_home(".claude/settings.json", ".claude/settings.json"),
        }
    }

    /// Where Codex keeps everything.
    pub(super) fn codex(&self) -> PathBuf {
        match (&self.project, &self.codex) {
            (None, Some(folder)) => folder.join("config.toml"),
            _ => self.project_or_home(".codex/config.toml", ".codex/config.toml"),
        }
    }

    /// Where Visual Studio Code keeps MCP servers.
    pub(super) fn vscode(&self) -> PathBuf {
        let user = if cfg!(target_os = "macos") {
            self.home.join("Library/Application Support/Code/User")
        } else {
            self.config.join("Code/User")
        };
        self.project.as_ref().map_or_else(|| user.join("mcp.json"), |project| project.join(".vscode/mcp.json"))
    }

    /// The user's systemd units.
    pub(super) fn systemd(&self) -> PathBuf {
        self.config.join("systemd/user/landfall.service")
    }
}

/// The first of `paths` that is there, else the first of all.
pub(super) fn first_there(paths: [PathBuf; 2]) -> PathBuf {
    let there = paths.iter().position(|path| path.symlink_metadata().is_ok());
    let [first, second] = paths;
    if there == Some(1) { second } else { first }
}

/// How a client starts this program. What a project shares must not name one machine's folders; what is the user's own
/// names the place in full, since programs started from a desktop often have a shorter PATH. A link on PATH is taken as
/// it stands: it outlives an upgrade.
fn program(shared: bool, path: Option<OsString>) -> anyhow::Result<String> {
    if shared {
        return Ok("landfall".to_owned());
    }
    let running = std::env::current_exe().context("the place of this program is not known")?;
    let is_this = |found: &Path| found.canonicalize().is_ok_and(|real| Some(real) == running.canonicalize().ok());
    let folders = path.unwrap_or_default();
    let on_path = std::env::split_paths(&folders).map(|folder| folder.join("landfall")).find(|found| is_this(found));
    Ok(on_path.filter(|found| found.is_absolute()).unwrap_or(running).to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(variables: &[(&'static str, &str)], project: Option<&str>) -> Places {
        let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, OsString::from(value))).collect();
        let variable = |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        Places::from(variable, project.map(PathBuf::from), "landfall".to_owned()).expect("a home")
    }

    #[test]
    fn the_clients_own_variables_move_their_files() {
        let moved = [("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c"), ("CODEX_HOME", "/x"), ("XDG_CONFIG_HOME", "/g")];
        for (variables, claude, settings, codex, config) in [
            (&moved[..1], "/h/.claude.json", "/h/.claude/settings.json", "/h/.codex/config.toml", "/h/.config/zed"),
            (&moved[..], "/c/.claude.json", "/c/settings.json", "/x/config.toml", "/g/zed"),
        ] {
            let places = places(variables, None);
            assert_eq!(places.claude_servers(), Path::new(claude));
            assert_eq!(places.claude_settings(), Path::new(settings));
            assert_eq!(places.codex(), Path::new(codex));
            assert_eq!(places.project_or_config(".zed", "zed"), Path::new(config));
        }
    }

    #[test]
    fn a_projects_files_are_in_it() {
        let places = places(&[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c"), ("CODEX_HOME", "/x")], Some("/p"));
        assert_eq!(places.claude_servers(), Path::new("/p/.mcp.json"));
        assert_eq!(places.claude_settings(), Path::new("/p/.claude/settings.json"));
        assert_eq!(places.codex(), Path::new("/p/.codex/config.toml"));
        assert_eq!(places.vscode(), Path::new("/p/.vscode/mcp.json"));
    }

    #[test]
    fn a_project_names_no_place_of_one_machine() {
        assert_eq!(program(true, None).expect("a name"), "landfall");
        assert!(Path::new(&program(false, None).expect("a place")).is_absolute());
    }
}
