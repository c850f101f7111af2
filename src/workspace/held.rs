//! Files that are about to be changed by a landing or by an agent's own tool, as announced: what becomes of them is told
//! by whoever announced it, with the state before. Told as a change from outside first, the state before would be lost to
//! the comparison.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::lsp::FileEvent;

/// How long an announcement holds: longer than a person takes to permit a call.
const PATIENCE: Duration = Duration::from_secs(120);

/// The announced files.
#[derive(Debug, Default)]
pub(super) struct Held {
    files: HashMap<PathBuf, Announced>,
}

#[derive(Debug)]
struct Announced {
    until: Instant,
    /// What happened to it meanwhile and was not told.
    untold: Option<FileEvent>,
}

impl Held {
    /// From `now` on, changes of `path` are not told; whether they would have been.
    pub(super) fn announce(&mut self, path: &Path, now: Instant) -> bool {
        let until = now + PATIENCE;
        match self.files.get_mut(path) {
            Some(announced) => announced.until = until,
            None => {
                self.files.insert(path.to_owned(), Announced { until, untold: None });
                return true;
            }
        }
        false
    }

    /// Nobody will tell of `path` after all: what happened to it meanwhile.
    pub(super) fn withdraw(&mut self, path: &Path) -> Option<FileEvent> {
        self.files.remove(path)?.untold
    }

    /// The change of `path` is told otherwise.
    pub(super) fn release(&mut self, path: &Path) {
        self.files.remove(path);
    }

    /// Takes out of `events` what is not to be told, and adds what nobody has told for too long.
    pub(super) fn sift(&mut self, events: &mut Vec<(PathBuf, FileEvent)>, now: Instant) {
        if self.files.is_empty() {
            return;
        }
        events.retain(|(path, event)| match self.files.get_mut(path) {
            Some(announced) if announced.until > now => {
                announced.untold = Some(*event);
                false
            }
            _ => true,
        });
        self.files.retain(|path, announced| {
            let holds = announced.until > now;
            if !holds && let Some(event) = announced.untold {
                events.push((path.clone(), event));
            }
            holds
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_announced_is_kept_back_until_it_is_told_or_forgotten() {
        let now = Instant::now();
        let later = now + PATIENCE + Duration::from_secs(1);
        let event = |path: &str| (PathBuf::from(path), FileEvent::Changed);
        let mut held = Held::default();
        for path in ["/a", "/b", "/quiet", "/given_up"] {
            assert!(held.announce(Path::new(path), now));
        }
        assert!(!held.announce(Path::new("/a"), now), "that it was already");

        let mut events = vec![event("/a"), event("/given_up"), event("/b"), event("/c")];
        held.sift(&mut events, now);
        assert_eq!(events, [event("/c")]);

        assert_eq!(held.withdraw(Path::new("/given_up")), Some(FileEvent::Changed));
        assert_eq!(held.withdraw(Path::new("/given_up")), None);
        held.release(Path::new("/a"));
        let mut events = vec![event("/a")];
        held.sift(&mut events, now);
        assert_eq!(events, [event("/a")], "released");

        let mut events = Vec::new();
        held.sift(&mut events, later);
        assert_eq!(events, [event("/b")], "kept back for too long");
        held.sift(&mut events, later);
        assert_eq!(events.len(), 1, "told once");
    }
}
