//! Refused edits that nothing has made good since.

use crate::workspace::ledger::{Entry, Outcome, RefusedEntry};

/// An edit that the tree lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct Open<'e> {
    /// What was refused last.
    pub(in crate::report) refused: &'e RefusedEntry,
    /// The file that lacks it, else the path as received; empty where none was named.
    pub(in crate::report) place: &'e str,
    /// The tool.
    pub(in crate::report) tool: &'e str,
    /// The codes of its refusals in the order in which each first came, with how often.
    pub(in crate::report) kinds: Vec<(&'e str, usize)>,
}

impl<'e> Open<'e> {
    /// How often it was refused.
    pub(in crate::report) fn times(&self) -> usize {
        self.kinds.iter().map(|(_, times)| times).sum()
    }

    /// Why, kind by kind: `not_found, 2 times; stale`.
    pub(in crate::report) fn reasons(&self) -> String {
        let reason = |(code, times): &(&str, usize)| match times {
            1 => (*code).to_owned(),
            times => format!("{code}, {times} times"),
        };
        self.kinds.iter().map(reason).collect::<Vec<_>>().join("; ")
    }

    /// The file, or what stands for it, as an agent reads it.
    pub(in crate::report) fn shown(&self) -> String {
        match self.place {
            "" => format!("{} (no path given)", self.tool),
            place => super::one_line(place, 300),
        }
    }

    /// Takes in a later refusal of the same.
    fn gather(&mut self, later: Open<'e>) {
        let mut kinds = std::mem::take(&mut self.kinds);
        for (code, times) in &later.kinds {
            match kinds.iter_mut().find(|(known, _)| known == code) {
                Some((_, known)) => *known += times,
                None => kinds.push((code, *times)),
            }
        }
        *self = Open { kinds, ..later };
    }
}

/// The refused changes after which nothing landed on the same file, each file once with the number of its refusals.
pub(in crate::report) fn refused_and_open(entries: &[Entry]) -> Vec<Open<'_>> {
    let mut open: Vec<Open<'_>> = Vec::new();
    for entry in entries {
        match &entry.outcome {
            Outcome::Refused(refused) => {
                for place in refused.places() {
                    let kinds = vec![(refused.code.as_str(), 1)];
                    refuse(&mut open, Open { refused, place, tool: &entry.tool, kinds });
                }
            }
            Outcome::Outside(_) => {}
            Outcome::Landed(landed) => {
                open.retain(|open| !landed.makes_good(&entry.tool, open.place, open.tool));
            }
        }
    }
    open
}

fn refuse<'e>(open: &mut Vec<Open<'e>>, new: Open<'e>) {
    let known =
        open.iter_mut().find(|known| known.place == new.place && (!new.place.is_empty() || known.tool == new.tool));
    match known {
        // The tree has it, or it asked for nothing: no edit is missing. And what was repeated of that is as little.
        _ if new.refused.asks_nothing() => {}
        None if new.refused.is_repeated() => {}
        Some(known) => known.gather(new),
        None => open.push(new),
    }
}
