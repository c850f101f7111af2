//! The harmless spellings of a path: quotes, URLs, line suffixes, diff prefixes, the root typed once more. Pure.

use std::path::{Path, PathBuf};

/// One way to read a typed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// Absolute; links and `..` not resolved.
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    /// Whether nothing is left to clean away. Only such a reading may become the name of a new file.
    pub(super) clean: bool,
}

/// How bold a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Relative to the root, or absolute.
    AsTyped,
    /// The whole root stands in it, without the first `/` or twice.
    WholeRoot,
    /// The end of the root stands in front of a relative path.
    EndOfRoot,
    /// A prefix taken off that was not meant as a directory: `a/` of a diff, the `/` of a relative path.
    Prefix,
}

/// Every reading of `typed`, the most literal first. `roots` are the true spellings of the workspace root.
pub(super) fn readings(typed: &str, roots: &[&Path], home: Option<&Path>) -> Vec<Reading> {
    let texts = cleaned(typed, home);
    let mut readings: Vec<Reading> = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let clean = index + 1 == texts.len();
        for (path, kind) in placed(text, roots) {
            match readings.iter_mut().find(|known| known.path == path) {
                Some(known) => known.clean |= clean,
                None => readings.push(Reading { path, kind, clean }),
            }
        }
    }
    readings
}

/// Takes one kind of wrapping off; `None` when there is none.
type Step<'s> = &'s dyn Fn(&str) -> Option<String>;

/// `typed`, and what is left of it after each kind of wrapping is taken off.
pub(super) fn cleaned(typed: &str, home: Option<&Path>) -> Vec<String> {
    let steps: [Step<'_>; 6] =
        [&unwrapped, &from_url, &|text| in_home(text, home), &unescaped, &slashed, &without_line];
    let mut texts = vec![typed.to_owned()];
    for step in steps {
        let last = &texts[texts.len() - 1];
        if let Some(next) = step(last).filter(|next| !next.is_empty() && next != last) {
            texts.push(next);
        }
    }
    texts
}

/// Without blanks, quotes and brackets around it, and without the `@` of a mention.
fn unwrapped(text: &str) -> Option<String> {
    const PAIRS: [(char, char); 7] =
        [('"', '"'), ('\'', '\''), ('`', '`'), ('<', '>'), ('“', '”'), ('‘', '’'), ('[', ']')];
    let mut rest = text.trim();
    loop {
        let pair = PAIRS.iter().find_map(|(open, close)| rest.strip_prefix(*open)?.strip_suffix(*close));
        match pair {
            Some(inner) => rest = inner.trim(),
            None => break,
        }
    }
    let mentioned = rest.strip_prefix('@').filter(|path| path.contains(['/', '.'])).unwrap_or(rest);
    Some(mentioned.trim_matches(['"', '`']).trim().to_owned())
}

fn from_url(text: &str) -> Option<String> {
    let rest = text.strip_prefix("file:")?;
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(rest),
        None => rest,
    };
    Some(percent_decoded(path))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escape = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|byte| *first == b'%' && *byte != 0)
        {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn in_home(text: &str, home: Option<&Path>) -> Option<String> {
    let rest = text.strip_prefix('~').or_else(|| text.strip_prefix("$HOME"))?;
    let own = rest.is_empty() || rest.starts_with('/');
    home.filter(|_| own).map(|home| format!("{}{rest}", home.display()))
}

/// Without the backslashes that a shell wants before blanks and brackets.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escapes = character == '\\'
            && characters.peek().is_some_and(|next| matches!(next, ' ' | '(' | ')' | '[' | ']' | '&' | '\''));
        if !escapes {
            plain.push(character);
        }
    }
    Some(plain)
}

fn slashed(text: &str) -> Option<String> {
    Some(text.replace('\\', "/"))
}

/// Without `:12`, `:12:5`, `:12-20`, `#L12-L20` behind it.
fn without_line(text: &str) -> Option<String> {
    let is_place = |place: &str| {
        place.chars().all(|c| c.is_ascii_digit() || matches!(c, 'L' | '-' | ',' | 'C'))
            && place.contains(|c: char| c.is_ascii_digit())
    };
    if let Some((path, place)) = text.rsplit_once('#') {
        return (place.starts_with('L') && is_place(place)).then(|| path.to_owned());
    }
    let mut path = text.strip_suffix(':').unwrap_or(text);
    for _ in 0..2 {
        match path.rsplit_once(':') {
            Some((rest, place)) if is_place(place) => path = rest,
            _ => break,
        }
    }
    Some(path.to_owned())
}

