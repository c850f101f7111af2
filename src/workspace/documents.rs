//! The documents a language server has open, as they should be: what is replayed when it starts again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::lsp::LanguageServer;
use crate::lsp::quirks::Sent;

/// More documents than these are not kept open; the least recently used are closed.
const MOST_OPEN: usize = 200;

/// The open documents of one language server.
#[derive(Debug, Default)]
pub(super) struct Documents {
    open: HashMap<PathBuf, Document>,
    uses: u64,
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) text: Arc<str>,
    pub(super) version: i32,
    language: String,
    /// How often it was sent to the language server that runs now.
    times: u32,
    /// The tick at which it was last sent.
    sent_at: u64,
    /// What the language server had said by then.
    mark: u64,
    last_used: u64,
}

impl Documents {
    pub(super) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// Opens a document that is not open yet.
    pub(super) fn open(
        &mut self,
        server: Option<&LanguageServer>,
        path: &Path,
        language: &str,
        text: &Arc<str>,
        tick: u64,
    ) {
        self.uses += 1;
        if let Some(document) = self.open.get_mut(path) {
            document.last_used = self.uses;
            return;
        }
        self.make_room(server);
        let mut document = Document {
            text: Arc::clone(text),
            version: 1,
            language: language.to_owned(),
            times: 0,
            sent_at: tick,
            mark: 0,
            last_used: self.uses,
        };
        if let Some(server) = server {
            document.send_open(server, path);
        }
        self.open.insert(path.to_owned(), document);
    }

    /// Gives an open document its new text. Returns whether it differed.
    pub(super) fn change(&mut self, server: Option<&LanguageServer>, path: &Path, text: &Arc<str>, tick: u64) -> bool {
        self.uses += 1;
        let Some(document) = self.open.get_mut(path) else { return false };
        document.last_used = self.uses;
        if document.text == *text {
            return false;
        }
        let before = std::mem::replace(&mut document.text, Arc::clone(text));
        document.version += 1;
        document.sent_at = tick;
        if let Some(server) = server {
            document.times += 1;
            document.mark = server.board().heard().count;
            server.did_change(path, document.version, &before, text);
            server.did_save(path, text);
        }
        true
    }

    /// Closes an open document and opens it anew: what is known of where it belongs is found out again.
    pub(super) fn reopen(&mut self, server: &LanguageServer, path: &Path, tick: u64) {
        if let Some(document) = self.open.get_mut(path) {
            server.did_close(path);
            document.sent_at = tick;
            document.send_open(server, path);
        }
    }

    /// Closes a document, if it is open.
    pub(super) fn close(&mut self, server: Option<&LanguageServer>, path: &Path) {
        if self.open.remove(path).is_some()
            && let Some(server) = server
        {
            server.did_close(path);
        }
    }

    /// Opens everything that should be open at a language server that has just started.
    pub(super) fn replay(&mut self, server: &LanguageServer, tick: u64) {
        for (path, document) in &mut self.open {
            document.times = 0;
            document.sent_at = tick;
            document.send_open(server, path);
        }
    }

    /// The documents that were sent after `tick`.
    pub(super) fn sent_since(&self, tick: u64) -> Vec<Sent> {
        let sent = self.open.iter().filter(|(_, document)| document.sent_at > tick);
        sent.map(|(path, document)| document.sent(path)).collect()
    }

    /// The texts of all open documents.
    pub(super) fn texts(&self) -> impl Iterator<Item = (PathBuf, Arc<str>)> {
        self.open.iter().map(|(path, document)| (path.clone(), Arc::clone(&document.text)))
    }

    /// The versions of all open documents.
    pub(super) fn versions(&self) -> impl Iterator<Item = (&Path, i32)> {
        self.open.iter().map(|(path, document)| (path.as_path(), document.version))
    }

    fn make_room(&mut self, server: Option<&LanguageServer>) {
        while self.open.len() >= MOST_OPEN {
            let oldest = self.open.iter().min_by_key(|(_, document)| document.last_used);
            let Some(path) = oldest.map(|(path, _)| path.clone()) else { return };
            self.close(server, &path);
        }
    }
}

impl Document {
    fn sent(&self, path: &Path) -> Sent {
        Sent { path: path.to_owned(), version: self.version, times: self.times, mark: self.mark }
    }

    fn send_open(&mut self, server: &LanguageServer, path: &Path) {
        self.times += 1;
        self.mark = server.board().heard().count;
        server.did_open(path, &self.language, self.version, &self.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_rise_with_texts_that_differ() {
        let mut documents = Documents::default();
        let (a, first, second) = (Path::new("/a.go"), Arc::from("1"), Arc::from("2"));
        assert!(!documents.change(None, a, &first, 1), "it is not open");
        documents.open(None, a, "go", &first, 1);
        assert!(!documents.change(None, a, &first, 2));
        assert!(documents.change(None, a, &second, 3));
        assert_eq!(documents.get(a).map(|document| document.version), Some(2));
        assert_eq!(documents.sent_since(2).len(), 1);
        assert_eq!(documents.sent_since(3).len(), 0);
    }

    #[test]
    fn the_least_recently_used_is_closed() {
        let mut documents = Documents::default();
        let text = Arc::from("");
        let path = |number: usize| PathBuf::from(format!("/{number}"));
        for number in 0..MOST_OPEN {
            documents.open(None, &path(number), "go", &text, 1);
        }
        documents.open(None, &path(0), "go", &text, 1);
        documents.open(None, &path(MOST_OPEN), "go", &text, 1);
        assert!(documents.get(&path(0)).is_some() && documents.get(&path(1)).is_none());
    }
}
