//! Which bracket of an unbalanced text is the odd one, judged by indentation.
//!
//! A parser that misses a `}` only notices at the end of the file, far from the edit that lost it. Where a closing
//! bracket stands first on its line, it is taken to close what was opened on a line of the same indentation.

use tree_sitter::Node;

use super::SyntaxTree;
use super::tree::goto_next;

/// How many nodes may be visited.
const MAX_VISITS: usize = 500_000;

/// A statement is looked for on at most so many lines above its `{`.
const MAX_STATEMENT_LINES: usize = 12;

/// A bracket without its counterpart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OddBracket {
    /// The bracket.
    pub(super) kind: &'static str,
    /// Its row, 0-based.
    pub(super) row: usize,
    /// Its column, 0-based, in bytes.
    pub(super) column: usize,
    /// Whether it opens, and so is never closed; else nothing opened it.
    pub(super) opens: bool,
}

/// The bracket that closes or opens together with `kind`.
pub(super) fn counterpart(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "{" => "}",
        "(" => ")",
        "[" => "]",
        "}" => "{",
        ")" => "(",
        "]" => "[",
        _ => return None,
    })
}

/// The first curly bracket of an unbalanced text that has no counterpart; `None` where as many open as close.
///
/// Only curly ones: they span lines and have an indentation; of round and square ones the parser names the right place.
pub(super) fn odd_bracket(tree: &SyntaxTree) -> Option<OddBracket> {
    let brackets = curly_brackets(tree);
    let opening = brackets.iter().filter(|bracket| bracket.opens).count();
    if opening * 2 == brackets.len() {
        return None;
    }
    let mut open: Vec<Bracket> = Vec::new();
    for bracket in brackets {
        if bracket.opens {
            open.push(bracket);
            continue;
        }
        match open.last() {
            None => return Some(bracket.odd()),
            Some(top) if bracket.first_on_line && top.statement_indent > bracket.indent => return Some(top.odd()),
            Some(top) if bracket.first_on_line && top.indent < bracket.indent => return Some(bracket.odd()),
            Some(_) => open.pop(),
        };
    }
    open.last().map(Bracket::odd)
}

#[derive(Debug, Clone, Copy)]
struct Bracket {
    opens: bool,
    row: usize,
    column: usize,
    /// How many blanks its line begins with.
    indent: usize,
    /// The least of that and of the lines above that belong to the same statement (`class A\n    implements B {`).
    statement_indent: usize,
    first_on_line: bool,
}

impl Bracket {
    fn of(node: Node<'_>, lines: &[&str]) -> Bracket {
        let (row, column) = (node.start_position().row, node.start_position().column);
        let indent = indent_of(lines.get(row).copied().unwrap_or_default());
        let above = lines[..row.min(lines.len())].iter().rev().take(MAX_STATEMENT_LINES);
        let statement = above.take_while(|line| goes_on_below(line)).map(|line| indent_of(line));
        let statement_indent = statement.fold(indent, usize::min);
        let opens = node.kind() == "{";
        Bracket { opens, row, column, indent, statement_indent, first_on_line: indent == column }
    }

    fn odd(&self) -> OddBracket {
        let kind = if self.opens { "{" } else { "}" };
        OddBracket { kind, row: self.row, column: self.column, opens: self.opens }
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Whether the statement on this line seems to go on on the next one.
fn goes_on_below(line: &str) -> bool {
    let code = line.trim();
    !code.is_empty() && !code.ends_with([';', '{', '}', ':']) && !code.ends_with("*/") && !code.starts_with("//")
}

fn curly_brackets(tree: &SyntaxTree) -> Vec<Bracket> {
    let lines: Vec<&str> = tree.text().split('\n').collect();
    let mut found = Vec::new();
    let mut cursor = tree.root().walk();
    for _ in 0..MAX_VISITS {
        let node = cursor.node();
        if matches!(node.kind(), "{" | "}") && !node.is_missing() {
            found.push(Bracket::of(node, &lines));
        }
        // What is sound and on one line is balanced, and says nothing of indentation.
        let flat = !node.has_error() && node.start_position().row == node.end_position().row;
        let goes_on = !flat && cursor.goto_first_child() || goto_next(&mut cursor);
        if !goes_on {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Language;

    /// The odd bracket as `row:kind`, 0-based.
    fn odd(text: &str) -> Option<String> {
        let tree = SyntaxTree::parse(Language::Java, text).unwrap();
        odd_bracket(&tree).map(|odd| format!("{}:{}", odd.row, odd.kind))
    }

    #[test]
    fn indentation_tells_which_bracket_is_odd() {
        let cases = [
            ("class A {\n    void f() {\n        g();\n    }\n}\n", None),
            ("class A {\n    void f() {\n        g();\n}\n", Some("1:{")),
            ("class A {\n    void f() {\n        if (x) {\n            g();\n    }\n}\n", Some("2:{")),
            ("class A {\n    void f() {\n        g();\n        }\n    }\n}\n", Some("3:}")),
            ("class A {\n    void f() {\n        g();\n    }\n", Some("0:{")),
            ("}\nclass A {\n}\n", Some("0:}")),
            (
                "class A\n    extends B {\n    void f(int a,\n           int b) {\n    }\n    void g() {\n}\n",
                Some("5:{"),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(odd(text).as_deref(), expected, "{text}");
        }
    }
}
