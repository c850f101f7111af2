//! A compiler's messages as problems. Pure.

use std::path::{Component, Path, PathBuf};

use super::verdict::Severity;

/// One message of a compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    /// Absolute, `.` and `..` resolved by name.
    pub(super) path: PathBuf,
    /// 1-based.
    pub(super) line: u32,
    /// 1-based, bytes.
    pub(super) column: u32,
    pub(super) severity: Severity,
    pub(super) text: String,
    /// The first note that stands elsewhere.
    pub(super) note: Option<Note>,
}

/// A compiler's note on a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) path: PathBuf,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) text: String,
}

/// Reads `file:line:column: error: message` and the notes behind it. Relative files are those of `folder`.
///
/// A message about a place the agent cannot edit (a file that is not there, a library) is moved to the first note or
/// reference inside `root`: Zig blames a missing import on line 1 of the missing file, and a wrong use of a library
/// on the library.
pub(super) fn read_gnu(output: &str, folder: &Path, root: &Path, exists: impl Fn(&Path) -> bool) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for line in output.lines() {
        let Some((place, kind, text)) = split(line) else {
            if let (Some(last), Some(place)) = (messages.last_mut(), reference(line)) {
                last.note_if_first(place, "referenced here", folder, root);
            }
            continue;
        };
        let severity = match kind {
            "error" | "fatal error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => {
                if let Some(last) = messages.last_mut() {
                    last.note_if_first(place, text, folder, root);
                }
                continue;
            }
        };
        let (path, line, column) = (absolute(place.0, folder), place.1, place.2);
        messages.push(Message { path, line, column, severity, text: text.to_owned(), note: None });
    }
    let mut read: Vec<Message> = Vec::new();
    for message in messages.into_iter().map(|message| message.where_it_can_be_mended(root, &exists)) {
        // A compiler run for several targets says everything several times.
        if !read
            .iter()
            .any(|known| (&known.path, known.line, &known.text) == (&message.path, message.line, &message.text))
        {
            read.push(message);
        }
    }
    read
}

type Place<'a> = (&'a str, u32, u32);

impl Message {
    fn note_if_first(&mut self, place: Place<'_>, text: &str, folder: &Path, root: &Path) {
        let path = absolute(place.0, folder);
        if self.note.is_none() && path.starts_with(root) {
            self.note = Some(Note { path, line: place.1, column: place.2, text: text.to_owned() });
        }
    }

    fn where_it_can_be_mended(mut self, root: &Path, exists: &impl Fn(&Path) -> bool) -> Message {
        let elsewhere = !self.path.starts_with(root) || !exists(&self.path);
        if elsewhere && let Some(note) = self.note.take() {
            let was = Note { path: self.path, line: self.line, column: self.column, text: "found here".to_owned() };
            (self.path, self.line, self.column) = (note.path, note.line, note.column);
            self.note = exists(&was.path).then_some(was);
        }
        self
    }
}

/// `file:line:column: kind: text`; the column may be missing.
fn split(line: &str) -> Option<(Place<'_>, &str, &str)> {
    for kind in ["error", "fatal error", "warning", "note"] {
        let marker = line.find(&format!(": {kind}: "));
        if let Some(at) = marker
            && let Some(place) = place(&line[..at])
        {
            return Some((place, kind, line[at + kind.len() + 4..].trim_end()));
        }
    }
    None
}

/// `    name: file:line:column`, as Zig lists under `referenced by:`.
fn reference(line: &str) -> Option<Place<'_>> {
    let (_, rest) = line.strip_prefix("    ")?.split_once(": ")?;
    place(rest)
}

fn place(text: &str) -> Option<Place<'_>> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) if !file.is_empty() => Some((file, line, last)),
        _ if !rest.is_empty() && !rest.contains(' ') => Some((rest, last, 1)),
        _ => None,
    }
}

fn absolute(file: &str, folder: &Path) -> PathBuf {
    let mut path = PathBuf::new();
    for component in folder.join(file).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(output: &str) -> Vec<String> {
        let exists = |path: &Path| !path.ends_with("nope.zig");
        let show = |message: Message| {
            let note = message
                .note
                .map_or_else(String::new, |note| format!(" <{}:{}: {}>", note.path.display(), note.line, note.text));
            let at = format!("{}:{}:{}", message.path.display(), message.line, message.column);
            format!("{at} {} {}{note}", message.severity.name(), message.text)
        };
        read_gnu(output, Path::new("/w"), Path::new("/w"), exists).into_iter().map(show).collect()
    }

    #[test]
    fn messages_carry_their_note() {
        let output = "check\n+- compile exe x debug native 1 errors\n\
            src/a.zig:24:39: error: incompatible types: 'i64' and '*const [1:0]u8'\n    var x: i64 = 1;\n    ~~~^~~\n\
            src/b.zig:3:1: note: type 'i64' here\nreferenced by:\n    main: src/main.zig:5:10\n\
            src/a.zig:24:39: error: incompatible types: 'i64' and '*const [1:0]u8'\nerror: 1 compilation errors\n";
        let expected =
            "/w/src/a.zig:24:39 error incompatible types: 'i64' and '*const [1:0]u8' </w/src/b.zig:3: type 'i64' here>";
        assert_eq!(read(output), [expected]);
    }

    #[test]
    fn blame_goes_to_the_place_that_can_be_edited() {
        let missing = "src/nope.zig:1:1: error: unable to load \"nope.zig\": FileNotFound\nsrc/m/../a.zig:2:22: note: file imported here\n";
        assert_eq!(read(missing), ["/w/src/a.zig:2:22 error unable to load \"nope.zig\": FileNotFound"]);
        let library = "/usr/lib/zig/fmt.zig:9:5: error: too few arguments\nreferenced by:\n    print__anon_1: /usr/lib/zig/io.zig:7:3\n    main: src/main.zig:5:10\n";
        assert_eq!(
            read(library),
            ["/w/src/main.zig:5:10 error too few arguments </usr/lib/zig/fmt.zig:9: found here>"]
        );
    }

    #[test]
    fn other_compilers_are_read_too() {
        let vet = "# example.test/x\n./a.go:7:2: error: x: declared and not used\nA.java:5: error: cannot find symbol\nhttp://x: note: y\n";
        assert_eq!(read(vet), ["/w/a.go:7:2 error x: declared and not used", "/w/A.java:5:1 error cannot find symbol"]);
    }
}
