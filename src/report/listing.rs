//! Lines of a file as an agent reads them: numbered, bounded, unable to pass for lines of ours.

use crate::text::{LineIndex, LineRange, count_lines};

/// Most lines a read shows.
pub const MOST_LINES: usize = 2000;
/// Most bytes a read shows.
pub const MOST_BYTES: usize = 50 * 1024;
/// Most characters of one line.
const MOST_COLUMNS: usize = 2000;
/// Lines shown before and after a change.
const AROUND: usize = 3;
/// Most lines of a snippet; a longer change shows its head and tail.
const MOST_SNIPPET_LINES: usize = 20;
/// Most characters of a snippet's line.
const MOST_SNIPPET_COLUMNS: usize = 200;

/// A stretch of numbered lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The numbered lines, each ended by a newline.
    pub text: String,
    /// Which lines they are, 0-based.
    pub lines: LineRange,
    /// How many lines the file has.
    pub total: usize,
}

/// Numbers the lines of `text` from `start` (0-based), at most `limit` and within the bounds of a read.
pub fn listing(text: &str, start: usize, limit: usize) -> Listing {
    let total = count_lines(text);
    let start = start.min(total);
    let index = LineIndex::new(text);
    let mut out = String::new();
    let mut line = start;
    while line < total && line - start < limit.min(MOST_LINES) {
        let numbered = numbered(line, index.line(text, line), MOST_COLUMNS);
        if line > start && out.len() + numbered.len() > MOST_BYTES {
            break;
        }
        out.push_str(&numbered);
        line += 1;
    }
    Listing { text: out, lines: LineRange::new(start, line), total }
}

/// The changed `ranges` (0-based lines of `text`) with a few lines around them, as numbered lines.
pub fn snippet(text: &str, ranges: &[LineRange]) -> String {
    let total = count_lines(text);
    let mut shown: Vec<LineRange> = Vec::new();
    for range in ranges {
        let (start, end) = (range.start.saturating_sub(AROUND), (range.end + AROUND).min(total));
        match shown.last_mut() {
            Some(last) if start <= last.end => last.end = end.max(last.end),
            _ => shown.push(LineRange::new(start.min(end), end)),
        }
    }
    let index = LineIndex::new(text);
    let lines: Vec<usize> = shown.iter().flat_map(|range| range.start..range.end).collect();
    let mut out = String::new();
    let mut previous: Option<usize> = None;
    let (head, tail) = match lines.len() {
        length if length <= MOST_SNIPPET_LINES => (length, length),
        length => (MOST_SNIPPET_LINES / 2, length - MOST_SNIPPET_LINES / 2),
    };
    for line in lines[..head].iter().chain(&lines[tail..]) {
        if previous.is_some_and(|previous| previous + 1 != *line) {
            out.push_str("      …\n");
        }
        out.push_str(&numbered(*line, index.line(text, *line), MOST_SNIPPET_COLUMNS));
        previous = Some(*line);
    }
    out
}

/// Line `line` (0-based) with its number, at most `most` characters of it.
pub(super) fn numbered(line: usize, text: &str, most: usize) -> String {
    let mut out = format!("{:>5} | ", line + 1);
    out.extend(text.chars().take(most).map(visible));
    let more = text.chars().skip(most).count();
    if more > 0 {
        out.push_str(&format!("… ({more} more characters)"));
    }
    out.push('\n');
    out
}

/// A character that cannot steer a terminal or end the line. Tabs stay: the agent must copy them.
fn visible(character: char) -> char {
    match character {
        '\t' => '\t',
        character if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') => '\u{FFFD}',
        character => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_numbers_from_one_and_stops_at_its_bounds() {
        let text = "a\n\tb\nc";
        assert_eq!(listing(text, 1, 1).text, "    2 | \tb\n");
        assert_eq!(listing(text, 9, 1).lines, LineRange::new(3, 3));
        let long = "x\n".repeat(3000);
        assert_eq!(listing(&long, 0, usize::MAX).lines.end, MOST_LINES);
        let wide = format!("{}\n", "y".repeat(5000)).repeat(100);
        let listed = listing(&wide, 0, 100);
        assert!(listed.text.len() <= MOST_BYTES && listed.lines.end > 10, "{}", listed.text.len());
        assert!(listed.text.contains("(3000 more characters)"));
    }

    #[test]
    fn a_snippet_shows_each_change_and_elides_between() {
        let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
        let shown = snippet(&text, &[LineRange::new(9, 10), LineRange::new(49, 49)]);
        assert!(shown.starts_with("    7 | line 7\n") && shown.contains("   13 | line 13\n      …\n   47 | line 47\n"));
        assert!(snippet(&text, &[LineRange::new(0, 100)]).lines().count() <= MOST_SNIPPET_LINES + 1);
        assert_eq!(snippet("", &[LineRange::new(0, 0)]), "");
    }

    #[test]
    fn control_characters_cannot_steer() {
        assert_eq!(listing("a\u{1b}[2Jb\u{2028}c\rd", 0, 9).text, "    1 | a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d\n");
    }
}
