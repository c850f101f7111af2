//! Reports on earlier changes that the language servers had not settled in time: told once, on top of a later result.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::report::{Reply, since_last_call, verdict_object};
use crate::workspace::Settling;
use crate::workspace::verdict::DiagnosticsReport;

/// How long a report is followed. A language server that takes longer will speak through the `diagnostics` tool.
const PATIENCE: Duration = Duration::from_secs(600);

/// The reports a session is owed, and those that have arrived since.
#[derive(Debug, Clone, Default)]
pub(super) struct Owed {
    arrived: Arc<Mutex<Vec<(String, DiagnosticsReport)>>>,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Owed {
    /// Follows a change until it is settled.
    pub(super) fn expect(&self, settling: Settling) {
        let arrived = Arc::clone(&self.arrived);
        tokio::spawn(async move {
            let files = settling.files();
            for (file, report) in files.into_iter().zip(settling.wait(Some(PATIENCE)).await) {
                if report.verdict.is_settled() {
                    let mut arrived = arrived.lock().unwrap_or_else(PoisonError::into_inner);
                    // Of one file only the newest report is worth telling; it counts from before the older one.
                    arrived.retain(|(earlier, _)| *earlier != file);
                    arrived.push((file, report));
                }
            }
        });
    }

    /// Puts `note` on top of the next result.
    pub(super) fn announce(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// Puts what has arrived on top of `reply`, and forgets it.
    pub(super) fn put_on_top(&self, reply: &mut Reply) {
        for note in std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner)) {
            reply.put_on_top(&note);
        }
        let arrived = std::mem::take(&mut *self.arrived.lock().unwrap_or_else(PoisonError::into_inner));
        if arrived.is_empty() {
            return;
        }
        let block: String = arrived.iter().map(|(file, report)| since_last_call(file, report)).collect();
        reply.put_on_top(&block);
        let objects: Vec<Value> = arrived
            .iter()
            .map(|(file, report)| {
                let mut object = verdict_object(report);
                object["file"] = json!(file);
                object
            })
            .collect();
        reply.structured.insert("since_last_call".into(), Value::Array(objects));
    }
}
