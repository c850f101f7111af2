//! A demo's steps, as data.

use serde::Deserialize;

/// The steps of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    #[serde(rename = "step")]
    pub(super) steps: Vec<Step>,
}

/// One call and what must come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// What the step shows.
    pub(super) title: String,
    /// The tool called.
    pub(super) tool: String,
    /// Its arguments; `{workspace}` and `{workspace_typo}` stand for the root and a misspelling of it.
    pub(super) args: serde_json::Map<String, serde_json::Value>,
    /// What must come of it.
    #[serde(default)]
    pub(super) expect: Expect,
}

/// What must come of a step; what is absent does not matter.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Expect {
    /// Whether the change is on disk.
    pub(super) landed: Option<bool>,
    /// The verdict, where a language server or checker is present.
    pub(super) verdict: Option<String>,
    /// Part of `matched_via`.
    pub(super) matched_via_contains: Option<String>,
    /// Part of the message of an introduced problem, where a language server or checker is present.
    pub(super) introduced_contains: Option<String>,
    /// A file that must be named as broken elsewhere, where a language server or checker is present.
    pub(super) elsewhere_file: Option<String>,
    /// The code of a refusal.
    pub(super) code: Option<String>,
    /// Whether the path must have been put right.
    pub(super) path_put_right: Option<bool>,
}

impl Script {
    /// Reads a script.
    pub(super) fn parse(toml: &str) -> Result<Script, toml::de::Error> {
        toml::from_str(toml)
    }
}
