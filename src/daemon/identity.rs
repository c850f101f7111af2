//! What two clients must have in common to share a daemon.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::config::Servers;
use crate::dirs::Dirs;
use crate::programs;

/// Variables that change what language servers and toolchains say; both part of the identity and handed on.
const TOOLCHAIN: &[&str] = &[
    "GO111MODULE",
    "GOARCH",
    "GOAUTH",
    "GOCACHE",
    "GOENV",
    "GOEXPERIMENT",
    "GOFLAGS",
    "GOINSECURE",
    "GOMODCACHE",
    "GONOPROXY",
    "GONOSUMDB",
    "GOOS",
    "GOPATH",
    "GOPRIVATE",
    "GOPROXY",
    "GOROOT",
    "GOSUMDB",
    "GOTOOLCHAIN",
    "GOVCS",
    "GOWORK",
    "CGO_ENABLED",
    "CGO_CFLAGS",
    "CGO_LDFLAGS",
    "CC",
    "CXX",
    "PKG_CONFIG_PATH",
    "JAVA_HOME",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_USER_HOME",
    "ZIG_GLOBAL_CACHE_DIR",
    "ZIG_LOCAL_CACHE_DIR",
    "ZIG_LIB_DIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];
/// Variables that say where the user's things are; likewise.
const FOLDERS: &[&str] = &["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
/// Handed on without being part of the identity: nothing that is said of an edit depends on them.
const HANDED_ON: &[&str] = &[
    "PATH",
    "LANG",
    "LANGUAGE",
    "USER",
    "LOGNAME",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
    "LANDFALL_LOG",
    "LANDFALL_IDLE",
];
/// Programs that language servers run, beside those that `servers.toml` names.
const TOOLCHAINS: &[&str] = &["go", "java", "javac", "mvn", "gradle", "zig", "python3", "cc"];

/// The options of a process as a whole, that all its sessions share.
#[derive(Debug, Clone, Default)]
pub struct ProcessOptions {
    /// Files of language servers, laid over the built-in ones and the user's own; absolute.
    pub servers: Vec<PathBuf>,
    /// Whether no language server may be started.
    pub no_lsp: bool,
    /// Whether a result waits until its change outlasts a power cut.
    pub durable: bool,
}

/// Names what two clients must have in common to share a daemon: this very program, the user's folders, the language
/// servers as configured, the programs that PATH leads to, the variables of toolchains, and the file mode mask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    key: String,
}

impl Identity {
    /// The identity of this process with these options.
    pub fn of_this_process(options: &ProcessOptions, servers: &Servers, dirs: &Dirs) -> Identity {
        Identity::of(options, servers, dirs, |name| std::env::var_os(name))
    }

    fn of(
        options: &ProcessOptions,
        servers: &Servers,
        dirs: &Dirs,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Identity {
        let mut facts = Facts(Sha256::new());
        facts.add("version", env!("CARGO_PKG_VERSION").as_bytes());
        facts.add("build", build().as_bytes());
        facts.add("umask", umask().as_bytes());
        facts.add("no_lsp", &[u8::from(options.no_lsp)]);
        facts.add("durable", &[u8::from(options.durable)]);
        for file in dirs_file(dirs).iter().chain(&options.servers) {
            facts.add("servers", &std::fs::read(file).unwrap_or_default());
        }
        for name in FOLDERS.iter().chain(TOOLCHAIN) {
            if let Some(value) = variable(name) {
                facts.add(name, value.as_bytes());
            }
        }
        let path = variable("PATH").unwrap_or_default();
        let commands = servers.iter().map(|spec| spec.command.as_str());
        for command in commands.chain(TOOLCHAINS.iter().copied()) {
            if let Some(program) = on_path(command, &path) {
                facts.add(command, program.as_os_str().as_bytes());
            }
        }
        Identity { key: facts.finish() }
    }

    /// What the names of its files begin with: the version, and a digest of the rest.
    pub fn key(&self) -> &str {
        &self.key
    }
}

struct Facts(Sha256);

impl Facts {
    fn add(&mut self, name: &str, value: &[u8]) {
        // Lengths first, so that no two lists of facts read the same.
        self.0.update((name.len() as u64).to_le_bytes());
        self.0.update(name);
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
    }

    fn finish(self) -> String {
        let digest: String = self.0.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{digest}", env!("CARGO_PKG_VERSION"))
    }
}

/// The part of `environment` that a daemon is started with.
pub(super) fn kept(environment: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let is_kept = |name: &OsStr| {
        let Some(name) = name.to_str() else { return false };
        name.starts_with("LC_") || [TOOLCHAIN, FOLDERS, HANDED_ON].iter().any(|names| names.contains(&name))
    };
    environment.filter(|(name, _)| is_kept(name)).collect()
}

/// The user's own `servers.toml`, where there is one.
fn dirs_file(dirs: &Dirs) -> Option<PathBuf> {
    Some(dirs.config().join("servers.toml")).filter(|file| file.exists())
}

fn on_path(command: &str, path: &OsStr) -> Option<PathBuf> {
    programs::in_folders(command, std::env::split_paths(path).filter(|folder| folder.is_absolute()))
}

/// Distinguishes this program from another build of the same version.
fn build() -> String {
    let program = std::fs::metadata("/proc/self/exe").or_else(|_| std::fs::metadata(program()));
    let Ok(program) = program else { return String::new() };
    format!("{}:{}:{}:{}.{}", program.dev(), program.ino(), program.len(), program.mtime(), program.mtime_nsec())
}

/// When this program's file was last changed: seconds since 1970, 0 when that cannot be told.
pub fn build_seconds() -> i64 {
    std::fs::metadata("/proc/self/exe").or_else(|_| std::fs::metadata(program())).map_or(0, |program| program.mtime())
}

/// This program's file, even when another one has taken its place.
pub(super) fn program() -> PathBuf {
    std::env::current_exe().ok().filter(|path| path.exists()).unwrap_or_else(|| Path::new("/proc/self/exe").into())
}

/// The file mode mask as proc_pid_status(5) has it; it cannot be asked for without being changed.
fn umask() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program_in(folder: &Path, name: &str) {
        std::fs::create_dir_all(folder).expect("made");
        std::fs::write(folder.join(name), "").expect("written");
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o755)).expect("set");
    }

    #[test]
    fn only_what_matters_to_language_servers_keeps_clients_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        program_in(&at("a"), "go");
        program_in(&at("b"), "go");
        let path = |folders: &[&str]| {
            std::env::join_paths(folders.iter().map(|name| at(name))).expect("a path").into_string().expect("UTF-8")
        };
        let key = |options: &ProcessOptions, variables: &[(&str, &str)]| {
            let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
            let dirs = Dirs::from(|_| Some(folder.path().into())).expect("folders");
            let variable = |name: &str| variables.get(name).map(OsString::from);
            Identity::of(options, &Servers::built_in(), &dirs, variable).key().to_owned()
        };
        let plain = ProcessOptions::default();
        let usual = key(&plain, &[("PATH", &path(&["a"])), ("HOME", "/h")]);
        assert!(usual.starts_with(concat!(env!("CARGO_PKG_VERSION"), "-")), "{usual}");
        for (variables, same) in [
            (vec![("PATH", path(&["a", "b"])), ("HOME", "/h".into())], true),
            (vec![("PATH", path(&["none", "a"])), ("HOME", "/h".into()), ("TERM", "x".into())], true),
            (vec![("PATH", path(&["a"])), ("HOME", "/h".into()), ("LANG", "C".into())], true),
            (vec![("PATH", path(&["b", "a"])), ("HOME", "/h".into())], false),
            (vec![("PATH", path(&["a"])), ("HOME", "/i".into())], false),
            (vec![("PATH", path(&["a"])), ("HOME", "/h".into()), ("GOFLAGS", "-tags=x".into())], false),
        ] {
            let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
            assert_eq!(key(&plain, &variables) == usual, same, "{variables:?}");
        }
        let variables = [("PATH", path(&["a"])), ("HOME", "/h".into())];
        let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let no_lsp = ProcessOptions { no_lsp: true, ..ProcessOptions::default() };
        assert_ne!(key(&no_lsp, &variables), usual);
        std::fs::write(at("own.toml"), "").expect("written");
        let own = ProcessOptions { servers: vec![at("own.toml")], ..ProcessOptions::default() };
        let with_own = key(&own, &variables);
        assert_ne!(with_own, usual);
        std::fs::write(at("own.toml"), "# changed\n").expect("written");
        assert_ne!(key(&own, &variables), with_own, "what is in the file counts");
    }

    #[test]
    fn a_daemon_is_started_without_the_client_s_own_variables() {
        let all = ["HOME", "PATH", "LC_ALL", "GOFLAGS", "GOOGLE_KEY", "API_TOKEN", "XDG_STATE_HOME", "TMPDIR"];
        let names = kept(all.iter().map(|name| ((*name).into(), "x".into())));
        let names: Vec<&str> = names.iter().filter_map(|(name, _)| name.to_str()).collect();
        assert_eq!(names, ["HOME", "PATH", "LC_ALL", "GOFLAGS", "XDG_STATE_HOME"]);
    }
}
