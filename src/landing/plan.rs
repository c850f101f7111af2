//! From a wanted change and a file's text to the text it becomes. Pure.

use std::sync::Arc;

use super::{EditRefused, OfSeveral, Unlanded, form};
use crate::patch::{self, PatchHunk};
use crate::replace::{self, Query};
use crate::text::{Hunk, LineCounts, LineRange, count_lines, hunks};
use crate::workspace::ledger::{Action, LandedEntry};
use crate::workspace::paths::Resolved;
use crate::workspace::paths::contained::WriteError;

/// A change as the agent asked for it.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// Replacements in an existing file, one after another, all or none.
    Edits(Vec<Edit>),
    /// The hunks of a patch, in an existing file.
    Patch(Vec<PatchHunk>),
    /// The whole content of a file, which may be new.
    Write(String),
    /// The same, where the call itself says that what is there goes.
    Rewrite(String),
    /// No file, where one is.
    Delete,
    /// A text that was worked out on just this one (`None`: no file), which must still be there.
    Become {
        /// What it was worked out on.
        from: Option<Arc<str>>,
        /// What it becomes.
        to: Option<Arc<str>>,
    },
    /// What stood there before an earlier change.
    Undo(Box<Undo>),
    /// What another file holds, which the same call deletes.
    MoveHere(Box<MoveHere>),
}

impl Wanted {
    /// The file that is moved, if one is.
    pub fn moved_from(&self) -> Option<&Resolved> {
        match self {
            Wanted::MoveHere(moving) => Some(&moving.from),
            _ => None,
        }
    }

    /// How many of the folders that the file lies in go with it, if it goes and they are empty.
    pub(super) fn folders_to_go(&self) -> usize {
        match self {
            Wanted::Undo(undo) => undo.entry.folders,
            _ => 0,
        }
    }
}

/// A file that moves, and changes on the way.
#[derive(Debug, Clone)]
pub struct MoveHere {
    /// Where it is. Another order of the same call must delete it.
    pub from: Resolved,
    /// What changes on the way.
    pub change: OnTheWay,
}

/// What becomes of a text that moves.
#[derive(Debug, Clone)]
pub enum OnTheWay {
    /// The hunks of a patch, maybe none.
    Patch(Vec<PatchHunk>),
    /// A text that was worked out on just this one, which must still be there.
    Become {
        /// What it was worked out on.
        from: Arc<str>,
        /// What it becomes.
        to: Arc<str>,
    },
}

/// A change of the ledger that is to be undone.
#[derive(Debug, Clone)]
pub struct Undo {
    /// The number of its entry.
    pub number: u64,
    /// What it did.
    pub entry: LandedEntry,
}

/// One replacement, owned: the landing outlives the call that asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The text to find.
    pub old: String,
    /// What to put there.
    pub new: String,
    /// Replace every occurrence.
    pub replace_all: bool,
    /// Which of several, by line, 1-based.
    pub near_line: Option<usize>,
}

impl Edit {
    /// As the replacer takes it.
    pub fn query(&self) -> Query<'_> {
        Query { old: &self.old, new: &self.new, replace_all: self.replace_all, near_line: self.near_line }
    }
}

/// What a landing does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Replaced part of an existing file.
    Edited,
    /// Made a file that was not there.
    Created,
    /// Replaced all of an existing file.
    Overwrote,
    /// Removed a file.
    Deleted,
    /// Found that the file already is as wanted.
    LeftAsIs,
}

impl Deed {
    /// As the ledger has it; nothing for a file that was left as it is.
    pub(super) fn action(self) -> Option<Action> {
        match self {
            Deed::Edited => Some(Action::Edited),
            Deed::Created => Some(Action::Created),
            Deed::Overwrote => Some(Action::Overwrote),
            Deed::Deleted => Some(Action::Deleted),
            Deed::LeftAsIs => None,
        }
    }
}

/// The text a file becomes, and how that came about.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What is done.
    pub deed: Deed,
    /// The new text; `None` for a file that is gone.
    pub after: Option<Arc<str>>,
    /// What changed, in whole lines.
    pub hunks: Vec<Hunk>,
    /// How much changed.
    pub counts: LineCounts,
    /// The lines of the new text that the change made, one range a place, 0-based.
    pub lines: Vec<LineRange>,
    /// How the replacer matched (`exact`, `line_trimmed`, …); `None` for a whole file.
    pub matched_via: Option<String>,
    /// How alike the old text and what was found are, 0 to 1.
    pub similarity: f64,
    /// How many places were replaced.
    pub occurrences: usize,
    /// What is to be said of the new text's form: line ends that were kept, encodings that meet. In words.
    pub form: Vec<String>,
}

