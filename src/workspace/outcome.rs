//! What one round of evidence said, and the reports that are made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::OnceLock;

use super::baseline::FileDelta;
use super::slot::Edited;
use super::verdict::{DiagnosticsReport, Problem, Severity, Verdict};

/// What was told at the end of a round, and what had changed by it.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Who spoke.
    pub(super) source: String,
    /// How far it sees, when that is less than all.
    pub(super) scope: Option<String>,
    /// Why there is no evidence, if there is none.
    pub(super) failure: Option<String>,
    /// Whether the state before was known.
    pub(super) baseline: bool,
    /// By file, relative to the workspace root.
    pub(super) deltas: BTreeMap<String, FileDelta>,
    /// Files that belong to no project, and why; the empty name stands for all of them.
    pub(super) no_project: BTreeMap<String, String>,
    /// Whether a syntax error had hidden other files before and does no longer.
    pub(super) uncovers: bool,
    /// Files that were changed since the round before, by whomever.
    pub(super) edited: BTreeMap<String, Edited>,
    /// Versions of the documents, by file.
    pub(super) versions: BTreeMap<String, i32>,
}

/// The place where the outcome for one change will stand.
#[derive(Debug)]
pub(super) struct Cell {
    /// The change must have been sent before the round began.
    pub(super) tick: u64,
    /// The document's version after the change.
    pub(super) version: Option<i32>,
    /// How often the language server had died by then.
    pub(super) crashes: u32,
    pub(super) outcome: OnceLock<Arc<Outcome>>,
}

impl Outcome {
    /// The report on a change of `file`, which was one of `changed`. What it broke in files that were not changed is
    /// told with the first of them.
    pub(super) fn report(
        &self,
        file: &str,
        changed: &BTreeSet<String>,
        cell: &Cell,
        is_first: bool,
    ) -> DiagnosticsReport {
        let mut report = self.empty_report(file);
        report.version = cell.version;
        report.overtaken_by = self.versions.get(file).copied().filter(|now| Some(*now) > cell.version);
        if self.failure.is_some() {
            return report;
        }
        let delta = self.deltas.get(file).cloned().unwrap_or_default();
        if !self.baseline {
            report.introduced = delta.introduced.into_iter().chain(delta.unchanged).collect();
        } else {
            (report.introduced, report.fixed, report.unchanged) = (delta.introduced, delta.fixed, delta.unchanged);
            if is_first {
                let others = self.deltas.iter().filter(|(other, _)| !changed.contains(*other));
                let introduced = others.flat_map(|(_, delta)| &delta.introduced).filter(|problem| is_grave(problem));
                // One round may settle the changes of many: what is wrong in a file that has a report of its own is
                // told there.
                let told_there = |problem: &Problem| self.edited.get(&problem.file).is_some_and(|own| own.has_report);
                let (others, untouched): (Vec<Problem>, Vec<Problem>) = introduced.cloned().partition(told_there);
                report.meanwhile = others;
                let elsewhere = if self.uncovers { &mut report.uncovered } else { &mut report.elsewhere };
                elsewhere.extend(untouched);
                elsewhere.sort_by_key(|problem| problem.severity);
            }
            report.alongside = self.alongside(&report, file, changed, cell);
        }
        self.finish(report)
    }

    /// The files whose other changes may be to blame for what `report` on a change of `file` tells.
    fn alongside(
        &self,
        report: &DiagnosticsReport,
        file: &str,
        changed: &BTreeSet<String>,
        cell: &Cell,
    ) -> Vec<String> {
        let had_earlier = |name: &str, edited: &Edited| name == file && edited.first < cell.tick;
        let own =
            self.edited.iter().filter(|(name, edited)| had_earlier(name, edited) && !report.introduced.is_empty());
        let others = self.edited.keys().filter(|name| !changed.contains(*name) && !report.elsewhere.is_empty());
        own.map(|(name, _)| name).chain(others).cloned().collect()
    }

    /// What is wrong in `file` now, or in every file.
    pub(super) fn now(&self, file: Option<&str>) -> DiagnosticsReport {
        let mut report = self.empty_report(file.unwrap_or_default());
        let of_file = |name: &str| file.is_none_or(|file| file == name);
        let deltas = self.deltas.iter().filter(|(name, _)| of_file(name));
        report.introduced =
            deltas.flat_map(|(_, delta)| delta.introduced.iter().chain(&delta.unchanged)).cloned().collect();
        report.baseline = false;
        report.version = file.and_then(|file| self.versions.get(file).copied());
        self.finish(report)
    }

