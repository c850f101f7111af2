//! What became of refused changes: made good by a later one, or missing still. Pure.

use super::{Entry, LandedEntry, Outcome, RefusedEntry};

/// What became of a refused change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The tree lacks nothing: it has what was asked for, or nothing was.
    NothingMissing,
    /// Each file that it meant was changed later, the last of them by the entry with this number.
    MadeGood(u64),
    /// The tree lacks it still.
    Open,
}

impl RefusedEntry {
    /// The files that lack it; what was typed where none is known; nothing but an empty name where nothing was typed.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        let first = self.file.as_deref().unwrap_or(&self.path);
        let named = (!first.is_empty() || self.with.is_empty()).then_some(first);
        named.into_iter().chain(self.with.iter().map(String::as_str).filter(move |other| *other != first))
    }

    /// Whether it was refused because the tree has it, or because it asked for nothing.
    pub fn asks_nothing(&self) -> bool {
        matches!(self.code.as_str(), "already_applied" | "identical" | "nothing_to_undo")
    }

    /// Whether it was refused only because the same call had been before.
    pub fn is_repeated(&self) -> bool {
        self.code == "repeated"
    }
}

impl LandedEntry {
    /// Whether this change, by the tool `by`, makes good what `tool` was refused at `place`.
    ///
    /// What was refused under a mistyped path is made good by the file of the same name in the same place below; what
    /// named no path by the next success of its tool.
    pub fn makes_good(&self, by: &str, place: &str, tool: &str) -> bool {
        let same = place == self.file || place.strip_suffix(&self.file).is_some_and(|above| above.ends_with('/'));
        same || place.is_empty() && tool == by
    }
}

/// What became of each refused change in `entries`, with its number and in their order.
pub fn fates(entries: &[Entry]) -> Vec<(u64, Fate)> {
    let mut fates: Vec<(u64, Fate)> = Vec::new();
    // What the tree lacks now: whose fate it is, and where.
    let mut missing: Vec<(usize, &Entry, &str)> = Vec::new();
    for entry in entries {
        match &entry.outcome {
            Outcome::Refused(refused) => {
                let places = refused.places().filter(|place| {
                    let known = |(_, other, at): &(usize, &Entry, &str)| is_same_place(other, at, entry, place);
                    !refused.asks_nothing() && (!refused.is_repeated() || missing.iter().any(known))
                });
                let places: Vec<_> = places.map(|place| (fates.len(), entry, place)).collect();
                fates.push((entry.number, if places.is_empty() { Fate::NothingMissing } else { Fate::Open }));
                missing.extend(places);
            }
            Outcome::Landed(landed) => {
                let is_good = |(_, refused, place): &(usize, &Entry, &str)| {
                    refused.workspace == entry.workspace && landed.makes_good(&entry.tool, place, &refused.tool)
                };
                for (fate, ..) in missing.iter().filter(|one| is_good(one)) {
                    fates[*fate].1 = Fate::MadeGood(entry.number);
                }
                missing.retain(|one| !is_good(one));
            }
            Outcome::Outside(_) => {}
        }
    }
    for (fate, ..) in missing {
        fates[fate].1 = Fate::Open;
    }
    fates
}

fn is_same_place(one: &Entry, at: &str, other: &Entry, place: &str) -> bool {
    one.workspace == other.workspace && at == place && (!place.is_empty() || one.tool == other.tool)
}

#[cfg(test)]
mod tests {
    use super::super::Action;
    use super::*;
    use crate::text::LineCounts;

    fn entry(number: u64, workspace: &str, outcome: Outcome) -> Entry {
        Entry { number, at: String::new(), tool: "edit".into(), workspace: workspace.into(), call: number, outcome }
    }

    fn refused(number: u64, code: &str, path: &str, with: &[&str]) -> Entry {
        let with = with.iter().map(|file| (*file).to_owned()).collect();
        let (code, path, message) = (code.into(), path.into(), String::new());
        entry(number, "/w", Outcome::Refused(RefusedEntry { code, path, file: None, message, with }))
    }

    fn landed(number: u64, workspace: &str, file: &str) -> Entry {
        let counts = LineCounts { added: 0, removed: 0, total: 0 };
        let landed = LandedEntry::new(file, Action::Edited, None, None, &[], counts);
        entry(number, workspace, Outcome::Landed(landed))
    }

    #[test]
    fn a_refused_change_is_open_until_all_its_files_are_changed() {
        use Fate::{MadeGood, NothingMissing, Open};
        let (a, b) = (refused(1, "not_found", "a.go", &[]), refused(2, "not_found", "/mistyped/b.go", &[]));
        let both = refused(1, "not_found", "", &["a.go", "b.go"]);
        for (what, entries, expected) in [
            ("nothing came after", vec![a.clone(), b.clone()], vec![Open, Open]),
            ("one file was changed", vec![a.clone(), b.clone(), landed(3, "/w", "a.go")], vec![MadeGood(3), Open]),
            ("a mistyped path", vec![b.clone(), landed(3, "/w", "b.go")], vec![MadeGood(3)]),
            ("only the end of a name", vec![b, landed(3, "/w", "o.go")], vec![Open]),
            ("another workspace", vec![a.clone(), landed(3, "/x", "a.go")], vec![Open]),
            ("one of two", vec![both.clone(), landed(3, "/w", "a.go")], vec![Open]),
            ("two of two", vec![both, landed(3, "/w", "a.go"), landed(4, "/w", "b.go")], vec![MadeGood(4)]),
            ("before it", vec![landed(1, "/w", "a.go"), refused(2, "stale", "a.go", &[])], vec![Open]),
            ("the tree has it", vec![refused(1, "already_applied", "a.go", &[])], vec![NothingMissing]),
            ("said once more", vec![a.clone(), refused(2, "repeated", "a.go", &[])], vec![Open, Open]),
            ("said once more of nothing", vec![refused(2, "repeated", "a.go", &[])], vec![NothingMissing]),
            ("without a path", vec![refused(1, "bad", "", &[]), landed(2, "/w", "x.go")], vec![MadeGood(2)]),
        ] {
            let found: Vec<Fate> = fates(&entries).into_iter().map(|(_, fate)| fate).collect();
            assert_eq!(found, expected, "{what}");
        }
    }
}
