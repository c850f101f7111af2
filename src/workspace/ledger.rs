//! The ledger: what one session changed and what was refused, in order, append-only, outliving the process.
//!
//! One file a session, for its owner alone, one JSON line an entry, and one for each verdict on a change that an entry
//! tells of. What cannot be written is kept in memory until it can: it must never be the reason why an edit fails.

mod entry;
mod fate;
mod journal;
mod net;
mod unwritten;
mod verdict;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entry::Origin;
pub use entry::{Action, Entry, Gone, Hash, LandedEntry, Outcome, OutsideEntry, OutsideFile, RefusedEntry, Reversal};
pub use fate::{Fate, fates};
pub use journal::{Begun, Intent, IntentFile, Unfinished};
pub use net::{Net, NetChange, Now, net_of};
use unwritten::Unwritten;
pub use verdict::VerdictEntry;

/// The ledger of one session. A cheap handle.
#[derive(Debug, Clone)]
pub struct Ledger {
    shared: Arc<Mutex<State>>,
}

/// All that a ledger holds, in the order in which it was entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// What landed, what was refused.
    pub entries: Vec<Entry>,
    /// What the language servers said of what landed.
    pub verdicts: Vec<VerdictEntry>,
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
    path: PathBuf,
    /// There is none as long as there is no entry: a session that changes nothing leaves no file behind.
    file: Option<File>,
    unwritten: Unwritten,
    record: Record,
    last_number: u64,
}

impl Ledger {
    /// A new ledger in the folder `sessions` of `state`; the file is made with its first entry.
    pub fn create(state: &Path) -> Ledger {
        let session = new_session_name();
        let path = sessions_of(state).join(format!("{session}.jsonl"));
        let (unwritten, record) = (Unwritten::default(), Record::default());
        let state = State { session, path, file: None, unwritten, record, last_number: 0 };
        Ledger { shared: Arc::new(Mutex::new(state)) }
    }

