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

/// Numbered lines, as many as a read shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The numbered lines, each ended by a newline; a mark stands where lines are left out between them.
    pub text: String,
    /// Which lines they are, 0-based, stretch by stretch.
    pub shown: Vec<LineRange>,
    /// Whether all lines that were given are shown.
    pub complete: bool,
}

/// Numbers `lines` (their 0-based numbers, in order, and their text) within the bounds of a read.
pub fn listing<T: AsRef<str>>(lines: impl IntoIterator<Item = (usize, T)>) -> Listing {
    let mut listing = Listing { text: String::new(), shown: Vec::new(), complete: true };
    for (count, (line, text)) in lines.into_iter().enumerate() {
        let numbered = numbered(line, text.as_ref(), MOST_COLUMNS);
        if count >= MOST_LINES || (count > 0 && listing.text.len() + numbered.len() > MOST_BYTES) {
            listing.complete = false;
            break;
        }
        match listing.shown.last_mut() {
            Some(last) if last.end == line => last.end = line + 1,
            last => {
                if last.is_some() {
                    listing.text.push_str("      …\n");
                }
                listing.shown.push(LineRange::new(line, line + 1));
            }
        }
        listing.text.push_str(&numbered);
    }
    listing
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

    fn listed(text: &str) -> Listing {
        listing(text.split_inclusive('\n').map(|line| line.trim_end_matches('\n')).enumerate())
    }

    #[test]
    fn a_listing_numbers_from_one_and_stops_at_its_bounds() {
        assert_eq!(listing([(1, "\tb"), (2, "c"), (6, "d")]).text, "    2 | \tb\n    3 | c\n      …\n    7 | d\n");
        assert_eq!(listing([(1, "b"), (2, "c"), (6, "d")]).shown, [LineRange::new(1, 3), LineRange::new(6, 7)]);
        let long = listed(&"x\n".repeat(3000));
        assert_eq!((long.shown, long.complete), (vec![LineRange::new(0, MOST_LINES)], false));
        let wide = listed(&format!("{}\n", "y".repeat(5000)).repeat(100));
        assert!(wide.text.len() <= MOST_BYTES && wide.shown[0].end > 10 && !wide.complete, "{}", wide.text.len());
        assert!(wide.text.contains("(3000 more characters)"));
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
        assert_eq!(listing([(0, "a\u{1b}[2Jb\u{2028}c\rd")]).text, "    1 | a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d\n");
    }
}
