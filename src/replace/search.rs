//! From a query that does not stand in the text literally to the place it means.

use std::collections::HashSet;
use std::ops::Range;

use super::align::{Candidate, OldText, SAME_TRIMMED, STRONG, align};
use super::budget::Budget;
use super::decide::decide;
use super::elision::is_elision;
use super::file_lines::query_lines;
use super::line_diff::line_diff;
use super::reading::key_hash;
use super::regions::{FileIndex, Heat, Region};
use super::runs::runs;
use super::views::{View, views};
use super::{Landed, Query, RefusalCode, Refused, exact};

/// Letters and digits that `old` must have to be found other than literally.
const MIN_LETTERS: usize = 5;
/// Steps of one search; a comparison of two lines is a few dozen.
const STEPS: usize = 12_000_000;
/// Longer texts are searched literally only.
const MAX_TEXT_BYTES: usize = 64 << 20;
/// Longer queries are found literally only.
const MAX_OLD_LINES: usize = 4000;
/// How far a query with lines left out may reach.
const ELISION_REACH: usize = 300;

/// Most stretches that are aligned with such a query: they are long.
const MAX_ELIDED_REGIONS: usize = 3;
/// Most lines around a stretch that are aligned with it.
const MAX_MARGIN: usize = 20;

/// Lines of old that are looked for as they were typed.
const MOST_COMPARED: usize = 16;

/// Readings whose values are this near fit equally well.
const SAME_FIT: f32 = 0.001;

/// One reading of the query and where it may stand.
pub(super) struct Attempt<'q> {
    pub(super) old: Vec<&'q str>,
    pub(super) new: Vec<&'q str>,
    pub(super) text: OldText<'q>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) layers: Vec<&'static str>,
    /// What is added to the score for the reading being evident, or taken off for what had to be taken off.
    bonus: f32,
    evident: bool,
}

/// Finds the place of a query that is not in `text` literally, and carries it out.
pub(super) fn replace(text: &str, query: &Query<'_>) -> Result<Landed, Refused> {
    if letters(query.old) < MIN_LETTERS {
        return Err(Refused::plain(RefusalCode::TooLittleInformation));
    }
    if text.len() > MAX_TEXT_BYTES || query.old.lines().count() > MAX_OLD_LINES {
        return Err(Refused::plain(RefusalCode::TooLarge));
    }
    let views = views(query.old, query.new);
    if let Some(landed) = literal_view(text, query, &views) {
        return Ok(landed);
    }
    let file = FileIndex::new(text);
    let mut budget = Budget::of(STEPS);
    let mut best = attempt(&file, query.old, query.new, &mut budget);
    let is_plain = best.is_plain();
    // Where every line is the file's but for white space at its ends, only a plain diff is another reading.
    for view in views.iter().filter(|view| view.evident || !is_plain) {
        if view.undoes_what_can_be_meant && has_line_as_typed(&file, query.old, view) {
            continue;
        }
        let mut other = attempt(&file, &view.old, &view.new, &mut budget);
        (other.layers, other.evident) = (view.layers.clone(), view.evident);
        other.bonus = if view.evident { 0.002 } else { -0.0001 * view.layers.len() as f32 };
        if other.is_better_than(&best) {
            best = other;
        }
    }
    decide(&file, query, &best, &mut budget)
}

fn letters(text: &str) -> usize {
    text.chars().filter(|character| character.is_alphanumeric()).take(MIN_LETTERS).count()
}

/// Whether a telling line that the view would read otherwise stands in the file as it was typed: its escapes are then the
/// file's own.
fn has_line_as_typed(file: &FileIndex<'_>, old: &str, view: &View<'_>) -> bool {
    let read: HashSet<&str> = view.old.lines().collect();
    let otherwise = old.lines().filter(|line| letters(line) >= MIN_LETTERS && !read.contains(line));
    otherwise.take(MOST_COMPARED).any(|line| {
        let hash = key_hash(line);
        let stands = |at: usize| file.hashes[at] == hash && file.lines.content(at).trim() == line.trim();
        (0..file.hashes.len()).any(stands)
    })
}

/// A view whose old text stands in the file literally and once.
fn literal_view(text: &str, query: &Query<'_>, views: &[View<'_>]) -> Option<Landed> {
    views.iter().filter(|view| letters(&view.old) >= MIN_LETTERS).find_map(|view| {
        let bare = Query { old: &view.old, new: &view.new, ..*query };
        let mut landed = exact::replace(text, &bare)?.ok().filter(|landed| are_whole_lines(text, landed))?;
        landed.matched_via = view.layers.join("+");
        Some(landed)
    })
}

/// Whether nothing but blanks stands beside what was replaced: a fragment could lack the end of its line.
fn are_whole_lines(text: &str, landed: &Landed) -> bool {
    landed.edits.iter().all(|edit| {
        let (before, after) = (&text[..edit.span.start], &text[edit.span.end..]);
        let before = before.rsplit('\n').next().unwrap_or(before);
        let after = if text[..edit.span.end].ends_with('\n') { "" } else { after.split('\n').next().unwrap_or(after) };
        before.trim_start_matches('\u{FEFF}').trim().is_empty() && after.trim().is_empty()
    })
}

