//! Where the old lines of a hunk stand in a text as whole lines, and which of several places is meant.

use std::borrow::Cow;

use super::anchors;

/// The lines (0-based) at which all of `old` stands, blanks at the ends of lines aside.
pub(super) fn hits(lines: &[Cow<'_, str>], old: &[&str]) -> Vec<usize> {
    let Some(first) = old.first() else { return Vec::new() };
    let Some(last) = lines.len().checked_sub(old.len()) else { return Vec::new() };
    let first = first.trim_end();
    (0..=last)
        .filter(|at| {
            lines[*at].trim_end() == first
                && old.iter().zip(&lines[*at..]).all(|(old, line)| old.trim_end() == line.trim_end())
        })
        .collect()
}

/// Whether `old` stands at `at` but for line endings.
pub(super) fn is_exact(lines: &[Cow<'_, str>], old: &[&str], at: usize) -> bool {
    old.iter().zip(&lines[at..]).all(|(old, line)| bare(old) == bare(line))
}

/// A line without its ending.
pub(super) fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// What tells which of several places is meant.
#[derive(Debug)]
pub(super) struct Choice<'c, 't> {
    pub(super) lines: &'c [Cow<'t, str>],
    /// The old lines of the hunk.
    pub(super) old: &'c [&'c str],
    /// Where its anchors lead; none if it has none that bind.
    pub(super) anchored: &'c [usize],
    pub(super) at_end_of_file: bool,
    /// The end of what the hunk before changed.
    pub(super) after: usize,
    /// Where the hunk should be by its line number, 0-based.
    pub(super) expected: Option<usize>,
}

impl Choice<'_, '_> {
    /// The places that are left; empty if the anchors stand below all of them.
    pub(super) fn among(&self, mut hits: Vec<usize>) -> Vec<usize> {
        if !self.anchored.is_empty() {
            hits = self.below_anchors(&hits);
        }
        narrow(&mut hits, |at| is_exact(self.lines, self.old, at));
        if self.at_end_of_file {
            narrow(&mut hits, |at| at + self.old.len() == self.lines.len());
        }
        narrow(&mut hits, |at| at >= self.after);
        if let Some(expected) = self.expected {
            nearest(&mut hits, expected);
        }
        hits
    }

    /// An anchor may be a line of the hunk itself, or head the block it stands in, or at least stand above it.
    fn below_anchors(&self, hits: &[usize]) -> Vec<usize> {
        let of = |is: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
            hits.iter().copied().filter(|hit| self.anchored.iter().any(|anchor| is(*hit, *anchor))).collect()
        };
        let own = of(&|hit, anchor| (hit..hit + self.old.len()).contains(&anchor));
        if !own.is_empty() {
            return own;
        }
        let blocks: Vec<_> = self.anchored.iter().map(|anchor| anchors::block(self.lines, *anchor)).collect();
        let within: Vec<usize> =
            hits.iter().copied().filter(|hit| blocks.iter().any(|block| block.contains(hit))).collect();
        if within.is_empty() { of(&|hit, anchor| hit > anchor) } else { within }
    }
}

/// Keeps what fits, if anything does.
fn narrow(hits: &mut Vec<usize>, fits: impl Fn(usize) -> bool) {
    if hits.len() > 1 && hits.iter().any(|at| fits(*at)) {
        hits.retain(|at| fits(*at));
    }
}

/// Keeps the one nearest to `expected`, if it is so by far: line numbers of models are often invented.
fn nearest(hits: &mut Vec<usize>, expected: usize) {
    let mut distances: Vec<usize> = hits.iter().map(|at| at.abs_diff(expected)).collect();
    distances.sort_unstable();
    if let [first, second, ..] = distances[..]
        && first < second
        && first * 2 <= second
    {
        hits.retain(|at| at.abs_diff(expected) == first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a:\n  x\n  y\nb:\n  x \n  z\n  x\nx\n";

    #[test]
    fn places_are_whole_lines() {
        let lines: Vec<Cow<'_, str>> = TEXT.split_inclusive('\n').map(Cow::Borrowed).collect();
        let cases: [(&[&str], &[usize]); 6] = [
            (&["  x\n"], &[1, 4, 6]),
            (&["x\n"], &[7]),
            (&["  x\n", "  y\n"], &[1]),
            (&["  x"], &[1, 4, 6]),
            (&["y"], &[]),
            (&[], &[]),
        ];
        for (old, expected) in cases {
            assert_eq!(hits(&lines, old), expected, "{old:?}");
        }
    }

    #[test]
    fn each_piece_of_evidence_narrows_down() {
        let lines: Vec<Cow<'_, str>> = TEXT.split_inclusive('\n').map(Cow::Borrowed).collect();
        let old = ["  x\n"];
        let plain = Choice { lines: &lines, old: &old, anchored: &[], at_end_of_file: false, after: 0, expected: None };
        let cases = [
            (&plain, vec![1, 6]),
            (&Choice { anchored: &[0], ..plain }, vec![1]),
            (&Choice { anchored: &[3], ..plain }, vec![6]),
            (&Choice { anchored: &[1], ..plain }, vec![1]),
            (&Choice { anchored: &[7], ..plain }, vec![]),
            (&Choice { after: 2, ..plain }, vec![6]),
            (&Choice { after: 8, ..plain }, vec![1, 6]),
            (&Choice { expected: Some(2), ..plain }, vec![1]),
            (&Choice { expected: Some(4), ..plain }, vec![1, 6]),
            (&Choice { expected: Some(40), ..plain }, vec![1, 6]),
        ];
        for (choice, expected) in cases {
            assert_eq!(choice.among(hits(&lines, &old)), expected, "{choice:?}");
        }
    }
}
