//! The `***` lines of the envelope, in the spellings that models use.

/// A `***` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker<'p> {
    Begin,
    End,
    EndOfFile,
    Add(&'p str),
    Update(&'p str),
    Delete(&'p str),
    MoveTo(&'p str),
    /// Three stars and something else.
    Unknown,
}

type Verb = (&'static str, fn(&str) -> Marker<'_>);

const VERBS: [Verb; 9] = [
    ("add", |path| Marker::Add(path)),
    ("create", |path| Marker::Add(path)),
    ("new", |path| Marker::Add(path)),
    ("update", |path| Marker::Update(path)),
    ("modify", |path| Marker::Update(path)),
    ("edit", |path| Marker::Update(path)),
    ("change", |path| Marker::Update(path)),
    ("delete", |path| Marker::Delete(path)),
    ("remove", |path| Marker::Delete(path)),
];

/// The marker that `text` is, blanks around it aside. A path comes trimmed and may be empty.
pub(super) fn marker(text: &str) -> Option<Marker<'_>> {
    let rest = text.trim().strip_prefix("***")?;
    if rest.starts_with('*') || rest.trim().is_empty() {
        return None;
    }
    let rest = rest.trim_start();
    for (phrase, marker) in
        [("begin patch", Marker::Begin), ("end patch", Marker::End), ("end of file", Marker::EndOfFile)]
    {
        if after(rest, phrase).is_some() {
            return Some(marker);
        }
    }
    if let Some(path) =
        ["move to", "move file to", "rename to", "move"].iter().find_map(|phrase| path(after(rest, phrase)?))
    {
        return Some(Marker::MoveTo(path));
    }
    let known = VERBS.iter().find_map(|(verb, of)| Some(of(file_path(after(rest, verb)?)?)));
    Some(known.unwrap_or(Marker::Unknown))
}

/// What follows `phrase`, however it is spelt in capitals.
fn after<'p>(text: &'p str, phrase: &str) -> Option<&'p str> {
    let head = text.get(..phrase.len())?;
    head.eq_ignore_ascii_case(phrase).then(|| text[phrase.len()..].trim_start())
}

/// The path in ` File: PATH`; either the word or the colon may be missing.
fn file_path(rest: &str) -> Option<&str> {
    match after(rest, "file") {
        Some(rest) => Some(path(rest).unwrap_or(rest)),
        None => path(rest),
    }
}

fn path(rest: &str) -> Option<&str> {
    let path = rest.strip_prefix(':')?.trim();
    Some(path.strip_suffix(" ***").unwrap_or(path).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_read_in_many_spellings() {
        let cases = [
            ("*** Begin Patch", Some(Marker::Begin)),
            (" *** End Patch \r", Some(Marker::End)),
            ("*** End Patch\"", Some(Marker::End)),
            ("***End of File", Some(Marker::EndOfFile)),
            ("*** Add File: a b.txt ", Some(Marker::Add("a b.txt"))),
            ("*** add file:a", Some(Marker::Add("a"))),
            ("*** Create File: a", Some(Marker::Add("a"))),
            ("*** Update: a ***", Some(Marker::Update("a"))),
            ("*** Update File a", Some(Marker::Update("a"))),
            ("*** Update File:", Some(Marker::Update(""))),
            ("*** Delete File: é", Some(Marker::Delete("é"))),
            ("*** Move to: b", Some(Marker::MoveTo("b"))),
            ("*** Frobnicate File: foo", Some(Marker::Unknown)),
            ("*** éééééééé", Some(Marker::Unknown)),
            ("*** Update the text", Some(Marker::Unknown)),
            ("***", None),
            ("***************", None),
            ("** bold **", None),
            ("+*** End Patch", None),
        ];
        for (text, expected) in cases {
            assert_eq!(marker(text), expected, "{text:?}");
        }
    }
}
