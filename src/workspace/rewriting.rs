//! A language server's edit as what each file becomes: worked out as a whole before anything is written.

mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::lsp::{EditStep, Present, WorkspaceEdit};
use crate::text::PositionEncoding;
use texts::edited;

/// Folders with more files than these are not moved or deleted.
const MOST_FILES: usize = 10_000;

/// What one file becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The file, absolute.
    pub path: PathBuf,
    /// The text it was worked out on; `None` where there is no file yet.
    pub from: Option<Arc<str>>,
    /// The new text; `None` for a file that goes.
    pub to: Option<Arc<str>>,
    /// How many places of it are replaced.
    pub places: usize,
    /// Where it stood before, for a file that is moved.
    pub moved_from: Option<PathBuf>,
    /// What it held there.
    pub moved_text: Option<Arc<str>>,
}

/// Why an edit cannot be carried out. Files are named by their paths.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRewritten {
    /// A file that is to be changed is not there.
    #[error("{file} is to be changed, but is not there")]
    Missing {
        /// The file.
        file: String,
    },
    /// A file is not to be changed by the agent: it lies outside the workspace.
    #[error("{file} would be changed: {why}")]
    Outside {
        /// The file.
        file: String,
        /// Why it may not be.
        why: String,
    },
    /// A file is not text.
    #[error("{file} cannot be changed: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why it cannot be read as text.
        why: String,
    },
    /// A file stands where another is to be put.
    #[error("{file} is there already")]
    Present {
        /// The file.
        file: String,
    },
    /// A folder with files in it is to go.
    #[error("{file} is a folder that is not empty")]
    NotEmpty {
        /// The folder.
        file: String,
    },
    /// A folder has too many files.
    #[error("{file} has more than {MOST_FILES} files")]
    TooMany {
        /// The folder.
        file: String,
    },
    /// A place is not in the text.
    #[error("line {line} of {file} is to be changed at a place that is not there (it has {lines} lines)")]
    OutOfRange {
        /// The file.
        file: String,
        /// The line, 1-based.
        line: usize,
        /// How many it has.
        lines: usize,
    },
    /// Two replacements take the same characters.
    #[error("line {line} of {file} is to be changed twice at the same place")]
    Overlapping {
        /// The file.
        file: String,
        /// The line, 1-based.
        line: usize,
    },
}

/// The files an edit is about, as they are now.
pub(super) trait Files {
    /// The text of a file; `None` if there is no such file.
    fn text(&mut self, path: &Path) -> Result<Option<Arc<str>>, NotRewritten>;
    /// The files beneath a folder, at most one more than `most`; `None` for what is no folder.
    fn beneath(&mut self, folder: &Path, most: usize) -> Option<Vec<PathBuf>>;
}

/// What each file becomes by `edit`, in the order of paths; files that stay as they are are left out.
///
/// # Errors
/// [`NotRewritten`] when any step cannot be made.
pub(super) fn rewritten(
    edit: &WorkspaceEdit,
    encoding: PositionEncoding,
    files: &mut impl Files,
) -> Result<Vec<Rewrite>, NotRewritten> {
    let mut work = Work { files, encoding, known: BTreeMap::new() };
    for step in &edit.steps {
        work.make(step)?;
    }
    Ok(work.known.into_iter().filter_map(|(path, file)| file.rewrite(path)).collect())
}

/// Files as the steps so far have left them.
struct Work<'f, F> {
    files: &'f mut F,
    encoding: PositionEncoding,
    known: BTreeMap<PathBuf, Known>,
}

#[derive(Debug, Clone, Default)]
struct Known {
    on_disk: Option<Arc<str>>,
    now: Option<Arc<str>>,
    places: usize,
    moved: Option<(PathBuf, Arc<str>)>,
}

impl Known {
    fn rewrite(self, path: PathBuf) -> Option<Rewrite> {
        let Known { on_disk: from, now: to, places, moved } = self;
        let (moved_from, moved_text) = moved.unzip();
        (from != to).then_some(Rewrite { path, from, to, places, moved_from, moved_text })
    }
}

