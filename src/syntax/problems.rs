//! Syntax problems: where they stand, and which of them an edit brought.

use tree_sitter::Node;

use super::brackets::odd_bracket;
use super::finding::Finding;
use super::tree::goto_next;
use super::{Language, SyntaxTree};
use crate::text::{Hunk, LineIndex, hunks, shift_line};

/// At most so many problems are told; behind the first few they mostly follow from one another.
pub const MAX_PROBLEMS: usize = 20;

/// So many are told beside a curly bracket without its counterpart, which is the cause of most of them.
const MAX_BESIDE_BRACKET: usize = 3;

/// How many nodes the search for problems may visit, so that a hostile text cannot stall it.
const MAX_VISITS: usize = 200_000;

/// How many findings are compared between two trees.
const MAX_FINDINGS: usize = 1_000;

/// One thing a parser could not make sense of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxProblem {
    /// Line, 0-based.
    pub line: usize,
    /// Column, 0-based, in characters.
    pub column: usize,
    /// What is wrong, one line: `missing "}"`, `unexpected "foo"`.
    pub message: String,
}

/// The syntax problems of `after` that `before` did not have; all of them for a new file.
///
/// A text that is too large to parse within the budget has none; where that must be told apart, use [`SyntaxTree`].
pub fn new_problems(language: Language, before: Option<&str>, after: &str) -> Vec<SyntaxProblem> {
    let Some(after) = SyntaxTree::parse(language, after) else { return Vec::new() };
    if after.is_sound() {
        return Vec::new();
    }
    match before {
        None => after.problems(),
        // Without a tree of the old text nothing can be called new.
        Some(before) => SyntaxTree::parse(language, before).map_or_else(Vec::new, |before| after.new_problems(&before)),
    }
}

impl SyntaxTree {
    /// Everything the parser could not make sense of, in the order of the text, at most [`MAX_PROBLEMS`].
    pub fn problems(&self) -> Vec<SyntaxProblem> {
        self.tell(find(self))
    }

    /// The problems that `before`, the tree of the text before an edit, did not have: at most [`MAX_PROBLEMS`].
    ///
    /// Problems are the same when their message is and the edit moved the one's line to the other's, or when both
    /// stand in the lines that the edit replaced: a grammar behind its language is wrong about the same line again.
    pub fn new_problems(&self, before: &SyntaxTree) -> Vec<SyntaxProblem> {
        let mut found = find(self);
        if !found.is_empty() && !before.is_sound() {
            let hunks = hunks(before.text(), self.text());
            for old in find(before) {
                if let Some(at) = found.iter().position(|new| is_same(&old, new, &hunks)) {
                    found.remove(at);
                }
            }
        }
        self.tell(found)
    }

    fn tell(&self, mut found: Vec<Finding>) -> Vec<SyntaxProblem> {
        if found.is_empty() {
            return Vec::new();
        }
        let index = LineIndex::new(self.text());
        let at_most = if found.iter().any(|finding| finding.odd) { MAX_BESIDE_BRACKET } else { MAX_PROBLEMS };
        let mut others = 0;
        found.retain(|finding| {
            others += usize::from(!finding.odd);
            finding.odd || others <= at_most
        });
        found.iter().map(|finding| finding.problem(index.line(self.text(), finding.row))).collect()
    }
}

fn is_same(old: &Finding, new: &Finding, hunks: &[Hunk]) -> bool {
    old.what == new.what
        && match shift_line(hunks, old.row) {
            Some(row) => row == new.row,
            None => hunks.iter().any(|hunk| {
                (hunk.old.start..hunk.old.end).contains(&old.row) && (hunk.new.start..hunk.new.end).contains(&new.row)
            }),
        }
}

/// Every finding of a tree, in the order of the text.
fn find(tree: &SyntaxTree) -> Vec<Finding> {
    if tree.is_sound() {
        return Vec::new();
    }
    let mut found = broken_nodes(tree);
    if let Some(odd) = odd_bracket(tree) {
        // The parser's own guess at the same bracket stands elsewhere and would contradict this one.
        let guess = |finding: &Finding| match odd.opens {
            true => finding.closes.is_some_and(|(closer, _)| closer == "}") || finding.what == "\"{\" is never closed",
            false => finding.what == "unexpected \"}\"",
        };
        found.retain(|finding| !guess(finding));
        found.push(Finding::of_bracket(odd));
    }
    found.sort_by_key(|finding| (finding.row, finding.column));
    found.dedup();
    found
}

