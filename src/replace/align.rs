//! One semi-global alignment: all of `old` against any stretch of a region of the file.

use std::ops::Range;

use super::alignment::{Alignment, Pair};
use super::budget::Budget;
use super::likeness::{Histogram, Pattern};
use super::reading::{Reading, key_hash};
use super::regions::FileIndex;

/// The price of a code line of the file that old does not mention, by its weight.
const SKIP_FILE: f32 = 0.5;
/// The price of a code line of old that the file does not have, by its weight and on top of it.
const SKIP_OLD: f32 = 0.6;
/// Lines less alike than this are no pair.
const CUTOFF: f32 = 0.62;
/// Lines that say the same once blanks, quote styles and the like are left out.
pub(super) const SAME_KEY: f32 = 0.97;
/// Lines that are the same but for blanks inside and typography.
const SAME_NORM: f32 = 0.992;
/// Lines that are the same but for white space at their ends.
pub(super) const SAME_TRIMMED: f32 = 0.997;
/// Lines that are alike letter by letter only count for less than any of these.
const MOST_BY_LETTERS: f32 = 0.935;
/// From here on two lines say the same thing.
pub(super) const STRONG: f32 = 0.94;
/// A first or last line of `old` that is the rest or the beginning of the file's.
const PART_OF_LINE: f32 = 0.965;
/// What one cell of the table costs of a budget: it bounds memory too.
const CELL_STEPS: usize = 8;
/// How far from the diagonals that a region allows lines are compared letter by letter.
const BAND: usize = 24;
/// Most lines that one line may have become.
const MAX_JOINED: usize = 6;
/// Fewest bytes of a key that is found inside a line.
const MIN_PART: usize = 4;

/// The query's old text, read for alignment.
#[derive(Debug)]
pub(super) struct OldText<'a> {
    pub(super) lines: Vec<Reading<'a>>,
    /// Which lines stand for lines left out.
    pub(super) elided: Vec<bool>,
    pub(super) total: f32,
}

impl<'a> OldText<'a> {
    pub(super) fn new(lines: &[&'a str], elided: Vec<bool>) -> OldText<'a> {
        let lines: Vec<Reading<'a>> = lines.iter().map(|line| Reading::new(line)).collect();
        let total = lines.iter().zip(&elided).filter(|(_, elided)| !**elided).map(|(line, _)| line.weight).sum();
        OldText { lines, elided, total }
    }

    /// The weight of a line; an elision has none.
    pub(super) fn weight(&self, line: usize) -> f32 {
        if self.elided[line] { 0.0 } else { self.lines[line].weight }
    }
}

/// A place where `old` may stand.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) alignment: Alignment,
    /// How much of old's weight was found there, less what had to be skipped: 1 at best.
    pub(super) score: f32,
    /// How alike the lines of each pair are.
    pub(super) likeness: Vec<f32>,
}

/// How a cell was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Start,
    SkipOld,
    SkipFile,
    /// So many lines of old for so many of the file.
    Pair(u8, u8),
}

/// The table of one region.
struct Table<'r> {
    old: &'r OldText<'r>,
    file: Vec<Reading<'r>>,
    region: Range<usize>,
    width: usize,
    score: Vec<f32>,
    step: Vec<Step>,
    /// The first line of the file (within the region) that the best alignment to here has paired, or `u32::MAX`.
    first: Vec<u32>,
    likeness: Vec<f32>,
    /// Of the keys of old's lines.
    hashes: Vec<u64>,
}

/// The best places of `old` in `region` that do not overlap, at most two, best first.
pub(super) fn align(
    file: &FileIndex<'_>,
    old: &OldText<'_>,
    region: Range<usize>,
    budget: &mut Budget,
) -> Vec<Candidate> {
    let width = region.len() + 1;
    if !budget.spend(width * (old.lines.len() + 1) * CELL_STEPS) {
        return Vec::new();
    }
    let readings: Vec<Reading<'_>> = region.clone().map(|line| Reading::new(file.lines.content(line))).collect();
    let size = width * (old.lines.len() + 1);
    let mut table = Table {
        old,
        hashes: old.lines.iter().map(|line| key_hash(line.text)).collect(),
        likeness: Vec::new(),
        file: readings,
        region,
        width,
        score: vec![0.0; size],
        step: vec![Step::Start; size],
        first: vec![u32::MAX; size],
    };
    table.compare(&file.hashes, budget);
    table.fill();
    table.best_two()
}

