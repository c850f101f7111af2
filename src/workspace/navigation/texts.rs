//! What the texts on disk say when no language server does: declarations of the name, and lines that hold it as a word.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::hits::Files;
use super::words::{self, whole_word};
use super::{Definition, Hit, Hits, Said, Spot};
use crate::lsp::{Location, Range};
use crate::search::{End, FoundLines, Limits, Pattern, PatternOptions, Place, Role, Wanted, find_lines};
use crate::syntax::SymbolKind;
use crate::text::{LineIndex, Position, PositionEncoding};
use crate::workspace::Workspace;
use crate::workspace::symbols::{Declared, SymbolRefused, blocking};

/// Most declarations shown.
const MOST_DECLARATIONS: usize = 8;
/// Most lines of a comment above a declaration.
const MOST_COMMENT: usize = 40;

impl Workspace {
    /// The declarations under the name at `spot`.
    pub(super) async fn declarations_like(&self, spot: &Spot) -> Vec<Definition> {
        let declared = self.declared_like(spot).await;
        let workspace = self.clone();
        blocking(move |_| {
            let mut files = Files::new(&workspace, PositionEncoding::Utf32);
            declared.iter().take(MOST_DECLARATIONS).map(|declared| files.definition(&location(declared))).collect()
        })
        .await
    }

    async fn declared_like(&self, spot: &Spot) -> Vec<Declared> {
        if let Some(declared) = &spot.declared {
            return vec![declared.clone()];
        }
        match self.find_symbol(spot.word(), None).await {
            Ok(found) => [found.declared].into_iter().chain(found.others).collect(),
            Err(SymbolRefused::Ambiguous { candidates, .. }) => candidates,
            Err(_) => Vec::new(),
        }
    }

    /// The lines that hold the name as a word, but for its own declaration.
    pub(super) async fn words_like(&self, spot: &Spot, most: usize) -> Hits {
        let own = spot.declared.is_some().then(|| (spot.path.clone(), spot.line));
        self.lines_like(spot, most, whole_word(spot.word()), own).await
    }

    /// Lines that name the type as what they extend or implement; other methods of the same name.
    pub(super) async fn implementations_like(&self, spot: &Spot, most: usize) -> Hits {
        let is_member = spot
            .declared
            .as_ref()
            .is_some_and(|declared| matches!(declared.symbol.kind, SymbolKind::Method | SymbolKind::Function));
        if is_member {
            return self.methods_like(spot, most).await;
        }
        let pattern = format!(r"\b(?:implements|extends)\b[^{{]*\b{}\b", regex_syntax::escape(spot.word()));
        self.lines_like(spot, most, Pattern::new(&pattern, PatternOptions::default()).ok(), None).await
    }

    async fn methods_like(&self, spot: &Spot, most: usize) -> Hits {
        let others = match self.find_symbol(spot.word(), None).await {
            Ok(found) => [found.declared].into_iter().chain(found.others).collect(),
            Err(SymbolRefused::Ambiguous { candidates, .. }) => candidates,
            Err(_) => Vec::new(),
        };
        let is_other = |other: &Declared| other.path != spot.path || other.symbol.name_span != spot.name;
        let methods: Vec<Location> = others
            .iter()
            .filter(|other| other.symbol.kind == SymbolKind::Method && is_other(other))
            .map(location)
            .collect();
        let workspace = self.clone();
        blocking(move |_| Files::new(&workspace, PositionEncoding::Utf32).hits(methods, most)).await
    }

    async fn lines_like(
        &self,
        spot: &Spot,
        most: usize,
        pattern: Option<Pattern>,
        own: Option<(PathBuf, usize)>,
    ) -> Hits {
        let Some(pattern) = pattern else { return Hits::none() };
        let (workspace, word, path) = (self.clone(), spot.word().to_owned(), spot.path.clone());
        blocking(move |cancel| {
            let found = search(&workspace, &path, &pattern, most + 1, cancel);
            found.map_or_else(Hits::none, |found| workspace.hits_of(found, &word, most, own))
        })
        .await
    }

