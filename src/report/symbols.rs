//! Why a name means no one declaration, in words an agent can act on.

use std::collections::BTreeSet;

use super::{ToolError, one_line, read_error};
use crate::workspace::symbols::{Declared, SymbolRefused};

/// Most declarations named.
const MOST: usize = 20;
/// Most characters of a name.
const MOST_NAME: usize = 120;
/// Most characters of a declaration's line.
const MOST_HEADING: usize = 120;

/// The error for a symbol that was not found, or not found once.
pub fn symbol_refused(refused: &SymbolRefused) -> ToolError {
    match refused {
        SymbolRefused::Nameless { typed } => {
            ToolError::caller("bad_symbol", format!("`{}` is no name of a symbol", one_line(typed, MOST_NAME)))
                .hint("give a name such as Put, or a path such as Store.Put")
        }
        SymbolRefused::NoSuch { name, file, nearest, complete } => no_such(name, file.as_deref(), nearest, *complete),
        SymbolRefused::Ambiguous { name, candidates } => {
            let message = format!("`{}` is declared {} times:", one_line(name, MOST_NAME), candidates.len());
            ToolError::caller("ambiguous_symbol", listed(message, candidates)).hint(one_of(candidates))
        }
        SymbolRefused::NoGrammar { file } => ToolError::caller(
            "no_outline",
            format!(
                "the declarations of {} cannot be told: there is neither a grammar nor a language server for it",
                one_line(file, 300)
            ),
        )
        .hint("call `grep` for the name instead")
        .about(file),
        SymbolRefused::Unreadable { file, error } => read_error(file, error).about(file),
        SymbolRefused::NoText { file } => {
            ToolError::caller("undecodable", format!("{} is no text", one_line(file, 300))).about(file)
        }
    }
}

/// How to say which one is meant.
fn one_of(candidates: &[Declared]) -> String {
    let names: BTreeSet<String> = candidates.iter().map(Declared::full_name).collect();
    match candidates.first() {
        Some(first) if names.len() == candidates.len() => {
            format!(
                "call again with one of these full names, for example symbol: {}",
                one_line(&first.full_name(), MOST_NAME)
            )
        }
        Some(first) => format!(
            "call again with symbol and also file_path and line, for example file_path: {}, line: {}",
            one_line(&first.file, 200),
            first.line
        ),
        None => "call `grep` for the name".to_owned(),
    }
}

fn no_such(name: &str, file: Option<&str>, nearest: &[Declared], complete: bool) -> ToolError {
    let scope = file.map_or_else(|| "the workspace".to_owned(), |file| one_line(file, 300));
    let mut message = format!("no symbol `{}` is declared in {scope}", one_line(name, MOST_NAME));
    if !complete {
        message.push_str(" as far as it was searched, which took too long to go on");
    }
    let mut error = ToolError::caller("no_such_symbol", message);
    error.file = file.map(str::to_owned);
    match nearest.first() {
        Some(first) => {
            error.message = listed(format!("{}; similar:", error.message), nearest);
            error.hint(format!("call again with `{}` if that is meant", one_line(&first.full_name(), MOST_NAME)))
        }
        None => error.hint("call `grep` for the name, or `symbols` for what there is"),
    }
}

/// One line for each declaration: where, its full name, and the line it stands on.
fn listed(mut message: String, declared: &[Declared]) -> String {
    for one in declared.iter().take(MOST) {
        message.push_str(&format!(
            "\n  {} {}: {}",
            place(one),
            one_line(&one.full_name(), MOST_NAME),
            one_line(one.heading.trim(), MOST_HEADING)
        ));
    }
    if declared.len() > MOST {
        message.push_str(&format!("\n  … and {} more", declared.len() - MOST));
    }
    message
}

fn place(declared: &Declared) -> String {
    format!("{}:{}", one_line(&declared.file, 200), declared.line)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::syntax::{Symbol, SymbolKind};
    use crate::text::{LineRange, Span};

    fn declared(file: &str, name: &str, container: Option<&str>) -> Declared {
        Declared {
            path: PathBuf::from("/w").join(file),
            file: file.into(),
            symbol: Symbol {
                name: name.into(),
                kind: SymbolKind::Method,
                container: container.map(str::to_owned),
                lines: LineRange::new(4, 9),
                name_span: Span::new(0, 1),
                span: Span::new(0, 1),
            },
            line: 5,
            column: 17,
            heading: format!("\tfunc {name}()\u{1b} {{"),
        }
    }

    #[test]
    fn each_refusal_shows_its_evidence_and_one_next_call() {
        let candidates = vec![declared("a.go", "Put", Some("Store")), declared("b.go", "Put", Some("Disk"))];
        let error = symbol_refused(&SymbolRefused::Ambiguous { name: "Put".into(), candidates });
        assert_eq!(
            error.message,
            "`Put` is declared 2 times:\n  a.go:5 Store.Put: func Put()  {\n  b.go:5 Disk.Put: func Put()  {"
        );
        assert_eq!(error.hints, ["call again with one of these full names, for example symbol: Store.Put"]);
        let candidates = vec![declared("a.go", "Put", Some("Store")), declared("b.go", "Put", Some("Store"))];
        let error = symbol_refused(&SymbolRefused::Ambiguous { name: "Put".into(), candidates });
        assert_eq!(
            error.hints,
            ["call again with symbol and also file_path and line, for example file_path: a.go, line: 5"]
        );
        let nearest = vec![declared("a.go", "Put", Some("Store"))];
        let none = |file: Option<&str>, nearest: Vec<Declared>, complete| {
            symbol_refused(&SymbolRefused::NoSuch {
                name: "Pus\n".into(),
                file: file.map(str::to_owned),
                nearest,
                complete,
            })
        };
        let error = none(None, nearest, true);
        assert_eq!(
            error.message,
            "no symbol `Pus ` is declared in the workspace; similar:\n  a.go:5 Store.Put: func Put()  {"
        );
        assert_eq!(error.hints, ["call again with `Store.Put` if that is meant"]);
        let error = none(Some("a.go"), vec![], false);
        assert!(error.message.ends_with("in a.go as far as it was searched, which took too long to go on"));
        assert_eq!(error.hints.len(), 1);
    }
}