    fn empty_report(&self, file: &str) -> DiagnosticsReport {
        let no_project = self.no_project.get(file).or_else(|| self.no_project.get(""));
        let (verdict, detail) = match (&self.failure, no_project) {
            (Some(failure), _) => (Verdict::TimedOut, Some(failure.clone())),
            (None, Some(why)) => (Verdict::NoProject, Some(why.clone())),
            (None, None) => (Verdict::Clean, None),
        };
        DiagnosticsReport {
            scope: self.scope.clone(),
            language_server: Some(self.source.clone()),
            detail,
            baseline: self.baseline,
            ..DiagnosticsReport::unsettled(verdict)
        }
    }

    fn finish(&self, mut report: DiagnosticsReport) -> DiagnosticsReport {
        for problems in [&mut report.introduced, &mut report.unchanged] {
            problems.sort_by_key(|problem| (problem.severity, problem.file.clone(), problem.line));
        }
        let own = report.introduced.iter().chain(&report.unchanged).any(is_grave);
        let broken = report.elsewhere.iter().any(|problem| problem.severity == Severity::Error);
        if report.verdict == Verdict::Clean && (own || broken) {
            report.verdict = Verdict::Problems;
        }
        report
    }
}

fn is_grave(problem: &Problem) -> bool {
    matches!(problem.severity, Severity::Error | Severity::Warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(file: &str) -> (String, FileDelta) {
        let problem = Problem {
            number: None,
            file: file.to_owned(),
            line: 1,
            column: 1,
            severity: Severity::Error,
            message: "undefined: x".to_owned(),
            source: None,
            code: None,
            related: None,
        };
        (file.to_owned(), FileDelta { introduced: vec![problem], ..FileDelta::default() })
    }

    #[test]
    fn what_broke_in_a_file_that_was_changed_too_is_not_laid_at_this_change_s_door() {
        let names = |files: &[&str]| files.iter().map(|file| (*file).to_owned()).collect::<BTreeSet<String>>();
        let edited = |file: &str, first, has_report| (file.to_owned(), Edited { first, last: 2, has_report });
        let outcome = Outcome {
            baseline: true,
            deltas: ["user.go", "other.go"].map(broken).into(),
            edited: [edited("mine.go", 1, true), edited("other.go", 2, true)].into(),
            ..Outcome::default()
        };
        let cell = Cell { tick: 1, version: None, crashes: 0, outcome: OnceLock::new() };
        let files = |problems: &[Problem]| problems.iter().map(|problem| problem.file.clone()).collect::<Vec<_>>();
        let report = outcome.report("mine.go", &names(&["mine.go"]), &cell, true);
        assert_eq!(
            (files(&report.elsewhere), files(&report.meanwhile)),
            (names(&["user.go"]).into_iter().collect(), vec!["other.go".to_owned()])
        );
        assert_eq!((report.verdict, report.alongside), (Verdict::Problems, vec!["other.go".to_owned()]));
        let report = outcome.report("other.go", &names(&["other.go"]), &cell, true);
        assert_eq!((files(&report.introduced), report.meanwhile.len()), (vec!["other.go".to_owned()], 0));
        let mut alone = Outcome { deltas: [broken("other.go")].into(), ..outcome };
        let report = |outcome: &Outcome| outcome.report("mine.go", &names(&["mine.go"]), &cell, true);
        assert_eq!((report(&alone).verdict, report(&alone).alongside.len()), (Verdict::Clean, 0));
        alone.edited.insert("other.go".to_owned(), Edited { first: 1, last: 1, has_report: false });
        assert_eq!(files(&report(&alone).elsewhere), ["other.go"], "nobody else is told of what changed outside");
    }

    #[test]
    fn an_earlier_change_of_the_same_file_may_be_to_blame() {
        let names = BTreeSet::from(["a.go".to_owned()]);
        let cell = Cell { tick: 2, version: None, crashes: 0, outcome: OnceLock::new() };
        for (first, expected) in [(1, vec!["a.go".to_owned()]), (2, vec![])] {
            let edited = BTreeMap::from([("a.go".to_owned(), Edited { first, last: 2, has_report: true })]);
            let outcome = Outcome { baseline: true, deltas: [broken("a.go")].into(), edited, ..Outcome::default() };
            assert_eq!(outcome.report("a.go", &names, &cell, true).alongside, expected);
        }
    }
}
