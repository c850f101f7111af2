//! Where the lines of a text begin, and positions in the units language servers count in.

use super::Span;

/// A place in a text as the language-server protocol counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, 0-based.
    pub line: u32,
    /// Column, 0-based, in the units of a [`PositionEncoding`].
    pub column: u32,
}

/// The unit of a [`Position`]'s column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units: what a language server means unless it says otherwise.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

/// How many lines `text` has: a last line without a newline counts, an empty text has none.
pub fn count_lines(text: &str) -> usize {
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    newlines + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The line starts of one text.
///
/// Lines end at `\n` only (a `\r` before it belongs to the line's ending): gopls, zls and jdtls agree there, and a
/// lone `\r` counts as a line end for none of the compilers behind them.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
    length: usize,
}

impl LineIndex {
    /// Finds the lines of `text`.
    pub fn new(text: &str) -> LineIndex {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        LineIndex { starts, length: text.len() }
    }

    /// The line (0-based) that holds byte `offset`.
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// The bytes of a line (0-based) with its line ending; `None` past the end.
    pub fn span(&self, line: usize) -> Option<Span> {
        let start = *self.starts.get(line)?;
        Some(Span::new(start, self.starts.get(line + 1).copied().unwrap_or(self.length)))
    }

    /// The text of a line (0-based) without its line ending; empty past the end.
    pub fn line<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let Some(span) = self.span(line) else { return "" };
        let whole = &text[span.start..span.end];
        let bare = whole.strip_suffix('\n').unwrap_or(whole);
        bare.strip_suffix('\r').unwrap_or(bare)
    }

    /// The position of byte `offset` of `text`. An offset inside a character means that character.
    pub fn position(&self, text: &str, offset: usize, encoding: PositionEncoding) -> Position {
        let line = self.line_at(offset.min(self.length));
        let before = &text[self.starts[line]..text.floor_char_boundary(offset.min(self.length))];
        Position { line: line as u32, column: units(before, encoding) as u32 }
    }

    /// The byte offset of `position` in `text`; past a line's end it is the line's end, past the text's end the text's.
    pub fn offset(&self, text: &str, position: Position, encoding: PositionEncoding) -> usize {
        let Some(span) = self.span(position.line as usize) else { return self.length };
        let line = self.line(text, position.line as usize);
        let mut left = position.column as usize;
        for (at, character) in line.char_indices() {
            let width = units(&line[at..at + character.len_utf8()], encoding);
            if left < width {
                return span.start + at;
            }
            left -= width;
        }
        span.start + line.len()
    }
}

fn units(text: &str, encoding: PositionEncoding) -> usize {
    match encoding {
        PositionEncoding::Utf8 => text.len(),
        PositionEncoding::Utf16 => text.chars().map(char::len_utf16).sum(),
        PositionEncoding::Utf32 => text.chars().count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_a_person_counts_them() {
        for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n", 1), ("\n\n", 2), ("a\r\nb\r\n", 2)] {
            assert_eq!(count_lines(text), lines, "{text:?}");
        }
    }

    #[test]
    fn positions_go_there_and_back_in_every_encoding() {
        let text = "aé𝄞b\r\n\tx\nlast";
        let index = LineIndex::new(text);
        for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
            for (offset, character) in text.char_indices().filter(|(_, c)| !matches!(c, '\r' | '\n')) {
                let position = index.position(text, offset, encoding);
                assert_eq!(index.offset(text, position, encoding), offset, "{character:?} {encoding:?}");
            }
        }
        let after_clef = index.position(text, 7, PositionEncoding::Utf16);
        assert_eq!((after_clef.line, after_clef.column), (0, 4));
    }

    #[test]
    fn a_position_outside_the_text_is_its_nearest_place() {
        let text = "ab\ncd";
        let index = LineIndex::new(text);
        let at = |line, column| index.offset(text, Position { line, column }, PositionEncoding::Utf16);
        assert_eq!((at(0, 99), at(1, 99), at(9, 0)), (2, 5, 5));
    }
}
