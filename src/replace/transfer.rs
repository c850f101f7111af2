//! Minimal transfer: only what differs between `old` and `new` reaches the file.

use std::ops::Range;

use super::alignment::Alignment;
use super::file_lines::{FileLines, leading};
use super::indent::{Reindent, Seen, unit_of};
use super::line_diff::Op;
use super::{RefusalCode, Replacement};
use crate::text::Span;

/// How far around the match the file's unit of indentation is looked for, in lines.
const UNIT_REACH: usize = 150;

/// Whole lines of the file and what they become.
#[derive(Debug, PartialEq)]
struct Change {
    file: Range<usize>,
    lines: Vec<String>,
}

/// The replacements that carry the difference between `old` and `new` (`ops`) over to where `alignment` found `old`.
///
/// # Errors
/// [`RefusalCode::Stale`] when a line that is to change has no counterpart in the file.
pub(super) fn transfer(
    file: &FileLines<'_>,
    old: &[&str],
    new: &[&str],
    alignment: &Alignment,
    ops: &[Op],
) -> Result<Vec<Replacement>, RefusalCode> {
    let context = Context { file, old, new, alignment };
    let depth = context.learn_indent(ops);
    let mut changes = Vec::new();
    for op in ops {
        if op.equal {
            changes.extend(context.reindented(op, &depth));
        } else {
            changes.extend(context.changed(op, &depth)?);
        }
    }
    Ok(changes.into_iter().filter_map(|change| replacement(file, change)).collect())
}

struct Context<'a> {
    file: &'a FileLines<'a>,
    old: &'a [&'a str],
    new: &'a [&'a str],
    alignment: &'a Alignment,
}

/// What is known of indentation once `old`, `new` and the file have been compared.
struct Depth {
    reindent: Reindent,
    /// `new` is written at the file's own depth although `old` is not.
    new_is_files: bool,
}

