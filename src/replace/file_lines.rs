//! The lines of the text that is edited, by number, and where they stand.

use crate::text::{LineIndex, Span};

/// A text and its lines. Line endings belong to no line's content, nor does a byte order mark.
#[derive(Debug)]
pub(super) struct FileLines<'t> {
    pub(super) text: &'t str,
    index: LineIndex,
    count: usize,
}

impl<'t> FileLines<'t> {
    pub(super) fn new(text: &'t str) -> FileLines<'t> {
        let count = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
        FileLines { text, index: LineIndex::new(text), count }
    }

    /// How many there are; a text that ends in a newline has an empty last one.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The bytes of a line's content.
    pub(super) fn span(&self, line: usize) -> Span {
        let start = self.start(line);
        Span::new(start, start + self.content(line).len())
    }

    /// Where a line begins; past the last one, where the text ends.
    pub(super) fn start(&self, line: usize) -> usize {
        let start = self.index.span(line).map_or(self.text.len(), |span| span.start);
        if line == 0 && self.text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { start }
    }

    /// A line without its ending.
    pub(super) fn content(&self, line: usize) -> &'t str {
        let content = self.index.line(self.text, line);
        if line == 0 { content.strip_prefix('\u{FEFF}').unwrap_or(content) } else { content }
    }

    /// How a line ends: `"\n"`, `"\r\n"`, or `""` for the last one.
    pub(super) fn ending(&self, line: usize) -> &'t str {
        let Some(span) = self.index.span(line) else { return "" };
        let whole = &self.text[span.start..span.end];
        if whole.ends_with("\r\n") {
            "\r\n"
        } else if whole.ends_with('\n') {
            "\n"
        } else {
            ""
        }
    }

    /// The ending that a new line at `line` should have: that line's own, or the nearest above or below.
    pub(super) fn ending_near(&self, line: usize) -> &'t str {
        let below = line.min(self.count.saturating_sub(1));
        let found = self.ending(below);
        if !found.is_empty() {
            return found;
        }
        match below.checked_sub(1).map(|above| self.ending(above)) {
            Some(found) if !found.is_empty() => found,
            _ => "\n",
        }
    }
}

/// The blanks and tabs a line begins with.
pub(super) fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The lines of a query's two texts, line endings off.
///
/// A newline at the end of `old` begins no further line, nor does one at the end of `new` then; where only `new` has
/// one, an empty line is wanted.
pub(super) fn query_lines<'q>(old: &'q str, new: &'q str) -> (Vec<&'q str>, Vec<&'q str>) {
    let (old, new) = match old.strip_suffix('\n') {
        Some(bare) => (bare, new.strip_suffix('\n').unwrap_or(new)),
        None => (old, new),
    };
    let lines = |text: &'q str| text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    (lines(old), if new.is_empty() { Vec::new() } else { lines(new) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_and_ending_make_up_the_line() {
        let lines = FileLines::new("\u{FEFF}a\r\n\tb \nc");
        let seen: Vec<(&str, &str)> = (0..lines.count()).map(|at| (lines.content(at), lines.ending(at))).collect();
        assert_eq!(seen, [("a", "\r\n"), ("\tb ", "\n"), ("c", "")]);
        assert_eq!((lines.span(0), lines.start(3)), (Span::new(3, 4), 11));
        assert_eq!((lines.ending_near(0), lines.ending_near(2)), ("\r\n", "\n"));
    }

    #[test]
    fn query_lines_have_no_endings() {
        let cases: [(&str, &str, &[&str], &[&str]); 4] = [
            ("a\r\n b\n", "c\n", &["a", " b"], &["c"]),
            ("a", "a\n", &["a"], &["a", ""]),
            ("a\n", "a", &["a"], &["a"]),
            ("a", "", &["a"], &[]),
        ];
        for (old, new, old_lines, new_lines) in cases {
            assert_eq!(query_lines(old, new), (old_lines.to_vec(), new_lines.to_vec()), "{old:?} {new:?}");
        }
    }
}
