//! The form of a file's text: what a new whole content is given of the old one's (models send neither byte order marks nor
//! carriage returns), and what is to be said where encodings meet. Pure.

use std::borrow::Cow;

use crate::text::stray_byte;

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

/// Most characters that are named.
const MOST_NAMED: usize = 8;

/// What is to be said where a file that holds stray bytes and not one character of UTF-8, which most likely is in an
/// encoding of one byte a character, is given characters that can only be written as UTF-8.
pub(super) fn encodings_meet(before: &str, after: &str) -> Option<String> {
    let byte = before.chars().find_map(stray_byte)?;
    let is_foreign = |character: &char| !character.is_ascii() && stray_byte(*character).is_none();
    if before.chars().any(|character| is_foreign(&character)) {
        return None;
    }
    let mut new: Vec<char> = Vec::new();
    for character in after.chars().filter(is_foreign) {
        if !new.contains(&character) {
            new.push(character);
        }
    }
    let mut named: Vec<String> = new.iter().take(MOST_NAMED).map(char::to_string).collect();
    if new.len() > MOST_NAMED {
        named.push("…".to_owned());
    }
    let not_utf8 = format!("was not UTF-8 (it had single bytes such as 0x{byte:02X})");
    match (named.is_empty(), after.chars().any(|character| stray_byte(character).is_some())) {
        (true, _) => None,
        (false, true) => Some(format!(
            "note: the file {not_utf8}; {} of the new text went in as UTF-8, so it mixes two encodings now: `undo` takes \
             that back, ASCII letters or escapes avoid it",
            named.join(" "),
        )),
        (false, false) => Some(format!("note: the file {not_utf8}; what it holds now is UTF-8")),
    }
}

fn is_crlf(text: &str) -> bool {
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).peekable();
    lines.peek().is_some() && lines.all(|line| line.ends_with("\r\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_a_file_of_another_encoding_cannot_hold_are_named() {
        let latin = crate::text::decode(b"caf\xE9 a\n".to_vec()).expect("decodes").text;
        let mixed = format!("\u{e9}{latin}");
        for (before, after, expected) in [
            (latin.as_str(), latin.replace('a', "b"), None),
            (
                &latin,
                latin.replace('a', "\u{e9}\u{2013}\u{e9}"),
                Some("0xE9); \u{e9} \u{2013} of the new text went in"),
            ),
            (&latin, "\u{e9}t\u{e9}\n".to_owned(), Some("what it holds now is UTF-8")),
            (&latin, "ascii\n".to_owned(), None),
            (&mixed, format!("{mixed}\u{2013}"), None),
            ("plain\n", "\u{e9}\n".to_owned(), None),
        ] {
            let said = encodings_meet(before, &after);
            match expected {
                Some(part) => assert!(said.as_deref().is_some_and(|said| said.contains(part)), "{after:?}: {said:?}"),
                None => assert_eq!(said, None, "{after:?}"),
            }
        }
    }

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
