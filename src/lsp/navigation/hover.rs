//! What a language server says of a thing: its three forms as one text.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::lsp::connection::RequestError;

/// The text of a hover; `None` when there is nothing to say.
pub(super) fn read(answer: &RawValue) -> Result<Option<String>, RequestError> {
    let value: Value = serde_json::from_str(answer.get()).map_err(|_| RequestError::not_understood())?;
    if value.is_null() {
        return Ok(None);
    }
    let contents = value.get("contents").and_then(text).ok_or_else(RequestError::not_understood)?;
    Ok(Some(contents).filter(|text| !text.trim().is_empty()))
}

/// `MarkupContent`, a marked string (plain, or with its language), or a list of those.
fn text(contents: &Value) -> Option<String> {
    match contents {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Object(object) => {
            let value = object.get("value")?.as_str()?;
            match object.get("language").and_then(Value::as_str) {
                Some(language) => Some(format!("```{language}\n{value}\n```")),
                None => Some(value.to_owned()),
            }
        }
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().filter_map(text).filter(|text| !text.is_empty()).collect();
            Some(parts.join("\n\n"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hover_comes_in_three_forms() {
        let read = |answer: &str| {
            read(&RawValue::from_string(answer.to_owned()).expect("JSON")).map_err(|error| error.to_string())
        };
        for (answer, expected) in [
            ("null", None),
            (r#"{"contents":{"kind":"markdown","value":"**a**"}}"#, Some("**a**")),
            (r#"{"contents":"plain"}"#, Some("plain")),
            (r#"{"contents":{"language":"java","value":"int x"}}"#, Some("```java\nint x\n```")),
            (r#"{"contents":[{"language":"java","value":"int x"},"Doc.",7,""]}"#, Some("```java\nint x\n```\n\nDoc.")),
            (r#"{"contents":[]}"#, None),
            (r#"{"contents":null}"#, None),
            (r#"{"contents":"  "}"#, None),
        ] {
            assert_eq!(read(answer), Ok(expected.map(str::to_owned)), "{answer}");
        }
        for odd in ["7", "[]", "{}", r#"{"contents":7}"#, r#"{"contents":{"kind":"markdown"}}"#] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }
}
