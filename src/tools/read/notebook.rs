//! A notebook told by its cells: as JSON it is long, and mostly output.

use serde_json::{Value, json};

use crate::report::{Reply, one_line};
use crate::text::count_lines;

/// Most cells listed.
const MOST_CELLS: usize = 60;

/// The cells of the notebook in `text`, if it is one.
pub(super) fn reply(file: &str, text: &str) -> Option<Reply> {
    let notebook: Value = serde_json::from_str(text).ok()?;
    let cells = notebook.get("cells")?.as_array()?;
    let lines = count_lines(text);
    let mut out = format!("{file} is a notebook: {} cells, {lines} lines of JSON\n", cells.len());
    for (index, cell) in cells.iter().take(MOST_CELLS).enumerate() {
        let kind = cell["cell_type"].as_str().unwrap_or("cell");
        let source = source(&cell["source"]);
        let first = source.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        out.push_str(&format!(
            "{:>5} {} ({} lines): {}\n",
            index + 1,
            one_line(kind, 20),
            count_lines(&source),
            one_line(first, 100)
        ));
    }
    if cells.len() > MOST_CELLS {
        out.push_str(&format!("      … {} more cells\n", cells.len() - MOST_CELLS));
    }
    out.push_str(
        "Hint: call `read` with offset and limit to see its JSON, or `grep` with this path to find a cell's lines",
    );
    Some(Reply::done(out, json!({ "file": file, "cells": cells.len(), "lines": { "total": lines } })))
}

/// A cell's source: a text, or a list of lines.
fn source(source: &Value) -> String {
    match source {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_told_by_kind_and_first_line() {
        let notebook = json!({ "cells": [
            { "cell_type": "markdown", "source": ["# Title\n", "more"] },
            { "cell_type": "code", "source": "\nx = 1\n", "outputs": [{ "data": "A".repeat(9999) }] },
            { "cell_type": "raw" },
        ] });
        let text = reply("a.ipynb", &notebook.to_string()).expect("a notebook").text;
        assert!(text.starts_with("a.ipynb is a notebook: 3 cells, 1 lines of JSON\n    1 markdown (2 lines): # Title\n    2 code (2 lines): x = 1\n    3 raw (0 lines): \n"), "{text}");
        assert!(text.len() < 500);
        for other in ["{}", "not json", "{\"cells\": 1}"] {
            assert_eq!(reply("a.ipynb", other), None);
        }
    }
}