    fn hits_of(&self, found: FoundLines, word: &str, most: usize, own: Option<(PathBuf, usize)>) -> Hits {
        let is_own = |path: &Path, line: usize| own.as_ref().is_some_and(|own| own.0 == path && own.1 == line);
        let mut places = Vec::new();
        let (mut hidden, mut hidden_files) = (0, 0);
        for (path, file) in &found.files {
            let lines = file.lines.iter().filter(|line| line.role == Role::Hit);
            let before = places.len();
            for line in lines {
                if is_own(path, line.number) {
                    hidden += 1;
                } else {
                    places.push(self.location_of_word(path, line.number, &line.text, word));
                }
            }
            hidden_files += usize::from(places.len() == before);
        }
        let mut hits = Files::new(self, PositionEncoding::Utf32).hits(places, most);
        hits.total = found.total - hidden;
        hits.files_total = found.files_total - hidden_files;
        hits.complete = found.end == End::Complete;
        hits
    }

    fn location_of_word(&self, path: &Path, line: usize, text: &str, word: &str) -> Location {
        let at = words::all(text).into_iter().find(|one| one.text == word).map_or(0, |one| one.start);
        let column = text[..at].chars().count() as u32;
        let start = Position { line: line.saturating_sub(1) as u32, column };
        Location { uri: String::new(), path: Some(path.to_owned()), range: Range { start, end: start } }
    }

    /// The comment above the declaration, and the line that declares.
    pub(super) async fn comment_on(&self, spot: &Spot) -> Option<Said> {
        let declared = self.declared_like(spot).await;
        let [declared] = declared.as_slice() else { return None };
        let (workspace, declared) = (self.clone(), declared.clone());
        blocking(move |_| {
            let source = crate::workspace::symbols::SourceFile::read(workspace.paths(), &declared.path)?;
            let mut files = Files::new(&workspace, PositionEncoding::Utf32);
            let from: Option<Hit> = files.hit_at(&declared.path, declared.symbol.name_span);
            Some(Said { text: with_comment(&source.text, &declared), from })
        })
        .await
    }
}

impl Hits {
    /// No places.
    pub(super) fn none() -> Hits {
        Hits { shown: Vec::new(), total: 0, files_total: 0, complete: true }
    }
}

/// A declaration's place, in characters.
pub(super) fn location(declared: &Declared) -> Location {
    let start = Position { line: declared.line as u32 - 1, column: declared.column as u32 - 1 };
    Location { uri: String::new(), path: Some(declared.path.clone()), range: Range { start, end: start } }
}

/// Searches the files with the ending of `path`.
fn search(
    workspace: &Workspace,
    path: &Path,
    pattern: &Pattern,
    most: usize,
    cancel: &AtomicBool,
) -> Option<FoundLines> {
    let ending = path.extension()?.to_str()?;
    let place = Place { globs: vec![format!("*.{ending}")], ..Place::new(workspace.root().to_owned()) };
    find_lines(&place, pattern, Wanted::Lines { context: 0 }, &Limits::new(most, cancel)).ok()
}

/// The declaring line, and the lines of comment directly above it.
fn with_comment(text: &str, declared: &Declared) -> String {
    let index = LineIndex::new(text);
    let first = declared.symbol.lines.start;
    let is_comment =
        |line: &str| line.starts_with("//") || line.starts_with("/*") || line.starts_with('*') || line.starts_with('@');
    let above = (0..first).rev().map(|line| index.line(text, line).trim());
    let mut comment: Vec<&str> = above.take_while(|line| is_comment(line)).take(MOST_COMMENT).collect();
    comment.reverse();
    let named = index.line_at(declared.symbol.name_span.start);
    let head = (first..=named).map(|line| index.line(text, line).trim());
    comment.into_iter().chain(head).collect::<Vec<_>>().join("\n")
}
