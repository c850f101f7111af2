//! The forms in which compilers write their messages, a line at a time.

use crate::config::{CheckFormat, CheckSpec};
use crate::workspace::verdict::Severity;

/// A place as it was written: file, line and column, 1-based.
pub(super) type Place<'a> = (&'a str, u32, u32);

/// What a line says of a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said<'a> {
    pub(super) place: Place<'a>,
    /// `None` for a note on the message before.
    pub(super) severity: Option<Severity>,
    pub(super) code: Option<&'a str>,
    pub(super) text: &'a str,
}

/// Reads one line in the form that `check` says.
pub(super) fn said<'a>(check: &CheckSpec, line: &'a str) -> Option<Said<'a>> {
    match (&check.pattern, check.format) {
        (Some(pattern), _) => by_pattern(pattern, line),
        (None, CheckFormat::Gnu) => gnu(line),
        (None, CheckFormat::Plain) => plain(line),
        (None, CheckFormat::Tsc) => tsc(line),
    }
}

/// `file:line:column: kind: text` or `file:line: kind[code]: text`.
pub(super) fn gnu(line: &str) -> Option<Said<'_>> {
    for (word, severity) in [
        ("error", Some(Severity::Error)),
        ("fatal error", Some(Severity::Error)),
        ("warning", Some(Severity::Warning)),
        ("note", None),
    ] {
        let marker = format!(": {word}");
        for (at, _) in line.match_indices(&marker) {
            let Some((code, text)) = code_and_text(&line[at + marker.len()..]) else { continue };
            if let Some(place) = place(&line[..at]) {
                return Some(Said { place, severity, code, text });
            }
        }
    }
    None
}

/// `: text` or `[code]: text`.
fn code_and_text(rest: &str) -> Option<(Option<&str>, &str)> {
    let (code, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((code, rest)) => (Some(code), rest),
        None => (None, rest),
    };
    Some((code, rest.strip_prefix(": ")?.trim_end()))
}

/// `file:line:column: text`, an error unless the text says otherwise; a word before the file (`vet: a.go:1:2: …`) is
/// passed over.
fn plain(line: &str) -> Option<Said<'_>> {
    let places = line.match_indices(": ").map(|(at, _)| (&line[..at], line[at + 2..].trim_end()));
    let mut found = places.filter_map(|(before, text)| {
        let file = before.rsplit_once(": ").map_or(before, |(_, file)| file);
        Some((place(file)?, text))
    });
    let (place, text) = found.next()?;
    let word = text.split_once(':').map_or("", |(word, _)| word.trim());
    let (severity, text) = match word.to_ascii_lowercase().as_str() {
        "error" => (Some(Severity::Error), after(text, word)),
        "warning" => (Some(Severity::Warning), after(text, word)),
        "note" => (None, after(text, word)),
        _ => (Some(Severity::Error), text),
    };
    Some(Said { place, severity, code: None, text })
}

fn after<'a>(text: &'a str, word: &str) -> &'a str {
    text[word.len()..].trim_start_matches([':', ' '])
}

/// `file(line,column): error CODE: text`, as TypeScript's and Microsoft's compilers write.
fn tsc(line: &str) -> Option<Said<'_>> {
    let (file, rest) = line.trim().split_once('(')?;
    let (place, rest) = rest.split_once("): ")?;
    let (row, column) = place.split_once(',').unwrap_or((place, "1"));
    let (kind, text) = rest.split_once(": ")?;
    let (kind, code) = kind.split_once(' ').map_or((kind, None), |(kind, code)| (kind, Some(code)));
    let severity = match kind {
        "error" | "fatal" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        _ => None,
    };
    let place = (file, row.trim().parse().ok()?, column.trim().parse().ok()?);
    Some(Said { place, severity, code, text: text.trim_end() })
}

/// The groups `file` and `line` are always there; `column`, `severity`, `code` and `message` may be.
fn by_pattern<'a>(pattern: &crate::config::Pattern, line: &'a str) -> Option<Said<'a>> {
    let found = pattern.captures(line)?;
    let group = |name: &str| found.name(name).map(|found| found.as_str().trim());
    let number = |name: &str| group(name).and_then(|digits| digits.parse().ok());
    let severity = match group("severity").unwrap_or("error").to_ascii_lowercase() {
        word if word.starts_with("warn") || word == "w" => Some(Severity::Warning),
        word if word.starts_with("info") || word == "i" => Some(Severity::Information),
        word if word == "note" || word == "hint" => None,
        _ => Some(Severity::Error),
    };
    let place = (group("file")?, number("line")?, number("column").unwrap_or(1));
    Some(Said { place, severity, code: group("code"), text: group("message").unwrap_or("it says no more") })
}

/// `file:line:column`; the column may be missing.
pub(super) fn place(text: &str) -> Option<Place<'_>> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) if !file.is_empty() => Some((file, line, last)),
        _ if !rest.is_empty() && !rest.contains(' ') => Some((rest, last, 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(config: &str, line: &str) -> String {
        let text = format!("command = [\"x\"]\n{config}");
        let spec: CheckSpec = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}"));
        let Some(said) = said(&spec, line) else { return String::new() };
        let severity = said.severity.map_or("note", Severity::name);
        let code = said.code.map_or_else(String::new, |code| format!(" [{code}]"));
        format!("{}:{}:{} {severity}{code} {}", said.place.0, said.place.1, said.place.2, said.text)
    }

    #[test]
    fn each_form_is_read() {
        for (config, line, expected) in [
            ("", "src/a.zig:3:9: error: expected ';'", "src/a.zig:3:9 error expected ';'"),
            ("", "a.rs:2:5: error[E0308]: mismatched types", "a.rs:2:5 error [E0308] mismatched types"),
            ("", "A.java:5: error: cannot find symbol", "A.java:5:1 error cannot find symbol"),
            ("", "a.c:1:1: note: expanded: error: here", "a.c:1:1 note expanded: error: here"),
            ("", "./a.go:7:2: declared and not used: x", ""),
            ("format = \"plain\"", "./a.go:7:2: declared and not used: x", "./a.go:7:2 error declared and not used: x"),
            ("format = \"plain\"", "vet: ./a.go:7:2: undefined: y", "./a.go:7:2 error undefined: y"),
            ("format = \"plain\"", "a.py:3: warning: unused", "a.py:3:1 warning unused"),
            ("format = \"plain\"", "# example.test/x", ""),
            ("format = \"plain\"", "http://x: y", ""),
            ("format = \"tsc\"", "src/a.ts(4,7): error TS2322: Type 'x'.", "src/a.ts:4:7 error [TS2322] Type 'x'."),
            ("format = \"tsc\"", "call(1): nothing", ""),
            (
                r"pattern = '^(?<severity>\w+) in (?<file>\S+) line (?<line>\d+): (?<message>.*)$'",
                "Warning in a.x line 12: odd",
                "a.x:12:1 warning odd",
            ),
        ] {
            assert_eq!(check(config, line), expected, "{config} {line}");
        }
    }
}
