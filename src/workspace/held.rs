//! Files that an agent's own tool is about to change, as announced: what becomes of them is told by whoever announced
//! it, with the state before. Told as a change from outside first, the state before would be lost to the comparison.

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
    /// From `now` on, changes of `path` are not told.
    pub(super) fn announce(&mut self, path: &Path, now: Instant) {
        self.files.entry(path.to_owned()).or_insert(Announced { until: now, untold: None }).until = now + PATIENCE;
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
        held.announce(Path::new("/a"), now);
        held.announce(Path::new("/b"), now);
        held.announce(Path::new("/quiet"), now);

        let mut events = vec![event("/a"), event("/b"), event("/c")];
        held.sift(&mut events, now);
        assert_eq!(events, [event("/c")]);

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
