//! What was wrong before: problems that move with the lines they stand on, and the difference to what is wrong now.
//!
//! Pure. Identity is not by line number: an inserted line makes nothing new. What a checker cannot see (a syntax error
//! stops it) is neither fixed by vanishing nor introduced by coming back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::verdict::Problem;
use crate::text::{Hunk, LineRange, shift_line};

/// All problems by file, relative to the workspace root. Files without a problem are absent.
pub(super) type Snapshot = BTreeMap<String, Arc<[Problem]>>;

/// The state that the next change is compared with.
#[derive(Debug, Default)]
pub(super) struct Baseline {
    files: BTreeMap<String, Vec<Known>>,
}

#[derive(Debug, Clone)]
struct Known {
    /// As it was when it was last seen.
    problem: Problem,
    place: Place,
}

/// Where a problem must be looked for after changes.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// Its line, 0-based, still is the same.
    Line(usize),
    /// Its line was replaced by these.
    Replaced(LineRange),
}

/// What happened to the problems of one file.
#[derive(Debug, Clone, Default)]
pub(super) struct FileDelta {
    pub(super) introduced: Vec<Problem>,
    pub(super) fixed: Vec<Problem>,
    pub(super) unchanged: Vec<Problem>,
}

/// How well the checkers could see a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// What they do not tell is not there.
    Clear,
    /// Something may be behind a syntax error.
    Hidden,
}

impl Baseline {
    /// Moves the problems of `file` through a change of its text.
    pub(super) fn shift(&mut self, file: &str, hunks: &[Hunk]) {
        for known in self.files.get_mut(file).into_iter().flatten() {
            known.place = known.place.shifted(hunks);
        }
    }

    /// Whether anything is known to be wrong in `file`.
    pub(super) fn has(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// Forgets `file`, which is gone.
    pub(super) fn forget(&mut self, file: &str) {
        self.files.remove(file);
    }

    /// Compares with the state now, and makes it the state to compare with from here on; but not of files that were
    /// `changed_since`: what is new in them may belong to a change whose report is still to come.
    pub(super) fn advance(
        &mut self,
        now: &Snapshot,
        sight: impl Fn(&str) -> Sight,
        changed_since: impl Fn(&str) -> bool,
    ) -> BTreeMap<String, FileDelta> {
        let names: BTreeSet<String> = self.files.keys().chain(now.keys()).cloned().collect();
        let mut deltas = BTreeMap::new();
        for file in names {
            let before = self.files.remove(&file).unwrap_or_default();
            let problems = now.get(&file).map_or(&[][..], |problems| problems);
            let kept = changed_since(&file).then(|| before.clone());
            let (delta, known) = compare(before, problems, sight(&file));
            let known = kept.unwrap_or(known);
            if !known.is_empty() {
                self.files.insert(file.clone(), known);
            }
            deltas.insert(file, delta);
        }
        deltas
    }
}

impl Place {
    fn shifted(self, hunks: &[Hunk]) -> Place {
        let replacing = |line: usize| hunks.iter().find(|hunk| (hunk.old.start..hunk.old.end).contains(&line));
        match self {
            Place::Line(line) => match (shift_line(hunks, line), replacing(line)) {
                (Some(line), _) => Place::Line(line),
                (None, Some(hunk)) => Place::Replaced(hunk.new),
                (None, None) => self,
            },
            Place::Replaced(range) => {
                let start = shift_line(hunks, range.start).or_else(|| Some(replacing(range.start)?.new.start));
                let last = range.end.saturating_sub(1).max(range.start);
                let end = shift_line(hunks, last).map(|last| last + 1).or_else(|| Some(replacing(last)?.new.end));
                let (start, end) = (start.unwrap_or(range.start), end.unwrap_or(range.end));
                Place::Replaced(LineRange::new(start.min(end), end))
            }
        }
    }

