//! A compiler's messages as problems. Pure.

mod forms;

use std::path::{Component, Path, PathBuf};

use super::verdict::Severity;
use crate::config::CheckSpec;
use forms::{Place, Said, gnu, place, said};

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
    /// Its code, if the compiler names one.
    pub(super) code: Option<String>,
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

/// Reads GNU's `file:line:column: error: message` and the notes behind it. Relative files are those of `folder`.
pub(super) fn read_gnu(output: &str, folder: &Path, exists: impl Fn(&Path) -> bool) -> Vec<Message> {
    read(output, gnu, folder, exists)
}

/// Reads messages in the form that `check` says.
pub(super) fn read_as(check: &CheckSpec, output: &str, folder: &Path, exists: impl Fn(&Path) -> bool) -> Vec<Message> {
    read(output, |line| said(check, line), folder, exists)
}

/// Reads messages and the notes behind them.
///
/// A message about a place the agent cannot edit (a file that is not there, a library) is moved to the first note or
/// reference inside `root`: Zig blames a missing import on line 1 of the missing file, and a wrong use of a library
/// on the library.
fn read<'o>(
    output: &'o str,
    said: impl Fn(&'o str) -> Option<Said<'o>>,
    root: &Path,
    exists: impl Fn(&Path) -> bool,
) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for line in output.lines() {
        match (said(line), messages.last_mut()) {
            (Some(Said { place, severity: Some(severity), code, text }), _) => {
                let (path, line, column) = (absolute(place.0, root), place.1, place.2);
                let code = code.map(str::to_owned);
                messages.push(Message { path, line, column, severity, text: text.to_owned(), code, note: None });
            }
            (Some(Said { place, text, .. }), Some(last)) => last.note_if_first(place, text, root),
            (None, Some(last)) => {
                if let Some(place) = reference(line) {
                    last.note_if_first(place, "referenced here", root);
                }
            }
            (_, None) => {}
        }
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

impl Message {
    fn note_if_first(&mut self, place: Place<'_>, text: &str, root: &Path) {
        let path = absolute(place.0, root);
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

/// `    name: file:line:column`, as Zig lists under `referenced by:`.
fn reference(line: &str) -> Option<Place<'_>> {
    let (_, rest) = line.strip_prefix("    ")?.split_once(": ")?;
    place(rest)
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
        read_gnu(output, Path::new("/w"), exists).into_iter().map(show).collect()
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
