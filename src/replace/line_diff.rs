//! What a query changes: its `old` against its `new`, line by line.

use std::ops::Range;

/// A stretch of `old` and what became of it in `new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Op {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    /// The same lines on both sides, white space at their ends aside.
    pub(super) equal: bool,
}

/// Comparing more pairs of lines than this by weight is too dear; longer texts are compared by count.
const MAX_CELLS: usize = 1 << 18;

/// The operations that lead from `old` to `new`. Lines that say more are matched first.
pub(super) fn line_diff(old: &[&str], new: &[&str]) -> Vec<Op> {
    let same = |i: usize, j: usize| old[i] == new[j];
    let most = old.len().min(new.len());
    let head = (0..most).take_while(|at| same(*at, *at)).count();
    let tail = (0..most - head).take_while(|at| same(old.len() - 1 - at, new.len() - 1 - at)).count();
    let (middle_old, middle_new) = (head..old.len() - tail, head..new.len() - tail);
    let mut matched: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    if middle_old.len() * middle_new.len() <= MAX_CELLS {
        matched.extend(weighted(old, new, &middle_old, &middle_new));
    } else {
        matched.extend(by_count(&old[middle_old.clone()], &new[middle_new.clone()], head));
    }
    matched.extend((0..tail).rev().map(|at| (old.len() - 1 - at, new.len() - 1 - at)));
    operations(&matched, old.len(), new.len())
}

/// The heaviest common subsequence, by dynamic programming.
fn weighted(old: &[&str], new: &[&str], rows: &Range<usize>, columns: &Range<usize>) -> Vec<(usize, usize)> {
    let (height, width) = (rows.len(), columns.len());
    if height == 0 || width == 0 {
        return Vec::new();
    }
    let trimmed: Vec<&str> = columns.clone().map(|j| new[j].trim()).collect();
    let letters = |line: &str| line.bytes().filter(u8::is_ascii_alphanumeric).take(40).count() as u32;
    let lines: Vec<(&str, u32)> = rows.clone().map(|i| (old[i].trim(), 4 + 2 * letters(old[i]))).collect();
    // Lines that say more weigh more; of lines that differ only in depth, those of equal depth belong together.
    let gain = |i: usize, j: usize| {
        let (line, worth) = lines[i];
        (line == trimmed[j]).then(|| worth + u32::from(old[rows.start + i] == new[columns.start + j]))
    };
    let mut best = vec![0u32; (height + 1) * (width + 1)];
    for i in (0..height).rev() {
        for j in (0..width).rev() {
            let at = i * (width + 1) + j;
            let skip = best[at + width + 1].max(best[at + 1]);
            best[at] = gain(i, j).map_or(skip, |gain| skip.max(gain + best[at + width + 2]));
        }
    }
    let (mut i, mut j, mut matched) = (0, 0, Vec::new());
    while i < height && j < width {
        let at = i * (width + 1) + j;
        // Of equally good ways the one that matches early: what is inserted stands as far down as it can.
        if gain(i, j).is_some_and(|gain| best[at] == gain + best[at + width + 2]) {
            matched.push((rows.start + i, columns.start + j));
            (i, j) = (i + 1, j + 1);
        } else if best[at + width + 1] >= best[at + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    matched
}

fn by_count(old: &[&str], new: &[&str], offset: usize) -> Vec<(usize, usize)> {
    let old: Vec<&str> = old.iter().map(|line| line.trim()).collect();
    let new: Vec<&str> = new.iter().map(|line| line.trim()).collect();
    similar::capture_diff_slices(similar::Algorithm::Patience, &old, &new)
        .into_iter()
        .filter(|operation| matches!(operation, similar::DiffOp::Equal { .. }))
        .flat_map(|operation| operation.old_range().zip(operation.new_range()))
        .map(|(i, j)| (offset + i, offset + j))
        .collect()
}

fn operations(matched: &[(usize, usize)], old_count: usize, new_count: usize) -> Vec<Op> {
    let mut operations: Vec<Op> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (old, new) in matched.iter().copied().chain([(old_count, new_count)]) {
        if i < old || j < new {
            operations.push(Op { old: i..old, new: j..new, equal: false });
        }
        if old < old_count && new < new_count {
            match operations.last_mut() {
                Some(last) if last.equal && last.old.end == old && last.new.end == new => {
                    (last.old.end, last.new.end) = (old + 1, new + 1);
                }
                _ => operations.push(Op { old: old..old + 1, new: new..new + 1, equal: true }),
            }
        }
        (i, j) = (old + 1, new + 1);
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &[(&str, Range<usize>, Range<usize>)]) {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
        let found: Vec<_> = line_diff(&old, &new)
            .into_iter()
            .map(|op| (if op.equal { "equal" } else { "change" }, op.old, op.new))
            .collect();
        assert_eq!(found, expected, "{old:?} -> {new:?}");
    }

    #[test]
    fn only_what_differs_is_a_change() {
        check("a\nb\nc", "a\nB\nc", &[("equal", 0..1, 0..1), ("change", 1..2, 1..2), ("equal", 2..3, 2..3)]);
        check("a", "a\nb", &[("equal", 0..1, 0..1), ("change", 1..1, 1..2)]);
        check("a\nb", "b", &[("change", 0..1, 0..0), ("equal", 1..2, 0..1)]);
        check("  a ", "a", &[("equal", 0..1, 0..1)]);
    }

    #[test]
    fn telling_lines_are_matched_before_brackets() {
        check(
            "}\nlet total = sum(items);",
            "let total = sum(items);\n}",
            &[("change", 0..1, 0..0), ("equal", 1..2, 0..1), ("change", 2..2, 1..2)],
        );
    }
}