    fn holds(self, line: usize) -> bool {
        match self {
            Place::Line(own) => own == line,
            Place::Replaced(range) => (range.start..range.end).contains(&line),
        }
    }
}

fn compare(before: Vec<Known>, now: &[Problem], sight: Sight) -> (FileDelta, Vec<Known>) {
    let mut left: Vec<Option<Known>> = before.into_iter().map(Some).collect();
    let mut delta = FileDelta::default();
    let mut is_old = vec![false; now.len()];
    // The surest likeness first, so that of two equal messages each finds its own line.
    for same in [same_message, same_code] {
        for (problem, is_old) in now.iter().zip(&mut is_old).filter(|(_, is_old)| !**is_old) {
            let found = left.iter_mut().find(|known| known.as_ref().is_some_and(|known| same(known, problem)));
            *is_old = found.and_then(Option::take).is_some();
        }
    }
    let mut known = Vec::with_capacity(now.len());
    for (problem, is_old) in now.iter().zip(is_old) {
        if is_old { &mut delta.unchanged } else { &mut delta.introduced }.push(problem.clone());
        let place = Place::Line(problem.line.saturating_sub(1) as usize);
        known.push(Known { problem: problem.clone(), place });
    }
    for mut gone in left.into_iter().flatten() {
        match (sight, gone.place) {
            (Sight::Clear, _) => delta.fixed.push(gone.problem),
            // Out of sight, but the line it stands on is as it was: it counts as still there.
            (Sight::Hidden, Place::Line(line)) => {
                gone.problem.line = line as u32 + 1;
                delta.unchanged.push(gone.problem.clone());
                known.push(gone);
            }
            (Sight::Hidden, Place::Replaced(_)) => known.push(gone),
        }
    }
    (delta, known)
}

fn same_message(known: &Known, problem: &Problem) -> bool {
    let old = &known.problem;
    old.severity == problem.severity
        && old.message == problem.message
        && old.source == problem.source
        && known.place.holds(problem.line.saturating_sub(1) as usize)
}

/// The same complaint about the same line in other words (`want (int)` became `want (int, int)`).
fn same_code(known: &Known, problem: &Problem) -> bool {
    let old = &known.problem;
    old.severity == problem.severity
        && old.code.is_some()
        && old.code == problem.code
        && old.source == problem.source
        && matches!(known.place, Place::Line(line) if line + 1 == problem.line as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::hunks;
    use crate::workspace::verdict::Severity;

    fn problem(line: u32, message: &str) -> Problem {
        Problem {
            number: None,
            file: "a".into(),
            line,
            column: 1,
            severity: Severity::Error,
            message: message.into(),
            source: None,
            code: Some(message[..1].into()),
            related: None,
        }
    }

    fn snapshot(problems: &[(u32, &str)]) -> Snapshot {
        let problems: Arc<[Problem]> = problems.iter().map(|(line, message)| problem(*line, message)).collect();
        if problems.is_empty() { Snapshot::new() } else { Snapshot::from([("a".into(), problems)]) }
    }

    /// Each step: the text before and after, the problems after, the sight; then (introduced, fixed, unchanged) by line.
    type Step<'s> = (&'s str, &'s str, &'s [(u32, &'s str)], Sight, [&'s [u32]; 3]);

    #[track_caller]
    fn check(steps: &[Step<'_>]) {
        let mut baseline = Baseline::default();
        for (step, (before, after, now, sight, expected)) in steps.iter().enumerate() {
            baseline.shift("a", &hunks(before, after));
            let delta = baseline.advance(&snapshot(now), |_| *sight, |_| false).remove("a").unwrap_or_default();
            let lines = |problems: &[Problem]| problems.iter().map(|problem| problem.line).collect::<Vec<_>>();
            let found = [lines(&delta.introduced), lines(&delta.fixed), lines(&delta.unchanged)];
            assert_eq!(found, expected.map(<[u32]>::to_vec), "step {step}");
        }
    }

    #[test]
    fn what_a_later_change_brought_stays_new_for_its_own_report() {
        let mut baseline = Baseline::default();
        let mut step = |now: &[(u32, &str)], changed_since: bool| {
            let delta = baseline.advance(&snapshot(now), |_| Sight::Clear, |_| changed_since);
            let delta = delta.get("a").cloned().unwrap_or_default();
            [delta.introduced, delta.fixed, delta.unchanged].map(|problems| problems.len())
        };
        assert_eq!(step(&[(1, "e")], true), [1, 0, 0]);
        assert_eq!(step(&[(1, "e")], false), [1, 0, 0], "it was only in passing that it was seen before");
        assert_eq!(step(&[], true), [0, 1, 0]);
        assert_eq!(step(&[], false), [0, 1, 0]);
        assert_eq!(step(&[], false), [0, 0, 0]);
    }

    #[test]
    fn a_problem_moves_with_its_line() {
        use Sight::Clear;
        check(&[
            ("", "x\ny\nz\n", &[(2, "e")], Clear, [&[2], &[], &[]]),
            ("x\ny\nz\n", "new\nx\ny\nz\n", &[(3, "e")], Clear, [&[], &[], &[3]]),
            ("new\nx\ny\nz\n", "new\nx\nz\n", &[], Clear, [&[], &[3], &[]]),
        ]);
    }

    #[test]
    fn the_same_message_on_another_line_is_another_problem() {
        use Sight::Clear;
        check(&[
            ("", "x\ny\nz\n", &[(1, "e")], Clear, [&[1], &[], &[]]),
            ("x\ny\nz\n", "x\ny\nq\n", &[(1, "e"), (3, "e")], Clear, [&[3], &[], &[1]]),
            ("x\ny\nq\n", "x\ny\nq\n", &[(3, "e")], Clear, [&[], &[1], &[3]]),
        ]);
    }

    #[test]
    fn an_edited_line_that_is_still_wrong_is_unchanged_and_other_words_make_nothing_new() {
        use Sight::Clear;
        check(&[
            ("", "x\ny\n", &[(1, "e1")], Clear, [&[1], &[], &[]]),
            ("x\ny\n", "X\nX\ny\n", &[(2, "e1")], Clear, [&[], &[], &[2]]),
            ("X\nX\ny\n", "X\nX\ny\n", &[(2, "e2")], Clear, [&[], &[], &[2]]),
            ("X\nX\ny\n", "X\nZ\ny\n", &[(2, "f")], Clear, [&[2], &[2], &[]]),
        ]);
    }

    #[test]
    fn what_is_out_of_sight_is_neither_fixed_nor_introduced() {
        use Sight::{Clear, Hidden};
        check(&[
            ("", "x\ny\n", &[(2, "e")], Clear, [&[2], &[], &[]]),
            ("x\ny\n", "x\ny\n", &[], Hidden, [&[], &[], &[2]]),
            ("x\ny\n", "0\nx\ny\n", &[], Hidden, [&[], &[], &[3]]),
            ("0\nx\ny\n", "0\nx\ny\n", &[(3, "e")], Clear, [&[], &[], &[3]]),
            ("0\nx\ny\n", "0\nx\nY\n", &[], Hidden, [&[], &[], &[]]),
            ("0\nx\nY\n", "0\nx\nY\n", &[], Clear, [&[], &[3], &[]]),
        ]);
    }
}
