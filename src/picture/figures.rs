//! What a session comes to, in numbers.

use super::{Fate, LandedLine, Mark, RefusedLine, SessionPicture};

/// What there was of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// Changes on disk.
    pub landed: usize,
    /// Lines added by them.
    pub added: usize,
    /// Lines removed by them.
    pub removed: usize,
    /// The files that they changed.
    pub files: usize,
    /// Those of them that did not match exactly.
    pub inexact: usize,
    /// Those whose path was put right.
    pub put_right: usize,
    /// Changes refused.
    pub refused: usize,
    /// Those of them that the tree lacks still.
    pub open: usize,
    /// Changes that were checked, with nothing wrong.
    pub clean: usize,
    /// Changes that were checked, with something wrong.
    pub problems: usize,
    /// Changes of which nothing is known, or not yet.
    pub unknown: usize,
    /// Changes of which only the syntax could be checked.
    pub unchecked: usize,
    /// From each landing to its verdict, where there is one that rests on evidence; sorted. Milliseconds.
    pub settled_ms: Vec<u64>,
}

impl Figures {
    pub(super) fn of(landed: &[LandedLine], refused: &[RefusedLine]) -> Figures {
        let mut files: Vec<(&str, &str)> =
            landed.iter().map(|line| (line.source.root.as_str(), line.file.as_str())).collect();
        files.sort_unstable();
        files.dedup();
        let marked = |mark| landed.iter().filter(|line| line.mark() == mark).count();
        let settled = landed.iter().filter_map(|line| line.verdicts.last().filter(|last| last.is_settled()));
        let mut settled_ms: Vec<u64> = settled.map(|verdict| verdict.after_ms).collect();
        settled_ms.sort_unstable();
        Figures {
            landed: landed.len(),
            added: landed.iter().map(|line| line.added).sum(),
            removed: landed.iter().map(|line| line.removed).sum(),
            files: files.len(),
            inexact: landed.iter().filter(|line| line.matched_via.is_some()).count(),
            put_right: landed.iter().filter(|line| line.path_note.is_some()).count(),
            refused: refused.len(),
            open: refused.iter().filter(|line| line.fate == Fate::Open).count(),
            clean: marked(Mark::Clean),
            problems: marked(Mark::Problems),
            unknown: marked(Mark::Unknown),
            unchecked: marked(Mark::Unchecked),
            settled_ms,
        }
    }

    /// Those of all `sessions` together.
    pub(super) fn sum(sessions: &[SessionPicture]) -> Figures {
        let mut sum = Figures::default();
        for Figures {
            landed,
            added,
            removed,
            files,
            inexact,
            put_right,
            refused,
            open,
            clean,
            problems,
            unknown,
            unchecked,
            settled_ms,
        } in sessions.iter().map(|session| &session.figures)
        {
            sum.landed += landed;
            sum.added += added;
            sum.removed += removed;
            sum.files += files;
            sum.inexact += inexact;
            sum.put_right += put_right;
            sum.refused += refused;
            sum.open += open;
            sum.clean += clean;
            sum.problems += problems;
            sum.unknown += unknown;
            sum.unchecked += unchecked;
            sum.settled_ms.extend(settled_ms);
        }
        sum.settled_ms.sort_unstable();
        sum
    }

    /// The middle of the times to a verdict. Milliseconds.
    pub fn median_ms(&self) -> Option<u64> {
        middle(&self.settled_ms)
    }
}

/// The middle of `sorted`; of an even number the lower one.
pub(super) fn middle(sorted: &[u64]) -> Option<u64> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}
