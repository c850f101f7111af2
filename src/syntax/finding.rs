//! What one broken node of a tree is called.

use tree_sitter::Node;

use super::brackets::{OddBracket, counterpart};
use super::{Language, SyntaxProblem};

/// How many characters of the text a message may quote.
const MAX_QUOTED: usize = 40;

/// A problem before it is put into words for the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// Row, 0-based.
    pub(super) row: usize,
    /// Column, 0-based, in bytes.
    pub(super) column: usize,
    /// The message without any line number, so that it stays the same when lines move.
    pub(super) what: String,
    /// For a missing closing bracket: the bracket, and the row of what it would close.
    pub(super) closes: Option<(&'static str, usize)>,
    /// Whether it is a curly bracket without its counterpart.
    pub(super) odd: bool,
}

impl Finding {
    /// A bracket without its counterpart.
    pub(super) fn of_bracket(odd: OddBracket) -> Finding {
        let what = bracket_words(odd.kind, odd.opens);
        Finding { row: odd.row, column: odd.column, what, closes: None, odd: true }
    }

    /// A node that the grammar wanted and the text lacks; `parent` is the node above it.
    pub(super) fn of_missing(node: Node<'_>, parent: Option<Node<'_>>) -> Finding {
        let kind = node.kind();
        let what = match kind {
            _ if kind.trim_matches('\0').trim().is_empty() => "missing end of line or \";\"".to_owned(),
            _ if node.is_named() => format!("missing {}", kind.replace('_', " ")),
            _ => format!("missing \"{kind}\""),
        };
        let mut finding = Finding::at(node, what);
        if let (Some(opener), Some(parent), true) = (counterpart(kind), parent, matches!(kind, "}" | ")" | "]")) {
            let mut cursor = parent.walk();
            let siblings = parent.children(&mut cursor).take_while(|child| child.start_byte() < node.start_byte());
            let opened = siblings.filter(|child| child.kind() == opener).last();
            finding.closes = opened.map(|child| (counterpart(opener).unwrap_or(opener), child.start_position().row));
        }
        finding
    }

    /// An ERROR node: an unbalanced bracket in it if there is one, else what it holds.
    pub(super) fn of_error(node: Node<'_>, language: Language, text: &str) -> Finding {
        if let Some(finding) = unbalanced(node) {
            return finding;
        }
        let inner = innermost_error(node);
        let mut what = format!("unexpected {}", quote(inner, text));
        if may_lack_semicolon(inner, language, text) {
            what.push_str(" (is a \";\" missing after it?)");
        }
        Finding::at(inner, what)
    }

    /// A node that has an error which the tree does not show.
    pub(super) fn of_hidden(node: Node<'_>, text: &str) -> Finding {
        Finding::at(node, format!("syntax error near {}", quote(node, text)))
    }

    fn at(node: Node<'_>, what: String) -> Finding {
        let start = node.start_position();
        Finding { row: start.row, column: start.column, what, closes: None, odd: false }
    }

    /// As it is told; `line` is the text of its line.
    pub(super) fn problem(&self, line: &str) -> SyntaxProblem {
        let message = match self.closes {
            Some((_, row)) if row != self.row => format!("{} (opened on line {})", self.what, row + 1),
            _ => self.what.clone(),
        };
        SyntaxProblem { line: self.row, column: line[..line.floor_char_boundary(self.column)].chars().count(), message }
    }
}

fn bracket_words(kind: &str, opens: bool) -> String {
    if opens { format!("\"{kind}\" is never closed") } else { format!("unexpected \"{kind}\"") }
}

/// The first bracket among a node's own children without its counterpart among them.
fn unbalanced(node: Node<'_>) -> Option<Finding> {
    let mut open: Vec<Node<'_>> = Vec::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "{" | "(" | "[" => open.push(child),
            "}" | ")" | "]" => match open.pop() {
                Some(opener) if counterpart(child.kind()) == Some(opener.kind()) => {}
                _ => return Some(Finding::at(child, bracket_words(child.kind(), false))),
            },
            _ => {}
        }
    }
    let opener = open.pop()?;
    Some(Finding::at(opener, bracket_words(opener.kind(), true)))
}

fn innermost_error(mut node: Node<'_>) -> Node<'_> {
    loop {
        let mut cursor = node.walk();
        let Some(inner) = node.children(&mut cursor).find(|child| child.is_error() && !child.byte_range().is_empty())
        else {
            return node;
        };
        node = inner;
    }
}

/// Whether an ERROR looks like a statement whose end was forgotten: one line, complete by itself, at the line's end.
fn may_lack_semicolon(node: Node<'_>, language: Language, text: &str) -> bool {
    let held = text.get(node.byte_range()).unwrap_or_default();
    let behind = text.get(node.end_byte()..).unwrap_or_default();
    language != Language::Go
        && node.named_child_count() > 0
        && !held.contains('\n')
        && held.ends_with(|last: char| last.is_alphanumeric() || matches!(last, ')' | ']' | '"' | '_'))
        && behind.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
}

/// The first line of what a node holds, or of what follows where it holds nothing, in quotes and bounded.
fn quote(node: Node<'_>, text: &str) -> String {
    let held = text.get(node.byte_range()).unwrap_or_default().trim();
    let held = if held.is_empty() { text.get(node.end_byte()..).unwrap_or_default().trim_start() } else { held };
    let line = held.lines().next().unwrap_or_default().trim_end();
    let mut quoted: String = line.chars().filter(|character| !character.is_control()).take(MAX_QUOTED).collect();
    if quoted.len() < line.len() || line.len() < held.len() && !node.byte_range().is_empty() {
        quoted.push('…');
    }
    format!("\"{quoted}\"")
}