impl Table<'_> {
    /// Compares the lines of old with those of the region: for sameness all, letter by letter those near the diagonal.
    fn compare(&mut self, hashes: &[u64], budget: &mut Budget) {
        let (height, columns) = (self.old.lines.len(), self.file.len());
        self.likeness = vec![0.0; height * columns];
        let histograms: Vec<Histogram> = self.file.iter().map(|line| Histogram::new(&line.norm)).collect();
        let slack = columns.saturating_sub(height) + BAND;
        for (i, old) in self.old.lines.iter().enumerate().filter(|(i, _)| !self.old.elided[*i]) {
            let row = &mut self.likeness[i * columns..(i + 1) * columns];
            let mut pattern = Pattern::new(&old.norm);
            let edge = height > 1 && (i == 0 || i + 1 == height);
            for (j, file) in self.file.iter().enumerate() {
                if self.hashes[i] == hashes[self.region.start + j] || old.key == file.key {
                    row[j] = same(old, file).unwrap_or(0.0);
                    continue;
                }
                if old.is_blank() || file.is_blank() {
                    continue;
                }
                if j + BAND >= i && j <= i + slack {
                    row[j] = loosened(pattern.likeness(&file.norm, &histograms[j], CUTOFF, budget));
                }
                if edge && row[j] < PART_OF_LINE && is_part(&old.key, &file.key, i == 0) {
                    row[j] = PART_OF_LINE;
                }
            }
        }
    }

    fn fill(&mut self) {
        let skip_file: Vec<f32> = self.file.iter().map(skip_file).collect();
        for i in 1..=self.old.lines.len() {
            let elided = self.old.elided[i - 1];
            let skip_old = skip_old(&self.old.lines[i - 1]);
            for j in 0..self.width {
                let mut best = if elided { self.elide(i, j) } else { self.extend(i, j, skip_old, &skip_file) };
                if !elided {
                    self.join(i, j, &mut best);
                }
                self.set(i, j, best);
            }
        }
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * self.width + j
    }

    fn set(&mut self, i: usize, j: usize, (score, step): (f32, Step)) {
        let at = self.at(i, j);
        let from = match step {
            Step::Start => u32::MAX,
            Step::SkipOld => self.first[at - self.width],
            Step::SkipFile => self.first[at - 1],
            Step::Pair(rows, columns) => {
                let (rows, columns) = (usize::from(rows), usize::from(columns));
                self.first[self.at(i - rows, j - columns)].min((j - columns) as u32)
            }
        };
        (self.score[at], self.step[at], self.first[at]) = (score, step, from);
    }

    /// An elision takes in any number of lines.
    fn elide(&self, i: usize, j: usize) -> (f32, Step) {
        let above = self.score[self.at(i - 1, j)];
        match j.checked_sub(1).map(|left| self.score[self.at(i, left)] - 0.002) {
            Some(left) if left > above => (left, Step::SkipFile),
            _ => (above, Step::SkipOld),
        }
    }

    /// By one line: of old, of the file, or of both.
    fn extend(&self, i: usize, j: usize, skip_old: f32, skip_file: &[f32]) -> (f32, Step) {
        let mut best = (self.score[self.at(i - 1, j)] - skip_old, Step::SkipOld);
        let Some(left) = j.checked_sub(1) else { return best };
        let found = self.likeness[(i - 1) * self.file.len() + left];
        if found > 0.0 {
            let score = self.score[self.at(i - 1, left)] + self.old.lines[i - 1].weight * found;
            if score > best.0 {
                best = (score, Step::Pair(1, 1));
            }
        }
        let score = self.score[self.at(i, left)] - skip_file[left];
        if score > best.0 {
            best = (score, Step::SkipFile);
        }
        best
    }

    /// By one line of old that is several of the file, or the reverse.
    fn join(&self, i: usize, j: usize, best: &mut (f32, Step)) {
        let Some(left) = j.checked_sub(1) else { return };
        let (old, file) = (&self.old.lines[i - 1].key, &self.file[left].key);
        if old.is_empty() || file.is_empty() || self.likeness[(i - 1) * self.file.len() + left] >= SAME_KEY {
            return;
        }
        if old.len() > file.len() && ends_with(old, file) {
            let keys = (0..j).rev().map(|at| self.file[at].key.as_str());
            if let Some(count) = joined(old, keys) {
                let score = self.score[self.at(i - 1, j - count)] + self.old.lines[i - 1].weight * joined_worth(count);
                if score > best.0 {
                    *best = (score, Step::Pair(1, count as u8));
                }
            }
        } else if file.len() > old.len() && ends_with(file, old) {
            let keys = (0..i).rev().map(|at| self.old.lines[at].key.as_str());
            if let Some(count) = joined(file, keys) {
                let weight: f32 = (i - count..i).map(|at| self.old.weight(at)).sum();
                let score = self.score[self.at(i - count, left)] + weight * joined_worth(count);
                if score > best.0 {
                    *best = (score, Step::Pair(count as u8, 1));
                }
            }
        }
    }

    fn best_two(&self) -> Vec<Candidate> {
        let height = self.old.lines.len();
        let mut ends: Vec<usize> = (1..self.width).filter(|j| self.first[self.at(height, *j)] != u32::MAX).collect();
        ends.sort_by(|a, b| self.score[self.at(height, *b)].total_cmp(&self.score[self.at(height, *a)]).then(a.cmp(b)));
        let Some(best) = ends.first().map(|end| self.trace(*end)) else { return Vec::new() };
        let taken = best.alignment.file_range();
        let floor = best.score - 0.5;
        let rival = ends[1..]
            .iter()
            .take_while(|end| self.score[self.at(height, **end)] / self.old.total > floor)
            .filter(|end| {
                let first = self.region.start + self.first[self.at(height, **end)] as usize;
                first >= taken.end || self.region.start + **end <= taken.start
            })
            .map(|end| self.trace(*end))
            .find(|candidate| {
                let range = candidate.alignment.file_range();
                range.start >= taken.end || range.end <= taken.start
            });
        [Some(best), rival].into_iter().flatten().collect()
    }

    /// Whether line `i` of old was taken for a part of `line`.
    fn is_cut(&self, i: usize, line: usize) -> bool {
        self.likeness[i * self.file.len() + line - self.region.start] == PART_OF_LINE
    }

    fn trace(&self, end: usize) -> Candidate {
        let (mut i, mut j) = (self.old.lines.len(), end);
        let score = self.score[self.at(i, j)] / self.old.total;
        let (mut pairs, mut likeness) = (Vec::new(), Vec::new());
        while i > 0 {
            match self.step[self.at(i, j)] {
                Step::Start => break,
                Step::SkipOld => i -= 1,
                Step::SkipFile => j -= 1,
                Step::Pair(rows, columns) => {
                    let (rows, columns) = (usize::from(rows), usize::from(columns));
                    likeness.push(match (rows, columns) {
                        (1, 1) => self.likeness[(i - 1) * self.file.len() + j - 1],
                        _ => joined_worth(rows.max(columns)),
                    });
                    let file = self.region.start + j - columns..self.region.start + j;
                    pairs.push(Pair { old: i - rows..i, file });
                    (i, j) = (i - rows, j - columns);
                }
            }
        }
        pairs.reverse();
        likeness.reverse();
        let mut alignment = Alignment::new(self.old.lines.len(), pairs);
        let is_cut =
            |i: usize| alignment.pair(i).is_some_and(|pair| pair.old.len() == 1 && self.is_cut(i, pair.file.start));
        let last = self.old.lines.len() - 1;
        (alignment.cut_head, alignment.cut_tail) = (is_cut(0), is_cut(last));
        Candidate { alignment, score, likeness }
    }
}

