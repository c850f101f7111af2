//! Declarations as a language server tells them: nested, or flat with the name of what they stand in.

use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Range, decode};
use crate::lsp::connection::RequestError;
use crate::lsp::uri::{of_path, to_path};

/// Declarations nested deeper than this are left out.
const MAX_DEPTH: usize = 16;

/// A declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolItem {
    /// Its name, as it was sent: gopls writes `(*Store).Put`, jdtls `put(int)`.
    pub name: String,
    /// The protocol's kind of symbol, 1 to 26; 0 when none was given.
    pub kind: u8,
    /// What it stands in, outermost first (`Outer.Inner`).
    pub container: Option<String>,
    /// What else is said of it, such as a signature.
    pub detail: Option<String>,
    /// The document, as it was sent.
    pub uri: String,
    /// Its file; `None` for what is no file.
    pub path: Option<PathBuf>,
    /// The whole declaration.
    pub range: Range,
    /// Its name; the whole where only that was sent.
    pub selection: Range,
}

/// Reads the declarations of the document at `path`.
pub(super) fn of_document(answer: &RawValue, path: &Path) -> Result<Vec<SymbolItem>, RequestError> {
    let uri = of_path(path);
    let nested = decode::items(answer, |value| {
        let mut found = Vec::new();
        gather(value, &uri, path, None, 0, &mut found);
        (!found.is_empty()).then_some(found)
    })?;
    Ok(nested.into_iter().flatten().collect())
}

/// Reads the declarations of a search.
pub(super) fn of_workspace(answer: &RawValue) -> Result<Vec<SymbolItem>, RequestError> {
    decode::items(answer, flat)
}

fn gather(value: &Value, uri: &str, path: &Path, container: Option<&str>, depth: usize, found: &mut Vec<SymbolItem>) {
    if depth > MAX_DEPTH {
        return;
    }
    let Some(item) = nested(value, uri, path, container).or_else(|| flat(value)) else { return };
    let inside = match container {
        Some(outer) => format!("{outer}.{}", item.name),
        None => item.name.clone(),
    };
    found.push(item);
    for child in value["children"].as_array().map(Vec::as_slice).unwrap_or_default() {
        gather(child, uri, path, Some(&inside), depth + 1, found);
    }
}

/// A `DocumentSymbol`.
fn nested(value: &Value, uri: &str, path: &Path, container: Option<&str>) -> Option<SymbolItem> {
    let range = decode::range(&value["range"])?;
    Some(SymbolItem {
        name: name(value)?,
        kind: kind(value),
        container: container.map(str::to_owned),
        detail: text(&value["detail"]),
        uri: uri.to_owned(),
        path: Some(path.to_owned()),
        range,
        selection: decode::range(&value["selectionRange"]).unwrap_or(range),
    })
}

/// A `SymbolInformation` or `WorkspaceSymbol`; the latter may leave out where in the document it stands.
fn flat(value: &Value) -> Option<SymbolItem> {
    let uri = value["location"]["uri"].as_str()?;
    let start = || decode::range(&serde_json::json!({ "start": {} }));
    let range = decode::range(&value["location"]["range"]).or_else(start)?;
    Some(SymbolItem {
        name: name(value)?,
        kind: kind(value),
        container: text(&value["containerName"]),
        detail: None,
        uri: uri.to_owned(),
        path: to_path(uri),
        range,
        selection: range,
    })
}

fn name(value: &Value) -> Option<String> {
    text(&value["name"])
}

fn kind(value: &Value) -> u8 {
    value["kind"].as_u64().filter(|kind| (1..=26).contains(kind)).unwrap_or(0) as u8
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(items: Result<Vec<SymbolItem>, RequestError>) -> Vec<String> {
        let tell = |item: SymbolItem| {
            let container = item.container.map(|container| format!("{container}.")).unwrap_or_default();
            format!("{} {container}{} {}", item.kind, item.name, item.selection.start.line)
        };
        items.expect("understood").into_iter().map(tell).collect()
    }

    #[test]
    fn declarations_come_nested_or_flat() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("JSON");
        let at =
            |line: u32| format!(r#"{{"start":{{"line":{line},"character":0}},"end":{{"line":{line},"character":1}}}}"#);
        let nested = format!(
            r#"[{{"name":"A","kind":5,"range":{},"selectionRange":{},"children":[{{"name":"f","kind":6,"detail":"int","range":{}}},7,{{"name":""}}]}}]"#,
            at(1),
            at(2),
            at(3)
        );
        let of = |answer: &str| told(of_document(&raw(answer), Path::new("/w/a.x")));
        assert_eq!(of(&nested), ["5 A 2", "6 A.f 3"]);
        let flat = format!(
            r#"[{{"name":"f","kind":99,"containerName":"A","location":{{"uri":"file:///w/a.x","range":{}}}}},{{"name":"g","kind":12,"location":{{"uri":"file:///w/b.x"}}}}]"#,
            at(4)
        );
        assert_eq!(of(&flat), ["0 A.f 4", "12 g 0"]);
        assert_eq!(told(of_workspace(&raw(&flat))), ["0 A.f 4", "12 g 0"]);
        assert_eq!(of("null"), Vec::<String>::new());
        assert!(of_document(&raw("[7]"), Path::new("/w/a.x")).is_err());
    }

    #[test]
    fn deep_nesting_ends() {
        let range = r#""range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}"#;
        let open = format!(r#"{{"name":"a","kind":5,{range},"children":["#);
        let answer = format!("[{}{}]", open.repeat(40), "]}".repeat(40));
        let raw = RawValue::from_string(answer).expect("JSON");
        assert_eq!(of_document(&raw, Path::new("/w/a.x")).expect("understood").len(), MAX_DEPTH + 1);
    }
}