/// Plans `wanted` on a file whose text is `before` (`None`: no such file). `seen` says whether the session has seen just
/// this content.
///
/// # Errors
/// [`Unlanded`] when it must not or cannot be done.
pub(super) fn plan(before: Option<&str>, wanted: &Wanted, seen: bool) -> Result<Planned, Unlanded> {
    let mut planned = plan_text(before, wanted, seen)?;
    let meeting = before.zip(planned.after.as_deref()).and_then(|(before, after)| form::encodings_meet(before, after));
    planned.form.extend(meeting);
    Ok(planned)
}

fn plan_text(before: Option<&str>, wanted: &Wanted, seen: bool) -> Result<Planned, Unlanded> {
    match (wanted, before) {
        (Wanted::Edits(edits), Some(before)) => plan_edits(before, edits),
        // Many models create a file by replacing nothing with its content.
        (Wanted::Edits(edits), None) => match edits.as_slice() {
            [edit] if edit.old.is_empty() => Ok(whole(Deed::Created, "", &edit.new)),
            _ => Err(Unlanded::Missing),
        },
        (Wanted::Patch(hunks), Some(before)) => plan_patch(before, hunks),
        (Wanted::Delete, Some(before)) => Ok(Planned { after: None, ..whole(Deed::Deleted, before, "") }),
        (Wanted::Patch(_) | Wanted::Delete, None) => Err(Unlanded::Missing),
        (Wanted::Write(content) | Wanted::Rewrite(content), None) => Ok(whole(Deed::Created, "", content)),
        (Wanted::Rewrite(content), Some(before)) => Ok(overwrite(Deed::Overwrote, before, content)),
        (Wanted::Write(content), Some(before)) => {
            let same = form::in_form_of(before, content).text == before;
            let deed = if same { Deed::LeftAsIs } else { deed_of_whole(Some(before), seen)? };
            Ok(overwrite(deed, before, content))
        }
        (Wanted::Become { from, to }, now) if from.as_deref() == now => Ok(plan_become(now, to.as_deref())),
        (Wanted::Become { .. }, _) => Err(Unlanded::Write(WriteError::ChangedMeanwhile)),
        (Wanted::Undo(undo), now) => plan_undo(now, &undo.entry),
        (Wanted::MoveHere(_), _) => unreachable!("planned on the file that is moved"),
    }
}

/// What it is to put a whole file where `before` is; `seen` says whether the session has seen just that.
pub(super) fn deed_of_whole(before: Option<&str>, seen: bool) -> Result<Deed, Unlanded> {
    match before {
        None => Ok(Deed::Created),
        Some(before) if seen || before.is_empty() => Ok(Deed::Overwrote),
        Some(before) => Err(Unlanded::Unseen { lines: count_lines(before) }),
    }
}

fn overwrite(deed: Deed, before: &str, content: &str) -> Planned {
    let kept = form::in_form_of(before, content);
    Planned { form: kept.what.map(str::to_owned).into_iter().collect(), ..whole(deed, before, &kept.text) }
}

fn plan_edits(before: &str, edits: &[Edit]) -> Result<Planned, Unlanded> {
    let queries: Vec<Query<'_>> = edits.iter().map(Edit::query).collect();
    let landed = replace::replace_many(before, &queries).map_err(|many| {
        Unlanded::Refused(Box::new(EditRefused {
            text: Arc::from(many.text),
            edit: edits[many.index].clone(),
            refused: many.refused,
            of_several: (edits.len() > 1).then_some(OfSeveral { index: many.index, matched: many.matched }),
        }))
    })?;
    let hunks = hunks(before, &landed.text);
    Ok(Planned {
        deed: Deed::Edited,
        counts: LineCounts::of(&hunks, &landed.text),
        after: Some(Arc::from(landed.text)),
        lines: hunks.iter().map(|hunk| hunk.new).collect(),
        hunks,
        matched_via: Some(matched_via(landed.each.iter().flat_map(|each| each.matched_via.split('+')))),
        similarity: landed.each.iter().map(|each| each.similarity).fold(1.0, f64::min),
        occurrences: landed.each.iter().map(|each| each.occurrences).sum(),
        form: Vec::new(),
    })
}

fn plan_patch(before: &str, patch_hunks: &[PatchHunk]) -> Result<Planned, Unlanded> {
    let applied = patch::apply(before, patch_hunks).map_err(|refused| Unlanded::Hunk(Box::new(refused)))?;
    let hunks = hunks(before, &applied.text);
    let via = applied.each.iter().flat_map(|each| each.matched_via.split('+')).filter(|via| *via != "inserted");
    Ok(Planned {
        deed: if hunks.is_empty() { Deed::LeftAsIs } else { Deed::Edited },
        counts: LineCounts::of(&hunks, &applied.text),
        after: Some(Arc::from(applied.text)),
        lines: hunks.iter().map(|hunk| hunk.new).collect(),
        hunks,
        matched_via: Some(matched_via(via)),
        similarity: applied.each.iter().map(|each| each.similarity).fold(1.0, f64::min),
        occurrences: 1,
        form: Vec::new(),
    })
}

