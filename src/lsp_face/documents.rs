//! The documents a client has open, with the text it shows: an overlay of its own where that is not what is on disk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tower_lsp_server::ls_types::Uri;

use super::retrace::Retrace;
use crate::text::hunks;
use crate::workspace::read_text;

/// The open documents.
#[derive(Debug, Default)]
pub(super) struct Documents {
    open: Mutex<HashMap<PathBuf, Document>>,
}

/// A document as its client shows it.
#[derive(Debug, Clone)]
pub(super) struct Document {
    /// As the client spells it.
    pub(super) uri: Uri,
    /// The client's version.
    pub(super) version: i32,
    /// The client's text.
    pub(super) text: Arc<str>,
}

impl Documents {
    /// Takes a new text. Returns whether it is news: versions of one document only rise.
    pub(super) fn put(&self, path: &Path, document: Document) -> bool {
        let mut open = self.lock();
        if open.get(path).is_some_and(|known| known.version > document.version) {
            return false;
        }
        open.insert(path.to_owned(), document);
        true
    }

    pub(super) fn get(&self, path: &Path) -> Option<Document> {
        self.lock().get(path).cloned()
    }

    pub(super) fn close(&self, path: &Path) {
        self.lock().remove(path);
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.lock().keys().cloned().collect()
    }

    /// How lines on disk lead to those of each text that is not saved.
    pub(super) fn unsaved(&self) -> Vec<Retrace> {
        let all: Vec<(PathBuf, Document)> = self.lock().clone().into_iter().collect();
        all.iter().filter_map(|(path, document)| document.disk_to_shown(&read_text(path)?)).collect()
    }

    /// A file that is shown otherwise than it is on disk.
    pub(super) fn first_unsaved(&self) -> Option<PathBuf> {
        let all: Vec<(PathBuf, Document)> = self.lock().clone().into_iter().collect();
        all.into_iter().find(|(path, document)| read_text(path).as_ref() != Some(&document.text)).map(|(path, _)| path)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Document>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Document {
    /// How lines of this text and of `disk` lead to one another; `None` where the two are the same.
    pub(super) fn shown_to_disk(&self, disk: &str) -> Option<Retrace> {
        (*self.text != *disk).then(|| Retrace::new(&self.uri, hunks(&self.text, disk)))
    }

    /// The other way.
    fn disk_to_shown(&self, disk: &str) -> Option<Retrace> {
        (*self.text != *disk).then(|| Retrace::new(&self.uri, hunks(disk, &self.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_version_is_no_news() {
        let documents = Documents::default();
        let path = Path::new("/a.go");
        let document = |version| Document {
            uri: Uri::from_file_path(path).expect("a path"),
            version,
            text: Arc::from(format!("{version}")),
        };
        assert!(documents.put(path, document(2)) && documents.put(path, document(3)));
        assert!(!documents.put(path, document(2)));
        assert_eq!(documents.get(path).map(|document| document.version), Some(3));
        documents.close(path);
        assert!(documents.put(path, document(1)), "opened anew");
    }
}
