//! What the code says of itself: definitions, uses, implementations, calls and documentation of a name.
//!
//! A language server is asked where there is one; where there is none, or none yet, the texts on disk are searched
//! instead, and the answer says so. "Nothing" is said on the evidence of a language server that has loaded.

pub(super) mod asking;
mod calling;
mod forwarding;
mod hits;
mod opening;
mod outlining;
mod spot;
mod texts;
mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use calling::Callee;
pub use opening::Opened;
pub use outlining::{FoundSymbols, SymbolHit};
pub use spot::{Address, FoundBy, Spot, SpotRefused};

use futures::future::BoxFuture;

use super::Workspace;
use super::snapshot::one_line;
use super::symbols::blocking;
use crate::lsp::{LanguageServer, Location, Lookup, RequestError};
use crate::syntax::SymbolKind;
use crate::text::{LineIndex, Position};
use asking::{Asked, Enough, ask_since};
use hits::Files;

/// How long a source that is no file is waited for, only to show lines of it.
const SOURCE_PATIENCE: Duration = Duration::from_secs(2);
/// Most places whose sources are shown at length.
const MOST_DEFINITIONS: usize = 8;

/// Where an answer comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// A language server.
    LanguageServer {
        /// Its key in `servers.toml`.
        name: String,
        /// What it is still doing: then there may be more than it told.
        still_loading: Option<String>,
    },
    /// The texts on disk alone: names are compared, not what they mean.
    Text {
        /// The language server that would be responsible.
        language_server: Option<String>,
    },
}

/// Why a language server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// None is known for such files, or none may be started.
    NoLanguageServer,
    /// Its program is not there.
    NotInstalled,
    /// It has not loaded the project: what it was doing.
    Loading(String),
    /// It has loaded, but did not answer in time.
    Late(Duration),
    /// It died.
    Crashed(String),
    /// It answered with an error.
    Refused(String),
    /// It cannot do such a thing.
    Unable,
}

/// What was found, and how far it can be trusted.
#[derive(Debug, Clone)]
pub struct Answer<T> {
    /// What was found.
    pub found: T,
    /// Where it comes from.
    pub basis: Basis,
    /// Why it does not come from a language server.
    pub lack: Option<Lack>,
    /// How long it took.
    pub waited: Duration,
    /// For a language server that sees only what is opened: how much it was shown.
    pub opened: Option<Opened>,
}

/// One place in the code. Lines and columns are 1-based, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The file relative to the workspace root; the absolute path, or a readable name, of what lies outside.
    pub file: String,
    /// The URI of what is no file.
    pub uri: Option<String>,
    /// Whether it lies outside the workspace.
    pub outside: bool,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The text of the line, clipped; `None` where it could not be read.
    pub text: Option<String>,
    /// The line that declares what it stands in.
    pub within: Option<String>,
    /// The file is shorter than that, by its number of lines: the language server does not see what is on disk.
    pub past_end: Option<usize>,
}

/// Places, in the order of files and lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    /// The first of them.
    pub shown: Vec<Hit>,
    /// How many there are.
    pub total: usize,
    /// In how many files.
    pub files_total: usize,
    /// Whether a search on disk got through; if not, there may be more.
    pub complete: bool,
}

/// A declaration as it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Where.
    pub hit: Hit,
    /// Its name, with what it stands in, where that is known.
    pub name: Option<String>,
    /// What it is, where that is known.
    pub kind: Option<SymbolKind>,
    /// The first lines of it, with their numbers.
    pub lines: Vec<(usize, String)>,
    /// How many lines it has.
    pub of: usize,
}

/// What there is to say of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Markdown or plain text, as a language server sent it; without one, the comment above the declaration and its
    /// first line.
    pub text: String,
    /// Where a declaration was read for it.
    pub from: Option<Hit>,
}

impl Workspace {
    /// Where the name at `spot` is defined.
    ///
    /// Waits at most `budget` for a language server; without one, as long as usual.
    pub async fn definition(&self, spot: &Spot, budget: Option<Duration>) -> Answer<Vec<Definition>> {
        let begun = Instant::now();
        match self.places(spot, Lookup::Definition, Enough::Any, budget).await {
            Ok(asked) => {
                let basis = asked.basis.clone();
                let found = self.definitions(asked).await;
                Answer { found, basis, lack: None, waited: begun.elapsed(), opened: None }
            }
            Err((basis, lack)) => {
                let found = self.declarations_like(spot).await;
                Answer { found, basis, lack: Some(lack), waited: begun.elapsed(), opened: None }
            }
        }
    }

    /// Where the name at `spot` is used, its declaration left out. At most `most` places are kept.
    pub async fn references(&self, spot: &Spot, most: usize, budget: Option<Duration>) -> Answer<Hits> {
        let begun = Instant::now();
        let mut opened = self.open_files_with(&spot.path, spot.word()).await;
        let (found, basis, lack) = match self.places(spot, Lookup::References, Enough::All, budget).await {
            Ok(asked) => {
                if let Some(opened) = &mut opened {
                    opened.compare(self.root(), &asked.found, &spot.path);
                }
                let places = self.without(asked.found, spot, &asked.server);
                (self.hits(places, &asked.server, most).await, asked.basis, None)
            }
            Err((basis, lack)) => (self.words_like(spot, most).await, basis, Some(lack)),
        };
        Answer { found, basis, lack, waited: begun.elapsed(), opened }
    }

