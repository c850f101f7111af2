//! Answers item by item: an odd one costs itself.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Location, Range};
use crate::lsp::connection::RequestError;
use crate::lsp::uri::to_path;
use crate::text::Position;

/// More items of one answer are not kept.
const MOST_ITEMS: usize = 20_000;

/// The items of an answer that is a list, one item, or `null`.
///
/// # Errors
/// When there is something but nothing of it can be understood.
pub(super) fn items<T>(answer: &RawValue, read: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, RequestError> {
    let one = |item: Value| read(&item).map(|item| vec![item]).ok_or_else(RequestError::not_understood);
    match answer.get().trim_start().chars().next() {
        Some('n') => Ok(Vec::new()),
        Some('[') => {
            let raw: Vec<&RawValue> = serde_json::from_str(answer.get()).map_err(|_| RequestError::not_understood())?;
            let value = |raw: &&RawValue| serde_json::from_str::<Value>(raw.get()).ok();
            let found: Vec<T> = raw.iter().take(MOST_ITEMS).filter_map(value).filter_map(|item| read(&item)).collect();
            let is_odd = found.is_empty() && raw.iter().any(|item| item.get() != "null");
            if is_odd { Err(RequestError::not_understood()) } else { Ok(found) }
        }
        _ => one(serde_json::from_str(answer.get()).map_err(|_| RequestError::not_understood())?),
    }
}

/// A `Location`, or a `LocationLink`, of which the name is taken rather than the whole.
pub(super) fn location(value: &Value) -> Option<Location> {
    let uri = value["uri"].as_str().or_else(|| value["targetUri"].as_str())?;
    let range = ["range", "targetSelectionRange", "targetRange"].iter().find_map(|name| range(&value[*name]));
    Some(Location { uri: uri.to_owned(), path: to_path(uri), range: range? })
}

/// A range; `None` when it has no start. What is negative or missing in a position counts as 0.
pub(super) fn range(value: &Value) -> Option<Range> {
    let start = value.get("start").filter(|start| start.is_object()).map(position)?;
    let end = value.get("end").filter(|end| end.is_object()).map_or(start, position);
    Some(Range { start, end: end.max(start) })
}

fn position(value: &Value) -> Position {
    let number = |value: &Value| value.as_u64().map_or(0, |number| u32::try_from(number).unwrap_or(u32::MAX));
    Position { line: number(&value["line"]), column: number(&value["character"]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str) -> Result<Vec<(String, bool, u32, u32)>, String> {
        let raw = RawValue::from_string(answer.to_owned()).expect("JSON");
        let told =
            |place: Location| (place.uri.clone(), place.path.is_some(), place.range.start.line, place.range.end.column);
        items(&raw, location).map(|found| found.into_iter().map(told).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn places_come_in_every_form() {
        let at = r#"{"start":{"line":3,"character":1},"end":{"line":3,"character":9}}"#;
        let whole = r#"{"start":{"line":2,"character":0},"end":{"line":9,"character":1}}"#;
        let location = format!(r#"{{"uri":"file:///w/a.go","range":{at}}}"#);
        let link = format!(r#"{{"targetUri":"file:///w/a.go","targetRange":{whole},"targetSelectionRange":{at}}}"#);
        let library = format!(r#"{{"uri":"jdt://contents/a.class","range":{at}}}"#);
        let plain = ("file:///w/a.go".to_owned(), true, 3, 9);
        assert_eq!(read("null"), Ok(vec![]));
        assert_eq!(read("[]"), Ok(vec![]));
        assert_eq!(read("[null]"), Ok(vec![]));
        assert_eq!(read(&location), Ok(vec![plain.clone()]));
        assert_eq!(read(&format!("[{location},7,{{}},null,{link}]")), Ok(vec![plain.clone(), plain]));
        assert_eq!(read(&format!("[{library}]")), Ok(vec![("jdt://contents/a.class".to_owned(), false, 3, 9)]));
        let backwards = r#"{"uri":"x","range":{"start":{"line":5,"character":-3},"end":{"line":1,"character":4}}}"#;
        assert_eq!(read(backwards), Ok(vec![("x".to_owned(), false, 5, 0)]));
        for odd in ["7", r#""x""#, "{}", "[7]", r#"[{"uri":"file:///a"}]"#, "true"] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }
}
