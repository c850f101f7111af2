//! Positions of a text that a client has not saved, and of the same file on disk, in messages of any shape. Pure.
//!
//! Language servers are shared and know what is on disk. What a client asks is asked of the line that its line was
//! there, and what comes back is led back. Where a line has no counterpart there is no answer.

use serde_json::{Map, Value};
use tower_lsp_server::ls_types::Uri;

use crate::text::{Hunk, shift_line};

/// How the lines of one file move.
#[derive(Debug)]
pub(super) struct Retrace {
    uri: String,
    hunks: Vec<Hunk>,
}

impl Retrace {
    /// By the hunks that lead from the one text to the other.
    pub(super) fn new(uri: &Uri, hunks: Vec<Hunk>) -> Retrace {
        Retrace { uri: uri.as_str().to_owned(), hunks }
    }

    /// `message` with all positions of the file moved; `about` is the file that positions without a URI are in. `None`
    /// where a position has no counterpart; of a list, only the items that have are left.
    pub(super) fn message(&self, message: Value, about: &str) -> Option<Value> {
        match message {
            Value::Array(items) => Some(items.into_iter().filter_map(|item| self.message(item, about)).collect()),
            Value::Object(object) => self.object(object, about).map(Value::Object),
            other => Some(other),
        }
    }

    fn object(&self, mut object: Map<String, Value>, about: &str) -> Option<Map<String, Value>> {
        if let (Some(line), true) = (object.get("line").and_then(Value::as_u64), object.contains_key("character")) {
            if about == self.uri {
                object.insert("line".into(), shift_line(&self.hunks, usize::try_from(line).ok()?)?.into());
            }
            return Some(object);
        }
        let named = ["uri", "targetUri"].iter().find_map(|name| object.get(*name)?.as_str());
        let inner = object.get("textDocument").and_then(|document| document.get("uri")).and_then(Value::as_str);
        let about = named.or(inner).unwrap_or(about).to_owned();
        let each = object.into_iter().map(|(name, value)| {
            // `changes` of a WorkspaceEdit is keyed by URI; `originSelectionRange` is in the file that was asked about.
            let about = if name.contains("://") { name.clone() } else { about.clone() };
            let value = self.message(value, &about)?;
            Some((name, value))
        });
        each.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::text::hunks;

    #[test]
    fn positions_move_in_their_own_file_only() {
        let uri: Uri = "file:///a.go".parse().expect("a URI");
        let retrace = Retrace::new(&uri, hunks("1\n2\n3\n", "0\n1\n2x\n3\n"));
        let at = |line: u32| json!({"line": line, "character": 4});
        for (message, expected) in [
            (at(0), Some(at(1))),
            (at(1), None),
            (
                json!({"textDocument": {"uri": "file:///b.go"}, "position": at(0)}),
                Some(json!({"textDocument": {"uri": "file:///b.go"}, "position": at(0)})),
            ),
            (
                json!([{"uri": "file:///a.go", "range": {"start": at(2), "end": at(2)}}, {"uri": "file:///a.go", "range": {"start": at(1), "end": at(1)}}]),
                Some(json!([{"uri": "file:///a.go", "range": {"start": at(3), "end": at(3)}}])),
            ),
            (
                json!({"changes": {"file:///b.go": [{"range": at(1)}]}}),
                Some(json!({"changes": {"file:///b.go": [{"range": at(1)}]}})),
            ),
            (json!(null), Some(json!(null))),
        ] {
            assert_eq!(retrace.message(message.clone(), "file:///a.go"), expected, "{message}");
        }
    }
}