impl<'a> Context<'a> {
    fn learn_indent(&self, ops: &[Op]) -> Depth {
        let new_is_files = self.new_is_at_files_depth(ops);
        let seen: Vec<Seen<'a>> = if new_is_files {
            self.kept(ops).map(|(_, j, line)| self.seen(self.new[j], line)).collect()
        } else {
            (0..self.old.len())
                .filter(|i| !self.old[*i].trim().is_empty())
                .filter_map(|i| Some((i, self.alignment.single(i)?)))
                .map(|(i, line)| self.seen(self.old[i], line))
                .collect()
        };
        let range = self.alignment.file_range();
        let around = range.start.saturating_sub(UNIT_REACH)..(range.end + UNIT_REACH).min(self.file.count());
        let unit = unit_of(around.map(|line| self.file.content(line)))
            .or_else(|| unit_of(self.new.iter().copied()))
            .unwrap_or_else(|| "    ".to_owned());
        Depth { reindent: Reindent::learn(&seen, &unit), new_is_files }
    }

    fn seen(&self, query: &'a str, line: usize) -> Seen<'a> {
        Seen { query: leading(query), file: leading(self.file.content(line)) }
    }

    /// Lines that stay, none blank: line of old, line of new, line of the file.
    fn kept<'o>(&'o self, ops: &'o [Op]) -> impl Iterator<Item = (usize, usize, usize)> + 'o {
        ops.iter()
            .filter(|op| op.equal)
            .flat_map(|op| op.old.clone().zip(op.new.clone()))
            .filter(|(i, _)| !self.old[*i].trim().is_empty())
            .filter_map(|(i, j)| Some((i, j, self.alignment.single(i)?)))
    }

    fn new_is_at_files_depth(&self, ops: &[Op]) -> bool {
        let (mut differ, mut files, mut any) = (0, 0, false);
        for (i, j, line) in self.kept(ops) {
            any = true;
            let (old, new) = (leading(self.old[i]), leading(self.new[j]));
            differ += usize::from(old != new);
            files += usize::from(old != new && new == leading(self.file.content(line)));
        }
        if any {
            return differ > 0 && files * 2 >= differ;
        }
        // Nothing stays: the first lines tell.
        let first_old = (0..self.old.len()).find(|i| !self.old[*i].trim().is_empty());
        let first_new = self.new.iter().find(|line| !line.trim().is_empty());
        let (Some(i), Some(new)) = (first_old, first_new) else { return false };
        let Some(line) = self.alignment.single(i) else { return false };
        leading(self.old[i]) != leading(new) && leading(new) == leading(self.file.content(line))
    }

    /// Lines that stay but whose depth the edit changes on purpose.
    fn reindented(&self, op: &Op, depth: &Depth) -> Vec<Change> {
        if depth.new_is_files {
            return Vec::new();
        }
        op.old
            .clone()
            .zip(op.new.clone())
            .filter(|(i, j)| leading(self.old[*i]) != leading(self.new[*j]) && !self.old[*i].trim().is_empty())
            .filter_map(|(i, j)| {
                let line = self.alignment.single(i)?;
                let content = self.file.content(line).trim_start_matches([' ', '\t']);
                let moved = depth.reindent.indent(leading(self.new[j])) + content;
                Some(Change { file: line..line + 1, lines: vec![moved] })
            })
            .collect()
    }

    fn changed(&self, op: &Op, depth: &Depth) -> Result<Option<Change>, RefusalCode> {
        let lines: Vec<String> = op.new.clone().map(|j| self.inserted(j, op, depth)).collect();
        let mut touched = op.old.clone().filter_map(|i| self.alignment.pair(i)).peekable();
        if touched.peek().is_some() {
            let (mut first, mut last) = (usize::MAX, 0);
            for pair in touched {
                if pair.old.start < op.old.start || pair.old.end > op.old.end {
                    return Err(RefusalCode::Stale);
                }
                (first, last) = (first.min(pair.file.start), last.max(pair.file.end));
            }
            return Ok(Some(Change { file: first..last, lines }));
        }
        if op.old.clone().any(|i| !self.old[i].trim().is_empty()) {
            return Err(RefusalCode::Stale);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let at = self.insertion_point(op).ok_or(RefusalCode::Stale)?;
        Ok(Some(Change { file: at..at, lines }))
    }

    /// Right behind the line that stands before the insertion, else before the one after it.
    fn insertion_point(&self, op: &Op) -> Option<usize> {
        let before = (0..op.old.start).rev().find_map(|i| self.alignment.pair(i).map(|pair| (i, pair.file.end)));
        let after = (op.old.end..self.old.len()).find_map(|i| self.alignment.pair(i).map(|pair| (i, pair.file.start)));
        match (before, after) {
            (Some((i, end)), Some((next, start))) => {
                Some(if i + 1 == op.old.start || next != op.old.end { end } else { start })
            }
            (Some((_, end)), None) => Some(end),
            (None, after) => after.map(|(_, start)| start),
        }
    }

    fn inserted(&self, j: usize, op: &Op, depth: &Depth) -> String {
        let line = self.new[j];
        // A first line that was typed from its first visible character on takes its indent from the file.
        if j == 0 && op.old.start == 0 && !op.old.is_empty() && leading(line) == leading(self.old[0]) {
            if let Some(at) = self.alignment.single(0) {
                return format!("{}{}", leading(self.file.content(at)), &line[leading(line).len()..]);
            }
        }
        depth.reindent.line(line)
    }
}

/// A change of lines as a change of bytes; `None` when it changes none.
fn replacement(file: &FileLines<'_>, change: Change) -> Option<Replacement> {
    let Change { file: range, lines } = change;
    let same = |at: usize, line: &String| file.content(at) == line;
    let head = range.clone().zip(&lines).take_while(|(at, line)| same(*at, line)).count();
    let tail =
        range.clone().skip(head).rev().zip(lines[head..].iter().rev()).take_while(|(at, line)| same(*at, line)).count();
    let (range, lines) = (range.start + head..range.end - tail, &lines[head..lines.len() - tail]);
    if range.is_empty() && lines.is_empty() {
        return None;
    }
    if range.is_empty() {
        return Some(insertion(file, range.start, lines));
    }
    if lines.is_empty() {
        return Some(Replacement { span: whole_lines(file, &range), with: String::new() });
    }
    let mut with = String::new();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            let above = range.start + at - 1;
            let own = if above < range.end { file.ending(above) } else { "" };
            with.push_str(if own.is_empty() { file.ending_near(range.end - 1) } else { own });
        }
        with.push_str(line);
    }
    Some(Replacement { span: Span::new(file.span(range.start).start, file.span(range.end - 1).end), with })
}

fn insertion(file: &FileLines<'_>, at: usize, lines: &[String]) -> Replacement {
    let ending = file.ending_near(at.saturating_sub(1));
    if at < file.count() {
        let start = file.start(at);
        let with = lines.iter().flat_map(|line| [line.as_str(), ending]).collect();
        return Replacement { span: Span::new(start, start), with };
    }
    let end = file.text.len();
    let with = lines.iter().flat_map(|line| [ending, line.as_str()]).collect();
    Replacement { span: Span::new(end, end), with }
}

/// The bytes that vanish with these lines: an ending each, the one before where the last has none.
fn whole_lines(file: &FileLines<'_>, range: &Range<usize>) -> Span {
    let (start, end) = (file.start(range.start), file.start(range.end));
    if file.ending(range.end - 1).is_empty() && range.start > 0 {
        return Span::new(file.span(range.start - 1).end, end);
    }
    Span::new(start, end)
}
