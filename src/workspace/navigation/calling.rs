//! Who calls a function, and what it calls.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::asking::{Asked, Enough};
use super::hits::Files;
use super::words;
use super::{Answer, Basis, Hit, Hits, Lack, Opened, Spot};
use crate::lsp::{CallItem, Calls, Direction, Location, Lookup};
use crate::text::{LineIndex, PositionEncoding, Span};
use crate::workspace::Workspace;
use crate::workspace::symbols::blocking;

/// How long the calls of one function are waited for, once a language server has found it.
const PATIENCE: Duration = Duration::from_secs(4);
/// Most names in a function's body that are looked up one by one.
const MOST_LOOKED_UP: usize = 40;

/// A function that is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callee {
    /// Its name.
    pub name: String,
    /// Where it is declared, where that is known.
    pub place: Option<Hit>,
    /// The lines on which it is called, 1-based, in the file of the caller.
    pub lines: Vec<usize>,
}

impl Workspace {
    /// The places from which the function at `spot` is called. At most `most` are kept.
    pub async fn incoming_calls(&self, spot: &Spot, most: usize, budget: Option<Duration>) -> Answer<Hits> {
        let begun = Instant::now();
        let mut opened = self.open_files_with(&spot.path, spot.word()).await;
        let (found, basis, lack) = match self.calls(spot, Direction::Incoming, budget).await {
            Ok(asked) if !asked.found.is_empty() => {
                let places = asked.found.iter().flat_map(sites).collect();
                (self.hits(places, &asked.server, most).await, asked.basis, None)
            }
            // A language server without call hierarchy, or one that does not take this for a function.
            Ok(_) | Err((_, Lack::Unable)) => self.calls_among_references(spot, most, budget, opened.as_mut()).await,
            Err((basis, lack)) => (self.words_like(spot, most).await.calls_of(spot.word()), basis, Some(lack)),
        };
        Answer { found, basis, lack, waited: begun.elapsed(), opened }
    }

    /// The functions that the one at `spot` calls, in the order of their first call.
    pub async fn outgoing_calls(&self, spot: &Spot, budget: Option<Duration>) -> Answer<Vec<Callee>> {
        let begun = Instant::now();
        let (found, basis, lack) = match self.calls(spot, Direction::Outgoing, budget).await {
            Ok(asked) if !asked.found.is_empty() => (self.callees(&asked).await, asked.basis, None),
            Ok(_) | Err((_, Lack::Unable)) => self.looked_up_calls(spot, budget).await,
            Err((basis, lack)) => (named_calls(spot).into_iter().map(|call| call.callee).collect(), basis, Some(lack)),
        };
        Answer { found, basis, lack, waited: begun.elapsed(), opened: None }
    }

    async fn calls(
        &self,
        spot: &Spot,
        direction: Direction,
        budget: Option<Duration>,
    ) -> Result<Asked<Vec<Calls>>, (Basis, Lack)> {
        let items: Asked<Vec<CallItem>> = self
            .asked(spot, Enough::All, budget, &|server, path, position| {
                Box::pin(async move { server.call_items(&path, position).await })
            })
            .await?;
        let mut found = Vec::new();
        for item in &items.found {
            let lacking = |lack| (Basis::Text { language_server: Some(items.server.name().to_owned()) }, lack);
            match timeout(budget.unwrap_or(PATIENCE), items.server.calls(item, direction)).await {
                Ok(Ok(calls)) => found.extend(calls),
                Ok(Err(error)) => return Err(lacking(Lack::of(&error))),
                Err(_) => return Err(lacking(Lack::Late(PATIENCE))),
            }
        }
        Ok(Asked { found, server: items.server, basis: items.basis })
    }

    /// References that are calls.
    async fn calls_among_references(
        &self,
        spot: &Spot,
        most: usize,
        budget: Option<Duration>,
        opened: Option<&mut Opened>,
    ) -> (Hits, Basis, Option<Lack>) {
        match self.places(spot, Lookup::References, Enough::All, budget).await {
            Ok(asked) => {
                if let Some(opened) = opened {
                    opened.compare(self.root(), &asked.found, &spot.path);
                }
                let places = self.without(asked.found, spot, &asked.server);
                (self.hits(places, &asked.server, most).await.calls_of(spot.word()), asked.basis, None)
            }
            Err((basis, lack)) => (self.words_like(spot, most).await.calls_of(spot.word()), basis, Some(lack)),
        }
    }

