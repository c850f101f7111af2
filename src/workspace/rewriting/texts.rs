//! A language server's replacements on one text: all of them where they belong, or none.

use super::NotRewritten;
use crate::lsp::TextEdit;
use crate::text::{LineIndex, Position, PositionEncoding, Span};

/// A column at least this large means the line's end, whatever its length (some language servers say so).
const END_OF_LINE: u32 = 1 << 30;

/// `text` with `edits` made, which are all about `text`.
///
/// # Errors
/// [`NotRewritten::OutOfRange`] and [`NotRewritten::Overlapping`]; `file` names the text there.
pub(super) fn edited(
    file: &str,
    text: &str,
    edits: &[TextEdit],
    encoding: PositionEncoding,
) -> Result<String, NotRewritten> {
    let index = LineIndex::new(text);
    let at = |position: Position| {
        offset(text, &index, position, encoding).ok_or_else(|| NotRewritten::OutOfRange {
            file: file.to_owned(),
            line: position.line as usize + 1,
            lines: crate::text::count_lines(text),
        })
    };
    let span = |edit: &TextEdit| Ok(Span::new(at(edit.range.start)?, at(edit.range.end)?));
    let spans = edits.iter().map(|edit| Ok((span(edit)?, edit.text.as_str())));
    let mut spans = spans.collect::<Result<Vec<(Span, &str)>, NotRewritten>>()?;
    // Stable: of several insertions at one place the order is that of the list (LSP 3.17, TextEdit[]).
    spans.sort_by_key(|(span, _)| (span.start, span.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (span, new) in spans {
        if span.start < done {
            let line = index.line_at(span.start) + 1;
            return Err(NotRewritten::Overlapping { file: file.to_owned(), line });
        }
        out.push_str(&text[done..span.start]);
        out.push_str(new);
        done = span.end;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

/// The byte of a position that the text has; `None` for one past a line's end, in the middle of a character, or below
/// the last line.
fn offset(text: &str, index: &LineIndex, position: Position, encoding: PositionEncoding) -> Option<usize> {
    let Some(line) = index.span(position.line as usize) else {
        // Just below a last line without a newline is the end of the text.
        let is_next = index.span((position.line as usize).checked_sub(1)?).is_some();
        return (is_next && position.column == 0).then_some(text.len());
    };
    let offset = index.offset(text, position, encoding);
    if position.column >= END_OF_LINE {
        return Some(offset);
    }
    if index.position(text, offset, encoding) == position {
        return Some(offset);
    }
    // The position between `\r` and `\n` counts as a column for those who take `\r` for a character of the line.
    let past_return = line.end.checked_sub(1).filter(|at| text[..*at].ends_with('\r') && text[*at..].starts_with('\n'));
    past_return.filter(|at| index.position(text, *at, encoding) == position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::Range;

    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> TextEdit {
        let at = |(line, column)| Position { line, column };
        TextEdit { range: Range { start: at(from), end: at(to) }, text: text.into() }
    }

    #[test]
    fn replacements_are_about_the_text_before_the_first() {
        for (text, edits, expected) in [
            ("abc\n", vec![edit((0, 2), (0, 3), "C"), edit((0, 0), (0, 1), "A")], "AbC\n"),
            ("abc\n", vec![edit((0, 1), (0, 1), "1"), edit((0, 1), (0, 1), "2")], "a12bc\n"),
            ("abc\n", vec![edit((0, 1), (0, 2), ""), edit((0, 2), (0, 3), "x")], "ax\n"),
            ("a\r\nb\r\n", vec![edit((0, 0), (1, 0), "")], "b\r\n"),
            ("a\nb", vec![edit((0, 0), (2, 0), "x")], "x"),
            ("a\nb\n", vec![edit((2, 0), (2, 0), "c\n")], "a\nb\nc\n"),
            ("ab\ncd\n", vec![edit((0, 1), (0, u32::MAX), "x")], "ax\ncd\n"),
            ("é𝄞x\n", vec![edit((0, 3), (0, 4), "y")], "é𝄞y\n"),
            ("a\r\n", vec![edit((0, 2), (0, 2), "x")], "a\rx\n"),
        ] {
            assert_eq!(
                edited("f", text, &edits, PositionEncoding::Utf16).as_deref(),
                Ok(expected),
                "{text:?} {edits:?}"
            );
        }
        let bytes = [edit((0, 6), (0, 7), "y")];
        assert_eq!(edited("f", "é𝄞x\n", &bytes, PositionEncoding::Utf8).as_deref(), Ok("é𝄞y\n"));
    }

    #[test]
    fn what_does_not_fit_the_text_is_refused() {
        for (text, edits) in [
            ("abc\n", vec![edit((0, 4), (0, 4), "x")]),
            ("abc\n", vec![edit((3, 0), (3, 0), "x")]),
            ("abc\n", vec![edit((0, 0), (9, 0), "x")]),
            ("𝄞\n", vec![edit((0, 1), (0, 2), "x")]),
        ] {
            let outcome = edited("f", text, &edits, PositionEncoding::Utf16);
            assert!(matches!(outcome, Err(NotRewritten::OutOfRange { .. })), "{text:?} {outcome:?}");
        }
        let overlapping = [edit((0, 0), (0, 2), "x"), edit((0, 1), (0, 3), "y")];
        let outcome = edited("f", "abc\n", &overlapping, PositionEncoding::Utf16);
        assert_eq!(outcome, Err(NotRewritten::Overlapping { file: "f".into(), line: 1 }));
    }
}
