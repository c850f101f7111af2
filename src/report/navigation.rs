//! What the code says of itself, in words: definitions, uses, calls, documentation, outlines.
//!
//! An answer of a language server and a search of the texts never read alike, and "none" is only said on evidence.

mod outlines;
mod places;
mod refused;
mod sayings;

use serde_json::{Value, json};

pub use outlines::{found_symbols, outline_of};
pub use places::{Asked as AskedPlaces, callees, definitions, places};
pub use refused::spot_refused;
pub use sayings::said;

use super::{Reply, one_line};
use crate::workspace::navigation::{Answer, Basis, FoundBy, Hit, Lack, Spot};
use crate::workspace::symbols::Declared;

/// Most characters of a name.
const MOST_NAME: usize = 160;
/// Most characters of a path.
const MOST_PATH: usize = 300;
/// Most characters of a line that declares something.
const MOST_HEADING: usize = 120;
/// Most other declarations of the same name that are named.
const MOST_OTHERS: usize = 5;

/// Who answered, and how quickly: ` (gopls, 31 ms)`.
fn source<T>(answer: &Answer<T>) -> String {
    match &answer.basis {
        Basis::LanguageServer { name, .. } => format!(" ({name}, {} ms)", answer.waited.as_millis()),
        Basis::Text { .. } => String::new(),
    }
}

/// Why no language server answered, as half a sentence.
fn lack_in_words<T>(answer: &Answer<T>) -> Option<String> {
    let who = match &answer.basis {
        Basis::Text { language_server: Some(name) } => name.as_str(),
        Basis::LanguageServer { name, .. } => name.as_str(),
        Basis::Text { language_server: None } => "the language server",
    };
    Some(match answer.lack.as_ref()? {
        Lack::NoLanguageServer => "there is no language server for this".to_owned(),
        Lack::NotInstalled => format!("{who} is not installed"),
        Lack::Loading(detail) => format!("{who} is still loading ({})", one_line(detail, 200)),
        Lack::Late(waited) => format!("{who} has not answered within {} ms", waited.as_millis()),
        Lack::Crashed(why) => format!("{who} crashed ({})", one_line(why, 200)),
        Lack::Refused(why) => format!("{who} answered with an error ({})", one_line(why, 200)),
        Lack::Unable => format!("{who} cannot tell this"),
    })
}

/// A stable word for programs: how far the answer can be trusted.
fn state<T>(answer: &Answer<T>) -> &'static str {
    match (&answer.lack, &answer.basis) {
        (None, Basis::LanguageServer { still_loading: Some(_), .. }) => "loading",
        (None, _) => "ready",
        (Some(Lack::NoLanguageServer), _) => "no_language_server",
        (Some(Lack::NotInstalled), _) => "not_installed",
        (Some(Lack::Loading(_)), _) => "loading",
        (Some(Lack::Late(_)), _) => "timed_out",
        (Some(Lack::Crashed(_)), _) => "crashed",
        (Some(Lack::Refused(_)), _) => "error",
        (Some(Lack::Unable), _) => "unsupported",
    }
}

/// Whether a later call may know more.
fn may_know_later<T>(answer: &Answer<T>) -> bool {
    matches!(state(answer), "loading" | "timed_out" | "crashed")
}

/// The object of an answer about a spot, to be added to. Invariant: `known` is false whenever nothing was found but no
/// language server said so.
fn object<T>(spot: Option<&Spot>, answer: &Answer<T>, total: usize) -> Value {
    let (source, name) = match &answer.basis {
        Basis::LanguageServer { name, .. } => ("language_server", Some(name)),
        Basis::Text { language_server } => ("text", language_server.as_ref()),
    };
    let mut object = json!({
        "total": total,
        "known": answer.lack.is_none(),
        "source": source,
        "language_server": name,
        "state": state(answer),
        "waited_ms": answer.waited.as_millis() as u64,
    });
    if let Some(spot) = spot {
        let name = spot.full_name();
        object["asked"] = json!({ "symbol": name, "file": spot.file, "line": spot.line, "column": spot.column });
    }
    object
}

/// A place of a structured result; lines and columns are 1-based.
fn hit_object(hit: &Hit) -> Value {
    let mut object = json!({ "file": hit.file, "line": hit.line, "column": hit.column });
    let optional = [
        ("text", hit.text.clone().map(Value::from)),
        ("in", hit.within.clone().map(Value::from)),
        ("uri", hit.uri.clone().map(Value::from)),
        ("outside", hit.outside.then_some(Value::Bool(true))),
        ("file_lines", hit.past_end.map(Value::from)),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            object[name] = value;
        }
    }
    object
}

