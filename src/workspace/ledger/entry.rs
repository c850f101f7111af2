//! What one line of the ledger holds.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::text::{Hunk, LineCounts};

/// What came of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number in the session, from 1.
    pub number: u64,
    /// When, RFC 3339, UTC.
    pub at: String,
    /// The tool.
    pub tool: String,
    /// The root of the workspace that was meant.
    #[serde(default)]
    pub workspace: String,
    /// The number of the first entry of the same call: what landed together is undone together.
    #[serde(default)]
    pub call: u64,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Entry {
    /// An entry of this moment.
    pub(super) fn now(number: u64, origin: &Origin<'_>, outcome: Outcome) -> Entry {
        let workspace = origin.workspace.to_string_lossy().into_owned();
        Entry { number, at: now(), tool: origin.tool.to_owned(), workspace, call: origin.call, outcome }
    }

    /// What it says of a file that was changed through us.
    pub fn landed(&self) -> Option<&LandedEntry> {
        match &self.outcome {
            Outcome::Landed(landed) => Some(landed),
            Outcome::Refused(_) | Outcome::Outside(_) => None,
        }
    }

    /// As a line of the ledger file.
    pub(super) fn line(&self) -> Vec<u8> {
        line(self)
    }
}

/// As a line of the ledger file.
pub(super) fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// This moment, as entries tell it.
pub(super) fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// Where an entry comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) tool: &'a str,
    pub(super) workspace: &'a Path,
    pub(super) call: u64,
}

/// Landed or refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// A file was changed.
    Landed(LandedEntry),
    /// Nothing was changed.
    Refused(RefusedEntry),
    /// Files were changed past us, by a command that was run for the agent.
    Outside(OutsideEntry),
}

/// Files that a command changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideEntry {
    /// The first of them.
    pub files: Vec<OutsideFile>,
    /// How many there are.
    pub total: usize,
}

/// A file that a command changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideFile {
    /// Relative to the workspace root, with `/`.
    pub file: String,
    /// What became of it; a file that was written counts as edited.
    pub action: Action,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandedEntry {
    /// Relative to the workspace root, with `/`.
    pub file: String,
    /// What was done.
    pub action: Action,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Lines of the file now.
    pub total: usize,
    /// Of the text before; absent for a file that did not exist.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<Hash>,
    /// Of the text now; absent for a file that is gone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<Hash>,
    /// How to get from the text now to the text before.
    pub reversal: Vec<Reversal>,
    /// What else it takes to make a file again that is gone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gone: Option<Gone>,
    /// How the bytes stood for the text before, by [`crate::text::Encoding::name`]; absent for UTF-8.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub encoding: Option<String>,
    /// How many of the folders that the file lies in, from the innermost, were made for it.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub folders: usize,
    /// The number of the entry that this one undid.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undoes: Option<u64>,
    /// How the replacer matched; absent where it was exact or had nothing to match.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub matched_via: Option<String>,
    /// How the path was put right, if it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path_note: Option<String>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What a deleted file was beside its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// How its bytes stood for the text, by [`crate::text::Encoding::name`].
    pub encoding: String,
    /// Its permissions.
    pub mode: u32,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Part of it was replaced.
    Edited,
    /// It was made.
    Created,
    /// All of it was replaced.
    Overwrote,
    /// It was removed.
    Deleted,
}

impl Action {
    /// As the first line of a result begins.
    pub fn name(self) -> &'static str {
        match self {
            Action::Edited => "edited",
            Action::Created => "created",
            Action::Overwrote => "overwrote",
            Action::Deleted => "deleted",
        }
    }
}

/// One stretch of the text now and what stood there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reversal {
    /// First line of the text now, 0-based.
    pub line: usize,
    /// How many lines of the text now it takes.
    pub length: usize,
    /// What stood there, with line endings.
    pub text: String,
}

/// A change that did not land.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedEntry {
    /// Why, as a stable word.
    pub code: String,
    /// The path as it was received.
    pub path: String,
    /// The file it meant, where that is known: relative to the workspace root.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// The first line of what the agent was told.
    pub message: String,
    /// Other files that the same call would have changed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub with: Vec<String>,
}

/// The hash of a text: the first half of its SHA-256, in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hash(String);

impl Hash {
    /// Of `text`.
    pub fn of(text: &str) -> Hash {
        Hash(Sha256::digest(text.as_bytes())[..16].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl LandedEntry {
    /// The entry of a change of `file` from `before` to `after`, which `hunks` describe.
    pub fn new(
        file: &str,
        action: Action,
        before: Option<&str>,
        after: Option<&str>,
        hunks: &[Hunk],
        counts: LineCounts,
    ) -> LandedEntry {
        LandedEntry {
            file: file.to_owned(),
            action,
            added: counts.added,
            removed: counts.removed,
            total: counts.total,
            before: before.map(Hash::of),
            after: after.map(Hash::of),
            reversal: reversal(before.unwrap_or_default(), hunks),
            gone: None,
            encoding: None,
            folders: 0,
            undoes: None,
            matched_via: None,
            path_note: None,
        }
    }

    /// The text before, from the text `now` (`None`: there is no file); `None` if that is not what this change left. A
    /// file that did not exist before has an empty text.
    pub fn undone(&self, now: Option<&str>) -> Option<String> {
        if self.after != now.map(Hash::of) {
            return None;
        }
        let now = now.unwrap_or_default();
        let lines: Vec<&str> = now.split_inclusive('\n').collect();
        let (mut before, mut at) = (String::new(), 0);
        for reversal in &self.reversal {
            before.extend(lines.get(at..reversal.line)?.iter().copied());
            before.push_str(&reversal.text);
            at = reversal.line + reversal.length;
        }
        before.extend(lines.get(at..)?.iter().copied());
        let right = self.before.as_ref().map_or(before.is_empty(), |hash| *hash == Hash::of(&before));
        right.then_some(before)
    }
}

fn reversal(before: &str, hunks: &[Hunk]) -> Vec<Reversal> {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let one = |hunk: &Hunk| Reversal {
        line: hunk.new.start,
        length: hunk.new.len(),
        text: lines[hunk.old.start..hunk.old.end].concat(),
    };
    hunks.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::hunks;

    fn entry(before: &str, after: &str) -> LandedEntry {
        let hunks = hunks(before, after);
        LandedEntry::new("a", Action::Edited, Some(before), Some(after), &hunks, LineCounts::of(&hunks, after))
    }

    #[test]
    fn a_change_is_undone_only_where_its_result_still_stands() {
        let (before, after) = ("a\nb\r\nc", "a\nx\ny\nc\nd");
        assert_eq!(entry(before, after).undone(Some(after)).as_deref(), Some(before));
        assert_eq!(entry(before, after).undone(Some("a\nx\n")), None);
        assert_eq!(entry(before, after).undone(None), None);
        let hunks = hunks(before, "");
        let deleted = LandedEntry::new("a", Action::Deleted, Some(before), None, &hunks, LineCounts::of(&hunks, ""));
        assert_eq!(deleted.undone(None).as_deref(), Some(before));
    }

    proptest::proptest! {
        #[test]
        fn undoing_gives_back_every_byte(before in "([ab]{0,2}(\r?\n)?){0,10}", after in "([ab]{0,2}(\r?\n)?){0,10}") {
            proptest::prop_assert_eq!(entry(&before, &after).undone(Some(&after)), Some(before));
        }
    }
}
