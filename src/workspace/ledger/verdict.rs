//! What the language servers said of a change: a line of its own, for it was not known when the change landed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::workspace::verdict::{DiagnosticsReport, Problem};

/// Most problems kept of one verdict; the rest are counted.
const MOST_PROBLEMS: usize = 5;

/// The verdict on one landed change. Of several on the same the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictEntry {
    /// The number of the entry that it is about.
    pub about: u64,
    /// When, RFC 3339, UTC.
    pub at: String,
    /// Its name, by [`crate::workspace::verdict::Verdict::name`].
    pub verdict: String,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language_server: Option<String>,
    /// From the landing to the verdict.
    pub after_ms: u64,
    /// What is behind a verdict that is not settled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
    /// Whether the state before was known; without it nothing is called introduced or fixed.
    #[serde(default)]
    pub baseline: bool,
    /// In the file: there now, not there before. Without a baseline all that is there now.
    #[serde(default)]
    pub introduced: usize,
    /// In the file: there before, not there now.
    #[serde(default)]
    pub fixed: usize,
    /// In the file: there before and now.
    #[serde(default)]
    pub unchanged: usize,
    /// In other files: there now, not there before.
    #[serde(default)]
    pub elsewhere: usize,
    /// Syntax problems that the change introduced, where that was all that could be checked.
    #[serde(default)]
    pub syntax: usize,
    /// The first of what is new, each on one line.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub problems: Vec<String>,
}

impl VerdictEntry {
    /// What `report` says of the change with the number `about`, `after` its landing.
    pub fn of(about: u64, after: Duration, report: &DiagnosticsReport) -> VerdictEntry {
        let new = report.introduced.iter().chain(&report.elsewhere).chain(&report.floor);
        VerdictEntry {
            about,
            at: super::entry::now(),
            verdict: report.verdict.name().to_owned(),
            language_server: report.language_server.clone(),
            after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
            detail: report.detail.clone(),
            baseline: report.baseline,
            introduced: report.introduced.len(),
            fixed: report.fixed.len(),
            unchanged: report.unchanged.len(),
            elsewhere: report.elsewhere.len(),
            syntax: report.floor.len(),
            problems: new.take(MOST_PROBLEMS).map(line).collect(),
        }
    }
}

/// `a.go:3:1 error undefined: x`.
fn line(problem: &Problem) -> String {
    let Problem { file, line, column, severity, message, .. } = problem;
    format!("{file}:{line}:{column} {} {message}", severity.name())
}
