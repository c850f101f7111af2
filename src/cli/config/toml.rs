//! Keys merged into TOML, leaving every other character as it is.

use serde_json::{Map, Value};
use toml_edit::{Document, DocumentMut, InlineTable, Item, Table, TableLike};

use super::disk::Fault;
use crate::text::{LineIndex, PositionEncoding, hunks};

/// A new file with `keys` alone.
pub(super) fn fresh(keys: &Value) -> String {
    let mut document = DocumentMut::new();
    *document.as_table_mut() = new_table(keys.as_object().unwrap_or(&Map::new()));
    document.to_string()
}

/// `text` with `keys` in it.
///
/// # Errors
/// Where it is broken, or holds something else than a table where one is needed.
pub(super) fn merge(text: &str, keys: &Value) -> Result<String, Fault> {
    let parsed = Document::parse(text).map_err(|error| {
        let what = error.message().lines().next().unwrap_or("no TOML").to_owned();
        fault_at(text, error.span().map_or(0, |span| span.start), what)
    })?;
    let mut document: DocumentMut = parsed.clone().into_mut();
    let wanted = keys.as_object().cloned().unwrap_or_default();
    merge_table(document.as_table_mut(), false, &wanted, &mut Vec::new()).map_err(|names| {
        let item = names.iter().try_fold(parsed.as_item(), |item, name| item.get(name.as_str()));
        let start = item.and_then(Item::span).map_or(0, |span| span.start);
        fault_at(text, start, format!("{} is not a table", names.join(".")))
    })?;
    Ok(with_line_ends_of(text, &document.to_string()))
}

/// `merged` with the line ends that its lines have in `text`, which the parser takes for one kind; new lines get that of
/// the first. A last line without an end stays without.
fn with_line_ends_of(text: &str, merged: &str) -> String {
    let unended = !text.is_empty() && !text.ends_with('\n');
    let merged = if unended { merged.strip_suffix('\n').unwrap_or(merged) } else { merged };
    if !text.contains("\r\n") {
        return merged.to_owned();
    }
    let merged = &merged.replace("\r\n", "\n");
    let plain = text.replace("\r\n", "\n");
    let (old, new): (Vec<_>, Vec<_>) = (text.split_inclusive('\n').collect(), merged.split_inclusive('\n').collect());
    let end = if old[0].ends_with("\r\n") { "\r\n" } else { "\n" };
    let (mut all, mut done) = (String::new(), 0);
    for hunk in hunks(&plain, merged) {
        all.extend(old[done..hunk.old.start].iter().copied());
        all.extend(new[hunk.new.start..hunk.new.end].iter().map(|line| line.replace('\n', end)));
        done = hunk.old.end;
    }
    all.extend(old[done..].iter().copied());
    all
}

/// Merges `wanted`. What is in the way of a table is the error, by its names.
fn merge_table(
    table: &mut dyn TableLike,
    inline: bool,
    wanted: &Map<String, Value>,
    at: &mut Vec<String>,
) -> Result<(), Vec<String>> {
    for (name, wanted) in wanted {
        at.push(name.clone());
        match (wanted, table.get_mut(name)) {
            (Value::Object(keys), Some(present)) => {
                let inline = inline || present.is_inline_table();
                let Some(inner) = present.as_table_like_mut() else { return Err(at.clone()) };
                merge_table(inner, inline, keys, at)?;
            }
            (Value::Object(keys), None) if !inline => {
                table.insert(name, Item::Table(new_table(keys)));
            }
            (other, Some(present)) => set(present, other),
            (other, None) => {
                table.insert(name, Item::Value(value(other)));
            }
        }
        at.pop();
    }
    Ok(())
}

/// Puts a value where another stands, with the white space and comment around it; an equal one stays as it is written.
fn set(present: &mut Item, wanted: &Value) {
    let mut new = value(wanted);
    match present.as_value() {
        Some(old) if bare(old) == bare(&new) || runs_us(old, wanted) => return,
        Some(old) => *new.decor_mut() = old.decor().clone(),
        None => {}
    }
    *present = Item::Value(new);
}

/// Whether these are arguments of `landfall mcp` already: the options behind that are the user's.
fn runs_us(present: &toml_edit::Value, wanted: &Value) -> bool {
    let first = present.as_array().and_then(|items| items.get(0)).and_then(toml_edit::Value::as_str);
    first == Some("mcp") && wanted[0] == "mcp"
}

