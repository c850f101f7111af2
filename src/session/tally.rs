//! What all sessions of the process have done so far, in numbers: never missed, whoever watches.
//!
//! Invariant: nothing that an agent, a file or a language server says becomes a label. Labels are names of ours and of
//! the configuration, and of a label that could take many values only the first are told apart.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::{MetricType, TypedMetric};
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

use crate::workspace::verdict::DiagnosticsReport;

/// More values of a label than these are not told apart.
const MOST_VALUES: usize = 64;
/// What the rest is called.
const OTHER: &str = "other";
/// Seconds. The longest wait of a result is 9 s, the first load of a project can take a minute.
const WAITS: [f64; 11] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];

/// What all sessions have done so far. A cheap handle.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    calls: Family<CallLabels, Counter>,
    landed: Family<LandedLabels, Counter>,
    refused: Family<RefusedLabels, Counter>,
    settled: Family<ServerLabels, Waits>,
    verdicts: Family<VerdictLabels, Counter>,
    under_way: Gauge,
    waiting: Gauge,
    strategies: Known,
    language_servers: Known,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tool: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LandedLabels {
    tool: &'static str,
    matched_via: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RefusedLabels {
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServerLabels {
    language_server: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct VerdictLabels {
    language_server: String,
    verdict: &'static str,
}

/// A histogram of waits.
#[derive(Debug, Clone)]
struct Waits(Histogram);

impl Default for Waits {
    fn default() -> Waits {
        Waits(Histogram::new(WAITS))
    }
}

impl EncodeMetric for Waits {
    fn encode(&self, encoder: MetricEncoder<'_>) -> std::fmt::Result {
        self.0.encode(encoder)
    }

    fn metric_type(&self) -> MetricType {
        self.0.metric_type()
    }
}

impl TypedMetric for Waits {
    const TYPE: MetricType = Histogram::TYPE;
}

/// The values of a label that are told apart.
#[derive(Debug, Clone, Default)]
struct Known {
    values: Arc<Mutex<HashSet<String>>>,
}

impl Known {
    fn bounded(&self, value: &str) -> String {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if !values.contains(value) {
            if values.len() >= MOST_VALUES {
                return OTHER.to_owned();
            }
            values.insert(value.to_owned());
        }
        value.to_owned()
    }
}

/// Counts something as being so, until it is dropped.
#[derive(Debug)]
pub(super) struct Present {
    gauge: Gauge,
}

impl Present {
    fn of(gauge: &Gauge) -> Present {
        gauge.inc();
        Present { gauge: gauge.clone() }
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.gauge.dec();
    }
}

impl Tally {
    /// How many calls have not come back yet.
    pub fn under_way(&self) -> u64 {
        self.under_way.get().try_into().unwrap_or_default()
    }

    /// A call has come.
    pub(super) fn begins(&self) -> Present {
        Present::of(&self.under_way)
    }

    /// A call waits for language servers.
    pub(super) fn waits(&self) -> Present {
        Present::of(&self.waiting)
    }

    /// A call of `tool` came back with this structured result.
    pub(super) fn called(&self, tool: &'static str, is_error: bool, structured: &Map<String, Value>) {
        let outcome = if is_error { "error" } else { "done" };
        self.calls.get_or_create(&CallLabels { tool, outcome }).inc();
        if structured.get("landed").and_then(Value::as_bool) != Some(true) {
            return;
        }
        match structured.get("files").and_then(Value::as_array) {
            Some(files) => files.iter().filter_map(Value::as_object).for_each(|file| self.landed(tool, file)),
            None => self.landed(tool, structured),
        }
    }

    fn landed(&self, tool: &'static str, file: &Map<String, Value>) {
        let via = file.get("matched_via").and_then(Value::as_str).unwrap_or("nothing");
        self.landed.get_or_create(&LandedLabels { tool, matched_via: self.strategies.bounded(via) }).inc();
    }

    /// An edit was refused.
    pub(super) fn refused(&self, code: &'static str) {
        self.refused.get_or_create(&RefusedLabels { code }).inc();
    }

    /// A change was waited for.
    pub(super) fn reported(&self, report: &DiagnosticsReport) {
        let Some(name) = &report.language_server else { return };
        let language_server = self.language_servers.bounded(name);
        if report.verdict.is_settled() {
            self.observe(&language_server, report.waited);
        }
        self.verdicts.get_or_create(&VerdictLabels { language_server, verdict: report.verdict.name() }).inc();
    }

    fn observe(&self, language_server: &str, waited: Duration) {
        let labels = ServerLabels { language_server: language_server.to_owned() };
        self.settled.get_or_create(&labels).0.observe(waited.as_secs_f64());
    }

    /// Has it told in `registry`.
    pub fn register(&self, registry: &mut Registry) {
        registry.register("calls", "Calls that came back, by tool and outcome", self.calls.clone());
        registry.register(
            "edits_landed",
            "Files changed, by tool and by how the old text was found (nothing: none was looked for)",
            self.landed.clone(),
        );
        registry.register("edits_refused", "Edits refused, by code", self.refused.clone());
        registry.register(
            "settle_seconds",
            "From a change on disk to its verdict, where there was one, by language server",
            self.settled.clone(),
        );
        registry.register("verdicts", "Reports on changes, by language server and verdict", self.verdicts.clone());
        registry.register("calls_under_way", "Calls that have not come back yet", self.under_way.clone());
        registry.register("calls_waiting", "Calls that wait for language servers", self.waiting.clone());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::workspace::verdict::Verdict;

    fn told(tally: &Tally) -> String {
        let (mut registry, mut text) = (Registry::with_prefix("x"), String::new());
        tally.register(&mut registry);
        prometheus_client::encoding::text::encode(&mut text, &registry).expect("is told");
        text
    }

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn what_happened_is_told_by_tool_strategy_code_and_language_server() {
        let tally = Tally::default();
        tally.called("edit", false, &object(json!({ "landed": true, "matched_via": "exact" })));
        tally.called("edit", true, &object(json!({ "landed": false, "code": "not_found" })));
        let files = json!([{ "matched_via": "indentation" }, { "matched_via": "exact" }, {}]);
        tally.called("apply_patch", false, &object(json!({ "landed": true, "files": files })));
        tally.called("changes", false, &object(json!({ "landed": [1, 2] })));
        tally.refused("not_found");
        let mut report = DiagnosticsReport::unsettled(Verdict::Clean);
        (report.language_server, report.waited) = (Some("gopls".into()), Duration::from_millis(84));
        tally.reported(&report);
        report.verdict = Verdict::Loading;
        tally.reported(&report);
        let waiting = tally.waits();
        let text = told(&tally);
        for line in [
            r#"x_calls_total{tool="edit",outcome="done"} 1"#,
            r#"x_calls_total{tool="edit",outcome="error"} 1"#,
            r#"x_calls_total{tool="changes",outcome="done"} 1"#,
            r#"x_edits_landed_total{tool="edit",matched_via="exact"} 1"#,
            r#"x_edits_landed_total{tool="apply_patch",matched_via="indentation"} 1"#,
            r#"x_edits_landed_total{tool="apply_patch",matched_via="nothing"} 1"#,
            r#"x_edits_refused_total{code="not_found"} 1"#,
            r#"x_settle_seconds_bucket{le="0.05",language_server="gopls"} 0"#,
            r#"x_settle_seconds_bucket{le="0.1",language_server="gopls"} 1"#,
            r#"x_settle_seconds_count{language_server="gopls"} 1"#,
            r#"x_verdicts_total{language_server="gopls",verdict="loading"} 1"#,
            "x_calls_waiting 1",
            "x_calls_under_way 0",
        ] {
            assert!(text.lines().any(|told| told == line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains(r#"tool="changes",matched_via"#), "{text}");
        drop(waiting);
        assert!(told(&tally).contains("x_calls_waiting 0"));
    }

    #[test]
    fn labels_are_bounded() {
        let tally = Tally::default();
        let mut report = DiagnosticsReport::unsettled(Verdict::Clean);
        for number in 0..10 * MOST_VALUES {
            report.language_server = Some(format!("server-{number}"));
            tally.reported(&report);
            tally.called("edit", false, &object(json!({ "landed": true, "matched_via": format!("via-{number}") })));
        }
        let text = told(&tally);
        assert_eq!(text.matches("x_settle_seconds_count").count(), MOST_VALUES + 1);
        assert_eq!(text.matches("x_edits_landed_total").count(), MOST_VALUES + 1);
        assert!(text.contains(&format!(r#"matched_via="other"}} {}"#, 9 * MOST_VALUES)), "{text}");
    }
}
