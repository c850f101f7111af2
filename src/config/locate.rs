//! From a byte of a TOML text to its line and key, and from a key to its line.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// The line of a byte, 1-based.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    1 + text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count()
}

/// The innermost key whose line or value holds `offset`, with its tables (`servers.gopls.memory_mb`).
pub(super) fn key_at(text: &str, offset: usize) -> String {
    let (root, _) = DeTable::parse_recoverable(text);
    let mut path = Vec::new();
    descend(root.get_ref(), offset, &mut path);
    path.join(".")
}

/// The line on which the last part of a key stands, or the nearest of its tables that does; 1-based.
pub(super) fn line_of_key(text: &str, key: &[&str]) -> Option<usize> {
    let (root, _) = DeTable::parse_recoverable(text);
    let mut table = root.get_ref();
    let mut line = None;
    for part in key {
        let Some((name, value)) = table.iter().find(|(name, _)| name.get_ref() == part) else { break };
        line = Some(line_of(text, name.span().start));
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    line
}

fn descend(table: &DeTable<'_>, offset: usize, path: &mut Vec<String>) {
    for (name, value) in table {
        if holds(&name.span(), offset) || encloses(value.get_ref(), &value.span(), offset) {
            path.push(name.get_ref().to_string());
            if let DeValue::Table(inner) = value.get_ref() {
                descend(inner, offset, path);
            }
            return;
        }
    }
}

/// Whether the value holds the byte. The span of a `[table]` covers its header only, so its entries are asked too.
fn encloses(value: &DeValue<'_>, span: &Range<usize>, offset: usize) -> bool {
    let inside = match value {
        DeValue::Table(table) => table
            .iter()
            .any(|(name, value)| holds(&name.span(), offset) || encloses(value.get_ref(), &value.span(), offset)),
        _ => false,
    };
    inside || holds(span, offset)
}

fn holds(span: &Range<usize>, offset: usize) -> bool {
    span.start <= offset && offset < span.end.max(span.start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "[servers.a]\ncommand = \"a\"\ntimeouts = { settle_ms = 1 }\n\n[servers.b.settings]\nx = [1,\n  2]\n";

    #[test]
    fn a_byte_has_a_line_and_a_key() {
        let cases = [
            ("\"a\"", 2, "servers.a.command"),
            ("settle_ms", 3, "servers.a.timeouts.settle_ms"),
            ("2]", 7, "servers.b.settings.x"),
            ("x = ", 6, "servers.b.settings.x"),
        ];
        for (needle, line, key) in cases {
            let offset = TEXT.find(needle).unwrap();
            assert_eq!((line_of(TEXT, offset), key_at(TEXT, offset).as_str()), (line, key), "at {needle}");
        }
    }

    #[test]
    fn a_key_has_a_line() {
        assert_eq!(line_of_key(TEXT, &["servers", "a", "command"]), Some(2));
        assert_eq!(line_of_key(TEXT, &["servers", "b", "settings", "x"]), Some(6));
        assert_eq!(line_of_key(TEXT, &["servers", "a", "languages"]), Some(1), "the table stands in for a missing key");
        assert_eq!(line_of_key(TEXT, &["nothing"]), None);
    }
}
