//! The declarations of a file, and those of the workspace by a part of their names.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::asking::{Asked, Enough, ask};
use super::hits::{Files, full_name};
use super::{Answer, Basis, Hit, Lack, no_language_server};
use crate::lsp::{LanguageServer, Location, SymbolItem};
use crate::syntax::{Language, NamePath, Symbol, SymbolKind};
use crate::text::{LineIndex, LineRange, Position, PositionEncoding, Span};
use crate::workspace::Workspace;
use crate::workspace::paths::Resolved;
use crate::workspace::slot::Slot;
use crate::workspace::symbols::{Declared, SourceFile, SymbolRefused, blocking, declared_like};

/// How long a language server has for a search by name, which the texts answer too.
const SEARCHING: Duration = Duration::from_secs(3);

/// The rank of a name that does not hold what was asked for.
const FARTHEST: u8 = 4;
/// Most results of which only such are kept.
const MOST_FAR: usize = 5;

/// A declaration that a search by name found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolHit {
    /// Its name, with what it stands in.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Where.
    pub hit: Hit,
}

/// What a search by name found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSymbols {
    /// The first of them, the likest names first.
    pub shown: Vec<SymbolHit>,
    /// How many there are.
    pub total: usize,
    /// Whether all of the workspace was looked through.
    pub complete: bool,
}

impl Workspace {
    /// The declarations of `file`, in its order: by its grammar, else by its language server.
    ///
    /// # Errors
    /// [`SymbolRefused`] when it cannot be read.
    pub async fn outline(
        &self,
        file: &Resolved,
        budget: Option<Duration>,
    ) -> Result<Answer<Vec<Declared>>, SymbolRefused> {
        let begun = Instant::now();
        let (rules, target) = (self.paths().clone(), file.clone());
        let source = blocking(move |_| SourceFile::read_named(&rules, &target)).await?;
        let (found, basis, lack) = match Language::of_path(&source.path) {
            Some(language) => {
                let found = blocking(move |_| source.declarations(language)).await;
                (found, Basis::Text { language_server: None }, None)
            }
            None => match self.told_outline(&source, budget).await {
                Ok((found, basis)) => (found, basis, None),
                Err((basis, lack)) => (Vec::new(), basis, Some(lack)),
            },
        };
        Ok(Answer { found, basis, lack, waited: begun.elapsed(), opened: None })
    }

    /// The declarations of a file as its language server tells them.
    pub(in crate::workspace) async fn told_outline(
        &self,
        source: &SourceFile,
        budget: Option<Duration>,
    ) -> Result<(Vec<Declared>, Basis), (Basis, Lack)> {
        let slot = self.slot_of(&source.path, &source.text).ok_or_else(no_language_server)?;
        let path = source.path.clone();
        let asked: Asked<Vec<SymbolItem>> = ask(&slot, Enough::Any, budget, &move |server: LanguageServer| {
            let path = path.clone();
            Box::pin(async move { server.document_symbols(&path).await })
        })
        .await?;
        let encoding = asked.server.encoding();
        Ok((asked.found.iter().map(|item| declared(item, source, encoding)).collect(), asked.basis))
    }

    /// The declarations whose names hold `query`, whatever their case, or are its full path. At most `most` are kept.
    ///
    /// The texts of the workspace are looked through for languages with a grammar. Language servers are asked for other
    /// languages, and where the workspace has none, for libraries.
    pub async fn search_symbols(&self, query: &str, most: usize, budget: Option<Duration>) -> Answer<FoundSymbols> {
        let begun = Instant::now();
        let (workspace, name) = (self.clone(), query.to_owned());
        let on_disk = blocking(move |cancel| declared_like(workspace.paths(), &name, cancel)).await;
        let slots = self.slots_beyond_grammars(on_disk.0.is_empty()).await;
        let (told, basis, lack) = if slots.is_empty() && !on_disk.0.is_empty() {
            (Vec::new(), Basis::Text { language_server: None }, None)
        } else {
            told_symbols(slots, query, budget).await
        };
        let (workspace, query) = (self.clone(), query.to_owned());
        let found = blocking(move |_| {
            let (declared, complete) = on_disk;
            let mut found = merged(&workspace, &declared, told);
            found.sort_by_cached_key(|hit| rank(&query, hit));
            // A language server also takes letters with others between them for a likeness.
            let is_far = |hit: &SymbolHit| rank(&query, hit).1 == FARTHEST;
            found.truncate(found.iter().position(is_far).unwrap_or(found.len()).max(MOST_FAR).min(found.len()));
            let total = found.len();
            found.truncate(most);
            FoundSymbols { shown: found, total, complete }
        })
        .await;
        Answer { found, basis, lack, waited: begun.elapsed(), opened: None }
    }

