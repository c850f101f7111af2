//! Lines by their content.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::best::Best;
use super::limits::{End, Limits, Watch};
use super::one_file::{FileHits, FileSearch, Role};
use super::pattern::Pattern;
use super::place::{GlobError, Place, Walked};

/// What is wanted of each file with a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// That it has one.
    Files,
    /// How many it has.
    Counts,
    /// The hits, and so many lines around each.
    Lines {
        /// Lines before and after.
        context: usize,
    },
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLines {
    /// The files that were kept: by path, or where counts were wanted those with most hits first.
    pub files: Vec<(PathBuf, FileHits)>,
    /// How many hits there are, as far as the search went; where only files were wanted, how many files.
    pub total: usize,
    /// How many files have hits, as far as the search went.
    pub files_total: usize,
    /// How many files were searched.
    pub searched: usize,
    /// How it ended.
    pub end: End,
    /// How many folders or files could not be searched.
    pub unreadable: usize,
    /// The first of them.
    pub first_unreadable: Option<PathBuf>,
}

/// The order of files in a result.
type Rank = (Reverse<usize>, PathBuf);

/// Finds what matches `pattern` in `place`.
///
/// With as many hits as it may keep it goes on for a while: for those that come before by path, and to count the rest.
/// If it gets through, the kept ones are the first and the counts are exact.
///
/// # Errors
/// [`GlobError`] when one of the place's patterns is none.
pub fn find_lines(
    place: &Place,
    pattern: &Pattern,
    wanted: Wanted,
    limits: &Limits<'_>,
) -> Result<FoundLines, GlobError> {
    let watch = Watch::start(*limits);
    let hits = Hits::new(watch.most(), wanted);
    let walked = if place.path.is_file() {
        let mut search = FileSearch::new(pattern, wanted, &watch, true);
        hits.take(&mut search, place.path.clone());
        Walked { end: watch.stop(false), ..Walked::default() }
    } else {
        place.walk(&watch, || {
            let mut search = FileSearch::new(pattern, wanted, &watch, false);
            let hits = &hits;
            move |entry: ignore::DirEntry| hits.take(&mut search, entry.into_path())
        })?
    };
    Ok(hits.into_found(walked))
}

/// What the threads of a search have found together.
struct Hits {
    wanted: Wanted,
    most: usize,
    best: Mutex<Best<Rank, FileHits>>,
    missed: Mutex<Walked>,
    full: AtomicBool,
    total: AtomicUsize,
    files_total: AtomicUsize,
    searched: AtomicUsize,
}

impl Hits {
    fn new(most: usize, wanted: Wanted) -> Hits {
        Hits {
            wanted,
            most,
            best: Mutex::new(Best::new(most)),
            missed: Mutex::default(),
            full: AtomicBool::new(false),
            total: AtomicUsize::new(0),
            files_total: AtomicUsize::new(0),
            searched: AtomicUsize::new(0),
        }
    }

    /// Searches one file; whether as many results are there as may be kept.
    fn take(&self, search: &mut FileSearch<'_>, path: PathBuf) -> bool {
        self.searched.fetch_add(1, Ordering::Relaxed);
        match search.search(&path) {
            Ok(Some(found)) => self.add(path, found),
            Ok(None) => {}
            Err(_) => self.missed.lock().unwrap_or_else(PoisonError::into_inner).missed(Some(&path)),
        }
        // Counts are wanted of all files, however many there are.
        self.wanted != Wanted::Counts && self.full.load(Ordering::Relaxed)
    }

    fn add(&self, path: PathBuf, found: FileHits) {
        self.files_total.fetch_add(1, Ordering::Relaxed);
        let count = if self.wanted == Wanted::Files { 1 } else { found.count };
        self.total.fetch_add(count, Ordering::Relaxed);
        let first = if self.wanted == Wanted::Counts { found.count } else { 0 };
        let weight = if matches!(self.wanted, Wanted::Lines { .. }) { found.count } else { 1 };
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        best.add((Reverse(first), path), weight, found);
        self.full.store(best.is_full(), Ordering::Relaxed);
    }

    fn into_found(self, walked: Walked) -> FoundLines {
        let missed = self.missed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let best = self.best.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut files: Vec<(PathBuf, FileHits)> = best.into_sorted().map(|((_, path), found)| (path, found)).collect();
        cut(&mut files, self.most);
        FoundLines {
            files,
            total: self.total.into_inner(),
            files_total: self.files_total.into_inner(),
            searched: self.searched.into_inner(),
            end: walked.end.unwrap_or(End::Complete),
            unreadable: walked.unreadable + missed.unreadable,
            first_unreadable: walked.first_unreadable.or(missed.first_unreadable),
        }
    }
}

