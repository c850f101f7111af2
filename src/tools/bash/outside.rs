//! Which files of the workspace a command changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::search::{FileChange, Snapshot};
use crate::workspace::ledger::{Action, Entry, Outcome, OutsideEntry, OutsideFile};

/// In a larger workspace changes are not looked for.
const MOST_FILES: usize = 60_000;
/// Nor where looking takes longer than this.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most files that are entered by name.
const MOST_NAMED: usize = 100;

/// What was changed, by absolute path.
pub(super) type Changes = Vec<(PathBuf, FileChange)>;

/// The workspace as it was before a command.
pub(super) struct Watch<'r> {
    root: &'r Path,
    before: Option<Snapshot>,
}

impl<'r> Watch<'r> {
    pub(super) fn begin(root: &'r Path) -> Watch<'r> {
        Watch { root, before: Snapshot::take(root, MOST_FILES, PATIENCE) }
    }

    /// What is different now; `None` if the workspace is too large to tell.
    pub(super) fn end(self) -> Option<Changes> {
        let later = Snapshot::take(self.root, MOST_FILES, PATIENCE)?;
        Some(self.before?.changes(&later))
    }
}

/// The changes as the ledger keeps them, without those that `meanwhile` says the session made itself.
pub(super) fn entry(changes: Changes, root: &Path, meanwhile: &[Entry]) -> OutsideEntry {
    let ours = |file: &str| {
        meanwhile.iter().any(|entry| matches!(&entry.outcome, Outcome::Landed(landed) if landed.file == file))
    };
    let told = changes.into_iter().filter_map(|(path, change)| {
        let file = path.strip_prefix(root).ok()?.to_string_lossy().into_owned();
        let action = match change {
            FileChange::Created => Action::Created,
            FileChange::Changed => Action::Edited,
            FileChange::Deleted => Action::Deleted,
        };
        (!ours(&file)).then_some(OutsideFile { file, action })
    });
    let mut files: Vec<OutsideFile> = told.collect();
    let total = files.len();
    files.truncate(MOST_NAMED);
    OutsideEntry { files, total }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{LineCounts, hunks};
    use crate::workspace::ledger::LandedEntry;

    #[test]
    fn our_own_changes_are_not_the_commands() {
        let hunks = hunks("", "x\n");
        let landed =
            LandedEntry::new("ours.go", Action::Created, None, Some("x\n"), &hunks, LineCounts::of(&hunks, "x\n"));
        let meanwhile = [Entry {
            number: 1,
            at: String::new(),
            tool: "write".into(),
            workspace: String::new(),
            call: 1,
            outcome: Outcome::Landed(landed),
        }];
        let changes = vec![
            (PathBuf::from("/w/ours.go"), FileChange::Created),
            (PathBuf::from("/w/s/theirs.go"), FileChange::Deleted),
        ];
        let entry = entry(changes, Path::new("/w"), &meanwhile);
        assert_eq!(
            entry,
            OutsideEntry { files: vec![OutsideFile { file: "s/theirs.go".into(), action: Action::Deleted }], total: 1 }
        );
    }
}
