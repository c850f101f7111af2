//! Reports on earlier changes that the language servers had not settled in time: told once, on top of a later result.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::numbers::Numbers;
use crate::report::{Reply, since_last_call, verdict_object};
use crate::workspace::Settling;
use crate::workspace::ledger::Ledger;
use crate::workspace::verdict::DiagnosticsReport;

/// How long a report is followed. A language server that takes longer will speak through the `diagnostics` tool.
const PATIENCE: Duration = Duration::from_secs(600);

/// The reports a session is owed, and those that have arrived since.
#[derive(Debug, Clone, Default)]
pub(super) struct Owed {
    arrived: Arc<Mutex<Vec<Arrived>>>,
    notes: Arc<Mutex<Vec<String>>>,
}

/// A report on a change of one file.
#[derive(Debug)]
struct Arrived {
    root: PathBuf,
    file: String,
    report: DiagnosticsReport,
}

impl Owed {
    /// Follows a change in the workspace at `root` until it is settled, and enters that into `ledger`.
    pub(super) fn expect(&self, root: &Path, settling: Settling, ledger: Ledger) {
        let (arrived, root) = (Arc::clone(&self.arrived), root.to_owned());
        tokio::spawn(async move {
            let files = settling.files();
            let reports = settling.wait(Some(PATIENCE)).await;
            settling.verdicts(&reports).for_each(|verdict| ledger.judge(verdict));
            for (file, report) in files.into_iter().zip(reports) {
                if report.verdict.is_settled() {
                    let mut arrived = arrived.lock().unwrap_or_else(PoisonError::into_inner);
                    // Of one file only the newest report is worth telling; it counts from before the older one.
                    arrived.retain(|earlier| (&earlier.root, &earlier.file) != (&root, &file));
                    arrived.push(Arrived { root: root.clone(), file, report });
                }
            }
        });
    }

    /// Puts `note` on top of the next result.
    pub(super) fn announce(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// Puts what has arrived on top of `reply`, and forgets it.
    pub(super) fn put_on_top(&self, reply: &mut Reply, numbers: &Numbers) {
        for note in std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner)) {
            reply.put_on_top(&note);
        }
        let mut arrived = std::mem::take(&mut *self.arrived.lock().unwrap_or_else(PoisonError::into_inner));
        if arrived.is_empty() {
            return;
        }
        arrived.iter_mut().for_each(|arrived| numbers.give(&arrived.root, &mut arrived.report));
        let block: String = arrived.iter().map(|arrived| since_last_call(&arrived.file, &arrived.report)).collect();
        reply.put_on_top(&block);
        let objects: Vec<Value> = arrived
            .iter()
            .map(|arrived| {
                let mut object = verdict_object(&arrived.report);
                object["file"] = json!(arrived.file);
                object
            })
            .collect();
        reply.structured.insert("since_last_call".into(), Value::Array(objects));
    }
}