    /// Where language servers say that a name is declared, in languages without a grammar: the first such place in the
    /// workspace, and the unit of its column.
    pub(super) async fn told_declaration(&self, name: &str) -> Option<(PathBuf, Position, PositionEncoding)> {
        let slots = self.slots_beyond_grammars(false).await;
        if slots.is_empty() {
            return None;
        }
        let (told, ..) = told_symbols(slots, name, None).await;
        let is_meant = |told: &&Told| bare(&told.item).name == name;
        let place = |told: &Told| {
            let path = told.item.path.clone().filter(|path| path.starts_with(self.root()))?;
            Some((path, told.item.selection.start, told.encoding))
        };
        told.iter().filter(is_meant).find_map(place)
    }

    /// The language servers of the workspace: all, or those for languages without a grammar.
    async fn slots_beyond_grammars(&self, all: bool) -> Vec<Arc<Slot>> {
        let Some(place) = &self.shared.place else { return Vec::new() };
        place.disk.walked().await;
        let samples = place.samples();
        let beyond = samples.iter().filter(|path| all || Language::of_path(path).is_none());
        beyond.filter_map(|path| place.slot_for(path)).collect()
    }
}

/// What language servers find by name.
async fn told_symbols(
    slots: Vec<Arc<Slot>>,
    query: &str,
    budget: Option<Duration>,
) -> (Vec<Told>, Basis, Option<Lack>) {
    let asked = slots.iter().map(|slot| async move {
        let query = query.to_owned();
        slot.want();
        let asked: Result<Asked<Vec<SymbolItem>>, _> =
            ask(slot, Enough::All, budget.or(Some(SEARCHING)), &move |server: LanguageServer| {
                let query = query.clone();
                Box::pin(async move { server.workspace_symbols(&query).await })
            })
            .await;
        asked
    });
    let (mut told, mut basis, mut lack) = (Vec::new(), None, None);
    for outcome in futures::future::join_all(asked).await {
        match outcome {
            Ok(asked) => {
                basis.get_or_insert(asked.basis);
                let encoding = asked.server.encoding();
                told.extend(asked.found.into_iter().map(|item| Told { item, encoding }));
            }
            Err((_, Lack::Unable)) => {}
            Err((lacking, why)) => {
                if lack.is_none() {
                    (basis, lack) = (Some(lacking), Some(why));
                }
            }
        }
    }
    let nobody = || (no_language_server().0, Some(Lack::NoLanguageServer));
    let (basis, lack) = basis.map_or_else(nobody, |basis| (basis, lack));
    (told, basis, lack)
}

struct Told {
    item: SymbolItem,
    encoding: PositionEncoding,
}

/// What was found on disk, and what was told beside it; of what lies outside only if there is nothing inside.
fn merged(workspace: &Workspace, declared: &[Declared], told: Vec<Told>) -> Vec<SymbolHit> {
    let mut files = Files::new(workspace, PositionEncoding::Utf32);
    let on_disk = declared.iter().filter_map(|one| {
        let hit = files.hit_at(&one.path, one.symbol.name_span)?;
        Some(SymbolHit { name: one.full_name(), kind: one.symbol.kind, hit })
    });
    let mut found: Vec<SymbolHit> = on_disk.collect();
    let is_inside = |told: &Told| told.item.path.as_ref().is_some_and(|path| path.starts_with(workspace.root()));
    let (inside, outside): (Vec<Told>, Vec<Told>) = told.into_iter().partition(is_inside);
    let speaks = |told: &Told| told.item.path.as_deref().and_then(Language::of_path).is_none();
    for told in inside.into_iter().filter(speaks) {
        found.push(told_hit(workspace, &told));
    }
    if found.is_empty() {
        found.extend(outside.iter().map(|told| told_hit(workspace, told)));
    }
    found
}

