//! From how a call addresses a thing to the one place in the code that is asked about.

mod first_use;
mod on_line;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::time::Instant;

use first_use::first_use;
use on_line::on_line;

use super::words::{self, whole_word};
use crate::search::{Limits, Place, Wanted, find_lines};
use crate::syntax::{Language, NamePath};
use crate::text::{LineIndex, PositionEncoding, Span};
use crate::workspace::Workspace;
use crate::workspace::paths::Resolved;
use crate::workspace::symbols::{Declared, SourceFile, SymbolRefused, blocking};

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

/// The declaration whose name these bytes are.
fn declared_at(source: &SourceFile, name: Span) -> Option<Declared> {
    let all = source.declarations(Language::of_path(&source.path)?);
    all.into_iter().find(|declared| declared.symbol.name_span == name)
}
