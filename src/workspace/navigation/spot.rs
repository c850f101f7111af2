//! From how a call addresses a thing to the one place in the code that is asked about.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::time::Instant;

use super::words::{self, Word, whole_word};
use crate::search::{Limits, Place, Wanted, find_lines};
use crate::syntax::{Language, NamePath};
use crate::text::{LineIndex, PositionEncoding, Span, count_lines};
use crate::workspace::Workspace;
use crate::workspace::paths::Resolved;
use crate::workspace::symbols::{Declared, SourceFile, SymbolRefused, blocking};

/// So many lines above and below the one that was said a name is still looked for.
const NEAR: usize = 10;
/// Most files looked at for a use of a name that is declared nowhere in the workspace.
const MOST_FILES: usize = 200;

/// How a call says what it means. Lines and columns are 1-based, columns in characters.
#[derive(Debug, Clone, Default)]
pub struct Address {
    /// A name, or a path of names.
    pub symbol: Option<String>,
    /// The file.
    pub file: Option<Resolved>,
    /// The line in it.
    pub line: Option<usize>,
    /// The column in the line.
    pub column: Option<usize>,
}

/// A name in the code.
#[derive(Debug, Clone)]
pub struct Spot {
    /// Its file's real path.
    pub path: std::path::PathBuf,
    /// The file relative to the workspace root.
    pub file: String,
    /// The file's text, as it was read.
    pub text: Arc<str>,
    /// The bytes of the name.
    pub name: Span,
    /// Its line, 1-based.
    pub line: usize,
    /// Its column in characters, 1-based.
    pub column: usize,
    /// What it declares, when it stands in a declaration's own name.
    pub declared: Option<Declared>,
    /// Declarations of the same name that were not meant.
    pub others: Vec<Declared>,
    /// What differs from how it was addressed.
    pub found: FoundBy,
    /// When it was begun to look for it: what is asked about it is waited for from then on.
    pub since: Instant,
}

/// How a spot was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundBy {
    /// As it was addressed.
    Address,
    /// It is declared nowhere in reach; this is its first use.
    FirstUse,
    /// It does not stand on the line that was said, which is this one (1-based), but near.
    NearLine(usize),
}

/// Why an address means no one place.
#[derive(Debug, thiserror::Error)]
pub enum SpotRefused {
    /// The name means no one declaration, or the file cannot be read.
    #[error(transparent)]
    Symbol(#[from] SymbolRefused),
    /// Neither a symbol nor a line was given.
    #[error("neither a symbol nor a file with a line was given")]
    Nothing {
        /// Whether a file was given.
        has_file: bool,
    },
    /// The file is shorter.
    #[error("{file} has {lines} lines")]
    NoLine {
        /// The file.
        file: String,
        /// The line that was said.
        line: usize,
        /// How many there are.
        lines: usize,
    },
    /// The line is shorter.
    #[error("line {line} of {file} has {characters} characters")]
    NoColumn {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The column that was said.
        column: usize,
        /// How many there are.
        characters: usize,
    },
    /// The name stands elsewhere in the file, or nowhere in it.
    #[error("the name is not on line {line} of {file}")]
    NotOnLine {
        /// The file.
        file: String,
        /// The line that was said.
        line: usize,
        /// The name.
        name: String,
        /// What stands on that line.
        text: String,
        /// The lines on which the name stands.
        stands_on: Vec<usize>,
    },
    /// The line names several things, or none.
    #[error("line {line} of {file} names {} things", names.len())]
    NoOneName {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// What stands on it.
        text: String,
        /// The names on it, and their columns.
        names: Vec<(String, usize)>,
    },
}

impl Workspace {
    /// Finds the place that `address` means.
    ///
    /// # Errors
    /// [`SpotRefused`], with what could have been meant.
    pub async fn spot(&self, address: Address) -> Result<Spot, SpotRefused> {
        let since = Instant::now();
        let spot = match (&address.symbol, &address.file, address.line) {
            (_, Some(file), Some(line)) => {
                let source = SourceFile::read_named(self.paths(), file)?;
                on_line(&source, line, address.column, address.symbol.as_deref())
            }
            (Some(symbol), file, _) => self.spot_of(symbol, file.as_ref()).await,
            (None, file, _) => Err(SpotRefused::Nothing { has_file: file.is_some() }),
        };
        spot.map(|spot| Spot { since, ..spot })
    }

