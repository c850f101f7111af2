//! A parsed text: made within a budget, and remade cheaply after an edit.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree, TreeCursor};

use super::Language;
use crate::text::{Hunk, LineIndex, LineRange, hunks};

/// Texts above this many bytes are not parsed: what is so large is generated.
const MAX_BYTES: usize = 4 << 20;

/// How much a parse may cost. The parser reports about every hundred of its steps: 150 (Go) to 350 (Zig) times for
/// 1,000 lines of ordinary source, at 15 to 30 µs each.
const MAX_COST: u32 = 6_000;

/// What a report costs once the parser has met an error.
const COST_AFTER_ERROR: u32 = 4;

/// The backstop for text on which a single step is slow: the way out of errors can take milliseconds a step
/// (`+)+)+)…` as Java). No ordinary text comes near it, so that results do not depend on the machine.
const MAX_TIME: Duration = Duration::from_millis(400);

/// Brackets may be nested this deep. The parser's library frees its trees recursively: far deeper ones, which no
/// person writes, would overflow the stack.
const MAX_NESTING: usize = 5_000;

/// A text with its syntax tree. Whoever keeps it between two edits pays for the edited lines only.
#[derive(Clone)]
pub struct SyntaxTree {
    language: Language,
    text: Arc<str>,
    tree: Tree,
}

impl SyntaxTree {
    /// Parses `text`; `None` when that would take more than the budget.
    pub fn parse(language: Language, text: impl Into<Arc<str>>) -> Option<SyntaxTree> {
        let text = text.into();
        let tree = parse(language, &text, None)?;
        Some(SyntaxTree { language, text, tree })
    }

    /// Parses what an edit made of this text, reusing all that the edit left alone; `None` over the budget.
    pub fn edited(&self, text: impl Into<Arc<str>>) -> Option<SyntaxTree> {
        let text = text.into();
        let mut old = self.tree.clone();
        let (before, after) = (Lines::of(&self.text), Lines::of(&text));
        // From the last hunk to the first, so that the places above are still where the old text had them.
        for hunk in hunks(&self.text, &text).iter().rev() {
            old.edit(&input_edit(hunk, &before, &after));
        }
        let tree = parse(self.language, &text, Some(&old))?;
        Some(SyntaxTree { language: self.language, text, tree })
    }

    /// The language it was parsed as.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text it was parsed from.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Whether the text is free of syntax errors, as far as the grammar knows the language.
    pub fn is_sound(&self) -> bool {
        !self.tree.root_node().has_error()
    }

    pub(super) fn root(&self) -> tree_sitter::Node<'_> {
        self.tree.root_node()
    }
}

impl fmt::Debug for SyntaxTree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SyntaxTree({}, {} bytes, sound: {})", self.language.id(), self.text.len(), self.is_sound())
    }
}

fn parse(language: Language, text: &str, old: Option<&Tree>) -> Option<Tree> {
    if text.len() > MAX_BYTES || nesting(text) > MAX_NESTING {
        return None;
    }
    let mut parser = Parser::new();
    // Fails only for a grammar of another ABI than the library's, which the tests would show.
    parser.set_language(&language.grammar()).ok()?;
    let (mut cost, started) = (0, Instant::now());
    let mut progress = |state: &ParseState| {
        cost += if state.has_error() { COST_AFTER_ERROR } else { 1 };
        if cost > MAX_COST || started.elapsed() > MAX_TIME { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |offset, _| &bytes[offset.min(bytes.len())..], old, Some(options))
}

/// How deep brackets nest at most, those in strings and comments included.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// One hunk in the parser's terms: where its lines begin, where they ended, and where they end now.
fn input_edit(hunk: &Hunk, old: &Lines<'_>, new: &Lines<'_>) -> InputEdit {
    let (start, old_end) = old.bytes(hunk.old);
    let (new_start, new_end) = new.bytes(hunk.new);
    let (from, to, begin) = (new.point(new_start), new.point(new_end), old.point(start));
    let new_end_position = match to.row - from.row {
        0 => Point::new(begin.row, begin.column + (to.column - from.column)),
        rows => Point::new(begin.row + rows, to.column),
    };
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: start + (new_end - new_start),
        start_position: begin,
        old_end_position: old.point(old_end),
        new_end_position,
    }
}

/// A text's lines as bytes and as the parser's points (whose columns are bytes).
struct Lines<'t> {
    index: LineIndex,
    text: &'t str,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        Lines { index: LineIndex::new(text), text }
    }

    fn bytes(&self, lines: LineRange) -> (usize, usize) {
        let start_of = |line| self.index.span(line).map_or(self.text.len(), |span| span.start);
        (start_of(lines.start), start_of(lines.end))
    }

    fn point(&self, offset: usize) -> Point {
        let row = self.index.line_at(offset);
        Point::new(row, offset - self.index.span(row).map_or(0, |span| span.start))
    }
}

/// Goes to the next node that is not below the present one; `false` at the end of the tree.
pub(super) fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 8] =
        ["package p\n", "func a() int {\n", "\treturn 1\n", "}\n", "var é = `\n", "x`\n", "\n", "type T struct{}"];

    fn text_of(picks: &[usize]) -> String {
        picks.iter().map(|pick| LINES[pick % LINES.len()]).collect()
    }

    proptest::proptest! {
        #[test]
        fn an_edited_tree_is_what_parsing_anew_gives(old in proptest::collection::vec(0usize..8, 0..12), new in proptest::collection::vec(0usize..8, 0..12)) {
            let (old, new) = (text_of(&old), text_of(&new));
            let edited = SyntaxTree::parse(Language::Go, old).unwrap().edited(new.as_str()).unwrap();
            let anew = SyntaxTree::parse(Language::Go, new.as_str()).unwrap();
            proptest::prop_assert_eq!(edited.is_sound(), anew.is_sound());
            if anew.is_sound() {
                proptest::prop_assert_eq!(edited.root().to_sexp(), anew.root().to_sexp());
                proptest::prop_assert_eq!(edited.root().end_position(), anew.root().end_position());
            }
        }
    }

    #[test]
    fn what_is_over_the_budget_is_not_parsed() {
        let hostile = ["x[{(".repeat(2_000), "func a() {}}\n".repeat(50_000), "a b c ".repeat(500_000)];
        for text in hostile.iter().chain([&"//\n".repeat(MAX_BYTES / 3 + 1)]) {
            assert!(SyntaxTree::parse(Language::Go, text.as_str()).is_none(), "{}", &text[..20]);
        }
        let long = "package p\n".to_owned() + &"func a() int {\n\treturn f(1, 2)\n}\n\n".repeat(500);
        assert!(SyntaxTree::parse(Language::Go, long).unwrap().is_sound());
    }
}
