//! Intents: what is about to be changed, on disk until it is changed and entered.
//!
//! A session holds a lock on its ledger file as long as its process lives. An intent whose ledger is not locked was left
//! behind by a crash.

use std::fs::{DirEntry, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::{Entry, LandedEntry, Ledger, Origin, Outcome};

/// A change that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The workspace's root.
    pub root: PathBuf,
    /// The tool that was called.
    pub tool: String,
    /// What the session may use outside of it, as rules are written.
    #[serde(default)]
    pub allow: Vec<String>,
    /// The files.
    pub files: Vec<IntentFile>,
}

impl Intent {
    fn origin(&self, call: u64) -> Origin<'_> {
        Origin { tool: &self.tool, workspace: &self.root, call }
    }
}

/// One file of an intent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentFile {
    /// The real path.
    pub absolute: PathBuf,
    /// The entry it will have in the ledger.
    pub entry: LandedEntry,
    /// The whole new content, where it must be possible to write it once more.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "base64_bytes")]
    pub bytes: Option<Vec<u8>>,
    /// The file whose mode and attributes a new one gets.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub like: Option<PathBuf>,
    /// The permissions of a file that is made again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mode: Option<u32>,
    /// How many of the folders that it lies in go with it where they are empty then.
    #[serde(default)]
    pub folders: usize,
}

mod base64_bytes {
    //! Bytes as text of four thirds their size.

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
        bytes.as_ref().map(|bytes| STANDARD.encode(bytes)).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| STANDARD.decode(text).map_err(serde::de::Error::custom)).transpose()
    }
}

/// What an intent's file holds.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    ledger: PathBuf,
    /// The number of its first entry.
    first: u64,
    intent: Intent,
}

/// An intent that is on disk.
#[derive(Debug)]
pub struct Begun {
    ledger: Ledger,
    intent: Intent,
    first: u64,
    path: Option<PathBuf>,
}

impl Begun {
    pub(super) fn new(ledger: Ledger, intent: Intent, first: u64, ledger_path: Option<&Path>) -> Begun {
        let path = ledger_path.and_then(|ledger_path| {
            let record = Record { ledger: ledger_path.to_owned(), first, intent: intent.clone() };
            let path = journal_of(ledger_path)?.join(format!("{}-{first}.json", ledger_path.file_stem()?.to_str()?));
            let written = serde_json::to_vec(&record).map_err(Into::into).and_then(|json| put(&path, &json, &intent));
            match written {
                Ok(()) => Some(path),
                Err(error) => {
                    tracing::warn!(%error, "an intent was not written");
                    let _ = std::fs::remove_file(&path);
                    None
                }
            }
        });
        Begun { ledger, intent, first, path }
    }

    /// The change is on disk: enters it into the ledger.
    ///
    /// The number of its first entry.
    pub fn landed(self) -> u64 {
        for (number, file) in (self.first..).zip(&self.intent.files) {
            self.ledger.enter(number, &self.intent.origin(self.first), Outcome::Landed(file.entry.clone()));
        }
        let first = self.first;
        self.dropped();
        first
    }

    /// The change was not made.
    pub fn dropped(self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Writes an intent. One of several files is made to last: it may be half carried out when the power fails.
fn put(path: &Path, json: &[u8], intent: &Intent) -> std::io::Result<()> {
    // The content of files stands in it, of which some are their owner's alone.
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(json)?;
    if intent.files.iter().any(|file| file.bytes.is_some()) { file.sync_data() } else { Ok(()) }
}

/// An intent that a crash left behind. Holds its ledger's lock.
#[derive(Debug)]
pub struct Unfinished {
    record: Record,
    path: PathBuf,
    written: SystemTime,
    ledger: File,
}

impl Unfinished {
    /// What was to be done.
    pub fn intent(&self) -> &Intent {
        &self.record.intent
    }

    /// Whether a file beside the targets was there when the intent was, so that nobody alive is at work on it.
    pub fn is_older(&self, entry: &DirEntry) -> bool {
        let grace = Duration::from_secs(2);
        entry.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|modified| modified <= self.written + grace)
    }

    /// Enters what has come of it (one outcome a file), and forgets it.
    pub fn finish(mut self, outcomes: Vec<Outcome>) {
        let known: Vec<u64> =
            Ledger::read(&self.record.ledger).unwrap_or_default().entries.iter().map(|entry| entry.number).collect();
        for (number, outcome) in (self.record.first..).zip(outcomes) {
            if !known.contains(&number) {
                let entry = Entry::now(number, &self.record.intent.origin(self.record.first), outcome);
                if let Err(error) = self.ledger.write_all(&entry.line()) {
                    tracing::warn!(%error, "an entry of a dead session's ledger was not written");
                }
            }
        }
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Where the intents of a ledger are, made if need be.
pub(super) fn journal_of(ledger: &Path) -> Option<PathBuf> {
    let journal = ledger.parent()?.parent()?.join("journal");
    std::fs::create_dir_all(&journal).ok()?;
    Some(journal)
}

/// Takes the lock that says a ledger's process lives; false if another has it.
pub(super) fn lock(ledger: &File) -> bool {
    flock(ledger, FlockOperation::NonBlockingLockExclusive).is_ok()
}

pub(super) fn unfinished(state: &Path) -> Vec<Unfinished> {
    let Ok(entries) = std::fs::read_dir(state.join("journal")) else { return Vec::new() };
    entries.flatten().filter_map(|entry| open(&entry)).collect()
}

fn open(entry: &DirEntry) -> Option<Unfinished> {
    let path = entry.path();
    let json = std::fs::read(&path).ok()?;
    let written = entry.metadata().and_then(|metadata| metadata.modified()).ok()?;
    let ledger = OpenOptions::new().append(true).open(ledger_of(&path)?).ok()?;
    if !lock(&ledger) || !path.exists() {
        return None;
    }
    match serde_json::from_slice::<Record>(&json) {
        Ok(record) => Some(Unfinished { record, path, written, ledger }),
        Err(_) => {
            // Half written: its process died before it touched any file.
            let _ = std::fs::remove_file(&path);
            None
        }
    }
}

/// The ledger of an intent's file, by its name.
fn ledger_of(intent: &Path) -> Option<PathBuf> {
    let (session, _number) = intent.file_stem()?.to_str()?.rsplit_once('-')?;
    Some(intent.parent()?.parent()?.join("sessions").join(format!("{session}.jsonl")))
}
