//! One program that diagnostics come from: whether it is there, which version, and what it lacks.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::servers::{mend, version};
use crate::config::{CheckSpec, InstallRecipe, JavaNeed, ServerSpec};
use crate::dirs::Dirs;
use crate::install;
use crate::programs::{self, Found, JavaPlaces, Origin, find_java, find_on_path};

/// A program that diagnostics come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Source {
    /// The language server's name, or the checker's command.
    pub(super) name: String,
    /// Where it is; absent when it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<PathBuf>,
    /// As it says itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    /// What is missing or does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lack: Option<Lack>,
}

/// Something missing, and what mends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Lack {
    pub(super) what: String,
    pub(super) mend: String,
    /// Whether the program is of no use until it is mended.
    pub(super) fatal: bool,
}

impl Source {
    /// Whether diagnostics come from it now.
    pub(super) fn works(&self) -> bool {
        self.path.is_some() && !self.lack.as_ref().is_some_and(|lack| lack.fatal)
    }
}

/// Looks at a language server.
pub(super) fn language_server(spec: &ServerSpec, dirs: Option<&Dirs>) -> Source {
    if spec.command.is_empty() {
        let lack = Lack { what: "none is configured".into(), mend: "the checker speaks alone".into(), fatal: true };
        return Source { name: "none".into(), path: None, version: None, lack: Some(lack) };
    }
    let Some(found) = programs::find(&spec.command, &installed(dirs)) else {
        let lack = Lack { what: "not installed".to_string(), mend: mend(spec), fatal: true };
        return Source { name: spec.name.clone(), path: None, version: None, lack: Some(lack) };
    };
    let version = version(spec, &found, dirs);
    let lack = match &version {
        None => Some(does_not_start(spec, &found)),
        Some(version) => lack_of(spec, &found, version),
    };
    let version = version.filter(|version| !version.is_empty());
    Source { name: spec.name.clone(), path: Some(found.program), version, lack }
}

/// Where language servers are installed.
fn installed(dirs: Option<&Dirs>) -> Vec<PathBuf> {
    dirs.map(Dirs::servers).into_iter().collect()
}

/// Looks at a checker.
pub(super) fn checker(check: &CheckSpec) -> Source {
    let tool = check.command.first().map(String::as_str).unwrap_or_default();
    let path = find_on_path(tool);
    let lack = path.is_none().then(|| Lack {
        what: format!("`{tool}` is not on PATH"),
        mend: format!("install {tool} and put it on PATH"),
        fatal: true,
    });
    let words = check.command.iter().take_while(|word| !word.starts_with('-') && !word.contains('{'));
    let name = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    // `zig` and its kin all answer to `version`; who does not has no version here.
    let version = path.as_deref().and_then(|path| install::version_of(path, &["version".to_string()]));
    Source { name, path, version: version.filter(|version| !version.is_empty()), lack }
}

fn does_not_start(spec: &ServerSpec, found: &Found) -> Lack {
    let arguments = spec.version_args.join(" ");
    let what = format!("it does not start: `{} {arguments}` fails", found.program.display());
    let mend = match found.origin {
        Origin::Installed => format!("run: landfall servers install --again {}", spec.name),
        Origin::Path => format!("mend or remove {}, then {}", found.program.display(), mend(spec)),
    };
    Lack { what, mend, fatal: true }
}

/// What a language server needs beside itself; its recipe knows.
fn lack_of(spec: &ServerSpec, found: &Found, version: &str) -> Option<Lack> {
    match (spec.install.as_ref()?, found.origin) {
        (InstallRecipe::GoInstall { .. }, _) => missing_tool("go", "get Go from https://go.dev/dl/"),
        // The one that we installed brings its Java along.
        (InstallRecipe::PythonVenv { java: Some(need), .. }, Origin::Path) => missing_java(spec, need),
        (InstallRecipe::Archive { version_from, .. }, _) => other_version(spec, version_from, version),
        _ => None,
    }
}

fn missing_tool(tool: &str, mend: &str) -> Option<Lack> {
    let what = format!("it needs `{tool}`, which is not on PATH");
    find_on_path(tool).is_none().then(|| Lack { what, mend: mend.to_string(), fatal: true })
}

fn missing_java(spec: &ServerSpec, need: &JavaNeed) -> Option<Lack> {
    // A distribution may bring its own or choose one: so this is a doubt, not a verdict.
    find_java(need.at_least, &JavaPlaces::of_this_machine()).is_none().then(|| Lack {
        what: format!("it needs Java {} or newer; none was found", need.at_least),
        mend: format!("set JAVA_HOME to one, or remove it from PATH and {}", mend(spec)),
        fatal: false,
    })
}

/// A language server that must match a tool must have its first two numbers.
fn other_version(spec: &ServerSpec, version_from: &[String], version: &str) -> Option<Lack> {
    let [tool, arguments @ ..] = version_from else { return None };
    let tool_path: &Path = &find_on_path(tool)?;
    let wanted = install::version_of(tool_path, arguments)?;
    let what = format!("it is {version}, but {tool} is {wanted}: they should match");
    let mend = format!("run: landfall servers install --again {}", spec.name);
    (release(&wanted) != release(version)).then_some(Lack { what, mend, fatal: false })
}

/// `0.16` of `0.16.0-dev.7`.
fn release(version: &str) -> Vec<&str> {
    version.split(['.', '-', '+']).take(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;

    #[test]
    fn what_is_not_there_is_told_with_its_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("servers.toml");
        let text = "[servers.x]\ncommand = \"no-such-server\"\nlanguages = [{ id = \"x\", extensions = [\"x\"] }]\n\
                    [servers.x.check]\ncommand = [\"no-such-tool\", \"build\", \"--cache\", \"{cache_dir}\"]\nformat = \"gnu\"\n\
                    [servers.y]\ncommand = \"sh\"\nlanguages = [{ id = \"y\", extensions = [\"y\"] }]\n\
                    version_args = [\"-c\", \"exit 1\"]\n";
        std::fs::write(&file, text).unwrap();
        let servers = Servers::from_files(&[file]).unwrap();
        let missing = language_server(servers.get("x").unwrap(), None);
        assert!(!missing.works());
        assert_eq!(missing.lack.unwrap().mend, "put `no-such-server` on PATH");
        let check = checker(servers.get("x").unwrap().check.as_ref().unwrap());
        assert_eq!((check.name.as_str(), check.works()), ("no-such-tool build", false));
        let broken = language_server(servers.get("y").unwrap(), None);
        assert!(broken.path.is_some() && !broken.works(), "{broken:?}");
        assert!(broken.lack.unwrap().what.starts_with("it does not start"));
    }

    #[test]
    fn versions_match_by_their_release() {
        assert_eq!(release("0.16.0-dev.7+73c"), release("0.16.1"));
        assert_ne!(release("0.16.0"), release("0.17.1"));
    }
}