    async fn spot_of(&self, symbol: &str, file: Option<&Resolved>) -> Result<Spot, SpotRefused> {
        let refused = match self.find_symbol(symbol, file).await {
            Ok(found) => {
                let declared = found.declared;
                let source = SourceFile { path: declared.path.clone(), file: declared.file.clone(), text: found.text };
                let mut spot = Spot::new(&source, &LineIndex::new(&source.text), declared.symbol.name_span);
                (spot.declared, spot.others) = (Some(declared), found.others);
                return Ok(spot);
            }
            Err(refused @ (SymbolRefused::NoSuch { .. } | SymbolRefused::NoGrammar { .. })) => refused,
            Err(refused) => return Err(refused.into()),
        };
        let Some(name) = NamePath::parse(symbol) else { return Err(refused.into()) };
        if file.is_none()
            && let Some(spot) = self.told_spot(&name).await
        {
            return Ok(spot);
        }
        let (workspace, file) = (self.clone(), file.cloned());
        let used = blocking(move |cancel| match file {
            Some(file) => first_use(&SourceFile::read_named(workspace.paths(), &file).ok()?, &name),
            None => workspace.first_use_anywhere(&name, cancel),
        });
        used.await.ok_or_else(|| refused.into())
    }

    /// The declaration of a name in a language without a grammar, as a language server tells it.
    async fn told_spot(&self, name: &NamePath) -> Option<Spot> {
        let (path, position, encoding) = self.told_declaration(name.name()).await?;
        let source = SourceFile::read(self.paths(), &path)?;
        let index = LineIndex::new(&source.text);
        let from = index.offset(&source.text, position, encoding);
        let line = index.span(index.line_at(from))?;
        // Only the whole declaration may have been told: then its name is the first such word from there on.
        let found = words::all(source.text.get(line.start..line.end)?)
            .into_iter()
            .map(|word| Span::new(line.start + word.start, line.start + word.end()))
            .find(|span| span.start >= from && source.text.get(span.start..span.end) == Some(name.name()))?;
        Some(Spot::new(&source, &index, found))
    }

    /// The first use of a name that is declared outside the workspace.
    fn first_use_anywhere(&self, name: &NamePath, cancel: &AtomicBool) -> Option<Spot> {
        let limits = Limits::new(MOST_FILES, cancel);
        let place = Place::new(self.root().to_owned());
        let found = find_lines(&place, &whole_word(name.name())?, Wanted::Files, &limits).ok()?;
        let concerns = |path: &std::path::Path| {
            let served = self.shared.place.as_ref().is_some_and(|place| place.serves(path));
            served || Language::of_path(path).is_some()
        };
        let files = found.files.into_iter().map(|(path, _)| path).filter(|path| concerns(path));
        files.filter_map(|path| SourceFile::read(self.paths(), &path)).find_map(|source| first_use(&source, name))
    }
}

impl Spot {
    fn new(source: &SourceFile, index: &LineIndex, name: Span) -> Spot {
        let at = index.position(&source.text, name.start, PositionEncoding::Utf32);
        Spot {
            path: source.path.clone(),
            file: source.file.clone(),
            text: Arc::clone(&source.text),
            name,
            line: at.line as usize + 1,
            column: at.column as usize + 1,
            declared: None,
            others: Vec::new(),
            found: FoundBy::Address,
            since: Instant::now(),
        }
    }

    /// The name itself.
    pub fn word(&self) -> &str {
        self.text.get(self.name.start..self.name.end).unwrap_or_default()
    }

