//! A language server as typed in a file, and its way to a checked [`ServerSpec`].

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{CheckSpec, DiagnosticsSource, Evidence, InstallRecipe, LanguageSpec, RootChoice, ServerSpec, Timeouts};

const DEFAULT_MEMORY_MB: u32 = 512;
const DEFAULT_IDLE_MINUTES: u32 = 15;
const DEFAULT_QUIET_MS: u32 = 300;

/// One `[servers.NAME]` table as typed: every key may be absent, since files are laid over each other.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)] // Each key is described where it ends up, in `ServerSpec`.
pub struct ServerOptions {
    /// `false` switches the language server off; its other keys may then be absent.
    pub enabled: Option<bool>,
    pub command: Option<String>,
    pub args: Option<Vec<String>>,
    pub env: BTreeMap<String, String>,
    pub languages: Option<Vec<LanguageSpec>>,
    pub root_markers: Option<Vec<String>>,
    pub root: Option<RootChoice>,
    pub evidence: Option<Evidence>,
    pub diagnostics: Option<DiagnosticsSource>,
    pub settings: Option<toml::Table>,
    pub initialization_options: Option<toml::Table>,
    pub timeouts: Option<TimeoutOptions>,
    pub memory_mb: Option<u32>,
    pub idle_minutes: Option<u32>,
    pub quiet_ms: Option<u32>,
    pub version_args: Option<Vec<String>>,
    pub check: Option<toml::Table>,
    pub install: Option<toml::Table>,
}

/// A `timeouts` table as typed, milliseconds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)]
pub struct TimeoutOptions {
    pub initialize_ms: Option<u64>,
    pub settle_ms: Option<u64>,
    pub loading_ms: Option<u64>,
    pub request_ms: Option<u64>,
}

/// What is wrong with one key of a language server's table.
#[derive(Debug)]
pub struct KeyProblem {
    /// The key below `[servers.NAME]`.
    pub(super) key: &'static str,
    /// What is wrong, and what to do about it.
    pub(super) problem: String,
}

impl std::fmt::Display for KeyProblem {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "`{}`: {}", self.key, self.problem)
    }
}

impl TimeoutOptions {
    /// These limits over `base`.
    pub(super) fn over(&self, base: &Timeouts) -> Timeouts {
        Timeouts {
            initialize_ms: self.initialize_ms.unwrap_or(base.initialize_ms),
            settle_ms: self.settle_ms.unwrap_or(base.settle_ms),
            loading_ms: self.loading_ms.unwrap_or(base.loading_ms),
            request_ms: self.request_ms.unwrap_or(base.request_ms),
        }
    }
}

impl TryFrom<ServerOptions> for ServerSpec {
    type Error = KeyProblem;

    fn try_from(options: ServerOptions) -> Result<ServerSpec, KeyProblem> {
        let defaults = Timeouts::default();
        let initialization_options = options.initialization_options.map(|table| json(toml::Value::Table(table)));
        Ok(ServerSpec {
            name: String::new(),
            command: checked_command(options.command, options.check.is_some())?,
            args: options.args.unwrap_or_default(),
            env: options.env,
            languages: checked_languages(options.languages)?,
            root_markers: options.root_markers.unwrap_or_default(),
            root: options.root.unwrap_or_default(),
            evidence: options.evidence.unwrap_or_default(),
            diagnostics: options.diagnostics.unwrap_or_default(),
            settings: json(toml::Value::Table(options.settings.unwrap_or_default())),
            initialization_options,
            timeouts: options.timeouts.map_or(defaults.clone(), |typed| typed.over(&defaults)),
            memory_mb: options.memory_mb.unwrap_or(DEFAULT_MEMORY_MB),
            idle_minutes: options.idle_minutes.unwrap_or(DEFAULT_IDLE_MINUTES),
            quiet_ms: options.quiet_ms.unwrap_or(DEFAULT_QUIET_MS),
            version_args: options.version_args.unwrap_or_default(),
            check: options.check.map(checked_check).transpose()?,
            install: options.install.map(checked_recipe).transpose()?,
        })
    }
}

fn checked_command(command: Option<String>, has_checker: bool) -> Result<String, KeyProblem> {
    if command.is_none() && has_checker {
        return Ok(String::new());
    }
    command
        .filter(|command| !command.trim().is_empty())
        .ok_or_else(|| wrong("command", "is missing; give the program, such as command = \"gopls\", or a checker"))
}