impl<F: Files> Work<'_, F> {
    fn make(&mut self, step: &EditStep) -> Result<(), NotRewritten> {
        match step {
            EditStep::Text { path, edits, .. } => {
                let encoding = self.encoding;
                let known = self.known(path)?;
                let Some(text) = &known.now else { return Err(NotRewritten::Missing { file: named(path) }) };
                known.now = Some(edited(&named(path), text, edits, encoding)?.into());
                known.places += edits.len();
                Ok(())
            }
            EditStep::Create { path, present } => {
                let known = self.known(path)?;
                if gives_way(path, known.now.is_some(), *present)? {
                    *known = Known { on_disk: known.on_disk.clone(), now: Some("".into()), ..Known::default() };
                }
                Ok(())
            }
            EditStep::Rename { from, to, present } => self.rename(from, to, *present),
            EditStep::Delete { path, recursive, ignore_missing } => self.delete(path, *recursive, *ignore_missing),
        }
    }

    fn rename(&mut self, from: &Path, to: &Path, present: Present) -> Result<(), NotRewritten> {
        let Some(all) = self.all_beneath(from)? else { return self.rename_file(from, to, present) };
        for file in all {
            let to = file.strip_prefix(from).map_or_else(|_| to.to_owned(), |inner| to.join(inner));
            self.rename_file(&file, &to, present)?;
        }
        Ok(())
    }

    fn rename_file(&mut self, from: &Path, to: &Path, present: Present) -> Result<(), NotRewritten> {
        let old = self.known(from)?.clone();
        let Some(text) = old.now else { return Err(NotRewritten::Missing { file: named(from) }) };
        let new = self.known(to)?;
        if from == to || !gives_way(to, new.now.is_some(), present)? {
            return Ok(());
        }
        // A file that this edit made itself only comes to be elsewhere.
        let moved = old.moved.or_else(|| Some((from.to_owned(), old.on_disk.clone()?)));
        (new.now, new.places, new.moved) = (Some(text), old.places, moved);
        *self.known(from)? = Known { on_disk: old.on_disk, ..Known::default() };
        Ok(())
    }

    fn delete(&mut self, path: &Path, recursive: bool, ignore_missing: bool) -> Result<(), NotRewritten> {
        let all = match self.all_beneath(path)? {
            Some(all) if !all.is_empty() && !recursive => return Err(NotRewritten::NotEmpty { file: named(path) }),
            Some(all) => all,
            None => vec![path.to_owned()],
        };
        for file in all {
            let known = self.known(&file)?;
            if known.now.is_none() && !ignore_missing {
                return Err(NotRewritten::Missing { file: named(&file) });
            }
            *known = Known { on_disk: known.on_disk.clone(), ..Known::default() };
        }
        Ok(())
    }

    /// The files that are beneath a folder by now; `None` for what is no folder.
    fn all_beneath(&mut self, folder: &Path) -> Result<Option<Vec<PathBuf>>, NotRewritten> {
        let Some(mut all) = self.files.beneath(folder, MOST_FILES) else { return Ok(None) };
        if all.len() > MOST_FILES {
            return Err(NotRewritten::TooMany { file: named(folder) });
        }
        all.extend(self.known.keys().filter(|path| path.starts_with(folder)).cloned());
        all.sort();
        all.dedup();
        all.retain(|path| self.known.get(path).is_none_or(|known| known.now.is_some()));
        Ok(Some(all))
    }

    fn known(&mut self, path: &Path) -> Result<&mut Known, NotRewritten> {
        if !self.known.contains_key(path) {
            let text = self.files.text(path)?;
            self.known.insert(path.to_owned(), Known { on_disk: text.clone(), now: text, ..Known::default() });
        }
        Ok(self.known.entry(path.to_owned()).or_default())
    }
}

/// Whether a file may be put at `path`; `false` when what is there stays.
fn gives_way(path: &Path, is_there: bool, present: Present) -> Result<bool, NotRewritten> {
    match present {
        _ if !is_there => Ok(true),
        Present::Overwritten => Ok(true),
        Present::Kept => Ok(false),
        Present::Refused => Err(NotRewritten::Present { file: named(path) }),
    }
}

