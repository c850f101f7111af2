//! From what language servers and checkers said to problems as an agent is told of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::checker_output::Message;
use super::verdict::{Problem, Severity};
use crate::config::DiagnosticsSource;
use crate::lsp::{Diagnostic, Heard};
use crate::text::{LineIndex, Position, PositionEncoding};

/// Longest message that is kept. Characters.
const LONGEST_MESSAGE: usize = 300;
/// Larger files are not read for the sake of a column. Bytes.
const LARGEST_TEXT: u64 = 8 << 20;

/// What a publish was made of, so that the same one is not read twice.
type Read = (u64, Arc<[Problem]>);

/// Turns publishes into problems, remembering those that have not changed.
#[derive(Debug, Default)]
pub(super) struct Reader {
    read: HashMap<PathBuf, Read>,
}

/// What is needed to know files as the agent does.
pub(super) struct Texts<'a> {
    pub(super) workspace: &'a Path,
    /// Texts of open documents.
    pub(super) open: HashMap<PathBuf, Arc<str>>,
    known: HashMap<PathBuf, Option<(Arc<str>, LineIndex)>>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(workspace: &'a Path, open: HashMap<PathBuf, Arc<str>>) -> Texts<'a> {
        Texts { workspace, open, known: HashMap::new() }
    }

    /// A file as reports name it.
    pub(super) fn name(&self, path: &Path) -> String {
        relative(self.workspace, path)
    }

    /// The column (1-based, characters) of a position in `encoding`.
    fn column(&mut self, path: &Path, position: Position, encoding: PositionEncoding) -> u32 {
        let open = &self.open;
        let known = self.known.entry(path.to_owned()).or_insert_with(|| {
            let text = open.get(path).cloned().or_else(|| read_text(path))?;
            let index = LineIndex::new(&text);
            Some((text, index))
        });
        let Some((text, index)) = known else { return position.column.saturating_add(1) };
        let offset = index.offset(text, position, encoding);
        index.position(text, offset, PositionEncoding::Utf32).column.saturating_add(1)
    }
}

/// `path` relative to the workspace, with `/`.
pub(super) fn relative(workspace: &Path, path: &Path) -> String {
    path.strip_prefix(workspace).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

fn read_text(path: &Path) -> Option<Arc<str>> {
    if std::fs::metadata(path).ok()?.len() > LARGEST_TEXT {
        return None;
    }
    crate::text::decode(std::fs::read(path).ok()?).ok().map(|decoded| decoded.text.into())
}

impl Reader {
    /// The problems of every file in the workspace, by path.
    pub(super) fn published(
        &mut self,
        heard: &HeardPublishes,
        texts: &mut Texts<'_>,
    ) -> Vec<(PathBuf, Arc<[Problem]>)> {
        self.read.retain(|path, _| heard.publishes.iter().any(|(known, ..)| known == path));
        let mut all = Vec::new();
        for (path, at, items) in &heard.publishes {
            let problems = match self.read.get(path) {
                Some((read_at, problems)) if read_at == at => Arc::clone(problems),
                _ => items.iter().map(|item| from_diagnostic(item, path, heard.encoding, texts)).collect(),
            };
            self.read.insert(path.clone(), (*at, Arc::clone(&problems)));
            all.push((path.clone(), problems));
        }
        all
    }
}

/// The publishes that matter, taken off the board in one go.
pub(super) struct HeardPublishes {
    encoding: PositionEncoding,
    publishes: Vec<(PathBuf, u64, Arc<[Diagnostic]>)>,
}

impl HeardPublishes {
    /// Those that say something of a file inside `workspace`. A language server also speaks of its project, by the
    /// URI of a folder: that is not a file's problem.
    pub(super) fn of(
        heard: &Heard,
        source: DiagnosticsSource,
        encoding: PositionEncoding,
        workspace: &Path,
    ) -> HeardPublishes {
        let inside = |path: &Path| path.starts_with(workspace) && path != workspace;
        let speaking =
            heard.problems(source).into_iter().filter(|(path, (_, items))| !items.is_empty() && inside(path));
        let publishes = speaking.map(|(path, (at, items))| (path.to_owned(), at, items)).collect();
        HeardPublishes { encoding, publishes }
    }
}

fn from_diagnostic(item: &Diagnostic, path: &Path, encoding: PositionEncoding, texts: &mut Texts<'_>) -> Problem {
    let related = item.related.as_ref().map(|related| {
        let column = texts.column(&related.path, related.start, encoding);
        let place = format!("{}:{}:{column}", texts.name(&related.path), related.start.line.saturating_add(1));
        one_line(&format!("{place}: {}", related.message))
    });
    Problem {
        number: None,
        file: texts.name(path),
        line: item.start.line.saturating_add(1),
        column: texts.column(path, item.start, encoding),
        severity: match item.severity {
            1 => Severity::Error,
            2 => Severity::Warning,
            3 => Severity::Information,
            _ => Severity::Hint,
        },
        message: one_line(&item.message),
        source: item.source.as_deref().map(one_line),
        code: item.code.as_deref().map(one_line),
        related,
    }
}

/// A checker's message as a problem.
pub(super) fn from_message(message: &Message, source: &str, texts: &mut Texts<'_>) -> Problem {
    let at = |line: u32, column: u32| Position { line: line.saturating_sub(1), column: column.saturating_sub(1) };
    let related = message.note.as_ref().map(|note| {
        let column = texts.column(&note.path, at(note.line, note.column), PositionEncoding::Utf8);
        one_line(&format!("{}:{}:{column}: {}", texts.name(&note.path), note.line, note.text))
    });
    Problem {
        number: None,
        file: texts.name(&message.path),
        line: message.line,
        column: texts.column(&message.path, at(message.line, message.column), PositionEncoding::Utf8),
        severity: message.severity,
        message: one_line(&message.text),
        source: Some(source.to_owned()),
        code: message.code.as_deref().map(one_line),
        related,
    }
}

/// Text of a stranger on one line: control and invisible direction characters out, blanks run together, cut.
pub(super) fn one_line(text: &str) -> String {
    let hidden = |character: char| matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    let plain: String = text
        .chars()
        .take(4 * LONGEST_MESSAGE)
        .map(|character| if character.is_control() || hidden(character) { ' ' } else { character })
        .collect();
    let mut line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = line.char_indices().nth(LONGEST_MESSAGE) {
        line.truncate(at);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strange_text_stays_on_its_line() {
        for (text, expected) in [
            ("plain", "plain"),
            (
                "not enough arguments\n\thave (number)\n\twant (int, int)",
                "not enough arguments have (number) want (int, int)",
            ),
            ("x\r\nedited a.go: lines 1-2\u{1b}[2K", "x edited a.go: lines 1-2 [2K"),
            ("a\u{202E}b\u{0}c", "a b c"),
        ] {
            assert_eq!(one_line(text), expected);
        }
        assert_eq!(one_line(&"é".repeat(1000)).chars().count(), LONGEST_MESSAGE + 1);
    }

    #[test]
    fn columns_are_characters() {
        let path = PathBuf::from("/w/a.go");
        let mut texts = Texts::new(Path::new("/w"), HashMap::from([(path.clone(), Arc::from("x\né𝄞z\n"))]));
        let column =
            |texts: &mut Texts<'_>, column, encoding| texts.column(&path, Position { line: 1, column }, encoding);
        assert_eq!(column(&mut texts, 3, PositionEncoding::Utf16), 3);
        assert_eq!(column(&mut texts, 6, PositionEncoding::Utf8), 3);
        assert_eq!(column(&mut texts, u32::MAX, PositionEncoding::Utf16), 4);
    }
}
