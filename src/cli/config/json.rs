//! Keys merged into JSON with comments, leaving every other character as it is.

use jsonc_parser::ParseOptions;
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Map, Value};

use super::disk::Fault;
use crate::text::{LineIndex, PositionEncoding};

/// What clients take: comments and a comma behind the last item, not the rest of JSON5.
const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A new file with `keys` alone.
pub(super) fn fresh(keys: &Value) -> String {
    format!("{keys:#}\n")
}

/// What `text` holds; an empty one holds nothing.
///
/// # Errors
/// Where it is broken.
pub(super) fn value(text: &str) -> Result<Value, Fault> {
    let root = CstRootNode::parse(text, &DIALECT).map_err(|error| broken(&error))?;
    Ok(root.to_serde_value().unwrap_or(Value::Null))
}

/// `text` with `keys` in it. Lists whose JSON pointer is among `lists` keep what else they have.
///
/// # Errors
/// Where it is broken, or holds something else than an object or a list where one is needed.
pub(super) fn merge(text: &str, keys: &Value, lists: &[&str]) -> Result<String, Fault> {
    let root = CstRootNode::parse(text, &DIALECT).map_err(|error| broken(&error))?;
    if root.value().is_none() {
        let comments = text.trim_end();
        let gap = if comments.is_empty() { "" } else { "\n" };
        return Ok(format!("{comments}{gap}{}", fresh(keys)));
    }
    let object = root.object_value().ok_or_else(|| unlike(text, "", "an object"))?;
    let wanted = keys.as_object().cloned().unwrap_or_default();
    Merge { text, lists }.object(&object, &wanted, "")?;
    Ok(root.to_string())
}

struct Merge<'t> {
    text: &'t str,
    lists: &'t [&'t str],
}

impl Merge<'_> {
    fn object(&self, object: &CstObject, wanted: &Map<String, Value>, at: &str) -> Result<(), Fault> {
        for (name, wanted) in wanted {
            let at = format!("{at}/{name}");
            let Some(present) = object.get(name) else {
                object.append(name, input(wanted));
                continue;
            };
            match wanted {
                Value::Object(keys) => {
                    let inner = present.object_value().ok_or_else(|| unlike(self.text, &at, "an object"))?;
                    self.object(&inner, keys, &at)?;
                }
                Value::Array(items) if self.lists.contains(&at.as_str()) => {
                    let list = present.array_value().ok_or_else(|| unlike(self.text, &at, "a list"))?;
                    add_missing(&list, items);
                }
                Value::Array(items) if is_ours(&present.to_serde_value(), items) => start_by(&present, items),
                other if present.to_serde_value().as_ref() == Some(other) => {}
                other => present.set_value(input(other)),
            }
        }
        Ok(())
    }
}

/// Whether a command line runs `landfall mcp` already: the options behind that are the user's.
pub(super) fn is_ours(present: &Option<Value>, wanted: &[Value]) -> bool {
    let Some(Value::Array(present)) = present else { return false };
    let place = wanted.iter().position(|item| item == "mcp");
    place.is_some_and(|place| present.get(place) == wanted.get(place))
}

/// Puts right how a command line starts, up to `mcp`.
fn start_by(present: &CstObjectProp, wanted: &[Value]) {
    let elements = present.array_value().map(|list| list.elements()).unwrap_or_default();
    let start = wanted.iter().take_while(|item| *item != "mcp");
    for (element, item) in elements.into_iter().zip(start) {
        if let (Some(text), true) = (element.as_string_lit(), element.to_serde_value().as_ref() != Some(item)) {
            text.replace_with(input(item));
        }
    }
}

/// Adds the items that are not there. A hook of ours that runs another copy of this program is put right in its place.
fn add_missing(list: &CstArray, items: &[Value]) {
    for item in items {
        let elements = list.elements();
        if elements.iter().any(|element| element.to_serde_value().as_ref() == Some(item)) {
            continue;
        }
        let command = item.pointer("/hooks/0/command");
        let ours = command.and_then(|_| elements.iter().find_map(|element| our_command(&element.as_object()?)));
        match (ours, command) {
            (Some(present), Some(command)) if present.to_serde_value().as_ref() != Some(command) => {
                present.set_value(input(command));
            }
            (Some(_), _) => {}
            (None, _) => {
                list.append(input(item));
            }
        }
    }
}

