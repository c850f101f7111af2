//! What a workspace's own `.landfall.toml` may say: less, never more.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use serde::Deserialize;

use super::options::TimeoutOptions;
use super::{ConfigError, ServerSpec, Timeouts};

/// The name of a workspace's own configuration file, in its root.
pub const WORKSPACE_FILE: &str = ".landfall.toml";

/// What a workspace switches off and tunes.
///
/// Invariant: nothing in it can make a program run. Opening a folder must not run its code, and settings count as
/// code (gopls takes build flags, jdtls a Java home), so there is no place here for `command`, `args`, `env`,
/// `settings`, `check` or `install`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkspaceTuning {
    servers: BTreeMap<String, ServerTuning>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ServerTuning {
    enabled: Option<bool>,
    memory_mb: Option<u32>,
    idle_minutes: Option<u32>,
    timeouts: TimeoutOptions,
}

// A workspace is not trusted with more than these: a call stays under 10 s, and the machine stays usable.
const MEMORY_MB: RangeInclusive<u32> = 128..=8192;
const IDLE_MINUTES: RangeInclusive<u32> = 1..=1440;
const WAIT_MS: RangeInclusive<u64> = 0..=9_000;
const REQUEST_MS: RangeInclusive<u64> = 100..=60_000;
const INITIALIZE_MS: RangeInclusive<u64> = 1_000..=600_000;

const UNTRUSTED: [&str; 10] = [
    "command",
    "args",
    "env",
    "settings",
    "initialization_options",
    "check",
    "install",
    "languages",
    "root_markers",
    "version_args",
];

impl WorkspaceTuning {
    /// Reads the text of a workspace's file.
    ///
    /// # Errors
    /// What is wrong in it, with line and key.
    pub(super) fn parse(file: &Path, text: &str) -> Result<WorkspaceTuning, ConfigError> {
        toml::from_str(text).map_err(|error| match ConfigError::in_text(file, text, &error) {
            ConfigError::Invalid { file, line, key, problem } => {
                let problem = if is_untrusted(&key) { not_here(&key) } else { problem };
                ConfigError::Invalid { file, line, key, problem }
            }
            other => other,
        })
    }

    /// A language server as this workspace wants it; `None` where it is switched off.
    pub(super) fn apply(&self, spec: &ServerSpec) -> Option<ServerSpec> {
        let Some(tuning) = self.servers.get(&spec.name) else { return Some(spec.clone()) };
        if tuning.enabled == Some(false) {
            return None;
        }
        Some(ServerSpec {
            memory_mb: within(tuning.memory_mb, &MEMORY_MB, spec.memory_mb),
            idle_minutes: within(tuning.idle_minutes, &IDLE_MINUTES, spec.idle_minutes),
            timeouts: Timeouts {
                initialize_ms: within(tuning.timeouts.initialize_ms, &INITIALIZE_MS, spec.timeouts.initialize_ms),
                settle_ms: within(tuning.timeouts.settle_ms, &WAIT_MS, spec.timeouts.settle_ms),
                loading_ms: within(tuning.timeouts.loading_ms, &WAIT_MS, spec.timeouts.loading_ms),
                request_ms: within(tuning.timeouts.request_ms, &REQUEST_MS, spec.timeouts.request_ms),
            },
            ..spec.clone()
        })
    }
}

fn within<T: Ord + Copy>(wanted: Option<T>, limits: &RangeInclusive<T>, otherwise: T) -> T {
    wanted.map_or(otherwise, |value| value.clamp(*limits.start(), *limits.end()))
}

/// Whether the key is one that only the user's own files may have: `servers.NAME.KEY`.
fn is_untrusted(key: &str) -> bool {
    key.split('.').nth(2).is_some_and(|key| UNTRUSTED.contains(&key))
}

fn not_here(key: &str) -> String {
    let name = key.rsplit('.').next().unwrap_or(key);
    format!(
        "a workspace's {WORKSPACE_FILE} may switch language servers off and tune their limits, but not set `{name}` \
         unless you trust it: look at it, then run `landfall trust DIR`; or put it into servers.toml in your own \
         configuration folder"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;

    fn parse(text: &str) -> Result<WorkspaceTuning, ConfigError> {
        WorkspaceTuning::parse(Path::new(WORKSPACE_FILE), text)
    }

    #[test]
    fn a_workspace_switches_off_and_tunes() {
        let text =
            "[servers.zls]\nenabled = false\n[servers.gopls]\nmemory_mb = 999999\ntimeouts = { settle_ms = 100 }";
        let tuned = Servers::built_in().tuned(&parse(text).unwrap());
        assert!(tuned.get("zls").is_none());
        assert_eq!(tuned.switched_off(), ["zls"]);
        let (gopls, plain) = (tuned.get("gopls").unwrap(), Servers::built_in());
        assert_eq!(gopls.memory_mb, *MEMORY_MB.end());
        assert_eq!(gopls.timeouts.settle_ms, 100);
        assert_eq!(gopls.timeouts.request_ms, plain.get("gopls").unwrap().timeouts.request_ms);
        assert_eq!(tuned.get("jdtls").unwrap().memory_mb, plain.get("jdtls").unwrap().memory_mb);
    }

    #[test]
    fn a_workspace_cannot_make_a_program_run() {
        for key in ["command = \"./evil\"", "env = { PATH = \".\" }", "settings = { x = 1 }", "args = [\"-x\"]"] {
            let error = parse(&format!("[servers.gopls]\n{key}\n")).unwrap_err().to_string();
            let name = key.split(' ').next().unwrap();
            assert!(error.starts_with(&format!(".landfall.toml:2: `servers.gopls.{name}`: a workspace's")), "{error}");
        }
        assert!(parse("[servers.gopls.install]\nkind = \"go_install\"\npackage = \"x\"").is_err());
        assert!(parse("trusted = true").is_err());
    }
}