impl Attempt<'_> {
    /// Whether all lines were found as they stand, white space at their ends aside.
    fn is_plain(&self) -> bool {
        self.candidates
            .first()
            .is_some_and(|best| best.score > 0.98 && best.likeness.iter().all(|likeness| *likeness >= SAME_TRIMMED))
    }

    /// Whether it fits better; of readings that fit equally well the one is meant under which less changes.
    fn is_better_than(&self, other: &Attempt<'_>) -> bool {
        // A line that old made up weighs more in the reading whose other lines weigh less, which says nothing of either.
        if self.evident && !other.evident && self.lines_as_they_stand() > other.lines_as_they_stand() {
            return true;
        }
        let ahead = self.value() - other.value();
        ahead > 0.0 || ahead > -SAME_FIT && self.changed_lines() < other.changed_lines()
    }

    /// How many lines were found but for white space at their ends.
    fn lines_as_they_stand(&self) -> usize {
        let best = self.candidates.first();
        best.map_or(0, |best| best.likeness.iter().filter(|likeness| **likeness >= SAME_TRIMMED).count())
    }

    fn changed_lines(&self) -> usize {
        line_diff(&self.old, &self.new).iter().filter(|op| !op.equal).map(|op| op.old.len() + op.new.len()).sum()
    }

    fn value(&self) -> f32 {
        self.candidates.first().map_or(f32::MIN, |best| best.score + self.bonus)
    }
}

fn attempt<'q>(file: &FileIndex<'_>, old: &'q str, new: &'q str, budget: &mut Budget) -> Attempt<'q> {
    let (old, new) = query_lines(old, new);
    let new_elides = new.iter().any(|line| is_elision(line));
    let elided =
        (0..old.len()).map(|i| new_elides && is_elision(old[i]) && !stands_with_neighbour(file, &old, i)).collect();
    let text = OldText::new(&old, elided);
    let mut candidates = candidates(file, &text, budget);
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    Attempt { old, new, text, candidates, layers: Vec::new(), bonus: 0.0, evident: false }
}

/// Whether the file has line `i` of old beside one of its neighbours: then dots are dots.
fn stands_with_neighbour(file: &FileIndex<'_>, old: &[&str], i: usize) -> bool {
    let hash = |i: usize| old.get(i).map(|line| key_hash(line));
    let (wanted, above, below) = (hash(i), i.checked_sub(1).and_then(hash), hash(i + 1));
    (0..file.hashes.len()).filter(|at| Some(file.hashes[*at]) == wanted).any(|at| {
        above.is_some() && at.checked_sub(1).map(|at| file.hashes[at]) == above
            || below.is_some() && file.hashes.get(at + 1).copied() == below
    })
}

/// Where `old` may stand, best first.
pub(super) fn candidates(file: &FileIndex<'_>, old: &OldText<'_>, budget: &mut Budget) -> Vec<Candidate> {
    if old.total <= 0.0 {
        return Vec::new();
    }
    let found = runs(file, old, budget);
    if !found.is_empty() {
        return found;
    }
    let height = old.lines.len();
    let margin = if old.elided.contains(&true) { ELISION_REACH } else { (3 + height / 3).min(MAX_MARGIN) };
    let mut heat = Heat::of_lines(file, &old.lines);
    let mut search = Search { file, old, done: Vec::new(), found: Vec::new() };
    let most = if old.elided.contains(&true) { MAX_ELIDED_REGIONS } else { usize::MAX };
    let warmest = |heat: &Heat| heat.regions(height, margin).into_iter().take(most).collect::<Vec<Region>>();
    search.align_all(&warmest(&heat), budget);
    if !search.is_complete() {
        heat.add_words(file, &old.lines);
        search.align_all(&warmest(&heat), budget);
    }
    search.found
}

/// The score of a place where every line says the same.
const COMPLETE: f32 = 0.965;

struct Search<'s> {
    file: &'s FileIndex<'s>,
    old: &'s OldText<'s>,
    done: Vec<Range<usize>>,
    found: Vec<Candidate>,
}

impl Search<'_> {
    /// Aligns old with each region, warmest first, that is not part of one done before.
    fn align_all(&mut self, regions: &[Region], budget: &mut Budget) {
        for region in regions {
            // A complete place has a rival only where as many lines are the same.
            if self.is_complete() && region.warmth < 0.6 * regions[0].warmth {
                break;
            }
            let lines = &region.lines;
            if self.done.iter().any(|done| done.start <= lines.start && lines.end <= done.end) {
                continue;
            }
            let overlap = |done: &Range<usize>| done.start < lines.end && lines.start < done.end;
            if self.done.iter().any(overlap) {
                self.found.retain(|found| !lines.contains(&found.alignment.file_range().start));
            }
            self.found.extend(align(self.file, self.old, lines.clone(), budget));
            self.done.push(lines.clone());
        }
    }

    fn is_complete(&self) -> bool {
        self.found
            .iter()
            .any(|found| found.score >= COMPLETE && found.likeness.iter().all(|likeness| *likeness >= STRONG))
    }
}