    /// How it is called in a result: with the types it stands in where those are known.
    pub fn full_name(&self) -> String {
        self.declared.as_ref().map_or_else(|| self.word().to_owned(), Declared::full_name)
    }
}

/// The place on a line (1-based) that is meant.
fn on_line(source: &SourceFile, line: usize, column: Option<usize>, symbol: Option<&str>) -> Result<Spot, SpotRefused> {
    let (index, lines) = (LineIndex::new(&source.text), count_lines(&source.text));
    if line == 0 || line > lines {
        return Err(SpotRefused::NoLine { file: source.file.clone(), line, lines });
    }
    let here = Here { source, index: &index, line };
    let name = symbol.and_then(NamePath::parse);
    let (at, word) = match (column, &name) {
        (Some(column), _) => (line, here.at_column(column)?),
        (None, Some(name)) => here.near(name.name())?,
        (None, None) => (line, here.only_name()?),
    };
    let start = index.span(at - 1).map_or(0, |span| span.start) + word.start;
    let mut spot = Spot::new(source, &index, Span::new(start, start + word.text.len()));
    spot.declared = declared_at(source, spot.name);
    if at != line {
        spot.found = FoundBy::NearLine(line);
    }
    Ok(spot)
}

/// A line of a file, 1-based.
struct Here<'s> {
    source: &'s SourceFile,
    index: &'s LineIndex,
    line: usize,
}

impl<'s> Here<'s> {
    fn text(&self, line: usize) -> &'s str {
        self.index.line(&self.source.text, line - 1)
    }

    /// The word that holds a column or ends at it, else the next one on the line.
    fn at_column(&self, column: usize) -> Result<Word<'s>, SpotRefused> {
        let text = self.text(self.line);
        let characters = text.chars().count();
        if column == 0 || column > characters + 1 {
            let file = self.source.file.clone();
            return Err(SpotRefused::NoColumn { file, line: self.line, column, characters });
        }
        let at = text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at);
        let all = words::all(text);
        let held = all.iter().find(|word| word.start <= at && at < word.end());
        let touched = || all.iter().find(|word| word.end() == at);
        let next = || all.iter().find(|word| word.start > at);
        held.or_else(touched).or_else(next).copied().ok_or_else(|| self.no_one_name(&[]))
    }

    /// The word on the line, or on the nearest line within reach.
    fn near(&self, name: &str) -> Result<(usize, Word<'s>), SpotRefused> {
        let on = |line: usize| {
            // Of a call and a word in a comment behind it, the call is meant.
            let words = words::names(self.text(line));
            let find = |words: Vec<Word<'s>>| words.into_iter().find(|word| word.text == name);
            find(words).or_else(|| find(words::all(self.text(line))))
        };
        let lines = count_lines(&self.source.text);
        let distances = (0..=NEAR).flat_map(|distance| [self.line.checked_sub(distance), Some(self.line + distance)]);
        let near = distances.flatten().filter(|line| (1..=lines).contains(line));
        near.filter_map(|line| Some((line, on(line)?))).next().ok_or_else(|| {
            let stands_on = (1..=lines).filter(|line| on(*line).is_some()).collect();
            let (file, text) = (self.source.file.clone(), self.text(self.line).to_owned());
            SpotRefused::NotOnLine { file, line: self.line, name: name.to_owned(), text, stands_on }
        })
    }

    /// What the line declares, else its only name.
    fn only_name(&self) -> Result<Word<'s>, SpotRefused> {
        let text = self.text(self.line);
        let names = words::names(text);
        let declared = Language::of_path(&self.source.path).and_then(|language| {
            let all = self.source.declarations(language);
            let spans = all.into_iter().filter(|declared| declared.line == self.line).map(|one| one.symbol.name_span);
            let first = spans.min_by_key(|span| span.start)?;
            let start = first.start - self.index.span(self.line - 1)?.start;
            Some(Word { text: text.get(start..start + first.len())?, start })
        });
        let only = || {
            let first = names.first()?;
            names.iter().all(|name| name.text == first.text).then_some(*first)
        };
        declared.or_else(|| words::assigned(text, &names)).or_else(only).ok_or_else(|| self.no_one_name(&names))
    }

    fn no_one_name(&self, names: &[Word<'_>]) -> SpotRefused {
        let text = self.text(self.line);
        let column = |name: &Word<'_>| text[..name.start].chars().count() + 1;
        SpotRefused::NoOneName {
            file: self.source.file.clone(),
            line: self.line,
            text: text.to_owned(),
            names: names.iter().map(|name| (name.text.to_owned(), column(name))).collect(),
        }
    }
}

