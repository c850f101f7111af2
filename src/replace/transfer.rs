//! Minimal transfer: only what differs between `old` and `new` reaches the file.

use std::ops::Range;

use super::alignment::Alignment;
use super::carried::is_carried;
use super::file_lines::{FileLines, leading};
use super::indent::{Reindent, Seen, unit_of};
use super::insertion::Insertion;
use super::likeness::likeness;
use super::line_diff::Op;
use super::merge::merged;
use super::reading::Reading;
use super::{RefusalCode, Replacement};
use crate::text::Span;

/// How far around the match the file's unit of indentation is looked for, in lines.
const UNIT_REACH: usize = 100;

/// Lines so alike are one before and after the edit.
const SAME_LINE: f32 = 0.7;

/// Whole lines of the file and what they become.
#[derive(Debug, PartialEq)]
struct Change {
    file: Range<usize>,
    lines: Vec<String>,
}

/// The replacements that carry the difference between `old` and `new` (`ops`) over to where `alignment` found `old`.
///
/// # Errors
/// [`RefusalCode::Stale`] when a line that is to change has no counterpart in the file, or new lines no certain place.
pub(super) fn transfer(
    file: &FileLines<'_>,
    old: &[&str],
    new: &[&str],
    elided: &[bool],
    alignment: &Alignment,
    ops: &[Op],
) -> Result<Vec<Replacement>, RefusalCode> {
    let context = Context { file, old, new, elided, alignment };
    if is_carried(file, old, new, alignment, ops) || ops.iter().any(|op| context.only_words_another_comment(op)) {
        return Err(RefusalCode::Stale);
    }
    let depth = context.learn_indent(ops);
    let mut changes = Vec::new();
    for op in ops {
        if op.equal {
            changes.extend(context.reshaped(op, &depth));
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
    elided: &'a [bool],
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
        let is_same = |seen: &Seen<'_>| seen.query == seen.file;
        // New at the file's depth needs no rule; lines of another depth are moved on purpose.
        if seen.iter().all(is_same) || new_is_files && seen.iter().any(is_same) {
            return Depth { reindent: Reindent::keep(), new_is_files };
        }
        let range = self.alignment.file_range();
        let around = range.start.saturating_sub(UNIT_REACH)..(range.end + UNIT_REACH).min(self.file.count());
        let unit = unit_of(around.map(|line| self.file.content(line)))
            .or_else(|| unit_of(self.new.iter().copied()))
            .unwrap_or_else(|| "    ".to_owned());
        let inserted: Vec<&str> = ops
            .iter()
            .filter(|op| !op.equal)
            .flat_map(|op| op.new.clone())
            .filter(|j| !self.new[*j].trim().is_empty())
            .map(|j| leading(self.new[j]))
            .collect();
        Depth { reindent: Reindent::learn(&seen, &unit, &inserted), new_is_files }
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
        let (mut differ, mut speaks_for, mut speaks_against, mut any) = (0, 0, 0, false);
        for (i, j, line) in self.kept(ops) {
            any = true;
            let (old, new, file) = (leading(self.old[i]), leading(self.new[j]), leading(self.file.content(line)));
            // New at the file's kind of indentation and old at another: new was typed with the file in view.
            if uses_tabs(old) != uses_tabs(file) && uses_tabs(new) == uses_tabs(file) && !old.is_empty() {
                return true;
            }
            differ += usize::from(old != new);
            speaks_for += usize::from(old != new && new == file);
            speaks_against += usize::from(old == new && new != file);
        }
        if any {
            return speaks_for > speaks_against && speaks_for * 2 >= differ;
        }
        // Nothing stays: the first lines tell.
        let first_old = (0..self.old.len()).find(|i| !self.old[*i].trim().is_empty());
        let first_new = self.new.iter().find(|line| !line.trim().is_empty());
        let (Some(i), Some(new)) = (first_old, first_new) else { return false };
        let Some(line) = self.alignment.single(i) else { return false };
        leading(self.old[i]) != leading(new) && leading(new) == leading(self.file.content(line))
    }

    /// Lines that stay but for white space at their ends that the edit changes on purpose.
    fn reshaped(&self, op: &Op, depth: &Depth) -> Vec<Change> {
        let lines = op.old.clone().zip(op.new.clone());
        lines
            .filter(|(i, j)| self.old[*i] != self.new[*j])
            .filter_map(|(i, j)| self.reshaped_line(i, j, depth))
            .collect()
    }

    fn reshaped_line(&self, i: usize, j: usize, depth: &Depth) -> Option<Change> {
        let (old, new) = (self.old[i], self.new[j]);
        let line = self.alignment.single(i)?;
        let content = self.file.content(line);
        let body = content.trim_matches([' ', '\t']);
        if body.is_empty() {
            return None;
        }
        let indent = if leading(old) == leading(new) {
            leading(content).to_owned()
        } else {
            depth.reindent.indent(leading(new))
        };
        // Blanks at the end are meant where old had them as the file has.
        let end = if trailing(old) == trailing(content) { trailing(new) } else { trailing(content) };
        Some(Change { file: line..line + 1, lines: vec![format!("{indent}{body}{end}")] })
    }

    fn changed(&self, op: &Op, depth: &Depth) -> Result<Option<Change>, RefusalCode> {
        let mut lines: Vec<String> = op.new.clone().map(|j| self.inserted(j, op, depth)).collect();
        self.complete_cut_lines(op, &mut lines)?;
        let mut touched = op.old.clone().filter_map(|i| self.alignment.pair(i)).peekable();
        if touched.peek().is_some() {
            let (mut first, mut last) = (usize::MAX, 0);
            for pair in touched {
                if pair.old.start < op.old.start || pair.old.end > op.old.end {
                    return Err(RefusalCode::Stale);
                }
                if last > 0 && (last..pair.file.start).any(|line| !self.file.content(line).trim().is_empty()) {
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
        let Context { file, old, new, elided, alignment } = *self;
        let at = Insertion { file, old, new, elided, alignment }.point(op).ok_or(RefusalCode::Stale)?;
        Ok(Some(Change { file: at..at, lines }))
    }

    /// Whether all that changes on a line is the comment behind its code, and the file has another one there or none.
    fn only_words_another_comment(&self, op: &Op) -> bool {
        if op.equal || op.old.len() != op.new.len() {
            return false;
        }
        op.old.clone().zip(op.new.clone()).any(|(i, j)| {
            let Some(line) = self.alignment.single(i) else { return false };
            let [old, new, file] = [self.old[i], self.new[j], self.file.content(line)].map(Reading::new);
            old.key != file.key && old.key != new.key && old.is_same_code(&file) && old.is_same_code(&new)
        })
    }

    /// Where old begins or ends inside a line, what the file has around it stays.
    fn complete_cut_lines(&self, op: &Op, lines: &mut [String]) -> Result<(), RefusalCode> {
        let last = self.old.len() - 1;
        if self.alignment.cut_head && op.old.start == 0 {
            let (first, line) = lines.first_mut().zip(self.alignment.single(0)).ok_or(RefusalCode::Stale)?;
            if op.old.is_empty() {
                return Err(RefusalCode::Stale);
            }
            *first = with_head(self.file.content(line), self.old[0], first).ok_or(RefusalCode::Stale)?;
        }
        if self.alignment.cut_tail && op.old.end == self.old.len() {
            let (end, line) = lines.last_mut().zip(self.alignment.single(last)).ok_or(RefusalCode::Stale)?;
            if op.old.is_empty() {
                return Err(RefusalCode::Stale);
            }
            *end = with_tail(self.file.content(line), self.old[last], end).ok_or(RefusalCode::Stale)?;
        }
        Ok(())
    }

    fn inserted(&self, j: usize, op: &Op, depth: &Depth) -> String {
        let mended = self.mended(j, op);
        let line = mended.as_deref().unwrap_or(self.new[j]);
        // A first line that was typed from its first visible character on takes its indent from the file.
        let is_first = j == 0 && op.old.start == 0 && !op.old.is_empty() && leading(line) == leading(self.old[0]);
        if let Some(at) = self.alignment.single(0).filter(|_| is_first) {
            return format!("{}{}", leading(self.file.content(at)), &line[leading(line).len()..]);
        }
        match self.replaced_at_same_depth(j, op).filter(|_| !depth.new_is_files && !line.trim().is_empty()) {
            Some(indent) => format!("{indent}{}", &line[leading(line).len()..]),
            None => depth.reindent.line(line),
        }
    }

    /// A line that takes the place of one that the file spells otherwise: only the words that change are new's.
    fn mended(&self, j: usize, op: &Op) -> Option<String> {
        let new = self.new[j].trim();
        let replaced = if op.old.len() == op.new.len() {
            Some(op.old.start + (j - op.new.start))
        } else {
            let alike = |i: &usize| likeness(self.old[*i].trim(), new);
            op.old.clone().filter(|i| alike(i) >= SAME_LINE).max_by(|a, b| alike(a).total_cmp(&alike(b)))
        };
        let (i, line) = replaced.and_then(|i| Some((i, self.alignment.single(i)?)))?;
        let (old, file) = (self.old[i].trim(), self.file.content(line).trim());
        let is_cut = self.alignment.cut_head && i == 0 || self.alignment.cut_tail && i + 1 == self.old.len();
        let reading = Reading::new(old);
        // A comment is worded anew as a whole.
        if is_cut || reading.is_comment || reading.key == Reading::new(file).key {
            return None;
        }
        Some(format!("{}{}", leading(self.new[j]), merged(old, new, file)?))
    }

    /// The file's indent of a line that `new[j]` replaces and that the query has at the same depth.
    fn replaced_at_same_depth(&self, j: usize, op: &Op) -> Option<&str> {
        let offset = j - op.new.start;
        op.old
            .clone()
            .filter(|i| !self.old[*i].trim().is_empty() && leading(self.old[*i]) == leading(self.new[j]))
            .filter_map(|i| Some((offset.abs_diff(i - op.old.start), self.alignment.single(i)?)))
            .min()
            .map(|(_, line)| leading(self.file.content(line)))
    }
}

/// Longest line that is searched for a part of it.
const MAX_CUT_BYTES: usize = 2000;

/// The file's line with `new` for the `old` that ends it; `None` inside a word.
fn with_head(line: &str, old: &str, new: &str) -> Option<String> {
    let (old, new) = (Reading::new(old).key, new.trim_start());
    if Reading::new(line).key.ends_with(&Reading::new(new).key) {
        return Some(line.to_owned());
    }
    let at = boundaries(line)?.rev().find(|at| Reading::new(&line[*at..]).key == old)?;
    is_between_words(line, at).then(|| format!("{}{new}", &line[..at]))
}

/// The file's line with `new` for the `old` that begins it; `None` inside a word.
fn with_tail(line: &str, old: &str, new: &str) -> Option<String> {
    let (old, new) = (Reading::new(old).key, new.trim_end());
    if Reading::new(line).key.starts_with(&Reading::new(new).key) {
        return Some(line.to_owned());
    }
    let at = boundaries(line)?.find(|at| Reading::new(&line[..*at]).key == old)?;
    is_between_words(line, at).then(|| format!("{new}{}", &line[at..]))
}

fn boundaries(line: &str) -> Option<impl DoubleEndedIterator<Item = usize>> {
    (line.len() <= MAX_CUT_BYTES).then(|| line.char_indices().map(|(at, _)| at))
}

fn is_between_words(line: &str, at: usize) -> bool {
    let is_word =
        |character: Option<char>| character.is_some_and(|character| character.is_alphanumeric() || character == '_');
    !(is_word(line[..at].chars().next_back()) && is_word(line[at..].chars().next()))
}

fn uses_tabs(indent: &str) -> Option<bool> {
    (!indent.is_empty()).then(|| indent.contains('\t'))
}

/// The blanks and tabs a line ends with.
fn trailing(line: &str) -> &str {
    &line[line.trim_end_matches([' ', '\t']).len()..]
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
