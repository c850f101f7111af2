//! From the places that were found to one edit, several, or a refusal.

use std::ops::Range;

use super::align::{Candidate, OldText};
use super::budget::Budget;
use super::changes::{choose, landed};
use super::evidence::Evidence;
use super::line_diff::{Op, line_diff};
use super::nearest::nearest;
use super::reading::key_hash;
use super::regions::FileIndex;
use super::search::{Attempt, candidates};
use super::strategy::strategies;
use super::transfer::transfer;
use super::{Landed, Query, RefusalCode, Refused, Replacement};
use crate::text::LineRange;

/// Places whose score is this near to the best are told apart by a line only.
const SAME_SCORE: f32 = 0.1;
/// Hits that are listed.
const MAX_LISTED: usize = 50;

/// Carries out the best reading of a query, or says why not.
pub(super) fn decide(
    file: &FileIndex<'_>,
    query: &Query<'_>,
    attempt: &Attempt<'_>,
    budget: &mut Budget,
) -> Result<Landed, Refused> {
    let case = Case { file, query, attempt, ops: line_diff(&attempt.old, &attempt.new) };
    let Some(best) = attempt.candidates.first() else {
        let code = if budget.is_spent() { RefusalCode::TooLarge } else { RefusalCode::NotFound };
        return Err(Refused::plain(code));
    };
    let complete: Vec<&Candidate> =
        attempt.candidates.iter().filter(|candidate| case.evidence(candidate, None).is_complete()).collect();
    if complete.len() > 1 {
        return case.several(&complete);
    }
    if budget.is_spent() && complete.is_empty() {
        return Err(case.refused(RefusalCode::TooLarge, best));
    }
    case.single(best, budget)
}

/// A query and where it may stand.
struct Case<'c> {
    file: &'c FileIndex<'c>,
    query: &'c Query<'c>,
    attempt: &'c Attempt<'c>,
    ops: Vec<Op>,
}

impl Case<'_> {
    fn evidence<'e>(&'e self, best: &'e Candidate, rival: Option<&'e Candidate>) -> Evidence<'e> {
        Evidence { file: self.file, old: &self.attempt.text, best, rival }
    }

    /// Of several places where every line says the same: all, the one that is meant, or none.
    fn several(&self, complete: &[&Candidate]) -> Result<Landed, Refused> {
        let least = |candidate: &Candidate| candidate.likeness.iter().copied().fold(1.0, f32::min);
        let most = complete.iter().map(|candidate| least(candidate)).fold(0.0, f32::max);
        let mut nearest_kind: Vec<&Candidate> =
            complete.iter().copied().filter(|candidate| least(candidate) >= most).collect();
        if self.query.replace_all {
            nearest_kind = complete.to_vec();
            nearest_kind.sort_by_key(|candidate| candidate.alignment.file_range().start);
            return self.land(&nearest_kind);
        }
        if let [only] = nearest_kind.as_slice() {
            return self.judged(only, None);
        }
        match choose(&lines_of(&nearest_kind), self.query.near_line) {
            Some(at) => self.judged(nearest_kind[at], None),
            None => Err(ambiguous(&nearest_kind)),
        }
    }

    /// The best place, if it is certain.
    fn single(&self, best: &Candidate, budget: &mut Budget) -> Result<Landed, Refused> {
        let range = best.alignment.file_range();
        let others: Vec<&Candidate> = self.attempt.candidates[1..]
            .iter()
            .filter(|other| is_apart(&other.alignment.file_range(), &range))
            .collect();
        let rival = others.first().copied();
        let evidence = self.evidence(best, rival);
        let verdict = evidence.judge(&self.ops);
        if let Err(code) = verdict {
            if self.is_applied(None, budget) {
                return Err(Refused::plain(RefusalCode::AlreadyApplied));
            }
            // Two places that are equally unlike `old` are no choice to be made.
            let code = match (code, self.evidence(best, None).judge(&self.ops)) {
                (RefusalCode::Ambiguous, Err(alone)) => alone,
                (code, _) => code,
            };
            let mut alike = vec![best];
            alike.extend(others.iter().copied().filter(|other| other.score > best.score - SAME_SCORE));
            return match (code, choose(&lines_of(&alike), self.query.near_line)) {
                (RefusalCode::Ambiguous, Some(at)) if alike.len() > 1 => self.judged(alike[at], None),
                (RefusalCode::Ambiguous, _) if alike.len() > 1 => Err(ambiguous(&alike)),
                (RefusalCode::Ambiguous, _) => {
                    Err(ambiguous(&[Some(best), rival].into_iter().flatten().collect::<Vec<_>>()))
                }
                _ => Err(self.refused(code, best)),
            };
        }
        if evidence.is_drifted() && self.is_applied(Some(&range), budget) {
            return Err(self.refused(RefusalCode::AlreadyApplied, best));
        }
        self.land(&[best])
    }

    fn judged(&self, chosen: &Candidate, rival: Option<&Candidate>) -> Result<Landed, Refused> {
        self.evidence(chosen, rival).judge(&self.ops).map_err(|code| self.refused(code, chosen))?;
        self.land(&[chosen])
    }

    /// Transfers the edit to each place, which stand in the file's order.
    fn land(&self, places: &[&Candidate]) -> Result<Landed, Refused> {
        let mut occurrences: Vec<Vec<Replacement>> = Vec::with_capacity(places.len());
        for place in places {
            self.evidence(place, None).judge(&self.ops).map_err(|code| self.refused(code, place))?;
            let Attempt { old, new, text, .. } = self.attempt;
            let edits = transfer(&self.file.lines, old, new, &text.elided, &place.alignment, &self.ops)
                .map_err(|code| self.refused(code, place))?;
            occurrences.push(edits);
        }
        let spans: Vec<_> = occurrences.iter().flatten().map(|edit| edit.span).collect();
        if spans.windows(2).any(|two| two[1].start < two[0].end) {
            return Err(ambiguous(places));
        }
        let mut via = strategies(self.file, &self.attempt.text, places[0], &self.attempt.layers);
        if places.len() > 1 {
            via.push_str("+multi_occurrence");
        }
        let least = places.iter().map(|place| place.score).fold(1.0, f32::min);
        landed(self.file.lines.text, occurrences, via, f64::from(least.clamp(0.0, 1.0)))
    }

    fn refused(&self, code: RefusalCode, shown: &Candidate) -> Refused {
        let nearest = (shown.score > 0.3).then(|| nearest(self.file, &self.attempt.text, shown));
        Refused { code, hits: Vec::new(), nearest }
    }

    /// Whether all of new stands in the file already, at the place of old if that is known.
    fn is_applied(&self, at: Option<&Range<usize>>, budget: &mut Budget) -> bool {
        let new = &self.attempt.new;
        let inserted = self.ops.iter().filter(|op| !op.equal).flat_map(|op| op.new.clone());
        let mut inserted = inserted.filter(|j| !new[*j].trim().is_empty()).peekable();
        let is_present = |j: usize| self.file.hashes.contains(&key_hash(new[j]));
        if inserted.peek().is_none() || !inserted.all(is_present) {
            return false;
        }
        let text = OldText::new(new, vec![false; new.len()]);
        if text.total < self.attempt.text.total * 0.5 || text.total < 0.5 {
            return false;
        }
        let found = candidates(self.file, &text, budget);
        let Some(best) = found.iter().max_by(|a, b| a.score.total_cmp(&b.score)) else { return false };
        let range = best.alignment.file_range();
        let is_there = at.is_none_or(|at| !is_apart(&range, at));
        let is_literal = best.alignment.pairs.iter().all(|pair| pair.old.len() == 1 && pair.file.len() == 1);
        is_there && is_literal && Evidence { file: self.file, old: &text, best, rival: None }.is_complete()
    }
}

