//! From places as a language server names them to lines that an agent can read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Definition, Hit, Hits};
use crate::lsp::Location;
use crate::search::clip;
use crate::syntax::{Language, Symbol, heading, outline};
use crate::text::{LineIndex, PositionEncoding, Span, count_lines, decode};
use crate::workspace::Workspace;
use crate::workspace::snapshot::relative;
use crate::workspace::symbols::SourceFile;

/// Not more bytes than this are parsed for one result, to tell what its lines stand in.
const MOST_PARSED: usize = 2 << 20;
/// Larger files of libraries are not read. Bytes.
const LARGEST: u64 = 4 << 20;
/// Most lines of a declaration that are kept.
const MOST_LINES: usize = 12;

/// The files of one result, each read once.
pub(super) struct Files<'w> {
    workspace: &'w Workspace,
    encoding: PositionEncoding,
    known: HashMap<PathBuf, Option<Known>>,
    /// Sources that are no files, by their URI.
    sources: HashMap<String, Known>,
    left: usize,
}

struct Known {
    text: Arc<str>,
    index: LineIndex,
    /// All declarations; none where they are not told.
    symbols: Vec<Symbol>,
}

impl<'w> Files<'w> {
    pub(super) fn new(workspace: &'w Workspace, encoding: PositionEncoding) -> Files<'w> {
        Files { workspace, encoding, known: HashMap::new(), sources: HashMap::new(), left: MOST_PARSED }
    }

    /// Adds the source behind a URI that is no file.
    pub(super) fn add_source(&mut self, uri: &str, text: String) {
        let language = (uri.contains(".class") || uri.contains(".java")).then_some(Language::Java);
        let known = Known::new(text.into(), language, &mut self.left);
        self.sources.insert(uri.to_owned(), known);
    }

    /// The first `most` of these places, each once, in the order of files and lines, those of the workspace first.
    pub(super) fn hits(&mut self, places: Vec<Location>, most: usize) -> Hits {
        let root = self.workspace.root().to_owned();
        let mut sorted: Vec<(bool, String, Location)> = places
            .into_iter()
            .map(|place| {
                let inside = place.path.as_ref().is_some_and(|path| path.starts_with(&root));
                (!inside, label(&root, &place), place)
            })
            .collect();
        let key = |(outside, file, place): &(bool, String, Location)| (*outside, file.clone(), place.range.start);
        sorted.sort_by_cached_key(key);
        sorted.dedup_by_key(|entry| key(entry));
        drop_wholes(&mut sorted);
        let mut files: Vec<&str> = sorted.iter().map(|(_, file, _)| file.as_str()).collect();
        files.dedup();
        let (total, files_total) = (sorted.len(), files.len());
        let shown = sorted.iter().take(most).map(|(outside, file, place)| self.hit(*outside, file, place)).collect();
        Hits { shown, total, files_total, complete: true }
    }

    /// One place, with what is declared there.
    pub(super) fn definition(&mut self, place: &Location) -> Definition {
        let root = self.workspace.root().to_owned();
        let inside = place.path.as_ref().is_some_and(|path| path.starts_with(&root));
        let hit = self.hit(!inside, &label(&root, place), place);
        let encoding = self.encoding;
        let Some(known) = self.known(place) else {
            return Definition { hit, name: None, kind: None, lines: Vec::new(), of: 0 };
        };
        let at = known.index.offset(&known.text, place.range.start, encoding);
        let symbol = known.symbols.iter().find(|symbol| (symbol.name_span.start..=symbol.name_span.end).contains(&at));
        let line = known.index.line_at(at);
        let (first, end) = symbol.map_or((line, line + 1), |symbol| (symbol.lines.start, symbol.lines.end));
        let shown = (first..end).take(MOST_LINES);
        let lines = shown.map(|line| (line + 1, clip(known.index.line(&known.text, line).as_bytes(), 0..0)));
        Definition {
            name: symbol.map(full_name),
            kind: symbol.map(|symbol| symbol.kind),
            lines: if hit.past_end.is_some() { Vec::new() } else { lines.collect() },
            of: end - first,
            hit,
        }
    }

    fn hit(&mut self, outside: bool, file: &str, place: &Location) -> Hit {
        let encoding = self.encoding;
        let mut hit = Hit {
            file: file.to_owned(),
            uri: place.path.is_none().then(|| place.uri.clone()),
            outside,
            line: place.range.start.line as usize + 1,
            column: place.range.start.column as usize + 1,
            text: None,
            within: None,
            past_end: None,
        };
        let Some(known) = self.known(place) else { return hit };
        let lines = count_lines(&known.text);
        if hit.line > lines {
            hit.past_end = Some(lines);
            return hit;
        }
        let at = known.index.offset(&known.text, place.range.start, encoding);
        known.describe(&mut hit, at);
        hit
    }

    /// A hit at these bytes of a file of the workspace.
    pub(super) fn hit_at(&mut self, path: &Path, name: Span) -> Option<Hit> {
        let file = relative(self.workspace.root(), path);
        let known = self.file(path)?;
        let line = known.index.line_at(name.start) + 1;
        let mut hit =
            Hit { file, uri: None, outside: false, line, column: 1, text: None, within: None, past_end: None };
        known.describe(&mut hit, name.start);
        Some(hit)
    }

    fn known(&mut self, place: &Location) -> Option<&Known> {
        match &place.path {
            Some(path) => self.file(path),
            None => self.sources.get(&place.uri),
        }
    }

    fn file(&mut self, path: &Path) -> Option<&Known> {
        if !self.known.contains_key(path) {
            let text = self.read(path);
            let known = text.map(|text| Known::new(text, Language::of_path(path), &mut self.left));
            self.known.insert(path.to_owned(), known);
        }
        self.known.get(path)?.as_ref()
    }

    /// A file of the workspace, or a source file of a library: nothing else outside is opened, whoever names it.
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        if path.starts_with(self.workspace.root()) {
            return SourceFile::read(self.workspace.paths(), path).map(|source| source.text);
        }
        let place = self.workspace.shared.place.as_ref()?;
        let real = path.canonicalize().ok().filter(|real| place.serves(real))?;
        let data = std::fs::metadata(&real).ok().filter(|data| data.is_file() && data.len() <= LARGEST)?;
        let bytes = std::fs::read(&real).ok().filter(|bytes| bytes.len() as u64 <= data.len().max(1))?;
        decode(bytes).ok().map(|decoded| decoded.text.into())
    }
}