/// The declaration whose name these bytes are.
fn declared_at(source: &SourceFile, name: Span) -> Option<Declared> {
    let all = source.declarations(Language::of_path(&source.path)?);
    all.into_iter().find(|declared| declared.symbol.name_span == name)
}

/// The first place in a file where the name is used: first with what was said before it, then alone.
fn first_use(source: &SourceFile, name: &NamePath) -> Option<Spot> {
    let index = LineIndex::new(&source.text);
    let spot = |at: usize| {
        let mut spot = Spot::new(source, &index, Span::new(at, at + name.name().len()));
        spot.declared = declared_at(source, spot.name);
        spot.found = FoundBy::FirstUse;
        spot
    };
    let lines = (0..count_lines(&source.text)).map(|line| (line, index.line(&source.text, line)));
    let uses = lines.flat_map(|(line, text)| {
        let start = index.span(line).map_or(0, |span| span.start);
        let named = words::names(text).into_iter().filter(|word| word.text == name.name());
        named.map(move |word| (start + word.start, text, word.start))
    });
    let is_qualified = |text: &str, start: usize| {
        name.qualifier().is_none_or(|qualifier| {
            let before = text[..start].trim_end_matches(['.', ':', '>', '-', '(', ')', '*']);
            before.ends_with(qualifier)
        })
    };
    uses.into_iter().find(|(_, text, start)| is_qualified(text, *start)).map(|(at, ..)| spot(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "package p\n\nfunc (s *Store) Put(k string) error {\n\tsum := total(k) // total\n\tfmt.Println(sum, sum)\n\treturn nil\n}\n";

    fn source() -> SourceFile {
        SourceFile { path: "/w/a.go".into(), file: "a.go".into(), text: TEXT.into() }
    }

    fn told(line: usize, column: Option<usize>, symbol: Option<&str>) -> String {
        match on_line(&source(), line, column, symbol) {
            Ok(spot) => {
                let near = if let FoundBy::NearLine(_) = spot.found { " near" } else { "" };
                let declared = spot.declared.as_ref().map(|one| format!(" = {}", one.full_name())).unwrap_or_default();
                format!("{}:{} {}{declared}{near}", spot.line, spot.column, spot.word())
            }
            Err(SpotRefused::NoOneName { names, .. }) => format!("one of {names:?}"),
            Err(SpotRefused::NotOnLine { stands_on, .. }) => format!("on {stands_on:?}"),
            Err(other) => other.to_string(),
        }
    }

    #[test]
    fn a_line_means_what_it_declares_or_the_name_that_is_said() {
        for (line, column, symbol, expected) in [
            (3, None, None, "3:17 Put = Store.Put"),
            (3, None, Some("k"), "3:21 k"),
            (4, None, None, "4:2 sum"),
            (4, None, Some("p.total"), "4:9 total"),
            (5, None, None, r#"one of [("fmt", 2), ("Println", 6), ("sum", 14), ("sum", 19)]"#),
            (5, None, Some("sum"), "5:14 sum"),
            (6, None, None, "one of []"),
            (6, None, Some("total"), "4:9 total near"),
            (1, None, None, "1:9 p"),
            (6, None, Some("missing"), "on []"),
            (5, Some(7), None, "5:6 Println"),
            (5, Some(13), None, "5:6 Println"),
            (5, Some(1), None, "5:2 fmt"),
            (5, Some(99), None, "line 5 of a.go has 22 characters"),
            (9, None, None, "a.go has 7 lines"),
            (0, None, None, "a.go has 7 lines"),
        ] {
            assert_eq!(told(line, column, symbol), expected, "{line} {column:?} {symbol:?}");
        }
    }

    #[test]
    fn a_use_is_found_with_what_stands_before_it() {
        let at = |name: &str| {
            let spot = first_use(&source(), &NamePath::parse(name).expect("a name"))?;
            Some((spot.line, spot.column))
        };
        assert_eq!(at("fmt.Println"), Some((5, 6)));
        assert_eq!(at("Println"), Some((5, 6)));
        assert_eq!(at("log.Println"), None);
        assert_eq!(at("total"), Some((4, 9)));
    }
}
