//! Lines that say the same as those of `old`, one after the other: found without aligning anything.

use super::align::{Candidate, OldText, same};
use super::alignment::{Alignment, Pair};
use super::budget::Budget;
use super::reading::{BLANK_HASH, Reading, key_hash};
use super::regions::FileIndex;

/// Most places that are told apart.
const MAX_RUNS: usize = 1000;

/// Every place where the lines of `old` that are not blank stand in a row, blank lines between them left out of account;
/// in the file's order, none overlapping.
pub(super) fn runs(file: &FileIndex<'_>, old: &OldText<'_>, budget: &mut Budget) -> Vec<Candidate> {
    let wanted: Vec<(usize, u64)> = old
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_blank())
        .map(|(i, line)| (i, key_hash(line.text)))
        .collect();
    if wanted.is_empty() || old.elided.contains(&true) {
        return Vec::new();
    }
    let Some((rarest, places)) = rarest(file, &wanted, budget) else { return Vec::new() };
    let (mut found, mut free_from): (Vec<Candidate>, usize) = (Vec::new(), 0);
    for place in places {
        if found.len() >= MAX_RUNS || !budget.spend(wanted.len()) {
            break;
        }
        let Some(lines) = run_through(file, &wanted, rarest, place) else { continue };
        if lines[0] < free_from {
            continue;
        }
        if let Some(candidate) = candidate(file, old, &wanted, &lines) {
            free_from = lines[lines.len() - 1] + 1;
            found.push(candidate);
        }
    }
    found
}

/// The line of `wanted` that the file has least often, and where; `None` when it lacks one of them.
fn rarest(file: &FileIndex<'_>, wanted: &[(usize, u64)], budget: &mut Budget) -> Option<(usize, Vec<usize>)> {
    let mut rarest: Option<(usize, Vec<usize>)> = None;
    // A few lines tell enough; the longest are likely to be rare.
    for at in likely_rare(wanted.len()) {
        if !budget.spend(file.hashes.len() / 4) {
            break;
        }
        let most = rarest.as_ref().map_or(usize::MAX, |(_, places)| places.len());
        let hash = wanted[at].1;
        let places: Vec<usize> = (0..file.hashes.len()).filter(|line| file.hashes[*line] == hash).take(most).collect();
        if places.len() < most {
            let done = places.len() <= 2;
            rarest = Some((at, places));
            if done {
                break;
            }
        }
    }
    rarest.filter(|(_, places)| !places.is_empty())
}

/// Up to eight places spread over so many lines.
fn likely_rare(count: usize) -> impl Iterator<Item = usize> {
    let step = count.div_ceil(8).max(1);
    (0..count).step_by(step)
}

/// The lines of the file that `wanted` stands for when line `at` of it is `place`.
fn run_through(file: &FileIndex<'_>, wanted: &[(usize, u64)], at: usize, place: usize) -> Option<Vec<usize>> {
    let mut lines = vec![place; wanted.len()];
    let mut line = place;
    for before in (0..at).rev() {
        line = (0..line).rev().find(|line| file.hashes[*line] != BLANK_HASH)?;
        lines[before] = (file.hashes[line] == wanted[before].1).then_some(line)?;
    }
    line = place;
    for after in at + 1..wanted.len() {
        line = (line + 1..file.hashes.len()).find(|line| file.hashes[*line] != BLANK_HASH)?;
        lines[after] = (file.hashes[line] == wanted[after].1).then_some(line)?;
    }
    Some(lines)
}

fn candidate(file: &FileIndex<'_>, old: &OldText<'_>, wanted: &[(usize, u64)], lines: &[usize]) -> Option<Candidate> {
    let (mut pairs, mut likeness, mut score) = (Vec::new(), Vec::new(), 0.0);
    for (i, line) in with_blanks(file, old.lines.len(), wanted, lines) {
        let (reading, content) = (&old.lines[i], file.lines.content(line));
        let alike = if reading.text == content { 1.0 } else { same(reading, &Reading::new(content))? };
        score += alike * old.weight(i);
        likeness.push(alike);
        pairs.push(Pair { old: i..i + 1, file: line..line + 1 });
    }
    let alignment = Alignment::new(old.lines.len(), pairs);
    Some(Candidate { alignment, score: score / old.total, likeness })
}

/// The pairs of lines, blank ones of both sides paired as far as they go.
fn with_blanks(
    file: &FileIndex<'_>,
    old_count: usize,
    wanted: &[(usize, u64)],
    lines: &[usize],
) -> Vec<(usize, usize)> {
    let is_blank = |line: &usize| file.hashes.get(*line) == Some(&BLANK_HASH);
    let (first, last) = (lines[0], lines[lines.len() - 1]);
    let mut pairs: Vec<(usize, usize)> = (0..wanted[0].0).rev().zip((0..first).rev().take_while(is_blank)).collect();
    pairs.reverse();
    for (at, ((i, _), line)) in wanted.iter().zip(lines).enumerate() {
        pairs.push((*i, *line));
        let (next, below) = match (wanted.get(at + 1), lines.get(at + 1)) {
            (Some((next, _)), Some(below)) => (*next, *below),
            _ => break,
        };
        // The last ones belong together: what is inserted above old's blank line stands below a further one.
        let from = pairs.len();
        pairs.extend((i + 1..next).rev().zip((line + 1..below).rev()));
        pairs[from..].reverse();
    }
    let tail = (last + 1..file.hashes.len()).take_while(is_blank);
    pairs.extend((wanted[wanted.len() - 1].0 + 1..old_count).zip(tail));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, old: &[&str], expected: &[Vec<usize>]) {
        let file = FileIndex::new(text);
        let old = OldText::new(old, vec![false; old.len()]);
        let found: Vec<Vec<usize>> = runs(&file, &old, &mut Budget::of(100_000))
            .iter()
            .map(|run| run.alignment.pairs.iter().map(|pair| pair.file.start).collect())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_in_a_row_are_found_over_blank_ones() {
        check("x\n a(1)\n\n\tb('2');\nx", &["a( 1 )", "b(\"2\")"], &[vec![1, 3]]);
        check("a\nb\na\n\nb\n", &["a", "", "b"], &[vec![0, 1], vec![2, 3, 4]]);
        check("\n\na\n\n\nb\n\nc", &["", "a", "", "b", "", ""], &[vec![1, 2, 4, 5, 6]]);
        check("a\nc\nb", &["a", "b"], &[]);
        check("a\na\na\na\na", &["a", "a"], &[vec![0, 1], vec![2, 3]]);
        check("a\nb", &["", " "], &[]);
    }
}