/// Plans what becomes of `text`, which moves.
pub(super) fn plan_on_the_way(text: &str, change: &OnTheWay) -> Result<Planned, Unlanded> {
    let wanted = match change {
        OnTheWay::Patch(hunks) => Wanted::Patch(hunks.clone()),
        OnTheWay::Become { from, to } => Wanted::Become { from: Some(from.clone()), to: Some(to.clone()) },
    };
    plan(Some(text), &wanted, true)
}

/// The strategies of all edits that were not exact, each once; `exact` when all were.
fn matched_via<'v>(each: impl Iterator<Item = &'v str>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in each {
        if name != "exact" && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { "exact".into() } else { names.join("+") }
}

fn plan_become(before: Option<&str>, after: Option<&str>) -> Planned {
    match (before, after) {
        (Some(before), Some(after)) if before == after => whole(Deed::LeftAsIs, before, after),
        (Some(before), Some(after)) => whole(Deed::Edited, before, after),
        (None, Some(after)) => whole(Deed::Created, "", after),
        (before, None) => Planned { after: None, ..whole(Deed::Deleted, before.unwrap_or_default(), "") },
    }
}

fn plan_undo(now: Option<&str>, entry: &LandedEntry) -> Result<Planned, Unlanded> {
    let before = entry.undone(now).ok_or(Unlanded::NotAsLeft)?;
    let present = now.unwrap_or_default();
    Ok(match (now, &entry.before) {
        (None, _) => whole(Deed::Created, present, &before),
        (Some(_), Some(_)) => whole(Deed::Edited, present, &before),
        (Some(_), None) => Planned { after: None, ..whole(Deed::Deleted, present, "") },
    })
}

pub(super) fn whole(deed: Deed, before: &str, content: &str) -> Planned {
    let hunks = hunks(before, content);
    Planned {
        deed,
        after: Some(Arc::from(content)),
        counts: LineCounts::of(&hunks, content),
        lines: hunks.iter().map(|hunk| hunk.new).collect(),
        hunks,
        matched_via: None,
        similarity: 1.0,
        occurrences: 1,
        form: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> Wanted {
        Wanted::Edits(vec![Edit { old: old.into(), new: new.into(), replace_all: false, near_line: None }])
    }

    #[test]
    fn what_is_done_depends_on_what_is_there_and_was_seen() {
        let write = Wanted::Write("b\n".into());
        let deed = |before, wanted: &Wanted, seen| plan(before, wanted, seen).map(|planned| planned.deed);
        assert_eq!(deed(None, &write, false).expect("creates"), Deed::Created);
        assert_eq!(deed(Some("a\n"), &write, true).expect("overwrites"), Deed::Overwrote);
        assert_eq!(deed(Some("b\n"), &write, false).expect("nothing to do"), Deed::LeftAsIs);
        assert!(matches!(deed(Some("a\n"), &write, false), Err(Unlanded::Unseen { lines: 1 })));
        assert_eq!(deed(Some(""), &write, false).expect("an empty file holds nothing to lose"), Deed::Overwrote);
        assert_eq!(deed(None, &edit("", "x"), false).expect("creates"), Deed::Created);
        assert!(matches!(deed(None, &edit("a", "b"), false), Err(Unlanded::Missing)));
        assert!(matches!(deed(Some("zzz\n"), &edit("quite another line", "b"), false), Err(Unlanded::Refused(_))));
    }

    #[test]
    fn what_was_worked_out_on_a_text_holds_for_that_text_only() {
        let text = |text: Option<&str>| text.map(Arc::from);
        let deed = |before, from, to| {
            plan(before, &Wanted::Become { from: text(from), to: text(to) }, false).map(|planned| planned.deed)
        };
        for (before, from, to, expected) in [
            (Some("a\n"), Some("a\n"), Some("b\n"), Deed::Edited),
            (Some("a\n"), Some("a\n"), Some("a\n"), Deed::LeftAsIs),
            (Some("a\n"), Some("a\n"), None, Deed::Deleted),
            (None, None, Some("b\n"), Deed::Created),
        ] {
            assert_eq!(deed(before, from, to).expect("planned"), expected);
        }
        for (before, from) in [(Some("x\n"), Some("a\n")), (None, Some("a\n")), (Some("x\n"), None)] {
            let refused = deed(before, from, Some("b\n"));
            assert!(matches!(refused, Err(Unlanded::Write(WriteError::ChangedMeanwhile))), "{refused:?}");
        }
    }

    #[test]
    fn counts_and_lines_follow_the_change() {
        let planned = plan(Some("a\nbee\nc\n"), &edit("bee", "B\nBB"), false).expect("lands");
        assert_eq!(planned.counts, LineCounts { added: 2, removed: 1, total: 4 });
        assert_eq!(planned.lines, [LineRange::new(1, 3)]);
        assert_eq!(planned.matched_via.as_deref(), Some("exact"));
    }
}
