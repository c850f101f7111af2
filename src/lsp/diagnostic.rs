//! Diagnostics as a language server sent them, decoded one by one from raw JSON.
//!
//! One odd item costs that item at most: lists may be `null`, positions negative, codes larger than any integer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::uri::to_path;
use crate::text::Position;

/// More items of one file are not kept.
const MOST_ITEMS: usize = 2_000;

/// One diagnostic, in the language server's own units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it begins, 0-based, in the connection's position encoding.
    pub start: Position,
    /// The protocol's severity, 1 (error) to 4 (hint); 1 when none or an unknown one was given.
    pub severity: u8,
    /// What is wrong, as it was sent.
    pub message: String,
    /// Who says so.
    pub source: Option<String>,
    /// Its code, numbers as digits.
    pub code: Option<String>,
    /// The first related place.
    pub related: Option<Related>,
    /// All of it, as it was sent: a question about it must quote it.
    pub raw: Arc<str>,
}

/// A place that has to do with a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The file.
    pub path: PathBuf,
    /// Where in it, 0-based.
    pub start: Position,
    /// What is said of it.
    pub message: String,
}

/// A `textDocument/publishDiagnostics` notification.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) path: PathBuf,
    pub(super) version: Option<i32>,
    pub(super) items: Vec<Diagnostic>,
}

#[derive(Deserialize)]
struct PublishParams<'a> {
    uri: String,
    #[serde(default, borrow)]
    version: Option<&'a RawValue>,
    #[serde(default, borrow)]
    diagnostics: Option<Vec<&'a RawValue>>,
}

/// Reads a publish; `None` when it is about no file.
pub(super) fn read_publish(params: &RawValue) -> Option<Published> {
    let params: PublishParams<'_> = serde_json::from_str(params.get()).ok()?;
    let version = params.version.and_then(|version| serde_json::from_str(version.get()).ok());
    Some(Published {
        path: to_path(&params.uri)?,
        version,
        items: read_list(params.diagnostics.as_deref().unwrap_or(&[])),
    })
}

/// The answer to a `textDocument/diagnostic` request.
#[derive(Debug)]
pub(super) struct Pulled {
    /// What it was asked about; `None` when that is as it was told before.
    pub(super) items: Option<Vec<Diagnostic>>,
    /// To be given with the next request.
    pub(super) result_id: Option<String>,
    /// Of other files.
    pub(super) related: Vec<(PathBuf, Vec<Diagnostic>)>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct PullAnswer<'a> {
    kind: Option<String>,
    result_id: Option<String>,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    related_documents: Option<BTreeMap<String, &'a RawValue>>,
}

/// Reads the answer to a pull; `None` when it is no such thing. gopls leaves `kind` empty, others send `null` for a list.
pub(super) fn read_pull(answer: &RawValue) -> Option<Pulled> {
    // A list would be read as the fields in their order.
    let answer: PullAnswer<'_> =
        serde_json::from_str(Some(answer.get()).filter(|text| text.trim_start().starts_with('{'))?).ok()?;
    // An object without a list is an answer only if it says so.
    if answer.items.is_none() && answer.kind.as_deref().is_none_or(str::is_empty) {
        return None;
    }
    let of_file = |(uri, raw): (String, &RawValue)| {
        let report: PullAnswer<'_> = serde_json::from_str(raw.get()).ok()?;
        let is_news = report.kind.as_deref() != Some("unchanged");
        is_news.then(|| Some((to_path(&uri)?, read_list(report.items.as_deref().unwrap_or(&[]))))).flatten()
    };
    let is_unchanged = answer.kind.as_deref() == Some("unchanged");
    Some(Pulled {
        items: (!is_unchanged).then(|| read_list(answer.items.as_deref().unwrap_or(&[]))),
        result_id: answer.result_id,
        related: answer.related_documents.unwrap_or_default().into_iter().filter_map(of_file).collect(),
    })
}

fn read_list(items: &[&RawValue]) -> Vec<Diagnostic> {
    items.iter().take(MOST_ITEMS).filter_map(|raw| read_item(raw)).collect()
}

