//! Which bracket of an unbalanced text is the odd one, judged by indentation.
//!
//! A parser that misses a `}` only notices at the end of the file, far from the edit that lost it. Where a closing
//! bracket stands first on its line, it is taken to close what was opened on a line of the same indentation.

use tree_sitter::Node;

use super::SyntaxTree;

/// How many nodes may be visited.
const MAX_VISITS: usize = 500_000;

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
            Some(top) if bracket.first_on_line && top.indent > bracket.indent => return Some(top.odd()),
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
    first_on_line: bool,
}

impl Bracket {
    fn of(node: Node<'_>, lines: &[&str]) -> Bracket {
        let (row, column) = (node.start_position().row, node.start_position().column);
        let line = lines.get(row).copied().unwrap_or_default();
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        Bracket { opens: node.kind().ends_with('{'), row, column, indent, first_on_line: indent == column }
    }

    fn odd(&self) -> OddBracket {
        let kind = if self.opens { "{" } else { "}" };
        OddBracket { kind, row: self.row, column: self.column, opens: self.opens }
    }
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
        if !cursor.goto_first_child() && !super::tree::goto_next(&mut cursor) {
            break;
        }
    }
    found
}
