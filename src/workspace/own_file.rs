//! A workspace's own `.landfall.toml`: read when the workspace is opened, and again when it changes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::snapshot::one_line;
use super::tree::Stamp;
use crate::config::{Servers, Trusted, WORKSPACE_FILE};

/// What is known of the file.
#[derive(Debug)]
pub(super) struct OwnFile {
    root: PathBuf,
    /// Those of the user, which it tunes.
    servers: Arc<Servers>,
    trusted: Trusted,
    last: Mutex<Last>,
}

/// As it was read last.
#[derive(Debug)]
struct Last {
    stamps: Stamps,
    servers: Arc<Servers>,
    wrong: Option<String>,
}

/// The file, and the list of those that are trusted: either can change what counts.
type Stamps = [Option<Stamp>; 2];

impl OwnFile {
    /// Reads the file of the workspace at `root`.
    pub(super) fn read(root: PathBuf, servers: Arc<Servers>, trusted: Trusted) -> OwnFile {
        let last = Mutex::new(Last::read(&root, &servers, &trusted));
        OwnFile { root, servers, trusted, last }
    }

    /// The language servers as the workspace wants them.
    pub(super) fn servers(&self) -> Arc<Servers> {
        Arc::clone(&self.last.lock().unwrap_or_else(PoisonError::into_inner).servers)
    }

    /// What is wrong with it, if anything; it is left out then.
    pub(super) fn wrong(&self) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).wrong.clone()
    }

    /// Reads it again if it may have changed; the language servers if others are wanted now.
    pub(super) fn look(&self) -> Option<Arc<Servers>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.stamps == stamps(&self.root, &self.trusted) {
            return None;
        }
        let now = Last::read(&self.root, &self.servers, &self.trusted);
        let before = std::mem::replace(&mut *last, now);
        (!last.servers.iter().eq(before.servers.iter())).then(|| Arc::clone(&last.servers))
    }
}

impl Last {
    fn read(root: &Path, servers: &Arc<Servers>, trusted: &Trusted) -> Last {
        // Taken first: a change that comes in between is found at the next look.
        let stamps = stamps(root, trusted);
        match servers.of_workspace(root, trusted) {
            Ok(own) => Last { stamps, servers: Arc::new(own), wrong: None },
            Err(error) => Last { stamps, servers: Arc::clone(servers), wrong: Some(one_line(&error.to_string())) },
        }
    }
}

fn stamps(root: &Path, trusted: &Trusted) -> Stamps {
    let stamp = |path: &Path| std::fs::metadata(path).ok().map(|metadata| Stamp::of(&metadata));
    [stamp(&root.join(WORKSPACE_FILE)), stamp(trusted.list())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_found_once_and_only_one_that_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().to_owned();
        let (file, trusted) = (root.join(WORKSPACE_FILE), Trusted::below(&root.join("state")));
        let own = OwnFile::read(root, Arc::new(Servers::built_in()), trusted);
        let put = |text: &str| {
            std::fs::write(&file, text).expect("written");
            own.look().map(|servers| servers.get("gopls").is_some())
        };
        assert_eq!(own.look().map(drop), None);
        assert_eq!(put("[servers.gopls]\nenabled = false\n"), Some(false));
        assert_eq!(own.look().map(drop), None, "told once");
        assert_eq!(put("# the same\n[servers.gopls]\nenabled = false\n"), None, "it comes to the same");
        assert_eq!(put("[servers.gopls]\nenabled = 7\n"), Some(true), "a wrong one is left out");
        assert!(own.wrong().is_some_and(|wrong| wrong.contains("servers.gopls.enabled")), "{:?}", own.wrong());
        std::fs::remove_file(&file).expect("removed");
        assert_eq!((own.look().map(drop), own.wrong()), (None, None));
    }
}