/// The absolute paths that one text may stand for.
fn placed(text: &str, roots: &[&Path]) -> Vec<(PathBuf, Kind)> {
    let Some(root) = roots.first() else { return Vec::new() };
    let typed = Path::new(text);
    let mut places = Vec::new();
    if typed.is_absolute() {
        places.push((typed.to_owned(), Kind::AsTyped));
        let segments = segments(text);
        match roots.iter().find_map(|root| after_root(&segments, root)) {
            Some(rest) => {
                places.push((root.join(rest.join("/")), Kind::WholeRoot));
                places.extend(beneath(root, rest, roots));
            }
            None => {
                places.push((root.join(segments.join("/")), Kind::Prefix));
                places.extend(beneath(root, &segments, roots));
            }
        }
    } else {
        places.push((root.join(typed), Kind::AsTyped));
        let segments = segments(text);
        places.extend(beneath(root, &segments, roots));
        if let [prefix, rest @ ..] = segments.as_slice()
            && matches!(*prefix, "a" | "b")
            && !rest.is_empty()
        {
            places.push((root.join(rest.join("/")), Kind::Prefix));
            places.extend(beneath(root, rest, roots));
        }
    }
    places
}

/// Readings of a path relative to the root that begins with the root, whole or its end, once or more. The longest end
/// first, and of each as little as possible taken off.
pub(super) fn beneath(root: &Path, relative: &[&str], roots: &[&Path]) -> Vec<(PathBuf, Kind)> {
    let mut places = Vec::new();
    for spelling in roots {
        let names = segments_of(spelling);
        for count in (1..=names.len()).rev() {
            let whole = count == names.len() && count > 1;
            let mut rest = relative;
            while let Some(left) = rest.strip_prefix(&names[names.len() - count..]) {
                rest = left;
                places.push((root.join(rest.join("/")), if whole { Kind::WholeRoot } else { Kind::EndOfRoot }));
            }
            if whole && rest.len() < relative.len() {
                places.extend(beneath(root, rest, roots));
            }
        }
    }
    places
}

fn after_root<'s, 't>(segments: &'s [&'t str], root: &Path) -> Option<&'s [&'t str]> {
    let names = segments_of(root);
    segments.starts_with(&names).then(|| &segments[names.len()..])
}

/// The names in a path; `.` and doubled `/` left out, `..` taken back by what stands before it.
pub(super) fn segments(path: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names
}

/// The names in a real path; one that is not UTF-8 is passed over and so never near to anything.
pub(super) fn segments_of(path: &Path) -> Vec<&str> {
    segments(path.to_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/home/user/work/ledger-go";

    fn paths(typed: &str) -> Vec<String> {
        let readings = readings(
            typed,
            &[Path::new(ROOT), Path::new("/var/home/user/work/ledger-go")],
            Some(Path::new("/home/user")),
        );
        readings.into_iter().map(|reading| reading.path.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn wrappings_come_off_one_by_one() {
        for (typed, expected) in [
            ("src/a.go", "src/a.go"),
            ("  src/a.go\n", "src/a.go"),
            ("\"src/a.go\"", "src/a.go"),
            ("`'src/a.go' `", "src/a.go"),
            ("@src/a.go", "src/a.go"),
            ("@types", "@types"),
            ("file:///home/user/a%20b.go", "/home/user/a b.go"),
            ("file://localhost/x", "/x"),
            ("file:///a%zz", "/a%zz"),
            ("~/x", "/home/user/x"),
            ("~other/x", "~other/x"),
            ("$HOME/x", "/home/user/x"),
            ("my\\ file.go", "my file.go"),
            ("src\\a\\b.go", "src/a/b.go"),
            ("src/a.go:12", "src/a.go"),
            ("src/a.go:12:5", "src/a.go"),
            ("src/a.go:12-20", "src/a.go"),
            ("src/a.go#L12-L20", "src/a.go"),
            ("src/a.go:", "src/a.go"),
            ("a#b.go", "a#b.go"),
            ("\"file:///x:3\"\n", "/x"),
        ] {
            assert_eq!(cleaned(typed, Some(Path::new("/home/user"))).last().unwrap(), expected, "{typed:?}");
        }
    }

    #[test]
    fn each_spelling_has_the_file_among_its_readings() {
        for typed in [
            "src/a.go",
            "./src/a.go",
            "src//a.go",
            "ledger-go/src/a.go",
            "work/ledger-go/src/a.go",
            "/src/a.go",
            "a/src/a.go",
            "b/src/a.go",
            "home/user/work/ledger-go/src/a.go",
            "var/home/user/work/ledger-go/src/a.go",
            "a/home/user/work/ledger-go/src/a.go",
            "/home/user/work/ledger-go/home/user/work/ledger-go/src/a.go",
            "/home/user/work/ledger-go//home/user/work/ledger-go/src/a.go",
            "/home/user/work/ledger-go/ledger-go/src/a.go",
            "/ledger-go/src/a.go",
            "/var/home/user/work/ledger-go/ledger-go/src/a.go:3",
        ] {
            let wanted = format!("{ROOT}/src/a.go");
            assert!(
                paths(typed).iter().any(|path| segments(path).join("/") == wanted[1..]),
                "{typed}: {:?}",
                paths(typed)
            );
        }
    }

    #[test]
    fn the_first_reading_is_the_literal_one() {
        assert_eq!(paths("a/b.go ")[0], format!("{ROOT}/a/b.go "));
        assert_eq!(paths("/etc/passwd")[0], "/etc/passwd");
        assert_eq!(paths("ledger-go")[1], format!("{ROOT}/"));
    }
}
