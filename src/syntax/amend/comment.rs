//! The comment that belongs to a declaration: the one that ends on the line above it.

use crate::text::{LineIndex, Span};

/// A comment above a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Above {
    /// Where its first line begins, in bytes.
    pub(super) start: usize,
    /// Where the declaration's first line begins.
    end: usize,
}

impl Above {
    /// The lines of it that say something to a tool and that `comment` has not (`//go:noinline`).
    pub(super) fn directives(self, text: &str, comment: &str) -> String {
        let is_in_new = |line: &str| comment.lines().any(|new| new.trim() == line.trim());
        let lines = text[self.start..self.end].split_inclusive('\n');
        lines.filter(|line| is_directive(line.trim()) && !is_in_new(line)).collect()
    }
}

/// The comment that ends on the line above `line` (0-based); a comment about the whole file is none.
pub(super) fn comment_above(text: &str, index: &LineIndex, line: usize) -> Option<Above> {
    let start_of = |line| index.span(line).map_or(text.len(), |span: Span| span.start);
    let mut first = line;
    while first > 0 {
        let above = index.line(text, first - 1).trim();
        first = match above {
            _ if above.starts_with("//") && !above.starts_with("//!") => first - 1,
            _ if above.ends_with("*/") => match block_start(text, index, first - 1) {
                Some(start) => start,
                None => break,
            },
            _ => break,
        };
    }
    (first < line).then(|| Above { start: start_of(first), end: start_of(line) })
}

/// The line on which the block comment begins that ends on `line`, if nothing else stands before it there.
fn block_start(text: &str, index: &LineIndex, line: usize) -> Option<usize> {
    for start in (0..=line).rev() {
        let candidate = index.line(text, start).trim();
        if candidate.starts_with("/*") {
            return Some(start);
        }
        if candidate.contains("/*") || (start < line && candidate.contains("*/")) {
            return None;
        }
    }
    None
}

/// A comment line that is an instruction to the compiler or a tool, as the go command knows them.
fn is_directive(line: &str) -> bool {
    let Some((word, rest)) = line.strip_prefix("//").and_then(|rest| rest.split_once(':')) else { return false };
    let is_word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    is_word(word) && rest.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
}

/// Parts the comment with which `new` begins from what it declares.
pub(super) fn own_comment(new: &str) -> (&str, &str) {
    let mut at = 0;
    let mut in_block = false;
    for line in new.split_inclusive('\n') {
        let bare = line.trim();
        let starts_block = !in_block && bare.starts_with("/*");
        if !in_block && !starts_block && !bare.starts_with("//") {
            break;
        }
        if in_block || starts_block {
            in_block = !bare.contains("*/");
            // Code behind the comment on its line: the line is the declaration's.
            if !in_block && !bare.ends_with("*/") {
                break;
            }
        }
        at += line.len();
    }
    // A comment alone declares nothing; then it is what is wanted in the declaration's place.
    if at >= new.len() { ("", new) } else { new.split_at(at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_is_what_ends_above_and_nothing_else() {
        for (text, line, expected) in [
            ("x\n// a\n// b\nf\n", 3, Some("// a\n// b\n")),
            ("x\n// a\n\nf\n", 3, None),
            ("x\n/* a\n b */\nf\n", 3, Some("/* a\n b */\n")),
            ("x(); /* a\n b */\nf\n", 2, None),
            ("x /* a */\nf\n", 1, None),
            ("/* a */ x /* b */\nf\n", 1, Some("/* a */ x /* b */\n")),
            ("//! file\n/// f\nf\n", 2, Some("/// f\n")),
            ("f\n", 0, None),
        ] {
            let above = comment_above(text, &LineIndex::new(text), line);
            assert_eq!(above.map(|above| &text[above.start..above.end]), expected, "{text}");
        }
    }

    #[test]
    fn a_text_begins_with_its_own_comment() {
        for (new, comment) in [
            ("// a\n// b\nfunc f() {}", "// a\n// b\n"),
            ("/** a\n * b\n */\nint f();", "/** a\n * b\n */\n"),
            ("/* a */ int f();", ""),
            ("// only", ""),
            ("func f() {}\n// after", ""),
        ] {
            assert_eq!(own_comment(new).0, comment, "{new}");
        }
    }

    #[test]
    fn directives_are_told_from_prose() {
        for line in ["//go:noinline", "//nolint:errcheck", "//go:embed x"] {
            assert!(is_directive(line), "{line}");
        }
        for line in ["// go: this", "//Note: that", "// a: b", "/// x", "//"] {
            assert!(!is_directive(line), "{line}");
        }
    }
}