fn told_hit(workspace: &Workspace, told: &Told) -> SymbolHit {
    let item = &told.item;
    let place = Location { uri: item.uri.clone(), path: item.path.clone(), range: item.selection };
    let definition = Files::new(workspace, told.encoding).definition(&place);
    SymbolHit {
        name: definition.name.unwrap_or_else(|| full_name(&bare(item))),
        kind: kind(item.kind),
        hit: definition.hit,
    }
}

/// The likest first: the name itself, a name that begins with it, one that holds it; then by place.
fn rank(query: &str, found: &SymbolHit) -> (bool, u8, Reverse<bool>, String, usize) {
    let own = found.name.rsplit('.').next().unwrap_or_default();
    let (lower, wanted) = (own.to_lowercase(), query.to_lowercase());
    let likeness = match () {
        () if own == query || found.name == query => 0,
        () if lower == wanted => 1,
        () if lower.starts_with(&wanted) => 2,
        () if lower.contains(&wanted) => 3,
        () => FARTHEST,
    };
    let is_member =
        matches!(found.kind, SymbolKind::Field | SymbolKind::Member | SymbolKind::Constant | SymbolKind::Variable);
    (found.hit.outside, likeness, Reverse(!is_member), found.hit.file.clone(), found.hit.line)
}

/// What a language server told of, as a declaration in its text.
fn declared(item: &SymbolItem, source: &SourceFile, encoding: PositionEncoding) -> Declared {
    let index = LineIndex::new(&source.text);
    let offset = |position| index.offset(&source.text, position, encoding);
    let (start, end) = (offset(item.selection.start), offset(item.selection.end));
    let whole = (offset(item.range.start), offset(item.range.end));
    let (first, last) = (index.line_at(whole.0), index.line_at(whole.1));
    let mut symbol = bare(item);
    // Where no name was marked, it is the first word like it.
    let own = source.text.get(start..end.max(start)).unwrap_or_default();
    let at = own.find(&symbol.name).map_or(start, |at| start + at);
    symbol.name_span = Span::new(at, (at + symbol.name.len()).min(source.text.len()).max(at));
    symbol.span = Span::new(whole.0, whole.1.max(whole.0));
    symbol.lines = LineRange::new(first, last.max(first) + 1);
    Declared::new(source, &index, symbol)
}

/// Its name without parameters and without the receiver that gopls writes before it.
fn bare(item: &SymbolItem) -> Symbol {
    let path = NamePath::parse(&item.name);
    let name = path.as_ref().map_or(item.name.as_str(), NamePath::name).to_owned();
    let receiver = path.as_ref().and_then(NamePath::qualifier).map(str::to_owned);
    Symbol {
        name,
        kind: kind(item.kind),
        container: item.container.clone().or(receiver),
        lines: LineRange::new(0, 0),
        span: Span::new(0, 0),
        name_span: Span::new(0, 0),
    }
}

/// The protocol's kinds of symbols (LSP 3.17, `SymbolKind`).
fn kind(kind: u8) -> SymbolKind {
    match kind {
        5 => SymbolKind::Class,
        6 => SymbolKind::Method,
        7 | 8 => SymbolKind::Field,
        9 => SymbolKind::Constructor,
        10 => SymbolKind::Enum,
        11 => SymbolKind::Interface,
        12 => SymbolKind::Function,
        14 => SymbolKind::Constant,
        22 => SymbolKind::Member,
        23 => SymbolKind::Struct,
        1..=4 | 19 | 26 => SymbolKind::Type,
        _ => SymbolKind::Variable,
    }
}