    /// What implements the type or method at `spot`. At most `most` places are kept.
    pub async fn implementations(&self, spot: &Spot, most: usize, budget: Option<Duration>) -> Answer<Hits> {
        let begun = Instant::now();
        let opened = self.open_files_with(&spot.path, spot.word()).await;
        let (found, basis, lack) = match self.places(spot, Lookup::Implementations, Enough::All, budget).await {
            Ok(mut asked) if !is_only(&asked.found, spot) => {
                asked.found = self.without(asked.found, spot, &asked.server);
                (self.hits(asked.found, &asked.server, most).await, asked.basis, None)
            }
            // zls answers with the declaration itself: it does not know what an implementation is.
            Ok(asked) => {
                let basis = Basis::Text { language_server: Some(asked.server.name().to_owned()) };
                (self.implementations_like(spot, most).await, basis, Some(Lack::Unable))
            }
            Err((basis, lack)) => (self.implementations_like(spot, most).await, basis, Some(lack)),
        };
        Answer { found, basis, lack, waited: begun.elapsed(), opened }
    }

    /// What there is to say of the name at `spot`: its type, its documentation.
    pub async fn hover(&self, spot: &Spot, budget: Option<Duration>) -> Answer<Option<Said>> {
        let begun = Instant::now();
        let outcome = self
            .asked(spot, Enough::Any, budget, &|server, path, position| {
                Box::pin(async move { server.hover(&path, position).await })
            })
            .await;
        let (found, basis, lack) = match outcome {
            Ok(asked) => (asked.found.map(|text| Said { text, from: None }), asked.basis, None),
            Err((basis, lack)) => (self.comment_on(spot).await, basis, Some(lack)),
        };
        Answer { found, basis, lack, waited: begun.elapsed(), opened: None }
    }

    async fn places(
        &self,
        spot: &Spot,
        lookup: Lookup,
        enough: Enough,
        budget: Option<Duration>,
    ) -> Result<Asked<Vec<Location>>, (Basis, Lack)> {
        self.asked(spot, enough, budget, &move |server, path, position| {
            Box::pin(async move { server.locations(lookup, &path, position).await })
        })
        .await
    }

    /// Asks the language server of the spot's file about its position.
    async fn asked<T: asking::Answer + Send>(
        &self,
        spot: &Spot,
        enough: Enough,
        budget: Option<Duration>,
        request: &AtSpot<'_, T>,
    ) -> Result<Asked<T>, (Basis, Lack)> {
        let slot = self.slot_of(&spot.path, &spot.text).ok_or_else(no_language_server)?;
        let (path, text, at) = (spot.path.clone(), Arc::clone(&spot.text), spot.name.start);
        let index = LineIndex::new(&text);
        ask_since(&slot, enough, spot.since, budget, &move |server: LanguageServer| {
            let position = index.position(&text, at, server.encoding());
            request(server, path.clone(), position)
        })
        .await
    }

    /// Turns places into hits, off the threads that must not block.
    async fn hits(&self, places: Vec<Location>, server: &LanguageServer, most: usize) -> Hits {
        let (workspace, encoding) = (self.clone(), server.encoding());
        blocking(move |_| Files::new(&workspace, encoding).hits(places, most)).await
    }

    async fn definitions(&self, asked: Asked<Vec<Location>>) -> Vec<Definition> {
        let mut places = asked.found;
        places.dedup();
        places.truncate(MOST_DEFINITIONS);
        let mut sources = Vec::new();
        for place in places.iter().filter(|place| place.path.is_none()) {
            let source = tokio::time::timeout(SOURCE_PATIENCE, asked.server.class_text(&place.uri)).await;
            if let Ok(Ok(Some(text))) = source {
                sources.push((place.uri.clone(), text));
            }
        }
        let (workspace, encoding) = (self.clone(), asked.server.encoding());
        blocking(move |_| {
            let mut files = Files::new(&workspace, encoding);
            for (uri, text) in sources {
                files.add_source(&uri, text);
            }
            places.iter().map(|place| files.definition(place)).collect()
        })
        .await
    }

    /// The places but the one that was asked about.
    fn without(&self, mut places: Vec<Location>, spot: &Spot, server: &LanguageServer) -> Vec<Location> {
        let index = LineIndex::new(&spot.text);
        let is_spot = |place: &Location| {
            let at = || index.offset(&spot.text, place.range.start, server.encoding());
            place.path.as_deref() == Some(&spot.path) && at() == spot.name.start
        };
        if spot.declared.is_some() {
            places.retain(|place| !is_spot(place));
        }
        places
    }
}

/// Whether all of these stand on the spot's own line, if there is any.
fn is_only(places: &[Location], spot: &Spot) -> bool {
    let is_own = |place: &Location| {
        place.path.as_deref() == Some(&spot.path) && place.range.start.line as usize + 1 == spot.line
    };
    !places.is_empty() && places.iter().all(is_own)
}

/// A request about a position in a document.
type AtSpot<'r, T> =
    dyn Fn(LanguageServer, PathBuf, Position) -> BoxFuture<'static, Result<T, RequestError>> + Send + Sync + 'r;

fn no_language_server() -> (Basis, Lack) {
    (Basis::Text { language_server: None }, Lack::NoLanguageServer)
}

impl Lack {
    /// Why a request that was sent has no result.
    fn of(error: &RequestError) -> Lack {
        match error {
            RequestError::Gone => Lack::Crashed("it ended while it was asked".to_owned()),
            error if error.is_unable() => Lack::Unable,
            error => Lack::Refused(one_line(&error.to_string())),
        }
    }
}
