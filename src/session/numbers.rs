//! The numbers beside the problems a session was shown: the same problem keeps its number, and no number is given twice.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::workspace::verdict::{DiagnosticsReport, Problem};

/// So many of the problems shown last can still be named.
const KEPT: usize = 200;

/// A problem that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The root of its workspace.
    pub root: PathBuf,
    /// The problem, with its number, at the line where it was shown.
    pub problem: Problem,
}

/// The numbers of one session. A cheap handle.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    given: Arc<Mutex<Given>>,
}

#[derive(Debug, Default)]
struct Given {
    shown: VecDeque<Shown>,
    last: u32,
}

impl Numbers {
    /// Numbers the problems that `report` is going to show.
    pub(super) fn give(&self, root: &Path, report: &mut DiagnosticsReport) {
        let mut given = self.lock();
        let lists = [&mut report.introduced, &mut report.elsewhere, &mut report.uncovered];
        for problem in lists.into_iter().flatten().take(KEPT) {
            given.give(root, problem);
        }
    }

    /// The problem with that number; `None` if none was shown, or long ago.
    pub(super) fn get(&self, number: u32) -> Option<Shown> {
        self.lock().shown.iter().find(|shown| shown.problem.number == Some(number)).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Given> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Given {
    fn give(&mut self, root: &Path, problem: &mut Problem) {
        problem.number = None;
        let is_it = |shown: &Shown| shown.root == root && Problem { number: None, ..shown.problem.clone() } == *problem;
        let known = self.shown.iter().position(is_it).and_then(|at| self.shown.remove(at));
        problem.number = known.and_then(|shown| shown.problem.number).or_else(|| {
            self.last += 1;
            Some(self.last)
        });
        self.shown.push_back(Shown { root: root.to_owned(), problem: problem.clone() });
        if self.shown.len() > KEPT {
            self.shown.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::verdict::{Severity, Verdict};

    fn report(lines: &[u32]) -> DiagnosticsReport {
        let problem = |line: &u32| Problem {
            number: None,
            file: "a".into(),
            line: *line,
            column: 1,
            severity: Severity::Error,
            message: "m".into(),
            source: None,
            code: None,
            related: None,
        };
        DiagnosticsReport {
            introduced: lines.iter().map(problem).collect(),
            ..DiagnosticsReport::unsettled(Verdict::Problems)
        }
    }

    #[test]
    fn a_problem_keeps_its_number_and_no_number_is_given_twice() {
        let numbers = Numbers::default();
        let given = |root: &str, lines: &[u32]| {
            let mut report = report(lines);
            numbers.give(Path::new(root), &mut report);
            report.introduced.iter().filter_map(|problem| problem.number).collect::<Vec<u32>>()
        };
        assert_eq!(given("/w", &[5, 7]), [1, 2]);
        assert_eq!(given("/w", &[6, 7]), [3, 2]);
        assert_eq!(given("/v", &[7]), [4], "another workspace");
        let shown = numbers.get(2).expect("shown");
        assert_eq!((shown.root.as_path(), shown.problem.line), (Path::new("/w"), 7));
        assert_eq!(numbers.get(9), None);
        let many: Vec<u32> = (100..100 + KEPT as u32).collect();
        given("/w", &many);
        assert_eq!(numbers.get(1), None, "long ago");
    }
}
