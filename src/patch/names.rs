//! The file names in the headers of a diff.

use std::borrow::Cow;

/// What stands behind `---` or `+++`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    /// `/dev/null`: the file is not there on this side.
    Nothing,
    /// A path as typed, with its prefix.
    Path(String),
}

/// Reads a name: without a timestamp behind it, and out of git's quotes.
pub(super) fn name(text: &str) -> Name {
    let text = text.trim();
    let path: Cow<'_, str> = match unquoted(text) {
        Some(path) => Cow::Owned(path),
        None => Cow::Borrowed(without_time(text)),
    };
    if path == "/dev/null" { Name::Nothing } else { Name::Path(path.into_owned()) }
}

/// What is put behind the name of an old copy.
const SPARE: [&str; 4] = [".orig", ".old", ".bak", "~"];

/// The file that a pair of names means, if it is one.
pub(super) fn common(old: &str, new: &str) -> Option<String> {
    let same = |old: &str, new: &str| old == new || SPARE.iter().any(|end| old.strip_suffix(end) == Some(new));
    if let (Some(old), Some(new)) = (unprefixed(old), unprefixed(new))
        && same(old, new)
    {
        return Some(new.to_owned());
    }
    if same(old, new) {
        return Some(new.to_owned());
    }
    // Two trees side by side: `src.orig/x.c` and `src/x.c`.
    match (old.split_once('/'), new.split_once('/')) {
        (Some((_, old)), Some((_, new))) if old == new => Some(new.to_owned()),
        _ => None,
    }
}

/// A path without the prefix by which git marks its side.
pub(super) fn unprefixed(path: &str) -> Option<&str> {
    ["a/", "b/", "i/", "w/", "c/", "o/"].iter().find_map(|prefix| path.strip_prefix(prefix))
}

/// The one path in `diff --git a/PATH b/PATH`.
pub(super) fn of_git(rest: &str) -> Option<String> {
    let rest = rest.trim();
    if let Some(inner) = rest.strip_prefix('"') {
        let end = inner.find("\" ")?;
        let (old, new) = (unquoted(&rest[..end + 2])?, name(&rest[end + 3..]));
        return match new {
            Name::Path(new) => common(&old, &new),
            Name::Nothing => None,
        };
    }
    rest.match_indices(' ').find_map(|(at, _)| {
        let (old, new) = (&rest[..at], &rest[at + 1..]);
        let same = old == new || matches!((unprefixed(old), unprefixed(new)), (Some(old), Some(new)) if old == new);
        same.then(|| unprefixed(new).unwrap_or(new).to_owned())
    })
}

/// Cuts off what `diff -u` writes behind a name: a tab and anything, or blanks and a date.
fn without_time(text: &str) -> &str {
    let text = text.split('\t').next().unwrap_or_default();
    let dated = text.match_indices(' ').find(|(at, _)| is_date(text[at + 1..].trim_start()));
    dated.map_or(text, |(at, _)| &text[..at]).trim_end()
}

/// Whether `text` begins like `2024-05-01`.
fn is_date(text: &str) -> bool {
    let shape = b"dddd-dd-dd";
    let bytes = text.as_bytes();
    bytes.len() >= shape.len()
        && shape.iter().zip(bytes).all(|(s, b)| if *s == b'd' { b.is_ascii_digit() } else { s == b })
}

/// The path in git's quotes: C escapes, bytes in octal.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            first @ b'0'..=b'3' => {
                let mut value = first - b'0';
                for _ in 0..2 {
                    value = value * 8 + rest.next().filter(|digit| (b'0'..=b'7').contains(digit))? - b'0';
                }
                bytes.push(value);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_without_time_and_quotes() {
        let cases = [
            ("a/src/x.go", "a/src/x.go"),
            ("a/x y.txt\t2024-01-01 10:00:00.000 +0000", "a/x y.txt"),
            ("x y.txt 2024-01-01 10:00:00", "x y.txt"),
            ("x.txt\t(revision 4)", "x.txt"),
            ("notes 2024 b", "notes 2024 b"),
            (r#""a/na\303\257ve \"q\".txt""#, "a/naïve \"q\".txt"),
            (r#""a/broken\9""#, "a/broken9"),
        ];
        for (text, path) in cases {
            let Name::Path(found) = name(text) else { panic!("{text}") };
            let expected = if text.contains("broken") { "a/broken9" } else { path };
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(name("/dev/null\t1970-01-01"), Name::Nothing);
    }

    #[test]
    fn two_names_are_one_file_or_not() {
        let cases = [
            ("a/x.go", "b/x.go", Some("x.go")),
            ("x.go", "x.go", Some("x.go")),
            ("i/x.go", "w/x.go", Some("x.go")),
            ("x.c.orig", "x.c", Some("x.c")),
            ("a/x.c.orig", "b/x.c", Some("x.c")),
            ("src.orig/x.c", "src/x.c", Some("x.c")),
            ("a/x.go", "b/y.go", None),
            ("x.go", "y.go", None),
            ("a/a/x", "b/a/x", Some("a/x")),
        ];
        for (old, new, expected) in cases {
            assert_eq!(common(old, new).as_deref(), expected, "{old} {new}");
        }
    }

    #[test]
    fn the_path_of_a_git_line() {
        let cases = [
            ("a/x b/x", Some("x")),
            ("a/x b/y b/x b/y", Some("x b/y")),
            ("x x", Some("x")),
            (r#""a/\303\251" "b/\303\251""#, Some("é")),
            ("a/x b/y", None),
            ("", None),
        ];
        for (rest, expected) in cases {
            assert_eq!(of_git(rest).as_deref(), expected, "{rest}");
        }
    }
}
