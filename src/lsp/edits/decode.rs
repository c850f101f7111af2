//! Workspace edits from JSON: wholly understood or refused.

use std::path::PathBuf;

use serde_json::Value;

use super::{EditStep, Present, TextEdit, WorkspaceEdit, snippet};
use crate::lsp::navigation::Range;
use crate::lsp::uri::to_path;
use crate::text::Position;

/// More replacements in one edit are not carried out.
const MOST_EDITS: usize = 200_000;

/// An edit that is not understood, or about something that is no file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrangeEdit {
    /// It is about something that is no file.
    #[error("it would change {0}, which is no file")]
    NoFile(String),
    /// A part of it cannot be understood.
    #[error("its edit cannot be understood ({0})")]
    NotUnderstood(&'static str),
    /// It changes more places than can be.
    #[error("it would change more than {MOST_EDITS} places")]
    TooMany,
}

/// Reads a `WorkspaceEdit`; `None` for one that changes nothing.
///
/// Of both forms `documentChanges` goes before `changes` (LSP 3.17, WorkspaceEdit).
///
/// # Errors
/// [`StrangeEdit`].
pub(super) fn edit(value: &Value) -> Result<Option<WorkspaceEdit>, StrangeEdit> {
    if value.is_null() {
        return Ok(None);
    }
    let steps = match (value.get("documentChanges"), value.get("changes")) {
        (Some(Value::Array(changes)), _) => changes.iter().map(step).collect::<Result<Vec<_>, _>>()?,
        (None | Some(Value::Null), Some(Value::Object(changes))) => {
            let one = |(uri, edits): (&String, &Value)| text_step(file(uri)?, None, edits);
            changes.iter().map(one).collect::<Result<Vec<_>, _>>()?
        }
        (None | Some(Value::Null), None | Some(Value::Null)) if value.is_object() => Vec::new(),
        _ => return Err(StrangeEdit::NotUnderstood("neither documentChanges nor changes")),
    };
    let places = steps.iter().map(|step| match step {
        EditStep::Text { edits, .. } => edits.len(),
        _ => 1,
    });
    match places.sum::<usize>() {
        0 => Ok(None),
        places if places > MOST_EDITS => Err(StrangeEdit::TooMany),
        _ => Ok(Some(WorkspaceEdit { steps })),
    }
}

fn step(value: &Value) -> Result<EditStep, StrangeEdit> {
    let path = |name: &str| file(value[name].as_str().ok_or(StrangeEdit::NotUnderstood("a file without a name"))?);
    let option = |name: &str| value["options"][name] == true;
    // `overwrite` wins over `ignoreIfExists` (LSP 3.17, CreateFileOptions).
    let present = match (option("overwrite"), option("ignoreIfExists")) {
        (true, _) => Present::Overwritten,
        (false, true) => Present::Kept,
        (false, false) => Present::Refused,
    };
    match value["kind"].as_str() {
        Some("create") => Ok(EditStep::Create { path: path("uri")?, present }),
        Some("rename") => Ok(EditStep::Rename { from: path("oldUri")?, to: path("newUri")?, present }),
        Some("delete") => Ok(EditStep::Delete {
            path: path("uri")?,
            recursive: option("recursive"),
            ignore_missing: option("ignoreIfNotExists"),
        }),
        Some(_) => Err(StrangeEdit::NotUnderstood("an operation of another kind")),
        None => {
            let document = &value["textDocument"];
            let uri = document["uri"].as_str().ok_or(StrangeEdit::NotUnderstood("a document without a name"))?;
            let version = match &document["version"] {
                Value::Null => None,
                version => {
                    let number = version.as_i64().and_then(|version| i32::try_from(version).ok());
                    Some(number.ok_or(StrangeEdit::NotUnderstood("a version that is no number"))?)
                }
            };
            text_step(file(uri)?, version, &value["edits"])
        }
    }
}

fn text_step(path: PathBuf, version: Option<i32>, edits: &Value) -> Result<EditStep, StrangeEdit> {
    let edits = edits.as_array().ok_or(StrangeEdit::NotUnderstood("no list of edits"))?;
    let edits = edits.iter().map(text_edit).collect::<Result<Vec<_>, _>>()?;
    Ok(EditStep::Text { path, version, edits })
}

/// A text edit, annotated or not; a snippet is taken as the text it starts with.
fn text_edit(value: &Value) -> Result<TextEdit, StrangeEdit> {
    let range = &value["range"];
    let range = Range { start: position(&range["start"])?, end: position(&range["end"])? };
    if range.end < range.start {
        return Err(StrangeEdit::NotUnderstood("a range that ends before it starts"));
    }
    // 2 is "snippet" (LSP 3.17, InsertTextFormat), as rust-analyzer marks them; the other form is that of LSP 3.18.
    let text = match (value["newText"].as_str(), value["snippet"]["value"].as_str()) {
        (Some(text), _) if value["insertTextFormat"] == 2 => snippet::plain(text),
        (Some(text), _) => text.to_owned(),
        (None, Some(text)) => snippet::plain(text),
        (None, None) => return Err(StrangeEdit::NotUnderstood("an edit without a text")),
    };
    Ok(TextEdit { range, text })
}

