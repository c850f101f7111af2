//! What may be configured: language servers as data (`servers.toml`), and what a workspace may tune of them.

mod check;
mod error;
mod locate;
mod options;
mod servers;
mod trust;
mod tuning;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

pub use check::{CheckFormat, CheckSpec, Pattern};
pub use error::ConfigError;
pub use options::ServerOptions;
pub use servers::Servers;
pub use trust::Trusted;
pub use tuning::{WORKSPACE_FILE, WorkspaceTuning};

/// One language server, checked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "ServerOptions")]
pub struct ServerSpec {
    /// Its key in `servers.toml`: letters, digits, `-` and `_`.
    pub name: String,
    /// Program, looked up on PATH and then where `landfall servers install` puts things; empty where there is only a
    /// checker.
    pub command: String,
    /// Arguments; `{data_dir}` becomes a directory of its own for this workspace root.
    pub args: Vec<String>,
    /// Environment on top of ours.
    pub env: BTreeMap<String, String>,
    /// What it is responsible for.
    pub languages: Vec<LanguageSpec>,
    /// Files that mark a project's root, strongest first.
    pub root_markers: Vec<String>,
    /// Which of several directories with a marker is the root.
    pub root: RootChoice,
    /// Which signals say that its diagnostics are settled.
    pub evidence: Evidence,
    /// How it gives its diagnostics; for [`Evidence::Publish`].
    pub diagnostics: DiagnosticsSource,
    /// Sent as `workspace/configuration` answers and `didChangeConfiguration`.
    pub settings: serde_json::Value,
    /// Sent with `initialize`; `settings` when absent.
    pub initialization_options: Option<serde_json::Value>,
    /// Time limits.
    pub timeouts: Timeouts,
    /// How much memory it may use, MiB; for jdtls its `-Xmx`.
    pub memory_mb: u32,
    /// Stop it after so many minutes without use.
    pub idle_minutes: u32,
    /// For [`Evidence::Publish`]: silence of so many milliseconds after a publish counts as settled.
    pub quiet_ms: u32,
    /// Arguments that make it print its version.
    pub version_args: Vec<String>,
    /// A compiler run as a second source of diagnostics.
    pub check: Option<CheckSpec>,
    /// How `landfall servers install` gets it.
    pub install: Option<InstallRecipe>,
}

impl ServerSpec {
    /// The language that a file is written in, by its extension, if this language server is responsible for it.
    pub fn language_for(&self, path: &Path) -> Option<&LanguageSpec> {
        let extension = path.extension()?.to_str()?;
        self.languages.iter().find(|language| language.extensions.iter().any(|known| known == extension))
    }
}

/// A language and the files that are written in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageSpec {
    /// The protocol's language id (`go`, `java`, `zig`).
    pub id: String,
    /// File extensions without the dot.
    pub extensions: Vec<String>,
}

/// Which directory with a root marker is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootChoice {
    /// The nearest above the file.
    #[default]
    Nearest,
    /// The outermost inside the workspace.
    Outermost,
}

/// What counts as evidence that a language server has spoken about a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Pull where offered, else a publish of the version, else quiet after a publish.
    #[default]
    Publish,
    /// `gopls.diagnose_files` answered.
    Gopls,
    /// `java/buildWorkspace` answered and the publish job that followed ended.
    Jdtls,
    /// One publish for each change, and the build check.
    Zls,
}

/// How a language server gives its diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticsSource {
    /// It is asked where it offers that, else it publishes them.
    #[default]
    Auto,
    /// It publishes them.
    Push,
    /// It is asked for them.
    Pull,
    /// It is asked, and publishes more besides.
    Both,
}

/// Time limits of one language server, milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until `initialize` must be answered.
    pub initialize_ms: u64,
    /// How long a result may wait for evidence while the language server is ready.
    pub settle_ms: u64,
    /// How long a result may wait while it is plainly still loading.
    pub loading_ms: u64,
    /// Until any other request must be answered.
    pub request_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { initialize_ms: 30_000, settle_ms: 5_000, loading_ms: 2_000, request_ms: 30_000 }
    }
}

/// How a language server is installed into a private prefix.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum InstallRecipe {
    /// `go install MODULE@VERSION`.
    GoInstall {
        /// Module path with `@version`.
        package: String,
    },
    /// A Python venv with these packages.
    PythonVenv {
        /// Requirement specifiers, pinned.
        packages: Vec<String>,
        /// The Java that it runs on, where it needs one.
        #[serde(default)]
        java: Option<JavaNeed>,
    },
    /// An archive, checked and unpacked.
    Archive {
        /// Where the archive lies, with `{version}`, `{os}` and `{arch}`; not with `index`.
        #[serde(default)]
        url: Option<String>,
        /// Its checksum in hexadecimal digits by `arch-os`; for `url`.
        #[serde(default)]
        sha256: BTreeMap<String, String>,
        /// Where an index of archives lies that gives address and checksum by `arch-os`, with `{version}`.
        #[serde(default)]
        index: Option<String>,
        /// What stands for `{version}`; not with `version_from`.
        #[serde(default)]
        version: Option<String>,
        /// A command whose output is the version that the language server must match (`zig version`).
        #[serde(default)]
        version_from: Vec<String>,
        /// The program's file name in the archive.
        binary: String,
    },
}

/// The Java that a language server needs, and the package that brings one where none is found.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JavaNeed {
    /// The oldest major version that will do.
    pub at_least: u32,
    /// Requirement specifier of a Python package that brings a Java.
    pub package: String,
}