/// Likeness of lines that say the same, by how much had to be left out to see it.
pub(super) fn same(old: &Reading<'_>, file: &Reading<'_>) -> Option<f32> {
    if old.key != file.key {
        return None;
    }
    Some(if old.text == file.text {
        1.0
    } else if old.text.trim() == file.text.trim() {
        SAME_TRIMMED
    } else if old.norm == file.norm {
        SAME_NORM
    } else {
        SAME_KEY
    })
}

/// Likeness by letters counts for less than its figure says: half the letters of any two lines are alike.
fn loosened(likeness: f32) -> f32 {
    if likeness == 0.0 { 0.0 } else { (1.0 - (1.0 - likeness) * 1.6).clamp(0.0, MOST_BY_LETTERS) }
}

fn is_part(old: &str, file: &str, at_end: bool) -> bool {
    old.len() >= MIN_PART && file.len() > old.len() && if at_end { file.ends_with(old) } else { file.starts_with(old) }
}

/// Whether `part` ends `whole`, a comma or semicolon aside that a key has lost at its end.
fn ends_with(whole: &str, part: &str) -> bool {
    whole.as_bytes().last() == part.as_bytes().last() && whole.ends_with(part)
}

/// How many of `keys`, from the last on, make up `whole`: two at least.
fn joined<'k>(whole: &str, keys: impl Iterator<Item = &'k str>) -> Option<usize> {
    let mut rest = whole;
    for (count, key) in keys.take(MAX_JOINED).enumerate() {
        if key.is_empty() {
            return None;
        }
        // A key inside a line keeps the comma that it would lose at a line's end.
        let bare = if count == 0 { rest } else { rest.trim_end_matches([',', ';']) };
        rest = bare.strip_suffix(key).or_else(|| rest.strip_suffix(key))?;
        if rest.is_empty() {
            return (count > 0).then_some(count + 1);
        }
    }
    None
}