fn broken_nodes(tree: &SyntaxTree) -> Vec<Finding> {
    let (mut found, text) = (Vec::new(), tree.text());
    let mut cursor = tree.root().walk();
    for _ in 0..MAX_VISITS {
        let node = cursor.node();
        let mut inside = false;
        if node.is_missing() {
            let mut above = cursor.clone();
            found.push(Finding::of_missing(node, above.goto_parent().then(|| above.node())));
        } else if node.is_error() {
            found.push(Finding::of_error(node, tree.language(), text));
        } else if node.has_error() && !shows_error(node) {
            found.push(Finding::of_hidden(node, text));
        } else {
            inside = node.has_error();
        }
        let goes_on = inside && cursor.goto_first_child() || goto_next(&mut cursor);
        if !goes_on || found.len() >= MAX_FINDINGS {
            break;
        }
    }
    found
}

/// Whether a child has the error that this node is said to have; else it hides in what the tree leaves out.
fn shows_error(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.has_error() || child.is_error() || child.is_missing())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GO: &str =
        "package p\n\nfunc a(x int) int {\n\tif x > 1 {\n\t\tb(x)\n\t}\n\treturn x\n}\n\nfunc b(y int) {\n}\n";
    const JAVA: &str = "class A {\n    int f(int x) {\n        if (x > 1) {\n            g(x, 2);\n        }\n        return x;\n    }\n}\n";
    const ZIG: &str = "pub fn a(x: i32) i32 {\n    if (x > 1) {\n        b(x);\n    }\n    return x;\n}\n\nfn b(y: i32) void {\n    _ = y;\n}\n";

    /// Replaces `from` by `to` in `before` and compares what is new, as `line:column message`, 1-based.
    fn check(language: Language, before: &str, from: &str, to: &str, expected: &[&str]) {
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after, "{from:?} is in the text");
        let told = |problems: Vec<SyntaxProblem>| -> Vec<String> {
            problems.iter().map(|it| format!("{}:{} {}", it.line + 1, it.column + 1, it.message)).collect()
        };
        let tree = SyntaxTree::parse(language, before).unwrap();
        let edited = tree.edited(after.as_str()).unwrap();
        assert_eq!(told(new_problems(language, Some(before), &after)), expected, "{from:?} to {to:?}");
        assert_eq!(told(edited.new_problems(&tree)), expected, "{from:?} to {to:?}, incrementally");
    }

    #[test]
    fn what_an_edit_breaks_is_named_where_it_is_broken() {
        check(Language::Go, GO, "\t}\n\treturn", "\treturn", &["4:11 \"{\" is never closed", "9:6 unexpected \"b\""]);
        check(Language::Go, GO, "return x\n", "return x\n\t}\n", &["8:2 unexpected \"}\""]);
        check(Language::Go, GO, "b(x)", "b(x", &["5:6 missing \")\""]);
        check(Language::Go, GO, "x > 1", "x >", &["4:8 missing identifier"]);
        check(Language::Go, GO, "b(x)", "<<<<<<< HEAD", &["5:3 unexpected \"<<<<<<<\""]);
        check(Language::Java, JAVA, "2);", "2)", &["4:13 unexpected \"g(x, 2)\" (is a \";\" missing after it?)"]);
        check(Language::Java, JAVA, "1) {", "1 {", &["3:18 missing \")\""]);
        check(Language::Java, JAVA, "x;\n    }", "x;", &["2:18 \"{\" is never closed"]);
        check(Language::Zig, ZIG, "b(x);", "b(x)", &["3:9 unexpected \"b(x)\" (is a \";\" missing after it?)"]);
        check(Language::Zig, ZIG, "x: i32", "x i32", &["1:12 unexpected \"i32\""]);
        check(Language::Zig, ZIG, "x: i32", "é: i32", &["1:10 unexpected \"é\""]);
    }

    #[test]
    fn what_was_broken_before_is_not_new() {
        let broken = "package p\n\nfunc a() {\n\tb(1 2)\n}\n\nfunc c() {\n\td()\n}\n";
        check(Language::Go, broken, "package p\n", "package p\n\nvar x = 1\n", &[]);
        check(Language::Go, broken, "b(1 2)", "bb(1 2)", &[]);
        check(Language::Go, broken, "d()", "d(1 2)", &["8:4 unexpected \"1\""]);
    }

    #[test]
    fn mending_leaves_nothing() {
        check(Language::Go, "package p\n\nfunc a() {\n", "{\n", "{\n}\n", &[]);
    }

    #[test]
    fn a_new_file_is_told_in_full_but_bounded() {
        let text = "package p\n".to_owned() + &"func a() { b(1 2) }\n".repeat(50);
        assert_eq!(new_problems(Language::Go, None, &text).len(), MAX_PROBLEMS);
        assert_eq!(new_problems(Language::Go, None, GO), []);
    }
}