fn is_apart(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start >= b.end || a.end <= b.start
}

fn lines_of(places: &[&Candidate]) -> Vec<LineRange> {
    let ranges = places.iter().map(|place| place.alignment.file_range());
    ranges.map(|range| LineRange::new(range.start, range.end)).collect()
}

fn ambiguous(places: &[&Candidate]) -> Refused {
    let mut hits = lines_of(places);
    hits.sort();
    hits.truncate(MAX_LISTED);
    Refused { code: RefusalCode::Ambiguous, hits, nearest: None }
}

#[cfg(test)]
mod tests {
    use super::super::{Query, RefusalCode, replace};

    const TWICE: &str = "start()\n  first(call)\n  second(call)\nmiddle()\n    first(call)\n    second(call)\nend()\n";

    fn query(replace_all: bool, near_line: Option<usize>) -> Query<'static> {
        Query { old: "first(call)\nsecond(call) ", new: "first(call)\nthird(call)", replace_all, near_line }
    }

    #[test]
    fn all_places_are_changed_each_in_its_own_depth() {
        let landed = replace(TWICE, &query(true, None)).expect("all");
        let expected = "start()\n  first(call)\n  third(call)\nmiddle()\n    first(call)\n    third(call)\nend()\n";
        assert_eq!((landed.text.as_str(), landed.occurrences), (expected, 2));
        assert!(landed.matched_via.ends_with("multi_occurrence"), "{}", landed.matched_via);
        assert_eq!(landed.lines.iter().map(|range| range.start).collect::<Vec<_>>(), [2, 5]);
    }

    #[test]
    fn a_line_settles_which_place_is_meant() {
        let refused = replace(TWICE, &query(false, None)).expect_err("two");
        assert_eq!(refused.code, RefusalCode::Ambiguous);
        assert_eq!(refused.hits.iter().map(|hit| hit.start).collect::<Vec<_>>(), [1, 4]);
        let landed = replace(TWICE, &query(false, Some(6))).expect("line 6");
        assert_eq!(landed.edits.len(), 1);
        assert!(landed.text.starts_with("start()\n  first(call)\n  second(call)\n"));
    }

    #[test]
    fn two_places_that_are_equally_unlike_are_not_found() {
        let text = "func Get(k string) string {\n\treturn k\n}\n\nfunc Put(k string) {\n\t_ = k\n}\n";
        let query = Query { old: "func Delete(k string) error {", new: "x", replace_all: false, near_line: None };
        let refused = replace(text, &query).expect_err("is not there");
        assert_ne!(refused.code, RefusalCode::Ambiguous);
        assert!(refused.nearest.is_some());
    }

    #[test]
    fn what_is_there_already_is_not_made_twice() {
        let text = "alpha(one)\nbeta(two)\ngamma(three)\n";
        let query = Query {
            old: "alpha(one)\ngamma(three)",
            new: "alpha(one)\nbeta(two)\ngamma(three)",
            replace_all: false,
            near_line: None,
        };
        assert_eq!(replace(text, &query).expect_err("applied").code, RefusalCode::AlreadyApplied);
    }
}