fn joined_worth(count: usize) -> f32 {
    0.97 - 0.005 * count as f32
}

/// The price of a line of the file that old does not mention: code is dear, comments and blanks are cheap.
fn skip_file(line: &Reading<'_>) -> f32 {
    match line {
        line if line.is_blank() => 0.001,
        line if line.is_comment => 0.03 * line.weight,
        line => SKIP_FILE * line.weight,
    }
}

/// The price of a line of old that the file does not have, on top of its own weight. A comment keeps some of its credit.
fn skip_old(line: &Reading<'_>) -> f32 {
    match line {
        line if line.is_blank() => -0.04,
        line if line.is_comment => -0.7 * line.weight,
        line => SKIP_OLD * line.weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, old: &str, expected: &[(Range<usize>, Range<usize>)]) {
        let lines: Vec<&str> = old.split('\n').collect();
        let elided = lines.iter().map(|line| *line == "...").collect();
        let old = OldText::new(&lines, elided);
        let file = FileIndex::new(file);
        let found = align(&file, &old, 0..file.lines.count(), &mut Budget::of(1_000_000));
        let pairs: Vec<_> = found[0].alignment.pairs.iter().map(|pair| (pair.old.clone(), pair.file.clone())).collect();
        assert_eq!(pairs, expected, "{old:?}");
    }

    #[test]
    fn lines_are_paired_across_drift() {
        check("zero()\none(a, b)\ntwo(c)\nthree()", "one(a,b)\ntwo(d)", &[(0..1, 1..2), (1..2, 2..3)]);
        check("one_call(a)\n\n// why so\ntwo_call(b)", "one_call(a)\ntwo_call(b)", &[(0..1, 0..1), (1..2, 3..4)]);
        check("one_call(a,\n  b)\nnext_call()", "one_call(a, b)\nnext_call()", &[(0..1, 0..2), (1..2, 2..3)]);
        check("one_call(a, b)\nnext_call()", "one_call(a,\n  b)\nnext_call()", &[(0..2, 0..1), (2..3, 1..2)]);
        check("begin_here()\n1\n2\n3\nend_there()", "begin_here()\n...\nend_there()", &[(0..1, 0..1), (2..3, 4..5)]);
        check("if (condition && other) {\n  act_now()", "other) {\n  act_now()", &[(0..1, 0..1), (1..2, 1..2)]);
    }

    #[test]
    fn a_second_place_is_a_rival() {
        let old = OldText::new(&["some_call(a)", "other_call(b)"], vec![false, false]);
        let file = FileIndex::new("some_call(a)\nother_call(b)\nx\nsome_call(a)\nother_call(b)");
        let found = align(&file, &old, 0..5, &mut Budget::of(1_000_000));
        let starts: Vec<usize> = found.iter().map(|found| found.alignment.file_range().start).collect();
        assert_eq!((starts, found[0].score), (vec![0, 3], found[1].score));
    }
}