/// A value's meaning, whatever it is laid out like.
fn bare(value: &toml_edit::Value) -> String {
    match value {
        toml_edit::Value::Array(items) => items.iter().map(bare).collect::<Vec<_>>().join(","),
        toml_edit::Value::String(text) => format!("{:?}", text.value()),
        other => other.clone().decorated("", "").to_string(),
    }
}

/// A table of its own; one that holds nothing but tables needs no heading.
fn new_table(keys: &Map<String, Value>) -> Table {
    let mut table = Table::new();
    table.set_implicit(keys.values().all(Value::is_object));
    for (name, wanted) in keys {
        let item = wanted.as_object().map_or_else(|| Item::Value(value(wanted)), |keys| Item::Table(new_table(keys)));
        table.insert(name, item);
    }
    table
}

fn value(wanted: &Value) -> toml_edit::Value {
    match wanted {
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::Array(items) => items.iter().map(value).collect::<toml_edit::Array>().into(),
        Value::Object(keys) => {
            keys.iter().map(|(name, wanted)| (name.as_str(), value(wanted))).collect::<InlineTable>().into()
        }
        Value::String(text) => text.as_str().into(),
        Value::Null => "".into(),
    }
}

fn fault_at(text: &str, offset: usize, what: String) -> Fault {
    let position = LineIndex::new(text).position(text, offset, PositionEncoding::Utf32);
    Fault { line: position.line as usize + 1, column: position.column as usize + 1, what }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys() -> Value {
        json!({ "mcp_servers": { "landfall": { "command": "landfall", "args": ["mcp"] } } })
    }

    #[test]
    fn what_is_broken_is_refused_at_its_place() {
        for (text, line, column, what) in [
            ("model = \"x\"\n[mcp_servers\ncommand = 1\n", 2, 13, ""),
            ("a = 1\na = 2\n", 2, 1, "duplicate"),
            ("# é\nmcp_servers = 7\n", 2, 15, "mcp_servers is not a table"),
            ("[[mcp_servers]]\n", 1, 1, "mcp_servers is not a table"),
        ] {
            let fault = merge(text, &keys()).expect_err(text);
            assert_eq!((fault.line, fault.column), (line, column), "{text}: {}", fault.what);
            assert!(fault.what.contains(what), "{text}: {}", fault.what);
        }
    }

    #[test]
    fn each_line_keeps_its_end() {
        let text = "a = 1\r\nb = 2\n[mcp_servers]\r\nx = 1\n\r\n[z]\r\n\ny = \"\"\"\r\n\n\"\"\"\r\nlast = 1";
        let merged = merge(text, &keys()).expect("merges");
        for line in text.split_inclusive('\n') {
            assert!(merged.contains(line), "{line:?} in {merged:?}");
        }
        assert!(merged.ends_with("last = 1"), "{merged:?}");
        assert!(merged.contains("[mcp_servers.landfall]\r\ncommand = \"landfall\"\r\n"), "{merged:?}");
        assert_eq!(merge(&merged, &keys()).expect("merges again"), merged);
    }

    #[test]
    fn every_way_to_write_a_table_is_kept() {
        for (text, merged) in [
            ("", "[mcp_servers.landfall]\ncommand = \"landfall\"\nargs = [\"mcp\"]\n"),
            (
                "mcp_servers = { other = { command = \"x\" } } # mine\n",
                "mcp_servers = { other = { command = \"x\" } , landfall = { command = \"landfall\", args = [\"mcp\"] } } # mine\n",
            ),
            (
                "[mcp_servers]\nlandfall = { command = 'landfall', startup_timeout_sec = 20 }\n",
                "[mcp_servers]\nlandfall = { command = 'landfall', startup_timeout_sec = 20 , args = [\"mcp\"] }\n",
            ),
            (
                "mcp_servers.landfall.command = \"/old\" # why\n",
                "mcp_servers.landfall.command = \"landfall\" # why\nmcp_servers.landfall.args = [\"mcp\"]\n",
            ),
        ] {
            let done = merge(text, &keys()).expect("merges");
            assert_eq!(done, merged);
            assert_eq!(merge(&done, &keys()).expect("merges again"), done);
        }
    }
}
