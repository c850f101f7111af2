//! Files by their names, newest first.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::best::Best;
use super::limits::{End, Limits, Watch};
use super::place::{GlobError, Place};

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Absolute.
    pub path: PathBuf,
    /// When it was last changed.
    pub modified: SystemTime,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFiles {
    /// The newest ones, newest first.
    pub files: Vec<FoundFile>,
    /// How many there are, as far as the search went.
    pub total: usize,
    /// How it ended.
    pub end: End,
    /// How many folders could not be read.
    pub unreadable: usize,
    /// The first of them.
    pub first_unreadable: Option<PathBuf>,
}

/// Finds the files of `place`.
///
/// It does not stop when it has enough, since a newer file may come last; only the deadline ends it early.
///
/// # Errors
/// [`GlobError`] when one of its patterns is none.
pub fn find_files(place: &Place, limits: &Limits<'_>) -> Result<FoundFiles, GlobError> {
    let watch = Watch::start(*limits);
    let (total, best) = (AtomicUsize::new(0), Mutex::new(Best::new(watch.most())));
    let walked = place.walk(&watch, || {
        |entry: ignore::DirEntry| {
            total.fetch_add(1, Ordering::Relaxed);
            let modified =
                entry.metadata().ok().and_then(|metadata| metadata.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH);
            best.lock().unwrap_or_else(PoisonError::into_inner).add((Reverse(modified), entry.into_path()), 1, ());
            false
        }
    })?;
    let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(FoundFiles {
        files: best.into_sorted().map(|((Reverse(modified), path), ())| FoundFile { path, modified }).collect(),
        total: total.into_inner(),
        end: walked.end.unwrap_or(End::Complete),
        unreadable: walked.unreadable,
        first_unreadable: walked.first_unreadable,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;

    fn put(root: &Path, path: &str, age_s: u64) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(&path, "x").expect("writes");
        let file = std::fs::File::options().write(true).open(&path).expect("opens");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age_s)).expect("sets the time");
    }

    fn found(root: &Path, globs: &[&str], everything: bool, most: usize) -> (Vec<String>, usize) {
        let place =
            Place { path: root.to_owned(), globs: globs.iter().map(|glob| (*glob).to_owned()).collect(), everything };
        let cancel = AtomicBool::new(false);
        let found = find_files(&place, &Limits::new(most, &cancel)).expect("a glob");
        assert_eq!(found.end, End::Complete);
        let name = |file: &FoundFile| file.path.strip_prefix(root).expect("beneath").to_string_lossy().into_owned();
        (found.files.iter().map(name).collect(), found.total)
    }

    #[test]
    fn the_newest_come_first_and_rules_are_those_of_ripgrep() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        std::fs::create_dir(root.join(".git")).expect("a folder");
        for (path, age) in [
            ("old.go", 9),
            ("src/new.go", 1),
            ("src/mid.go", 5),
            ("out/gen.go", 0),
            (".hid.go", 0),
            ("a.txt", 0),
            (".git/x.go", 0),
            (".landfall-0123456789abcdef", 0),
        ] {
            put(root, path, age);
        }
        std::fs::write(root.join(".gitignore"), "out/\n").expect("writes");
        std::os::unix::fs::symlink(root.join("old.go"), root.join("link.go")).expect("links");
        let names = |globs: &[&str], everything, most| found(root, globs, everything, most);
        assert_eq!(names(&["src/*.go"], false, 9), (vec!["src/new.go".to_owned(), "src/mid.go".to_owned()], 2));
        assert_eq!(names(&["**/*.go", "!.*"], false, 2), (vec!["src/new.go".to_owned(), "src/mid.go".to_owned()], 3));
        assert_eq!(names(&["*.{go,txt}", "!old*"], false, 1).1, 4, ".hid.go is named by the pattern, as for rg --glob");
        assert_eq!(names(&["*.go"], true, 9).1, 5, "everything but .git");
        assert_eq!(names(&[".landfall-*"], true, 9).1, 0, "what is about to become another file is none yet");
        assert_eq!(names(&[], false, 9).1, 4);
        assert_eq!(names(&["*.zig"], false, 9), (vec![], 0));
    }

    #[test]
    fn a_bad_pattern_is_named_and_a_cancelled_walk_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), "a.go", 1);
        let place = |glob: &str| Place { globs: vec![glob.to_owned()], ..Place::new(folder.path().to_owned()) };
        let error = find_files(&place("*.{go"), &Limits::new(9, &AtomicBool::new(false))).expect_err("refuses");
        assert!(error.to_string().starts_with("`*.{go` is no file pattern: "), "{error}");
        let found = find_files(&place("*.go"), &Limits::new(9, &AtomicBool::new(true))).expect("a glob");
        assert_eq!(found.end, End::Cancelled);
    }
}
