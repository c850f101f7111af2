//! The ledger: what one session changed and what was refused, in order, append-only, outliving the process.
//!
//! One file a session, one JSON line an entry. A ledger that cannot be written is logged and kept in memory: it must
//! never be the reason why an edit fails.

mod entry;
mod journal;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use entry::{Action, Entry, Hash, LandedEntry, Outcome, OutsideEntry, OutsideFile, RefusedEntry, Reversal};
pub use journal::{Begun, Intent, IntentFile, Unfinished};

/// The ledger of one session. A cheap handle.
#[derive(Debug, Clone)]
pub struct Ledger {
    shared: Arc<Mutex<State>>,
}

/// How many entries of a ledger there are of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryCounts {
    /// Files that were changed.
    pub landed: usize,
    /// Changes that were refused.
    pub refused: usize,
}

#[derive(Debug)]
struct State {
    session: String,
    path: Option<PathBuf>,
    file: Option<File>,
    entries: Vec<Entry>,
    last_number: u64,
}

impl Ledger {
    /// A new ledger in the folder `sessions` of `state`, which is made if need be.
    pub fn create(state: &Path) -> Ledger {
        let directory = state.join("sessions");
        let session = new_session_name();
        let path = directory.join(format!("{session}.jsonl"));
        let opened = std::fs::create_dir_all(&directory)
            .and_then(|()| OpenOptions::new().create_new(true).append(true).open(&path));
        let (path, file) = match opened {
            Ok(file) => {
                journal::lock(&file);
                (Some(path), Some(file))
            }
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "the ledger cannot be written; it is kept in memory");
                (None, None)
            }
        };
        Ledger { shared: Arc::new(Mutex::new(State { session, path, file, entries: Vec::new(), last_number: 0 })) }
    }

    /// The entries of the ledger file at `path`, for looking at it afterwards. Lines that do not read are left out.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(path: &Path) -> std::io::Result<Vec<Entry>> {
        Ok(std::fs::read_to_string(path)?.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// The session's name: the ledger file's, without its extension.
    pub fn session(&self) -> String {
        self.lock().session.clone()
    }

    /// Where it is written, if it is.
    pub fn path(&self) -> Option<PathBuf> {
        self.lock().path.clone()
    }

    /// Appends what came of a call of `tool`; its number.
    pub fn append(&self, tool: &str, outcome: Outcome) -> u64 {
        let number = {
            let mut state = self.lock();
            state.last_number += 1;
            state.last_number
        };
        self.enter(number, tool, outcome);
        number
    }

    /// Puts on disk what is about to be changed, before anything is.
    pub fn begin(&self, intent: Intent) -> Begun {
        let (first, path) = {
            let mut state = self.lock();
            let first = state.last_number + 1;
            state.last_number += intent.files.len() as u64;
            (first, state.path.clone())
        };
        Begun::new(self.clone(), intent, first, path.as_deref())
    }

    /// The intents below `state` that crashed processes left behind.
    pub fn unfinished(state: &Path) -> Vec<Unfinished> {
        journal::unfinished(state)
    }

    /// Enters what came of a call under a number that was set aside for it.
    fn enter(&self, number: u64, tool: &str, outcome: Outcome) {
        let mut state = self.lock();
        let entry = Entry::now(number, tool, outcome);
        if let Some(file) = &mut state.file {
            // One write a line, so that a killed process leaves whole lines.
            if let Err(error) = file.write_all(&entry.line()) {
                tracing::warn!(%error, "an entry of the ledger was not written");
            }
        }
        state.entries.push(entry);
    }

    /// All entries so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().entries.clone()
    }

    /// How many changes landed and how many were refused so far.
    pub fn counts(&self) -> EntryCounts {
        let state = self.lock();
        let count = |wanted: fn(&Outcome) -> bool| state.entries.iter().filter(|entry| wanted(&entry.outcome)).count();
        EntryCounts {
            landed: count(|outcome| matches!(outcome, Outcome::Landed(_))),
            refused: count(|outcome| matches!(outcome, Outcome::Refused(_))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Unique on this machine: the time, the process, and a count.
fn new_session_name() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{}-{count}", chrono::Utc::now().format("%Y%m%d-%H%M%S"), std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_numbered_and_outlive_the_ledger() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::create(&folder.path().join("deep/er"));
        assert!(Ledger::unfinished(&folder.path().join("deep/er")).is_empty());
        let refused = |path: &str| {
            Outcome::Refused(RefusedEntry {
                code: "not_found".into(),
                path: path.into(),
                file: None,
                message: "no".into(),
            })
        };
        assert_eq!(ledger.append("edit", refused("a\n\"b")), 1);
        assert_eq!(ledger.append("write", refused("c")), 2);
        let path = ledger.path().expect("written");
        let entries = ledger.entries();
        drop(ledger);
        assert_eq!(Ledger::read(&path).expect("reads"), entries);
        std::fs::write(&path, "{half a li").expect("writes");
        assert_eq!(Ledger::read(&path).expect("reads"), []);
    }

    #[test]
    fn a_ledger_that_cannot_be_written_is_kept_in_memory() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let ledger = Ledger::create(&file.path().join("below a file"));
        ledger.append(
            "edit",
            Outcome::Refused(RefusedEntry { code: "x".into(), path: "p".into(), file: None, message: "m".into() }),
        );
        assert_eq!((ledger.path(), ledger.entries().len()), (None, 1));
    }
}
