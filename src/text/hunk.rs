//! What changed between two texts, in whole lines.

use std::time::Duration;

use similar::{Algorithm, DiffOp};

use super::{LineRange, count_lines};

/// One place where two texts differ: these lines of the old text became those of the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old text; empty for a pure insertion.
    pub old: LineRange,
    /// Lines of the new text; empty for a pure deletion.
    pub new: LineRange,
}

/// What an agent is told of a change's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCounts {
    /// Lines of the new text that the old one did not have.
    pub added: usize,
    /// Lines of the old text that the new one has not.
    pub removed: usize,
    /// Lines of the new text.
    pub total: usize,
}

impl LineCounts {
    /// Counts a change that `hunks` describe and that led to `new`.
    pub fn of(hunks: &[Hunk], new: &str) -> LineCounts {
        LineCounts {
            added: hunks.iter().map(|hunk| hunk.new.len()).sum(),
            removed: hunks.iter().map(|hunk| hunk.old.len()).sum(),
            total: count_lines(new),
        }
    }
}

/// The hunks that lead from `old` to `new`, in order, none touching another.
///
/// Common lines at both ends are taken off first, so the cost follows the size of the change, not of the text. A
/// change too large to compare in time is one hunk per remaining stretch: coarser, never wrong.
pub fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    // similar takes no step budget; the deadline only bounds pathological input and affects how fine hunks are.
    let deadline = std::time::Instant::now() + Duration::from_millis(200);
    let operations = similar::capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(deadline));
    let mut found: Vec<Hunk> = Vec::new();
    for operation in operations.iter().filter(|operation| !matches!(operation, DiffOp::Equal { .. })) {
        let (old, new) = (operation.old_range(), operation.new_range());
        let hunk = Hunk {
            old: LineRange::new(head + old.start, head + old.end),
            new: LineRange::new(head + new.start, head + new.end),
        };
        match found.last_mut() {
            Some(last) if last.old.end == hunk.old.start && last.new.end == hunk.new.start => {
                last.old.end = hunk.old.end;
                last.new.end = hunk.new.end;
            }
            _ => found.push(hunk),
        }
    }
    found
}

/// Where `line` (0-based) of the old text stands in the new one; `None` if a hunk replaced it.
pub fn shift_line(hunks: &[Hunk], line: usize) -> Option<usize> {
    let mut shifted = line as isize;
    for hunk in hunks {
        if line < hunk.old.start {
            break;
        }
        if line < hunk.old.end {
            return None;
        }
        shifted += hunk.new.len() as isize - hunk.old.len() as isize;
    }
    Some(shifted as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(hunks: &[Hunk], old: &str, new: &str) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let (mut out, mut at) = (String::new(), 0);
        for hunk in hunks {
            out.extend(old[at..hunk.old.start].iter().copied());
            out.extend(new[hunk.new.start..hunk.new.end].iter().copied());
            at = hunk.old.end;
        }
        out.extend(old[at..].iter().copied());
        out
    }

    #[test]
    fn hunks_name_only_the_lines_that_differ() {
        let old = "a\nb\nc\nd\n";
        let new = "a\nB\nc\nd\ne\n";
        let found = hunks(old, new);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], Hunk { old: LineRange::new(1, 2), new: LineRange::new(1, 2) });
        assert_eq!(found[1], Hunk { old: LineRange::new(4, 4), new: LineRange::new(4, 5) });
        assert_eq!(LineCounts::of(&found, new), LineCounts { added: 2, removed: 1, total: 5 });
    }

    #[test]
    fn lines_below_a_hunk_move_and_lines_inside_vanish() {
        let found = hunks("a\nb\nc\n", "a\nx\ny\nc\n");
        assert_eq!((shift_line(&found, 0), shift_line(&found, 1), shift_line(&found, 2)), (Some(0), None, Some(3)));
        let inserted = hunks("a\nb\n", "new\na\nb\n");
        assert_eq!(shift_line(&inserted, 0), Some(1));
    }

    proptest::proptest! {
        #[test]
        fn applying_hunks_to_the_old_text_gives_the_new_one(old in "([ab]{0,2}(\r?\n)?){0,12}", new in "([ab]{0,2}(\r?\n)?){0,12}") {
            proptest::prop_assert_eq!(apply(&hunks(&old, &new), &old, &new), new);
        }
    }
}