    async fn callees(&self, asked: &Asked<Vec<Calls>>) -> Vec<Callee> {
        let (workspace, encoding, calls) = (self.clone(), asked.server.encoding(), asked.found.clone());
        blocking(move |_| {
            let mut files = Files::new(&workspace, encoding);
            let mut callees: Vec<Callee> = calls
                .iter()
                .map(|calls| Callee {
                    name: calls.item.name.clone(),
                    place: files.hits(vec![calls.item.location.clone()], 1).shown.pop(),
                    lines: lines(calls.sites.iter().map(|site| site.start.line as usize + 1)),
                })
                .collect();
            callees.sort_by(|a, b| (&a.lines, &a.name).cmp(&(&b.lines, &b.name)));
            // jdtls tells of a function once for each call of it.
            callees.dedup_by(|later, first| {
                let is_same = later.name == first.name && later.place == first.place;
                if is_same {
                    first.lines = lines(first.lines.iter().chain(&later.lines).copied());
                }
                is_same
            });
            callees
        })
        .await
    }

    /// The calls in a function's body by their look, each looked up by the language server.
    async fn looked_up_calls(&self, spot: &Spot, budget: Option<Duration>) -> (Vec<Callee>, Basis, Option<Lack>) {
        let calls = named_calls(spot);
        let mut basis = None;
        let mut places = Vec::new();
        for call in calls.iter().take(MOST_LOOKED_UP) {
            let at = Spot { name: call.name, ..spot.clone() };
            match self.places(&at, Lookup::Definition, Enough::Any, budget.or(Some(PATIENCE))).await {
                Ok(asked) => {
                    places.push(asked.found.into_iter().next().map(|place| (place, asked.server.encoding())));
                    basis = Some(asked.basis);
                }
                Err((lacking, lack)) => {
                    return (calls.into_iter().map(|call| call.callee).collect(), lacking, Some(lack));
                }
            }
        }
        let basis = basis.unwrap_or(Basis::Text { language_server: None });
        let workspace = self.clone();
        let callees = blocking(move |_| {
            let place = |found: Option<(Location, PositionEncoding)>| {
                found.and_then(|(place, encoding)| Files::new(&workspace, encoding).hits(vec![place], 1).shown.pop())
            };
            let mut callees: Vec<Callee> = calls.into_iter().map(|call| call.callee).collect();
            for (callee, found) in callees.iter_mut().zip(places) {
                callee.place = place(found);
            }
            callees
        });
        (callees.await, basis, None)
    }
}

impl Hits {
    /// Those that look like a call of `word`.
    fn calls_of(mut self, word: &str) -> Hits {
        let is_call = |hit: &Hit| hit.text.as_deref().is_none_or(|text| calls(text, word));
        let before = self.shown.len();
        self.shown.retain(is_call);
        self.total -= before - self.shown.len();
        self.files_total = self.files_total.min(self.total);
        self
    }
}

/// The places of calls; of a caller whose calls were not sent, the caller.
fn sites(calls: &Calls) -> Vec<Location> {
    let own = &calls.item.location;
    match calls.sites.as_slice() {
        [] => vec![own.clone()],
        sites => sites.iter().map(|range| Location { range: *range, ..own.clone() }).collect(),
    }
}

fn lines(lines: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut lines: Vec<usize> = lines.collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Whether a line calls `word`: the word, perhaps type arguments, then a parenthesis.
fn calls(line: &str, word: &str) -> bool {
    words::names(line).iter().any(|name| name.text == word && opens(&line[name.end()..]))
}

fn opens(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with('(') || (rest.starts_with(['[', '<']) && rest.contains(['(']))
}

/// A call by its look.
struct NamedCall {
    /// The bytes of the name where it is first called.
    name: Span,
    callee: Callee,
}

/// The names in the declaration at `spot` that look like calls, in the order of their first call.
fn named_calls(spot: &Spot) -> Vec<NamedCall> {
    let Some(declared) = &spot.declared else { return Vec::new() };
    let index = LineIndex::new(&spot.text);
    let mut found: BTreeMap<String, NamedCall> = BTreeMap::new();
    for line in declared.symbol.lines.start..declared.symbol.lines.end {
        let (text, start) = (index.line(&spot.text, line), index.span(line).map_or(0, |span| span.start));
        for word in words::names(text).into_iter().filter(|word| text[word.end()..].starts_with('(')) {
            let name = Span::new(start + word.start, start + word.end());
            if name == spot.name {
                continue;
            }
            let entry = found.entry(word.text.to_owned()).or_insert_with(|| NamedCall {
                name,
                callee: Callee { name: word.text.to_owned(), place: None, lines: Vec::new() },
            });
            if entry.callee.lines.last() != Some(&(line + 1)) {
                entry.callee.lines.push(line + 1);
            }
        }
    }
    let mut calls: Vec<NamedCall> = found.into_values().collect();
    calls.sort_by_key(|call| call.name.start);
    calls
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn a_call_is_a_name_before_a_parenthesis() {
        for (line, expected) in [
            ("s.Put(k)", true),
            ("Put [int](k)", true),
            ("defer s.Put (k)", true),
            ("f := s.Put", false),
            ("// Put(k)", false),
            ("Puts(k)", false),
        ] {
            assert_eq!(calls(line, "Put"), expected, "{line}");
        }
    }
}
