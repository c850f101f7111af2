//! The declarations of a file instead of its content.

use std::path::Path;

use serde_json::{Value, json};

use crate::report::{Reply, ToolError, one_line};
use crate::syntax::{Language, Symbol, outline};
use crate::text::count_lines;

/// Most bytes of an outline.
const MOST_BYTES: usize = 9_000;

/// The outline of `file`, whose content is `text`.
///
/// # Errors
/// When its language has no grammar here.
pub(super) fn reply(file: &str, text: &str) -> Result<Reply, ToolError> {
    let language = Language::of_path(Path::new(file)).ok_or_else(|| {
        ToolError::caller("no_outline", "the outline of this kind of file is not known (only of Go, Java and Zig)")
            .hint("call `read` without outline, or `grep` with this path")
            .about(file)
    })?;
    let symbols = outline(language, text);
    let total = count_lines(text);
    let mut out = String::new();
    let mut shown = 0;
    for symbol in &symbols {
        let line = line(symbol);
        if out.len() + line.len() > MOST_BYTES {
            break;
        }
        out.push_str(&line);
        shown += 1;
    }
    let more = if shown < symbols.len() {
        format!(", the first {shown} shown; `grep` with this path finds the others")
    } else {
        String::new()
    };
    out.push_str(&format!("({file}: {} declarations in {total} lines{more}; read a part with ranges)", symbols.len()));
    let structured = json!({
        "file": file,
        "lines": { "total": total },
        "declarations": symbols.iter().take(shown).map(object).collect::<Vec<_>>(),
        "total": symbols.len(),
    });
    Ok(Reply::done(out, structured))
}

fn line(symbol: &Symbol) -> String {
    let (first, last) = symbol.lines.one_based();
    let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
    format!("{range:>11}  {} {}\n", symbol.kind.name(), one_line(&path(symbol), 150))
}

fn object(symbol: &Symbol) -> Value {
    let (first, last) = symbol.lines.one_based();
    json!({ "name": path(symbol), "kind": symbol.kind.name(), "start": first, "end": last })
}

fn path(symbol: &Symbol) -> String {
    match &symbol.container {
        Some(container) => format!("{container}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_stand_with_their_lines() {
        let reply = reply("s/a.go", "package p\n\ntype S struct {\n\tk int\n}\n\nfunc (s *S) Put() {}\n").expect("Go");
        let expected = "        3-5  struct S\n          4  field S.k\n          7  method S.Put\n\
                        (s/a.go: 3 declarations in 7 lines; read a part with ranges)";
        assert_eq!(reply.text, expected);
        assert_eq!(
            reply.structured["declarations"][2],
            json!({ "name": "S.Put", "kind": "method", "start": 7, "end": 7 })
        );
    }

    #[test]
    fn a_long_outline_is_cut_and_an_unknown_language_said() {
        let text: String = (0..2000).map(|n| format!("var v{n} = {n}\n")).collect();
        let reply = reply("a.go", &format!("package p\n{text}")).expect("Go");
        assert!(
            reply.text.len() < 10_000 && reply.text.contains("2000 declarations in 2001 lines, the first "),
            "{}",
            reply.text.len()
        );
        assert_eq!(super::reply("a.txt", "x").expect_err("none").code, "no_outline");
    }
}