/// The command of the hook among `group`'s that is ours.
fn our_command(group: &CstObject) -> Option<CstObjectProp> {
    let hooks = group.array_value("hooks")?.elements();
    let commands = hooks.iter().filter_map(|hook| hook.as_object()?.get("command"));
    commands.into_iter().find(|command| {
        let text = command.to_serde_value().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
        text.contains("landfall") && text.trim_end().ends_with(" hook claude")
    })
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(keys) => {
            CstInputValue::Object(keys.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

fn broken(error: &jsonc_parser::errors::ParseError) -> Fault {
    Fault { line: error.line_display(), column: error.column_display(), what: error.kind().to_string() }
}

/// The fault of a value that is not what must stand there.
fn unlike(text: &str, pointer: &str, needed: &str) -> Fault {
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &DIALECT).ok();
    let start = parsed.and_then(|parsed| start_of(parsed.value.as_ref()?, pointer)).unwrap_or(0);
    let position = LineIndex::new(text).position(text, start, PositionEncoding::Utf32);
    let name = if pointer.is_empty() { "the file" } else { &pointer[1..] }.replace('/', ".");
    Fault {
        line: position.line as usize + 1,
        column: position.column as usize + 1,
        what: format!("{name} is not {needed}"),
    }
}

fn start_of(value: &ast::Value<'_>, pointer: &str) -> Option<usize> {
    let mut value = value;
    for name in pointer.split('/').skip(1) {
        value = &value.as_object()?.get(name)?.value;
    }
    Some(value.start())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(text: &str) -> (usize, usize, String) {
        let keys = json!({ "mcp": { "landfall": { "command": ["landfall", "mcp"] } } });
        let fault = merge(text, &keys, &[]).expect_err(text);
        (fault.line, fault.column, fault.what)
    }

    #[test]
    fn what_is_broken_is_refused_at_its_place() {
        for (text, line, column, what) in [
            ("{\n  \"a\": 1,\n  \"b\" 2\n}\n", 3, 7, "colon"),
            ("{\n  \"a\": [1, 2\n", 2, 8, ""),
            ("{ \"é\": }", 1, 8, ""),
            ("[]", 1, 1, "the file is not an object"),
            ("{\n  // ours\n  \"mcp\": []\n}", 3, 10, "mcp is not an object"),
            ("{\"mcp\": {\"landfall\": \"yes\"}}", 1, 22, "mcp.landfall is not an object"),
            ("{} {}", 1, 4, ""),
        ] {
            let (at_line, at_column, said) = fault(text);
            assert_eq!((at_line, at_column), (line, column), "{text}: {said}");
            assert!(said.to_lowercase().contains(what), "{text}: {said}");
        }
    }

    #[test]
    fn nothing_and_comments_alone_become_a_file() {
        let keys = json!({ "a": 1 });
        for (text, merged) in
            [("", "{\n  \"a\": 1\n}\n"), (" \n\n", "{\n  \"a\": 1\n}\n"), ("// mine\n", "// mine\n{\n  \"a\": 1\n}\n")]
        {
            assert_eq!(merge(text, &keys, &[]).expect("merges"), merged);
        }
    }

    #[test]
    fn a_hook_of_another_copy_is_put_right_where_it_stands() {
        let text =
            r#"{"h": [{"matcher": "Edit", "hooks": [{"command": "lint"}, {"command": "/old/landfall hook claude"}]}]}"#;
        let keys = json!({ "h": [{ "matcher": "Write", "hooks": [{ "command": "/new/landfall hook claude" }] }] });
        let merged = merge(text, &keys, &["/h"]).expect("merges");
        assert_eq!(merged, text.replace("/old/", "/new/"));
    }
}
