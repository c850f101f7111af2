//! The form of a file that a new whole content is given: models send neither byte order marks nor carriage returns. Pure.

use std::borrow::Cow;

/// A byte order mark, as it stands in a text.
const MARK: char = '\u{feff}';

/// A new content in the form of the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InForm<'c> {
    pub(super) text: Cow<'c, str>,
    /// What was kept, in words.
    pub(super) what: Option<&'static str>,
}

/// `content` with the byte order mark of `before`, if that has one, and with `\r\n` at the end of its lines if all lines
/// of `before` end so and none of `content` does.
pub(super) fn in_form_of<'c>(before: &str, content: &'c str) -> InForm<'c> {
    let mark = before.starts_with(MARK) && !content.starts_with(MARK);
    let carriage_returns = is_crlf(before) && content.contains('\n') && !content.contains('\r');
    let lines = if carriage_returns { Cow::Owned(content.replace('\n', "\r\n")) } else { Cow::Borrowed(content) };
    let text = if mark { Cow::Owned(format!("{MARK}{lines}")) } else { lines };
    let what = match (mark, carriage_returns) {
        (true, true) => Some("the byte order mark and the CRLF line ends of the file were kept"),
        (true, false) => Some("the byte order mark of the file was kept"),
        (false, true) => Some("the CRLF line ends of the file were kept"),
        (false, false) => None,
    };
    InForm { text, what }
}

fn is_crlf(text: &str) -> bool {
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).peekable();
    lines.peek().is_some() && lines.all(|line| line.ends_with("\r\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_content_takes_the_form_of_the_old() {
        for (before, content, expected) in [
            ("a\n", "b\n", "b\n"),
            ("a\r\n", "b\nc", "b\r\nc"),
            ("a\r\nb\n", "b\nc\n", "b\nc\n"),
            ("a\r\n", "b\r\nc\n", "b\r\nc\n"),
            ("\u{feff}a\n", "b\n", "\u{feff}b\n"),
            ("\u{feff}a\r\n", "\u{feff}b\n", "\u{feff}b\r\n"),
            ("a", "b\n", "b\n"),
            ("", "b\n", "b\n"),
        ] {
            assert_eq!(in_form_of(before, content).text, expected, "{before:?} {content:?}");
        }
    }
}