/// The notes below an answer about a spot: how it was found, what else has its name, what may be missing.
fn notes<T>(reply: &mut Reply, spot: &Spot, answer: &Answer<T>) {
    let name = one_line(spot.word(), MOST_NAME);
    match spot.found {
        FoundBy::Address => {}
        FoundBy::FirstUse => {
            reply.note(&format!(
                "note: no declaration of `{name}` by that name in the workspace; asked at its first use, {}",
                at(&spot.file, spot.line)
            ));
        }
        FoundBy::NearLine(line) => {
            reply.note(&format!("note: `{name}` is not on line {line}; the one on line {} was taken", spot.line));
        }
    }
    if !spot.others.is_empty() {
        reply.note(&format!("note: not meant: {}", others(&spot.others)));
    }
    if let Some(opened) = answer.opened.as_ref().filter(|opened| !opened.unmentioned.is_empty()) {
        let files: Vec<String> =
            opened.unmentioned.iter().take(MOST_OTHERS).map(|file| one_line(file, MOST_PATH)).collect();
        let more = if opened.unmentioned.len() > MOST_OTHERS { ", …" } else { "" };
        reply.note(&format!(
            "note: the word `{name}` also stands in {} of which the language server tells nothing: {}{more}",
            counted(opened.unmentioned.len(), "file"),
            files.join(", ")
        ));
        reply.structured.insert("unmentioned".into(), json!(opened.unmentioned));
    }
    if let Some(opened) = answer.opened.as_ref().filter(|opened| opened.files < opened.of) {
        reply.note(&format!(
            "note: only {} of the {} files that hold `{name}` were looked through; there may be more in the others",
            opened.files, opened.of
        ));
    }
    if let Basis::LanguageServer { name, still_loading: Some(detail) } = &answer.basis {
        let detail = one_line(detail, 200);
        reply.note(&format!("note: {name} is still loading ({detail}): there may be more"));
    }
}

fn others(others: &[Declared]) -> String {
    let told = others.iter().take(MOST_OTHERS);
    let mut told: Vec<String> = told
        .map(|other| format!("{} {}", one_line(&other.full_name(), MOST_NAME), at(&other.file, other.line)))
        .collect();
    if others.len() > MOST_OTHERS {
        told.push(format!("… and {} more", others.len() - MOST_OTHERS));
    }
    told.join(", ")
}

fn at(file: &str, line: usize) -> String {
    format!("{}:{line}", one_line(file, MOST_PATH))
}

/// `1 file`, `3 files`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::syntax::{Symbol, SymbolKind};
    use crate::text::{LineRange, Span};

    pub(super) fn spot() -> Spot {
        let text = "package s\n\ntype Store struct{}\n\nfunc (s *Store) Put() {\n}\n";
        let at = text.find("Put").expect("there");
        let name = Span::new(at, at + 3);
        let symbol = Symbol {
            name: "Put".into(),
            kind: SymbolKind::Method,
            container: Some("Store".into()),
            lines: LineRange::new(4, 9),
            span: name,
            name_span: name,
        };
        let declared = Declared {
            path: "/w/s.go".into(),
            file: "s.go".into(),
            symbol,
            line: 5,
            column: 17,
            heading: "func (s *Store) Put() {".into(),
        };
        Spot {
            path: "/w/s.go".into(),
            file: "s.go".into(),
            text: text.into(),
            name,
            line: 5,
            column: 17,
            declared: Some(declared),
            others: vec![],
            found: FoundBy::Address,
            since: tokio::time::Instant::now(),
        }
    }

    pub(super) fn hit(file: &str, line: usize, text: &str, within: Option<&str>) -> Hit {
        Hit {
            file: file.into(),
            uri: None,
            outside: false,
            line,
            column: 1,
            text: Some(text.into()),
            within: within.map(str::to_owned),
            past_end: None,
        }
    }

    pub(super) fn answer<T>(found: T) -> Answer<T> {
        let basis = Basis::LanguageServer { name: "gopls".into(), still_loading: None };
        Answer { found, basis, lack: None, waited: Duration::from_millis(31), opened: None }
    }

    #[test]
    fn notes_say_how_a_place_was_found() {
        let declared = spot().declared.expect("declared");
        for (found, others, expected) in [
            (FoundBy::Address, vec![], "x"),
            (FoundBy::NearLine(9), vec![], "x\nnote: `Put` is not on line 9; the one on line 5 was taken"),
            (
                FoundBy::FirstUse,
                vec![declared],
                "x\nnote: no declaration of `Put` by that name in the workspace; asked at its first use, s.go:5\nnote: not meant: Store.Put s.go:5",
            ),
        ] {
            let mut reply = Reply::done("x", json!({}));
            notes(&mut reply, &Spot { found, others, ..spot() }, &answer(()));
            assert_eq!(reply.text, expected);
        }
    }
}
