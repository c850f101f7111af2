//! Language servers that see only what is opened are shown the files that matter for a word.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::words::whole_word;
use crate::config::Evidence;
use crate::lsp::Location;
use crate::search::{End, Limits, Place, Wanted, find_lines};
use crate::workspace::Workspace;
use crate::workspace::slot::Slot;
use crate::workspace::snapshot::relative;
use crate::workspace::symbols::{SourceFile, blocking};

/// Most files opened for one word; more than 200 documents are not kept open.
const MOST_FILES: usize = 150;
/// Most bytes opened for one word.
const MOST_BYTES: usize = 32 << 20;

/// What a language server was shown of the files that hold a word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opened {
    /// How many were opened.
    pub files: usize,
    /// How many there are.
    pub of: usize,
    /// Those that were opened but of which its answer says nothing, relative to the workspace root: either the word means
    /// something else there, or the language server could not follow it so far.
    pub unmentioned: Vec<String>,
    /// The real paths of those that were opened.
    pub paths: Vec<PathBuf>,
}

impl Opened {
    /// Notes the files of which these places say nothing; `spot` is where it was asked.
    pub(super) fn compare(&mut self, root: &Path, places: &[Location], spot: &Path) {
        let is_mentioned =
            |path: &&PathBuf| *path == spot || places.iter().any(|place| place.path.as_ref() == Some(path));
        let unmentioned = self.paths.iter().filter(|path| !is_mentioned(path));
        self.unmentioned = unmentioned.map(|path| relative(root, path)).collect();
    }
}

impl Workspace {
    /// Opens the files that hold `word`, where the language server of the file at `path` sees only opened ones (zls): its
    /// references and renames are complete only then. `None` where it finds files itself.
    pub async fn open_files_with(&self, path: &Path, word: &str) -> Option<Opened> {
        let slot = self.shared.place.as_ref()?.slot_for(path)?;
        if slot.spec.evidence != Evidence::Zls {
            return None;
        }
        let (workspace, slot, word) = (self.clone(), Arc::clone(&slot), word.to_owned());
        Some(blocking(move |cancel| workspace.open_in(&slot, &word, cancel)).await)
    }

    fn open_in(&self, slot: &Slot, word: &str, cancel: &AtomicBool) -> Opened {
        let files = self.files_with(slot, word, cancel);
        let mut opened = Opened { of: files.len(), ..Opened::default() };
        let mut bytes = 0;
        for path in files.iter().take(MOST_FILES) {
            let Some(source) = SourceFile::read(self.paths(), path) else { continue };
            bytes += source.text.len();
            if bytes > MOST_BYTES {
                break;
            }
            slot.touch(path, &source.text);
            opened.files += 1;
            opened.paths.push(source.path);
        }
        opened
    }

    /// The files of a language server's languages, in its folder, that hold the word.
    fn files_with(&self, slot: &Slot, word: &str, cancel: &AtomicBool) -> Vec<PathBuf> {
        let extensions = slot.spec.languages.iter().flat_map(|language| &language.extensions);
        let globs = extensions.map(|extension| format!("*.{extension}")).collect();
        let place = Place { globs, ..Place::new(slot.root.clone()) };
        let limits = Limits::new(20 * MOST_FILES, cancel);
        let found = whole_word(word).and_then(|pattern| find_lines(&place, &pattern, Wanted::Files, &limits).ok());
        match found {
            Some(found) if found.end != End::Cancelled => found.files.into_iter().map(|(path, _)| path).collect(),
            _ => Vec::new(),
        }
    }
}