/// Leaves the first `most` hits: the last file that was kept may have more than there is room for.
fn cut(files: &mut [(PathBuf, FileHits)], most: usize) {
    let mut left = most;
    for (_, file) in files {
        let past = file.lines.iter().enumerate().filter(|(_, line)| line.role == Role::Hit).nth(left);
        if let Some((at, _)) = past {
            file.lines.truncate(at);
        }
        left = left.saturating_sub(file.count);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::super::{Line, PatternOptions};
    use super::*;

    fn tree(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, content) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, content).expect("writes");
        }
        folder
    }

    fn search(path: &Path, pattern: &str, wanted: Wanted, most: usize) -> FoundLines {
        let pattern = Pattern::new(pattern, PatternOptions::default()).expect("a pattern");
        let cancel = AtomicBool::new(false);
        find_lines(&Place::new(path.to_owned()), &pattern, wanted, &Limits::new(most, &cancel)).expect("no globs")
    }

    /// `file:line role text` of each line.
    fn told(found: &FoundLines, root: &Path) -> Vec<String> {
        let role = |line: &Line| match line.role {
            Role::Hit => ':',
            Role::Rest => '+',
            Role::Context => '-',
        };
        let lines = found.files.iter().flat_map(|(path, hits)| hits.lines.iter().map(move |line| (path, line)));
        lines
            .map(|(path, line)| {
                format!(
                    "{}{}{} {}",
                    path.strip_prefix(root).expect("beneath").display(),
                    role(line),
                    line.number,
                    line.text
                )
            })
            .collect()
    }

    #[test]
    fn hits_come_by_path_with_their_lines_and_context() {
        let folder =
            tree(&[("b.txt", b"one\nfoo\r\nthree\n"), ("a/x.txt", b"foo\n\nno\nfoo again"), ("c.txt", b"nothing\n")]);
        let found = search(folder.path(), "foo", Wanted::Lines { context: 0 }, 9);
        assert_eq!(told(&found, folder.path()), ["a/x.txt:1 foo", "a/x.txt:4 foo again", "b.txt:2 foo"]);
        assert_eq!((found.total, found.files_total, found.searched, found.end), (3, 2, 3, End::Complete));
        let found = search(&folder.path().join("b.txt"), "foo", Wanted::Lines { context: 1 }, 9);
        assert_eq!(told(&found, folder.path()), ["b.txt-1 one", "b.txt:2 foo", "b.txt-3 three"]);
        let found = search(folder.path(), r"foo\n\nno", Wanted::Lines { context: 0 }, 9);
        assert_eq!(told(&found, folder.path()), ["a/x.txt:1 foo", "a/x.txt+2 ", "a/x.txt+3 no"]);
        assert_eq!(found.total, 1);
    }

    #[test]
    fn a_cut_keeps_the_first_by_path_and_counts_the_rest() {
        let files: Vec<(String, Vec<u8>)> = (0..50).map(|n| (format!("f{n:02}.txt"), b"hit\nhit\n".to_vec())).collect();
        let files: Vec<(&str, &[u8])> =
            files.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect();
        let folder = tree(&files);
        let found = search(folder.path(), "hit", Wanted::Lines { context: 0 }, 3);
        assert_eq!(told(&found, folder.path()), ["f00.txt:1 hit", "f00.txt:2 hit", "f01.txt:1 hit"]);
        assert_eq!((found.files.len(), found.total, found.files_total, found.end), (2, 100, 50, End::Complete));
        let found = search(folder.path(), "hit", Wanted::Files, 4);
        assert_eq!((found.files.len(), found.total), (4, 50));
        let pattern = Pattern::new("hit", PatternOptions::default()).expect("a pattern");
        let cancel = AtomicBool::new(false);
        let limits = Limits { patience: Duration::ZERO, ..Limits::new(3, &cancel) };
        let found =
            find_lines(&Place::new(folder.path().to_owned()), &pattern, Wanted::Files, &limits).expect("no globs");
        assert_eq!(found.end, End::Enough);
        assert!(found.total < 50, "{}", found.total);
    }

    #[test]
    fn counts_put_the_file_with_most_hits_first() {
        let folder = tree(&[("a.txt", b"x\n"), ("b.txt", b"x\nx\nx\n"), ("c.txt", b"x\nx\n")]);
        let found = search(folder.path(), "x", Wanted::Counts, 2);
        let counts: Vec<usize> = found.files.iter().map(|(_, hits)| hits.count).collect();
        assert_eq!((counts, found.total), (vec![3, 2], 6));
    }

    #[test]
    fn binary_files_are_left_out_of_a_walk_and_named_when_asked_for() {
        let folder = tree(&[("a.bin", b"foo\0foo\n"), ("u.txt", b"\xFF\xFEf\0o\0o\0")]);
        let found = search(folder.path(), "foo", Wanted::Lines { context: 0 }, 9);
        assert_eq!(told(&found, folder.path()), ["u.txt:1 foo"], "UTF-16 is text");
        let found = search(&folder.path().join("a.bin"), "foo", Wanted::Lines { context: 0 }, 9);
        assert_eq!((found.files[0].1.binary, found.files[0].1.lines.len()), (true, 0));
        assert!(found.total > 0);
    }

    #[test]
    fn what_cannot_be_searched_is_counted() {
        let folder = tree(&[("a.txt", b"foo\n")]);
        let long = vec![b'x'; 9 << 20];
        std::fs::write(folder.path().join("long.txt"), long).expect("writes");
        let found = search(folder.path(), "foo", Wanted::Counts, 9);
        assert_eq!(
            (found.total, found.unreadable, found.first_unreadable),
            (1, 1, Some(folder.path().join("long.txt")))
        );
    }
}