fn read_item(raw: &RawValue) -> Option<Diagnostic> {
    let item: Value = serde_json::from_str(raw.get()).ok()?;
    let message = match &item["message"] {
        Value::String(text) => text.clone(),
        Value::Object(markup) => markup.get("value")?.as_str()?.to_owned(),
        _ => return None,
    };
    Some(Diagnostic {
        start: read_position(&item["range"]["start"]),
        severity: item["severity"].as_u64().filter(|severity| (1..=4).contains(severity)).unwrap_or(1) as u8,
        message,
        source: item["source"].as_str().map(str::to_owned),
        code: match &item["code"] {
            Value::String(code) => Some(code.clone()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        },
        related: item["relatedInformation"].as_array().and_then(|list| list.iter().find_map(read_related)),
        raw: raw.get().into(),
    })
}

fn read_related(item: &Value) -> Option<Related> {
    Some(Related {
        path: to_path(item["location"]["uri"].as_str()?)?,
        start: read_position(&item["location"]["range"]["start"]),
        message: item["message"].as_str()?.to_owned(),
    })
}

/// A position; what is negative or missing counts as 0.
fn read_position(position: &Value) -> Position {
    let number = |value: &Value| value.as_u64().map_or(0, |number| u32::try_from(number).unwrap_or(u32::MAX));
    Position { line: number(&position["line"]), column: number(&position["character"]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(diagnostics: &str) -> Vec<(u32, u8, String, Option<String>)> {
        let params = format!(r#"{{"uri":"file:///w/a%20b.go","version":3,"diagnostics":{diagnostics}}}"#);
        let raw = RawValue::from_string(params).expect("JSON");
        let published = read_publish(&raw).expect("about a file");
        assert_eq!((published.path.to_str(), published.version), (Some("/w/a b.go"), Some(3)));
        published.items.into_iter().map(|item| (item.start.line, item.severity, item.message, item.code)).collect()
    }

    #[test]
    fn an_odd_item_costs_itself_at_most() {
        let at = |line: i64| {
            format!(r#""range":{{"start":{{"line":{line},"character":0}},"end":{{"line":0,"character":0}}}}"#)
        };
        let plain = (4, 2, "m".to_owned(), Some("E1".to_owned()));
        let item = format!(r#"{{{},"severity":2,"message":"m","code":"E1"}}"#, at(4));
        assert_eq!(read("null"), []);
        assert_eq!(read("[]"), []);
        assert_eq!(read(&format!("[{item},7,null,{{}},{item}]")), [plain.clone(), plain]);
        assert_eq!(read(&format!(r#"[{{{},"message":"m"}}]"#, at(-1))), [(0, 1, "m".into(), None)]);
        assert_eq!(
            read(&format!(r#"[{{{},"severity":9,"code":99999999999999999999,"message":"m"}}]"#, at(1))),
            [(1, 1, "m".into(), Some("1e+20".into()))]
        );
        assert_eq!(read(r#"[{"message":"no range"}]"#), [(0, 1, "no range".into(), None)]);
    }

    #[test]
    fn answers_to_a_pull_are_read_generously() {
        let item = r#"{"range":{"start":{"line":4,"character":0}},"message":"m"}"#;
        let read = |text: &str| {
            let raw = RawValue::from_string(text.to_owned()).expect("JSON");
            read_pull(&raw)
                .map(|pulled| (pulled.items.map(|items| items.len()), pulled.result_id, pulled.related.len()))
        };
        let related = format!(r#"{{"file:///w/b.go":{{"kind":"full","items":[{item}]}},"x:y":{{"items":[]}}}}"#);
        for (answer, expected) in [
            (format!(r#"{{"kind":"full","resultId":"7","items":[{item}]}}"#), Some((Some(1), Some("7".to_owned()), 0))),
            (format!(r#"{{"kind":"","items":[{item},3]}}"#), Some((Some(1), None, 0))),
            (r#"{"kind":"full","items":null}"#.to_owned(), Some((Some(0), None, 0))),
            (r#"{"items":null}"#.to_owned(), None),
            (r#"{"kind":"unchanged","resultId":"7"}"#.to_owned(), Some((None, Some("7".to_owned()), 0))),
            (format!(r#"{{"kind":"full","items":[],"relatedDocuments":{related}}}"#), Some((Some(0), None, 1))),
            ("null".to_owned(), None),
            ("[]".to_owned(), None),
        ] {
            assert_eq!(read(&answer), expected, "{answer}");
        }
    }

    #[test]
    fn what_is_about_no_file_is_no_publish() {
        for params in [r#"{"uri":"jdt://contents/x","diagnostics":[]}"#, r#"{"diagnostics":[]}"#, "null", "[1]"] {
            let raw = RawValue::from_string(params.to_owned()).expect("JSON");
            assert!(read_publish(&raw).is_none(), "{params}");
        }
    }
}