fn position(value: &Value) -> Result<Position, StrangeEdit> {
    let number = |name: &str| value[name].as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    match (number("line"), number("character")) {
        (Some(line), Some(column)) => Ok(Position { line, column }),
        _ => Err(StrangeEdit::NotUnderstood("a position that is none")),
    }
}

fn file(uri: &str) -> Result<PathBuf, StrangeEdit> {
    to_path(uri).ok_or_else(|| StrangeEdit::NoFile(uri.chars().take(200).filter(|c| !c.is_control()).collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(line: u32, column: u32) -> Value {
        json!({ "start": { "line": line, "character": column }, "end": { "line": line, "character": column + 1 } })
    }

    fn replaced(line: u32, column: u32, text: &str) -> TextEdit {
        let range = Range { start: Position { line, column }, end: Position { line, column: column + 1 } };
        TextEdit { range, text: text.into() }
    }

    #[test]
    fn edits_come_in_every_form() {
        let plain = json!({ "range": at(1, 2), "newText": "x" });
        let annotated = json!({ "range": at(1, 2), "newText": "x", "annotationId": "a" });
        let marked = json!({ "range": at(1, 2), "newText": "${1:x}$0", "insertTextFormat": 2 });
        let snippet = json!({ "range": at(1, 2), "snippet": { "kind": "snippet", "value": "x${0}" } });
        let expected = |version| {
            let path = PathBuf::from("/w/a b.go");
            Some(WorkspaceEdit { steps: vec![EditStep::Text { path, version, edits: vec![replaced(1, 2, "x")] }] })
        };
        assert_eq!(edit(&json!({ "changes": { "file:///w/a%20b.go": [plain.clone()] } })), Ok(expected(None)));
        for one in [&plain, &annotated, &marked, &snippet] {
            for (version, number) in [(json!(3), Some(3)), (json!(null), None)] {
                let document = json!({ "uri": "file:///w/a%20b.go", "version": version });
                let value = json!({ "documentChanges": [{ "textDocument": document, "edits": [one] }], "changes": {} });
                assert_eq!(edit(&value), Ok(expected(number)), "{value}");
            }
        }
        for nothing in [json!(null), json!({}), json!({ "changes": {} }), json!({ "documentChanges": [] })] {
            assert_eq!(edit(&nothing), Ok(None), "{nothing}");
        }
    }

    #[test]
    fn files_are_made_moved_and_taken_away_in_order() {
        let value = json!({ "documentChanges": [
            { "kind": "create", "uri": "file:///w/a", "options": { "overwrite": true, "ignoreIfExists": true } },
            { "kind": "rename", "oldUri": "file:///w/a", "newUri": "file:///w/b", "options": { "ignoreIfExists": true } },
            { "kind": "delete", "uri": "file:///w/c", "options": { "recursive": true } },
        ] });
        let steps = edit(&value).expect("understood").expect("not empty").steps;
        assert_eq!(
            steps,
            [
                EditStep::Create { path: "/w/a".into(), present: Present::Overwritten },
                EditStep::Rename { from: "/w/a".into(), to: "/w/b".into(), present: Present::Kept },
                EditStep::Delete { path: "/w/c".into(), recursive: true, ignore_missing: false },
            ]
        );
    }

    #[test]
    fn one_odd_part_refuses_the_whole() {
        let good = json!({ "range": at(1, 2), "newText": "x" });
        let text =
            |edits: Value| json!({ "documentChanges": [{ "textDocument": { "uri": "file:///w/a" }, "edits": edits }] });
        for odd in [
            text(json!([good, 7])),
            text(json!([good, { "range": at(1, 2) }])),
            text(
                json!([good, { "range": { "start": { "line": -1, "character": 0 }, "end": { "line": 1, "character": 0 } }, "newText": "" }]),
            ),
            text(
                json!([{ "range": { "start": { "line": 2, "character": 0 }, "end": { "line": 1, "character": 0 } }, "newText": "" }]),
            ),
            text(json!(null)),
            json!({ "documentChanges": [{ "kind": "levitate", "uri": "file:///w/a" }] }),
            json!({ "documentChanges": [{ "kind": "create" }] }),
            json!({ "documentChanges": 7 }),
            json!(7),
        ] {
            assert!(matches!(edit(&odd), Err(StrangeEdit::NotUnderstood(_))), "{odd}: {:?}", edit(&odd));
        }
        let library = json!({ "changes": { "jdt://contents/A.class": [good] } });
        assert_eq!(edit(&library), Err(StrangeEdit::NoFile("jdt://contents/A.class".into())));
    }
}
