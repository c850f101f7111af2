//! What the files of a tree looked like, and which of them have changed since.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ignore::{WalkBuilder, WalkState};

use crate::temporaries::is_temporary;

/// Length and time of change (ns) of a file: enough to notice that it was written.
type Stamp = (u64, i128);

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange {
    /// It is new.
    Created,
    /// It was written.
    Changed,
    /// It is gone.
    Deleted,
}

/// The files of a tree at one time; ignored ones and `.git` are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    files: HashMap<PathBuf, Stamp>,
}

impl Snapshot {
    /// Looks at `root`; `None` if it has more than `most` files, or if looking takes longer than `patience`.
    pub fn take(root: &Path, most: usize, patience: Duration) -> Option<Snapshot> {
        let began = std::time::Instant::now();
        let (files, count, over) = (Mutex::new(HashMap::new()), AtomicUsize::new(0), AtomicBool::new(false));
        let mut walk = WalkBuilder::new(root);
        walk.hidden(false)
            .require_git(false)
            .filter_entry(|entry| entry.file_name() != ".git" && !is_temporary(entry.file_name()));
        walk.build_parallel().run(|| {
            Box::new(|entry| {
                let file = entry.ok().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
                if let Some(entry) = file {
                    if count.fetch_add(1, Ordering::Relaxed) >= most || began.elapsed() > patience {
                        over.store(true, Ordering::Relaxed);
                        return WalkState::Quit;
                    }
                    if let Ok(metadata) = entry.metadata() {
                        let modified = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
                        let stamp = (metadata.len(), modified);
                        files.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.into_path(), stamp);
                    }
                }
                WalkState::Continue
            })
        });
        let files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
        (!over.into_inner()).then_some(Snapshot { files })
    }

    /// What is different in `later`, by path.
    pub fn changes(&self, later: &Snapshot) -> Vec<(PathBuf, FileChange)> {
        let now = later.files.iter().filter_map(|(path, stamp)| match self.files.get(path) {
            None => Some((path.clone(), FileChange::Created)),
            Some(before) => (before != stamp).then(|| (path.clone(), FileChange::Changed)),
        });
        let gone = self.files.keys().filter(|path| !later.files.contains_key(*path));
        let mut changes: Vec<_> = now.chain(gone.map(|path| (path.clone(), FileChange::Deleted))).collect();
        changes.sort_by(|a, b| a.0.cmp(&b.0));
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_but_for_ignored_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let put = |name: &str, text: &str| std::fs::write(root.join(name), text).expect("writes");
        for name in ["a", "b", "c"] {
            put(name, "1");
        }
        put(".gitignore", "*.o\n");
        let take = || Snapshot::take(root, 100, Duration::from_secs(60)).expect("small");
        let before = take();
        assert_eq!(before.changes(&take()), []);
        put("a", "22");
        put("x.o", "1");
        put(".d", "1");
        std::fs::remove_file(root.join("c")).expect("removes");
        let expected = [(".d", FileChange::Created), ("a", FileChange::Changed), ("c", FileChange::Deleted)];
        assert_eq!(before.changes(&take()), expected.map(|(name, change)| (root.join(name), change)));
        assert_eq!(Snapshot::take(root, 2, Duration::from_secs(60)), None);
    }
}
