//! What the changes of a session come to: each file now against what it was at the session's start. Pure.

use super::{Entry, Hash, LandedEntry};
use crate::text::{LineCounts, hunks};

/// What a file holds now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Now {
    /// This text.
    Text(String),
    /// There is no such file.
    Gone,
    /// It cannot be read as text.
    Unreadable,
}

/// What became of a file since the session's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetChange {
    /// It holds something else.
    Edited,
    /// It was not there.
    Created,
    /// It is gone.
    Deleted,
    /// It holds what it held, or is missing as it was.
    None,
}

impl NetChange {
    /// As results name it.
    pub fn name(self) -> &'static str {
        match self {
            NetChange::Edited => "edited",
            NetChange::Created => "created",
            NetChange::Deleted => "deleted",
            NetChange::None => "unchanged",
        }
    }
}

/// One file that a session touched, against the session's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Net {
    /// Relative to the workspace root, with `/`.
    pub file: String,
    /// What became of it.
    pub change: NetChange,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Whether the numbers are those of the file. Else another program changed it in between, and they are the sum of the
    /// session's own changes.
    pub exact: bool,
}

/// The files that landed changes in `entries` touched, in the order in which they were first touched.
pub fn net_of(entries: &[Entry], now: impl Fn(&str) -> Now) -> Vec<Net> {
    let mut files: Vec<(&str, Vec<&LandedEntry>)> = Vec::new();
    for landed in entries.iter().filter_map(Entry::landed) {
        match files.iter_mut().find(|(file, _)| *file == landed.file) {
            Some((_, changes)) => changes.push(landed),
            None => files.push((&landed.file, vec![landed])),
        }
    }
    files.into_iter().map(|(file, changes)| net(file, &changes, now(file))).collect()
}

fn net(file: &str, changes: &[&LandedEntry], now: Now) -> Net {
    let file = file.to_owned();
    let text = match now {
        Now::Text(text) => Some(Some(text)),
        Now::Gone => Some(None),
        Now::Unreadable => None,
    };
    match text.and_then(|text| Some((at_start(changes, text.clone())?, text))) {
        Some((start, now)) => {
            let (from, to) = (start.as_deref().unwrap_or_default(), now.as_deref().unwrap_or_default());
            let counts = LineCounts::of(&hunks(from, to), to);
            let change = match (&start, &now) {
                (None, Some(_)) => NetChange::Created,
                (Some(_), None) => NetChange::Deleted,
                (start, now) if start == now => NetChange::None,
                _ => NetChange::Edited,
            };
            Net { file, change, added: counts.added, removed: counts.removed, exact: true }
        }
        None => {
            let sum = |of: fn(&LandedEntry) -> usize| changes.iter().map(|change| of(change)).sum();
            let (added, removed) = (sum(|change| change.added), sum(|change| change.removed));
            Net { file, change: NetChange::Edited, added, removed, exact: false }
        }
    }
}

/// The text before all `changes` (inner `None`: there was no file), if nobody else changed it in between.
fn at_start(changes: &[&LandedEntry], now: Option<String>) -> Option<Option<String>> {
    changes.iter().rev().try_fold(now, |text, change| {
        if change.after != text.as_deref().map(Hash::of) {
            return None;
        }
        let before = change.undone(text.as_deref())?;
        Some(change.before.is_some().then_some(before))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Action, Outcome};
    use super::*;

    fn entries(texts: &[Option<&str>]) -> Vec<Entry> {
        let entry = |pair: &[Option<&str>]| {
            let (before, after) = (pair[0], pair[1]);
            let hunks = hunks(before.unwrap_or_default(), after.unwrap_or_default());
            let counts = LineCounts::of(&hunks, after.unwrap_or_default());
            let landed = LandedEntry::new("a", Action::Edited, before, after, &hunks, counts);
            let outcome = Outcome::Landed(landed);
            Entry { number: 1, at: String::new(), tool: "edit".into(), workspace: String::new(), call: 1, outcome }
        };
        texts.windows(2).map(entry).collect()
    }

    #[test]
    fn changes_are_added_up_by_what_the_file_was() {
        let (one, two, three) = (Some("a\nb\n"), Some("a\nB\nB\n"), Some("a\nB\nc\n"));
        for (texts, change, added, removed) in [
            (vec![one, two], NetChange::Edited, 2, 1),
            (vec![one, two, three], NetChange::Edited, 2, 1),
            (vec![one, two, one], NetChange::None, 0, 0),
            (vec![None, one, two], NetChange::Created, 3, 0),
            (vec![None, one, None], NetChange::None, 0, 0),
            (vec![one, two, None], NetChange::Deleted, 0, 2),
            (vec![one, None, two], NetChange::Edited, 2, 1),
        ] {
            let now = texts.last().unwrap().map_or(Now::Gone, |text| Now::Text(text.to_owned()));
            let net = net_of(&entries(&texts), |_| now.clone());
            let expected = Net { file: "a".into(), change, added, removed, exact: true };
            assert_eq!(net, [expected], "{texts:?}");
        }
    }

    #[test]
    fn what_others_changed_in_between_makes_the_numbers_a_sum() {
        let entries = entries(&[Some("a\n"), Some("b\n"), Some("c\n")]);
        for now in [Now::Text("other\n".into()), Now::Gone, Now::Unreadable] {
            let net = &net_of(&entries, |_| now.clone())[0];
            assert_eq!((net.exact, net.added, net.removed), (false, 2, 2), "{now:?}");
        }
        let apart = [&entries[..1], &self::entries(&[Some("x\n"), Some("y\n")])].concat();
        assert!(!net_of(&apart, |_| Now::Text("y\n".into()))[0].exact);
    }
}
