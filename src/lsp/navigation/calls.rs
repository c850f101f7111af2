//! Functions that call each other, as a language server tells them.

use serde_json::Value;

use super::{Direction, Location, Range, decode};
use crate::lsp::uri::to_path;

/// A function that can be asked about its calls.
#[derive(Debug, Clone, PartialEq)]
pub struct CallItem {
    /// As it was sent: it must go back unchanged.
    pub(super) raw: Value,
    /// Its name, as it was sent.
    pub name: String,
    /// What else is said of it: its package, its file.
    pub detail: Option<String>,
    /// Where its name stands.
    pub location: Location,
}

/// The calls between one function and the one that was asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Calls {
    /// The other function.
    pub item: CallItem,
    /// Where the calls stand: in the other function's document for incoming calls, else in that of the one asked about.
    pub sites: Vec<Range>,
}

/// A `CallHierarchyItem`.
pub(super) fn item(value: &Value) -> Option<CallItem> {
    let uri = value["uri"].as_str()?;
    let range = decode::range(&value["selectionRange"]).or_else(|| decode::range(&value["range"]))?;
    Some(CallItem {
        name: value["name"].as_str()?.to_owned(),
        detail: value["detail"].as_str().filter(|detail| !detail.is_empty()).map(str::to_owned),
        location: Location { uri: uri.to_owned(), path: to_path(uri), range },
        raw: value.clone(),
    })
}

/// A `CallHierarchyIncomingCall` or `CallHierarchyOutgoingCall`.
pub(super) fn calls(value: &Value, direction: Direction) -> Option<Calls> {
    let other = match direction {
        Direction::Incoming => &value["from"],
        Direction::Outgoing => &value["to"],
    };
    let sites = value["fromRanges"].as_array().map(Vec::as_slice).unwrap_or_default();
    Some(Calls { item: item(other)?, sites: sites.iter().filter_map(decode::range).collect() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_read_in_both_directions() {
        let range =
            |line: u32| json!({ "start": { "line": line, "character": 2 }, "end": { "line": line, "character": 4 } });
        let function = json!({ "name": "f", "kind": 12, "detail": "p", "uri": "file:///w/a.go", "range": range(1), "selectionRange": range(2), "data": { "x": 1 } });
        let read = calls(&json!({ "from": function, "fromRanges": [range(7), 3, range(9)] }), Direction::Incoming)
            .expect("calls");
        assert_eq!((read.item.name.as_str(), read.item.location.range.start.line), ("f", 2));
        assert_eq!(read.sites.iter().map(|site| site.start.line).collect::<Vec<_>>(), [7, 9]);
        assert_eq!(read.item.raw["data"]["x"], 1, "what the language server put there goes back");
        assert!(calls(&json!({ "to": function }), Direction::Outgoing).is_some_and(|calls| calls.sites.is_empty()));
        assert!(calls(&json!({ "to": function }), Direction::Incoming).is_none());
    }
}