impl Known {
    fn new(text: Arc<str>, language: Option<Language>, left: &mut usize) -> Known {
        let affordable = language.filter(|_| text.len() <= *left);
        if affordable.is_some() {
            *left -= text.len();
        }
        let symbols = affordable.map(|language| outline(language, &text)).unwrap_or_default();
        Known { index: LineIndex::new(&text), symbols, text }
    }

    /// The line that holds byte `at`, and what it stands in.
    fn describe(&self, hit: &mut Hit, at: usize) {
        let line = self.index.line_at(at);
        let start = self.index.span(line).map_or(0, |span| span.start);
        let focus = at - start;
        hit.column = self.index.position(&self.text, at, PositionEncoding::Utf32).column as usize + 1;
        hit.text = Some(clip(self.index.line(&self.text, line).as_bytes(), focus..focus));
        hit.within = heading(&self.symbols, &self.index, &self.text, line).map(str::to_owned);
    }
}

/// Leaves out places that hold another on the same line: jdtls tells of an import as a whole and by its last name.
fn drop_wholes(sorted: &mut Vec<(bool, String, Location)>) {
    let is_whole = |(_, file, place): &(bool, String, Location), (_, other_file, other): &(bool, String, Location)| {
        let (outer, inner) = (place.range, other.range);
        file == other_file && outer.start.line == outer.end.line && outer.start < inner.start && inner.end <= outer.end
    };
    // Sorted by their starts, so the part stands right behind its whole.
    let wholes: Vec<bool> = sorted.windows(2).map(|pair| is_whole(&pair[0], &pair[1])).collect();
    let mut wholes = wholes.into_iter().chain([false]);
    sorted.retain(|_| !wholes.next().unwrap_or(false));
}

pub(super) fn full_name(symbol: &Symbol) -> String {
    match &symbol.container {
        Some(container) => format!("{container}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

/// How a file is called: relative to the workspace, by its path outside, or by what can be read of its URI.
fn label(root: &Path, place: &Location) -> String {
    match &place.path {
        Some(path) => relative(root, path),
        None => match place.uri.strip_prefix("jdt://contents/") {
            // jdtls puts the archive and its options behind the name of the class.
            Some(class) => class.split('?').next().unwrap_or(class).to_owned(),
            None => place.uri.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::Range;
    use crate::text::Position;

    #[test]
    fn what_is_no_file_is_called_by_what_can_be_read() {
        let at = Position { line: 0, column: 0 };
        let of = |uri: &str, path: Option<&str>| {
            let place =
                Location { uri: uri.into(), path: path.map(PathBuf::from), range: Range { start: at, end: at } };
            label(Path::new("/w"), &place)
        };
        assert_eq!(of("file:///w/a/b.go", Some("/w/a/b.go")), "a/b.go");
        assert_eq!(of("file:///go/src/fmt/print.go", Some("/go/src/fmt/print.go")), "/go/src/fmt/print.go");
        assert_eq!(of("jdt://contents/java.base/java.util/Map.class?=x", None), "java.base/java.util/Map.class");
        assert_eq!(of("zip:/a!b", None), "zip:/a!b");
    }
}
