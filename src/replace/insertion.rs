//! Where lines go that an edit only adds.

use super::alignment::Alignment;
use super::file_lines::FileLines;
use super::line_diff::Op;
use super::reading::{is_comment, key_hash};

/// An edit's lines and where the file has those of old.
pub(super) struct Insertion<'a> {
    pub(super) file: &'a FileLines<'a>,
    pub(super) old: &'a [&'a str],
    pub(super) new: &'a [&'a str],
    /// Which lines of old stand for lines left out.
    pub(super) elided: &'a [bool],
    pub(super) alignment: &'a Alignment,
}

impl Insertion<'_> {
    /// The line of the file in front of which the lines of `op` go: right behind the line that stands before them, else
    /// before the one after them. `None` where what the file has between the two leaves it open.
    pub(super) fn point(&self, op: &Op) -> Option<usize> {
        self.place(op).filter(|point| !self.splits_another_comment(op, *point))
    }

    fn place(&self, op: &Op) -> Option<usize> {
        let at = op.old.start;
        let before = (0..at).rev().find_map(|i| self.alignment.pair(i).map(|pair| (i, pair.file.end)));
        let after = (at..self.old.len()).find_map(|i| self.alignment.pair(i).map(|pair| (i, pair.file.start)));
        match (before, after) {
            (Some((i, end)), Some((next, start))) => {
                if !self.elided[i + 1..next].contains(&true) && (end..start).any(|line| self.is_code(line)) {
                    return None;
                }
                let beside = |i: usize| self.elided.get(i).copied().unwrap_or(false);
                if at > 0 && beside(at - 1) && beside(at) || self.could_stand_elsewhere(op) {
                    return None;
                }
                Some(if i + 1 == at || next != at { end } else { start })
            }
            (Some((_, end)), None) => Some(end),
            (None, after) => after.map(|(_, start)| start),
        }
    }

    /// Whether code would go between two lines of a comment that reads otherwise than old has it.
    fn splits_another_comment(&self, op: &Op, point: usize) -> bool {
        let is_new_comment = |j: usize| is_comment(self.new[j]) || self.new[j].trim().is_empty();
        if point == 0 || point >= self.file.count() || op.new.clone().all(is_new_comment) {
            return false;
        }
        let around = [point - 1, point];
        let is_known = |line: usize| {
            let mut pairs = (0..self.old.len()).filter(|i| self.alignment.single(*i) == Some(line));
            pairs.any(|i| key_hash(self.old[i]) == key_hash(self.file.content(line)))
        };
        around.iter().all(|line| is_comment(self.file.content(*line))) && !around.into_iter().all(is_known)
    }

    /// Whether the same edit can be read as one some lines above or below, and lines of the file that old does not
    /// mention would then end up on another side of it.
    fn could_stand_elsewhere(&self, op: &Op) -> bool {
        let inserted: Vec<&str> = self.new[op.new.clone()].iter().map(|line| line.trim()).collect();
        let same = |i: usize, j: usize| self.old[i].trim() == inserted[j];
        let count = inserted.len();
        // Read one line further up, the edit adds the line above it first and no longer its own last one.
        let up = (0..op.old.start.min(count)).take_while(|by| same(op.old.start - 1 - by, count - 1 - by)).count();
        let down = (0..count.min(self.old.len() - op.old.start)).take_while(|by| same(op.old.start + by, *by)).count();
        (op.old.start - up..op.old.start + down).any(|i| self.has_more_before(i))
    }

    /// Whether the file has a line right before line `i` of old that old does not mention.
    fn has_more_before(&self, i: usize) -> bool {
        let before = (0..i).rev().find_map(|i| self.alignment.pair(i).map(|pair| (i, pair.file.end)));
        let own = (i..self.old.len()).find_map(|i| self.alignment.pair(i).map(|pair| (i, pair.file.start)));
        let Some(((above, end), (below, start))) = before.zip(own) else { return false };
        !self.elided[above + 1..below].contains(&true)
            && (end..start).any(|line| !self.file.content(line).trim().is_empty())
    }

    fn is_code(&self, line: usize) -> bool {
        let content = self.file.content(line);
        !content.trim().is_empty() && !is_comment(content)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Query, RefusalCode, replace};

    fn check(text: &str, old: &str, new: &str, expected: Result<&str, RefusalCode>) {
        let query = Query { old, new, replace_all: false, near_line: None };
        let found = replace(text, &query).map(|landed| landed.text).map_err(|refused| refused.code);
        assert_eq!(found.as_deref().map_err(|code| *code), expected, "{old:?} -> {new:?}");
    }

    const OLD: &str = "\tfirst_call(one)\n}\n\nfunc second() {\n\tsecond_call(two)\n";
    const NEW: &str =
        "\tfirst_call(one)\n}\n\nfunc between() {\n\tother_call(three)\n}\n\nfunc second() {\n\tsecond_call(two)\n";

    #[test]
    fn a_comment_that_old_leaves_out_stays_with_what_it_is_about() {
        check(
            "\tfirst_call(one)\n}\n\n// second does it\nfunc second() {\n\tsecond_call(two)\n}\n",
            OLD,
            NEW,
            Ok(
                "\tfirst_call(one)\n}\n\nfunc between() {\n\tother_call(three)\n}\n\n// second does it\nfunc second() {\n\tsecond_call(two)\n}\n",
            ),
        );
    }

    #[test]
    fn two_readings_of_one_edit_that_differ_in_the_file_are_none() {
        check(
            "\tfirst_call(one)\n}\n// end of the first\n\nfunc second() {\n\tsecond_call(two)\n}\n",
            OLD,
            NEW,
            Err(RefusalCode::Stale),
        );
    }

    #[test]
    fn code_does_not_split_a_comment_that_reads_otherwise() {
        let text = "/*\n * Copyright (c) the authors and others.\n * All rights reserved.\n */\nint main(void);\n";
        let old = "/*\n * Copyright (c) the authors and another.\n * All rights reserved.\n */\nint main(void);\n";
        check(text, old, &old.replace(" * All", "count += 1;\n * All"), Err(RefusalCode::Stale));
        let comment = old.replace(" * All", " * Some of them twice.\n * All");
        check(text, old, &comment, Ok(&text.replace(" * All", " * Some of them twice.\n * All")));
        let known =
            "/*\n * Copyright (c) the authors and others.\n   All rights reserved.\n".replace("   All", " *  All");
        check(
            text,
            &known,
            &known.replace(" *  All", "#endif\n *  All"),
            Ok(&text.replace(" * All", "#endif\n * All")),
        );
    }

    #[test]
    fn nothing_goes_beside_code_that_old_does_not_know() {
        let text = "first_call(one, two)\nmiddle_call(x)\nsecond_call(three, four)\nthird_call(five, six)\n";
        let old = "first_call(one, two)\nsecond_call(three, four)\nthird_call(five, six)\n";
        check(text, old, &old.replace("second", "added()\nsecond"), Err(RefusalCode::Stale));
        let below = old.replace("third", "added()\nthird");
        check(text, old, &below, Ok(&text.replace("third", "added()\nthird")));
    }
}