    /// What the ledger file at `path` holds, for looking at it afterwards. Lines that do not read are left out.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(path: &Path) -> std::io::Result<Record> {
        let mut record = Record::default();
        for line in String::from_utf8_lossy(&std::fs::read(path)?).lines() {
            match serde_json::from_str(line) {
                Ok(entry) => record.entries.push(entry),
                Err(_) => record.verdicts.extend(serde_json::from_str::<VerdictEntry>(line)),
            }
        }
        Ok(record)
    }

    /// The session's name: the ledger file's, without its extension.
    pub fn session(&self) -> String {
        self.lock().session.clone()
    }

    /// Where it is written, if it is.
    pub fn path(&self) -> Option<PathBuf> {
        let state = self.lock();
        state.file.is_some().then(|| state.path.clone())
    }

    /// The ledger files in `state` (the state folder), the latest written first.
    pub fn sessions(state: &Path) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(sessions_of(state)) else { return Vec::new() };
        let mut files: Vec<_> = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "jsonl"))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        files.into_iter().rev().map(|(_, path)| path).collect()
    }

    /// Appends what came of a call of `tool` that meant `workspace`; its number.
    pub fn append(&self, tool: &str, workspace: &Path, outcome: Outcome) -> u64 {
        self.append_all(tool, workspace, vec![outcome])
    }

    /// Appends all that came of one call; the number of the first.
    pub fn append_all(&self, tool: &str, workspace: &Path, outcomes: Vec<Outcome>) -> u64 {
        let first = {
            let mut state = self.lock();
            let first = state.last_number + 1;
            state.last_number += outcomes.len() as u64;
            first
        };
        let origin = Origin { tool, workspace, call: first };
        for (number, outcome) in (first..).zip(outcomes) {
            self.enter(number, &origin, outcome);
        }
        first
    }

    /// Puts on disk what is about to be changed, before anything is.
    pub fn begin(&self, intent: Intent) -> Begun {
        let (first, path) = {
            let mut state = self.lock();
            state.open();
            let first = state.last_number + 1;
            state.last_number += intent.files.len() as u64;
            (first, state.file.is_some().then(|| state.path.clone()))
        };
        Begun::new(self.clone(), intent, first, path.as_deref())
    }

    /// The intents below `state` that crashed processes left behind.
    pub fn unfinished(state: &Path) -> Vec<Unfinished> {
        journal::unfinished(state)
    }

    /// Enters what came of a call under a number that was set aside for it.
    fn enter(&self, number: u64, origin: &Origin<'_>, outcome: Outcome) {
        let mut state = self.lock();
        state.open();
        let entry = Entry::now(number, origin, outcome);
        state.write(&entry.line());
        state.record.entries.push(entry);
    }

    /// Enters what the language servers said of a change.
    pub fn judge(&self, verdict: VerdictEntry) {
        let mut state = self.lock();
        state.write(&entry::line(&verdict));
        state.record.verdicts.push(verdict);
    }

    /// What `look` makes of all that was entered so far.
    pub fn look<T>(&self, look: impl FnOnce(&Record) -> T) -> T {
        look(&self.lock().record)
    }

    /// The entries so far of the workspace at `root`.
    pub fn entries_of(&self, root: &Path) -> Vec<Entry> {
        let root = root.to_string_lossy();
        self.lock().record.entries.iter().filter(|entry| entry.workspace == root).cloned().collect()
    }

    /// All entries so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().record.entries.clone()
    }

    /// How many changes landed and how many were refused so far.
    pub fn counts(&self) -> EntryCounts {
        let state = self.lock();
        let count =
            |wanted: fn(&Outcome) -> bool| state.record.entries.iter().filter(|entry| wanted(&entry.outcome)).count();
        EntryCounts {
            landed: count(|outcome| matches!(outcome, Outcome::Landed(_))),
            refused: count(|outcome| matches!(outcome, Outcome::Refused(_))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Writes one line, and what waits from before, if that can be done.
    fn write(&mut self, line: &[u8]) {
        self.unwritten.push(line);
        let Some(file) = &mut self.file else { return };
        if let Err(error) = self.unwritten.write_to(file)
            && self.unwritten.complains()
        {
            let path = self.path.display();
            tracing::warn!(%path, %error, "the ledger cannot be written; what is missing is kept in memory until it can");
        }
    }

    /// Makes the file, if there is none yet.
    fn open(&mut self) {
        if self.file.is_some() {
            return;
        }
        let opened = std::fs::create_dir_all(self.path.parent().unwrap_or(Path::new("")))
            .and_then(|()| OpenOptions::new().create_new(true).append(true).mode(0o600).open(&self.path));
        match opened {
            Ok(file) => {
                journal::lock(&file);
                self.file = Some(file);
            }
            Err(error) => {
                if self.unwritten.complains() {
                    let path = self.path.display();
                    tracing::warn!(%path, %error, "the ledger cannot be made; it is kept in memory until it can");
                }
            }
        }
    }
}

fn sessions_of(state: &Path) -> PathBuf {
    state.join("sessions")
}

/// Unique in a state folder, which several machines or containers may share: the time, the process, and chance.
fn new_session_name() -> String {
    use std::hash::{BuildHasher, Hasher};
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish() as u32;
    format!("{}-{}-{random:08x}", chrono::Utc::now().format("%Y%m%d-%H%M%S"), std::process::id())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::workspace::verdict::{DiagnosticsReport, Problem, Severity, Verdict};

    fn problem() -> Problem {
        let (number, source, code, related) = (None, None, None, None);
        let (file, message) = ("a.go".to_owned(), "undefined: x".to_owned());
        Problem { number, file, line: 3, column: 1, severity: Severity::Error, message, source, code, related }
    }

    fn refused(path: &str) -> Outcome {
        let (code, path, message) = ("not_found".into(), path.into(), "no".into());
        Outcome::Refused(RefusedEntry { code, path, file: None, message, with: Vec::new() })
    }

    #[test]
    fn entries_are_numbered_and_outlive_the_ledger() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("deep/er");
        let ledger = Ledger::create(&state);
        assert!(Ledger::unfinished(&state).is_empty());
        assert!(Ledger::sessions(&state).is_empty(), "a session that changes nothing leaves no file");
        assert_eq!(ledger.append("edit", Path::new("/w"), refused("a\n\"b")), 1);
        assert_eq!(ledger.append("write", Path::new("/other"), refused("c")), 2);
        let path = ledger.path().expect("written");
        assert_eq!(Ledger::sessions(&state), std::slice::from_ref(&path));
        assert_eq!(ledger.entries_of(Path::new("/w")).len(), 1);
        let report =
            DiagnosticsReport { introduced: vec![problem()], ..DiagnosticsReport::unsettled(Verdict::Problems) };
        ledger.judge(VerdictEntry::of(1, Duration::from_millis(84), &report));
        let (entries, verdicts) = ledger.look(|record| (record.entries.clone(), record.verdicts.clone()));
        assert_eq!(verdicts[0].problems, ["a.go:3:1 error undefined: x"]);
        drop(ledger);
        let record = Ledger::read(&path).expect("reads");
        assert_eq!((record.entries, record.verdicts), (entries, verdicts));
        std::fs::write(&path, "{half a li").expect("writes");
        assert_eq!(Ledger::read(&path).expect("reads"), Record::default());
    }

    /// As the versions before verdicts were entered wrote it, and one with what a later version may add.
    #[test]
    fn ledgers_of_other_versions_are_read() {
        let lines = [
            r#"{"number":1,"at":"2026-01-01T00:00:00.000Z","tool":"edit","workspace":"/w","call":1,"outcome":"landed","file":"a","action":"edited","added":1,"removed":1,"total":1,"before":"00","after":"01","reversal":[{"line":0,"length":1,"text":"a"}]}"#,
            r#"{"number":2,"at":"2026-01-01T00:00:01.000Z","tool":"edit","outcome":"refused","code":"not_found","path":"b","message":"no","new":1}"#,
            r#"{"about":1,"at":"2026-01-01T00:00:01.000Z","verdict":"clean","after_ms":5,"new":{}}"#,
            r#"{"something":"else"}"#,
        ];
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), lines.join("\n")).expect("writes");
        let record = Ledger::read(file.path()).expect("reads");
        let numbers: Vec<u64> = record.entries.iter().map(|entry| entry.number).collect();
        assert_eq!((numbers, record.verdicts.len()), (vec![1, 2], 1));
        assert_eq!(record.entries[0].landed().expect("landed").matched_via, None);
    }

    #[test]
    fn a_ledger_that_cannot_be_written_is_kept_in_memory_until_it_can() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        std::fs::write(&state, "a file in its way").expect("writes");
        let ledger = Ledger::create(&state);
        ledger.append("edit", Path::new("/w"), refused("p"));
        assert_eq!((ledger.path(), ledger.entries().len()), (None, 1));
        std::fs::remove_file(&state).expect("removed");
        ledger.append("edit", Path::new("/w"), refused("q"));
        let path = ledger.path().expect("is written now");
        assert_eq!(Ledger::read(&path).expect("reads").entries, ledger.entries());
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).expect("is there").permissions());
        assert_eq!(mode & 0o777, 0o600, "what files hold is in it");
    }
}