fn checked_languages(languages: Option<Vec<LanguageSpec>>) -> Result<Vec<LanguageSpec>, KeyProblem> {
    let example = "give at least one, such as languages = [{ id = \"go\", extensions = [\"go\"] }]";
    let mut languages = languages
        .filter(|languages| !languages.is_empty())
        .ok_or_else(|| wrong("languages", format!("is missing; {example}")))?;
    for language in &mut languages {
        if language.id.is_empty() || language.extensions.is_empty() {
            return Err(wrong("languages", format!("has a language without id or extensions; {example}")));
        }
        for extension in &mut language.extensions {
            *extension = extension.trim_start_matches('.').to_string();
            if extension.is_empty() || extension.contains(['.', '/']) {
                return Err(wrong("languages", "an extension is one word without dots, such as \"go\""));
            }
        }
    }
    Ok(languages)
}

fn checked_check(table: toml::Table) -> Result<CheckSpec, KeyProblem> {
    let check: CheckSpec = table.try_into().map_err(|error| from_toml("check", &error))?;
    if check.command.first().is_none_or(|program| program.is_empty()) {
        return Err(wrong("check", "its command is empty; give program and arguments"));
    }
    Ok(check)
}

fn checked_recipe(table: toml::Table) -> Result<InstallRecipe, KeyProblem> {
    let recipe: InstallRecipe = table.try_into().map_err(|error| from_toml("install", &error))?;
    if let InstallRecipe::Archive { url, sha256, index, version, version_from, .. } = &recipe {
        if url.is_some() == index.is_some() {
            return Err(wrong("install", "give either `url` with `sha256`, or `index`"));
        }
        if url.is_some() && sha256.is_empty() {
            return Err(wrong("install", "an archive by `url` needs `sha256`, one for each arch-os"));
        }
        if version.is_some() != version_from.is_empty() {
            return Err(wrong("install", "give either `version` or `version_from`"));
        }
    }
    Ok(recipe)
}

fn from_toml(key: &'static str, error: &toml::de::Error) -> KeyProblem {
    wrong(key, error.message())
}

fn wrong(key: &'static str, problem: impl Into<String>) -> KeyProblem {
    KeyProblem { key, problem: problem.into() }
}

/// Settings as a language server is sent them. A date becomes its text: JSON has none.
fn json(value: toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(moment) => moment.to_string().into(),
        toml::Value::Array(values) => values.into_iter().map(json).collect(),
        toml::Value::Table(table) => {
            serde_json::Value::Object(table.into_iter().map(|(key, value)| (key, json(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem_of(text: &str) -> String {
        toml::from_str::<ServerSpec>(text).unwrap_err().message().to_string()
    }

    #[test]
    fn what_is_wrong_is_named_with_its_key() {
        let languages = "languages = [{ id = \"x\", extensions = [\"x\"] }]\n";
        let cases = [
            (languages.to_string(), "`command`: is missing"),
            (format!("command = \" \"\n{languages}"), "`command`: is missing"),
            ("command = \"x\"".to_string(), "`languages`: is missing"),
            ("command = \"x\"\nlanguages = []".to_string(), "`languages`: is missing"),
            ("command = \"x\"\nlanguages = [{ id = \"x\", extensions = [\"tar.gz\"] }]".to_string(), "one word"),
            (format!("command = \"x\"\n{languages}check = {{ command = [], format = \"gnu\" }}"), "`check`"),
            (format!("command = \"x\"\n{languages}install = {{ kind = \"curl\" }}"), "`install`: unknown variant"),
            (
                format!("command = \"x\"\n{languages}install = {{ kind = \"archive\", url = \"u\", binary = \"x\" }}"),
                "needs `sha256`",
            ),
            (
                format!(
                    "command = \"x\"\n{languages}install = {{ kind = \"archive\", index = \"u\", binary = \"x\" }}"
                ),
                "either `version` or `version_from`",
            ),
        ];
        for (text, expected) in cases {
            let problem = problem_of(&text);
            assert!(problem.contains(expected), "{text}\ngave: {problem}");
        }
    }

    #[test]
    fn settings_become_json() {
        let text = "command = \"x\"\nlanguages = [{ id = \"x\", extensions = [\".x\"] }]\n\
                    settings = { a = [1, 2.5], b = { c = true }, d = 2026-01-02 }";
        let spec: ServerSpec = toml::from_str(text).unwrap();
        assert_eq!(spec.settings, serde_json::json!({"a": [1, 2.5], "b": {"c": true}, "d": "2026-01-02"}));
        assert_eq!(spec.languages[0].extensions, ["x"], "a leading dot is taken off");
    }
}
