//! What may be configured: language servers as data (`servers.toml`) and the user's folders.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One language server, as `servers.toml` describes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// Its key in `servers.toml`.
    #[serde(skip)]
    pub name: String,
    /// Program, looked up on PATH and then where `landfall servers install` puts things.
    pub command: String,
    /// Arguments; `{data_dir}` becomes a directory of its own for this workspace root.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment on top of ours.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// What it is responsible for.
    pub languages: Vec<LanguageSpec>,
    /// Files that mark a project's root, strongest first.
    #[serde(default)]
    pub root_markers: Vec<String>,
    /// Which of several directories with a marker is the root.
    #[serde(default)]
    pub root: RootChoice,
    /// Which signals say that its diagnostics are settled.
    #[serde(default)]
    pub evidence: Evidence,
    /// Sent as `workspace/configuration` answers and `didChangeConfiguration`.
    #[serde(default = "empty_object")]
    pub settings: serde_json::Value,
    /// Sent with `initialize`; `settings` when absent.
    #[serde(default)]
    pub initialization_options: Option<serde_json::Value>,
    /// Time limits.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// How much memory it may use, MiB; for jdtls its `-Xmx`.
    #[serde(default = "default_memory_mb")]
    pub memory_mb: u32,
    /// Stop it after so many minutes without use.
    #[serde(default = "default_idle_minutes")]
    pub idle_minutes: u32,
    /// For [`Evidence::Publish`]: silence of so many milliseconds after a publish counts as settled.
    #[serde(default = "default_quiet_ms")]
    pub quiet_ms: u32,
    /// Arguments that make it print its version.
    #[serde(default)]
    pub version_args: Vec<String>,
    /// A compiler run as a second source of diagnostics.
    #[serde(default)]
    pub check: Option<CheckSpec>,
    /// How `landfall servers install` gets it.
    #[serde(default)]
    pub install: Option<InstallRecipe>,
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

/// A compiler that checks what the language server does not.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckSpec {
    /// Program and arguments; `{cache_dir}` becomes a directory of its own for this root.
    pub command: Vec<String>,
    /// How its output is read.
    pub format: CheckFormat,
}

/// The form of a checker's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckFormat {
    /// `file:line:col: error: message`, notes behind.
    Gnu,
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
        /// Requirement specifiers.
        packages: Vec<String>,
    },
    /// An archive from a URL template, checked and unpacked.
    Archive {
        /// With `{os}` and `{arch}`.
        url: String,
        /// By `os-arch`.
        sha256: BTreeMap<String, String>,
    },
}

fn empty_object() -> serde_json::Value {
    serde_json::Value::Object(serde_json::Map::new())
}

fn default_memory_mb() -> u32 {
    512
}

fn default_idle_minutes() -> u32 {
    15
}

fn default_quiet_ms() -> u32 {
    300
}