fn named(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::{Range, TextEdit};
    use crate::text::Position;

    struct InMemory(BTreeMap<PathBuf, Arc<str>>);

    impl Files for InMemory {
        fn text(&mut self, path: &Path) -> Result<Option<Arc<str>>, NotRewritten> {
            Ok(self.0.get(path).cloned())
        }

        fn beneath(&mut self, folder: &Path, _most: usize) -> Option<Vec<PathBuf>> {
            let all: Vec<PathBuf> =
                self.0.keys().filter(|path| path.starts_with(folder) && *path != folder).cloned().collect();
            (!all.is_empty()).then_some(all)
        }
    }

    fn put(path: &str, from: u32, to: u32, new: &str) -> EditStep {
        let position = |column| Position { line: 0, column };
        let range = Range { start: position(from), end: position(to) };
        EditStep::Text { path: path.into(), version: None, edits: vec![TextEdit { range, text: new.into() }] }
    }

    fn text(path: &str, at: u32, new: &str) -> EditStep {
        put(path, at, at + 1, new)
    }

    fn insert(path: &str, new: &str) -> EditStep {
        put(path, 0, 0, new)
    }

    fn rename(from: &str, to: &str, present: Present) -> EditStep {
        EditStep::Rename { from: from.into(), to: to.into(), present }
    }

    fn create(path: &str, present: Present) -> EditStep {
        EditStep::Create { path: path.into(), present }
    }

    fn delete(path: &str, recursive: bool, ignore_missing: bool) -> EditStep {
        EditStep::Delete { path: path.into(), recursive, ignore_missing }
    }

    fn told(steps: Vec<EditStep>) -> Result<Vec<String>, NotRewritten> {
        let files = [("/w/a", "abc\n"), ("/w/b", "xyz\n"), ("/w/d/1", "one\n"), ("/w/d/2", "two\n")];
        let mut files = InMemory(files.into_iter().map(|(path, text)| (path.into(), text.into())).collect());
        let all = rewritten(&WorkspaceEdit { steps }, PositionEncoding::Utf16, &mut files)?;
        let show = |text: &Option<Arc<str>>| text.as_deref().map_or("-".to_owned(), |text| text.trim().to_owned());
        let tell = |one: Rewrite| {
            let moved = one.moved_from.map(|from| format!(" from {}", from.display())).unwrap_or_default();
            format!("{} {} {} {}{moved}", one.path.display(), show(&one.from), show(&one.to), one.places)
        };
        Ok(all.into_iter().map(tell).collect())
    }

    #[test]
    fn steps_are_made_in_order_each_on_what_the_last_left() {
        use Present::{Kept, Overwritten, Refused};
        for (steps, expected) in [
            (
                vec![text("/w/a", 0, "A"), text("/w/a", 0, "AA"), text("/w/b", 1, "Y")],
                vec!["/w/a abc AAbc 2", "/w/b xyz xYz 1"],
            ),
            (
                vec![text("/w/a", 0, "A"), rename("/w/a", "/w/n", Refused)],
                vec!["/w/a abc - 0", "/w/n - Abc 1 from /w/a"],
            ),
            (
                vec![rename("/w/a", "/w/n", Refused), text("/w/n", 0, "A")],
                vec!["/w/a abc - 0", "/w/n - Abc 1 from /w/a"],
            ),
            (vec![rename("/w/a", "/w/n", Refused), rename("/w/n", "/w/a", Refused)], vec![]),
            (vec![rename("/w/a", "/w/b", Overwritten)], vec!["/w/a abc - 0", "/w/b xyz abc 0 from /w/a"]),
            (vec![rename("/w/a", "/w/b", Kept)], vec![]),
            (
                vec![rename("/w/d", "/w/e", Refused)],
                vec!["/w/d/1 one - 0", "/w/d/2 two - 0", "/w/e/1 - one 0 from /w/d/1", "/w/e/2 - two 0 from /w/d/2"],
            ),
            (vec![create("/w/n", Refused), insert("/w/n", "new")], vec!["/w/n - new 1"]),
            (vec![create("/w/a", Kept)], vec![]),
            (vec![create("/w/a", Overwritten)], vec!["/w/a abc  0"]),
            (vec![delete("/w/a", false, false), create("/w/a", Refused)], vec!["/w/a abc  0"]),
            (vec![delete("/w/d", true, false)], vec!["/w/d/1 one - 0", "/w/d/2 two - 0"]),
            (vec![delete("/w/nowhere", false, true)], vec![]),
            (vec![text("/w/a", 0, "a")], vec![]),
        ] {
            let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(told(steps.clone()), Ok(expected), "{steps:?}");
        }
    }

    #[test]
    fn a_step_that_cannot_be_made_refuses_all() {
        let refused = |steps: Vec<EditStep>| told(steps).expect_err("refused").to_string();
        for (steps, part) in [
            (vec![text("/w/a", 0, "A"), text("/w/nowhere", 0, "x")], "/w/nowhere is to be changed, but is not there"),
            (vec![rename("/w/a", "/w/b", Present::Refused)], "/w/b is there already"),
            (vec![rename("/w/nowhere", "/w/n", Present::Refused)], "/w/nowhere is to be changed, but is not there"),
            (vec![create("/w/a", Present::Refused)], "/w/a is there already"),
            (vec![delete("/w/d", false, false)], "/w/d is a folder that is not empty"),
            (vec![delete("/w/nowhere", false, false)], "/w/nowhere is to be changed, but is not there"),
            (vec![delete("/w/a", false, false), text("/w/a", 0, "x")], "/w/a is to be changed, but is not there"),
            (vec![text("/w/a", 7, "x")], "line 1 of /w/a is to be changed at a place that is not there"),
        ] {
            let told = refused(steps);
            assert!(told.contains(part), "{part} in {told}");
        }
    }
}
