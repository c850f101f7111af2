//! Which lines of a file a call asks for.

use super::Arguments;
use crate::report::{MOST_LINES, ToolError, one_line};
use crate::text::LineRange;

/// The lines that are wanted, before it is known how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// From this line (0-based), so many; all defaults if the call said nothing.
    From { start: usize, count: usize, said: bool },
    /// These stretches, 0-based, in order, apart from each other.
    Ranges(Vec<LineRange>),
    /// The last so many.
    Tail(usize),
}

impl Wanted {
    /// What `arguments` ask for.
    pub(super) fn of(arguments: &Arguments) -> Result<Wanted, ToolError> {
        let (offset, limit) = (arguments.count("offset"), arguments.count("limit").filter(|limit| *limit > 0));
        if let Some(typed) = arguments.text("ranges").filter(|typed| !typed.trim().is_empty()) {
            let refused = || {
                let message =
                    format!("`ranges` must be stretches of lines such as 1-40,200-220, not {}", one_line(typed, 100));
                ToolError::caller("bad_arguments", message)
                    .hint("call again with ranges like 1-40,200-220, or with offset and limit")
            };
            return ranges(typed).map(Wanted::Ranges).ok_or_else(refused);
        }
        if let Some(count) = arguments.count("tail").filter(|count| *count > 0) {
            return Ok(Wanted::Tail(count.min(MOST_LINES)));
        }
        let count = limit.unwrap_or(MOST_LINES).min(MOST_LINES);
        Ok(Wanted::From {
            start: offset.unwrap_or(1).saturating_sub(1),
            count,
            said: offset.is_some() || limit.is_some(),
        })
    }

    /// Whether the call said nothing of lines.
    pub(super) fn is_usual(&self) -> bool {
        matches!(self, Wanted::From { said: false, .. })
    }

    /// The lines, of a file with `total`. A stretch behind the end is empty and stands where it was asked for.
    pub(super) fn within(&self, total: usize) -> Vec<LineRange> {
        let clamped = |start: usize, end: usize| LineRange::new(start, end.min(total).max(start));
        match self {
            Wanted::From { start, count, .. } => vec![clamped(*start, start.saturating_add(*count))],
            Wanted::Ranges(ranges) => ranges.iter().map(|range| clamped(range.start, range.end)).collect(),
            Wanted::Tail(count) => vec![LineRange::new(total.saturating_sub(*count), total)],
        }
    }
}

/// `1-40,200-220`, `7`, `300-`: in order, those that touch joined.
fn ranges(typed: &str) -> Option<Vec<LineRange>> {
    let parts = typed
        .trim_matches(['[', ']'])
        .split([',', ';', ' '])
        .map(|part| part.trim_matches(['"', '\'', 'L']))
        .filter(|part| !part.is_empty());
    let mut all: Vec<LineRange> = parts.map(range).collect::<Option<_>>()?;
    all.sort();
    let mut joined: Vec<LineRange> = Vec::new();
    for range in all {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    (!joined.is_empty()).then_some(joined)
}

fn range(part: &str) -> Option<LineRange> {
    let number = |digits: &str| digits.trim_start_matches('L').parse::<usize>().ok().filter(|number| *number > 0);
    let (first, last) = match part.split_once(['-', ':']).or_else(|| part.split_once("..")) {
        Some((first, "")) => (number(first)?, usize::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(part)?, number(part)?),
    };
    (first <= last).then(|| LineRange::new(first - 1, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_sorted_and_joined() {
        let at = |start, end| LineRange::new(start, end);
        for (typed, expected) in [
            ("1-40,200-220", Some(vec![at(0, 40), at(199, 220)])),
            ("7", Some(vec![at(6, 7)])),
            ("20-30, 1-5, 4-9 ,10", Some(vec![at(0, 10), at(19, 30)])),
            ("300-", Some(vec![at(299, usize::MAX)])),
            ("[\"3:4\"]", Some(vec![at(2, 4)])),
            ("L3-L4", Some(vec![at(2, 4)])),
            ("5-2", None),
            ("0-3", None),
            ("all", None),
            (",", None),
        ] {
            assert_eq!(ranges(typed), expected, "{typed}");
        }
    }

    #[test]
    fn lines_end_with_the_file() {
        let from = |start, count| Wanted::From { start, count, said: true };
        for (wanted, total, expected) in [
            (from(0, 10), 3, (0, 3)),
            (from(5, 10), 3, (5, 5)),
            (from(usize::MAX, 10), 3, (usize::MAX, usize::MAX)),
            (Wanted::Tail(2), 5, (3, 5)),
            (Wanted::Tail(9), 5, (0, 5)),
            (Wanted::Ranges(vec![LineRange::new(2, usize::MAX)]), 4, (2, 4)),
        ] {
            assert_eq!(wanted.within(total), [LineRange::new(expected.0, expected.1)], "{wanted:?} of {total}");
        }
    }
}
