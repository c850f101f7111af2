//! A declaration replaced, or something put beside it: where exactly, and indented as its surroundings are.

mod comment;
mod fit;

use super::Symbol;
use crate::text::LineIndex;
use comment::{comment_above, own_comment};
use fit::{fitted, indent_of};

/// What is to be done to a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amendment {
    /// Something else in its place. The comment above it stays, unless the new text brings one.
    Replace,
    /// Something above it, and above its comment.
    InsertBefore,
    /// Something below it.
    InsertAfter,
}

/// Why it cannot be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAmended {
    /// There is no new text.
    #[error("the new text is empty")]
    Empty,
    /// The declaration declares other names too, which would go with it.
    #[error("its declaration also declares {}", .0.join(", "))]
    Shared(Vec<String>),
    /// Other code stands on its line, so that there is no place beside it.
    #[error("line {line} also holds other code")]
    AmongOthers {
        /// The line, 1-based.
        line: usize,
    },
    /// The new text is the old one.
    #[error("it already reads like that")]
    Same,
}

/// The text that `text` becomes when `new` takes the place of `symbol`, or stands beside it. `all` are the declarations
/// of the text.
///
/// # Errors
/// [`NotAmended`].
pub fn amend(
    text: &str,
    symbol: &Symbol,
    all: &[Symbol],
    amendment: Amendment,
    new: &str,
) -> Result<String, NotAmended> {
    let site = Site::of(text, symbol);
    let new = fitted(new, site.indent, text).ok_or(NotAmended::Empty)?;
    let amended = match amendment {
        Amendment::Replace => site.replaced(all, &new)?,
        Amendment::InsertBefore => site.before(&new)?,
        Amendment::InsertAfter => site.after(&new)?,
    };
    if amended == text { Err(NotAmended::Same) } else { Ok(amended) }
}

/// A declaration in its text.
struct Site<'t> {
    text: &'t str,
    symbol: &'t Symbol,
    index: LineIndex,
    /// The white space before it.
    indent: &'t str,
    newline: &'static str,
}

impl<'t> Site<'t> {
    fn of(text: &'t str, symbol: &'t Symbol) -> Site<'t> {
        let index = LineIndex::new(text);
        let indent = indent_of(index.line(text, symbol.lines.start));
        Site { text, symbol, index, indent, newline: fit::newline(text) }
    }

    fn replaced(&self, all: &[Symbol], new: &str) -> Result<String, NotAmended> {
        let others =
            all.iter().filter(|other| other.span == self.symbol.span && other.name_span != self.symbol.name_span);
        let others: Vec<String> = others.map(|other| other.name.clone()).collect();
        if !others.is_empty() {
            return Err(NotAmended::Shared(others));
        }
        let span = self.symbol.span;
        let (comment, declaration) = own_comment(new);
        let (start, kept) = match comment_above(self.text, &self.index, self.symbol.lines.start) {
            Some(above) if !comment.is_empty() && self.stands_first() => {
                (above.start, above.directives(self.text, comment))
            }
            _ => (self.line_start(), String::new()),
        };
        // What stands before it on its line stays (`const` before the second of two).
        let before = if self.stands_first() { "" } else { &self.text[self.line_start()..span.start] };
        let declaration = if before.is_empty() { declaration } else { declaration.trim_start() };
        let declaration = without_keyword(declaration, &self.text[span.start..span.end]);
        let declaration = without_end_of(&declaration, &self.text[span.end..]);
        let (head, tail) = (&self.text[..start], &self.text[span.end..]);
        let comment = if before.is_empty() { comment } else { "" };
        Ok(format!("{head}{comment}{kept}{before}{declaration}{tail}"))
    }

    fn before(&self, new: &str) -> Result<String, NotAmended> {
        if !self.stands_first() {
            return Err(NotAmended::AmongOthers { line: self.symbol.lines.start + 1 });
        }
        let above = comment_above(self.text, &self.index, self.symbol.lines.start);
        let at = above.map_or(self.line_start(), |above| above.start);
        let gap = if self.is_apart(new) { self.newline } else { "" };
        let (head, tail) = self.text.split_at(at);
        Ok(format!("{head}{new}{}{gap}{tail}", self.newline))
    }

    fn after(&self, new: &str) -> Result<String, NotAmended> {
        let last = self.index.line_at(self.symbol.span.end.saturating_sub(1).max(self.symbol.span.start));
        let end = self.index.span(last).map_or(self.text.len(), |line| line.end);
        let rest = self.text[self.symbol.span.end..end].trim_start_matches([' ', '\t', ',', ';']).trim();
        if !(rest.is_empty() || rest.starts_with("//") || (rest.starts_with("/*") && rest.ends_with("*/"))) {
            return Err(NotAmended::AmongOthers { line: last + 1 });
        }
        let (head, tail) = self.text.split_at(end);
        let gap = if self.is_apart(new) { self.newline } else { "" };
        // A text without a last newline stays one.
        if !head.ends_with('\n') {
            return Ok(format!("{head}{}{gap}{new}", self.newline));
        }
        let next = tail.lines().next().unwrap_or_default().trim();
        let below = if next.is_empty() || next.starts_with(['}', ')', ']']) { "" } else { gap };
        Ok(format!("{head}{gap}{new}{}{below}{tail}", self.newline))
    }

    /// Whether nothing but white space stands before it on its line.
    fn stands_first(&self) -> bool {
        self.text[self.line_start()..self.symbol.span.start].trim().is_empty()
    }

    fn line_start(&self) -> usize {
        self.index.span(self.symbol.lines.start).map_or(0, |line| line.start)
    }

    /// Whether an empty line belongs between it and `new`: between any two of which one has several lines.
    fn is_apart(&self, new: &str) -> bool {
        self.symbol.lines.len() > 1 || new.contains('\n')
    }
}

/// Go's keyword stands before a group in parentheses, not before each of the group.
fn without_keyword(new: &str, old: &str) -> String {
    let keyword = |text: &str| {
        let word = text.split_whitespace().next().unwrap_or_default();
        ["type", "const", "var"].contains(&word)
    };
    // In every other language these words are part of the declaration that holds them.
    if keyword(old) || !keyword(new) || old.contains(';') {
        return new.to_owned();
    }
    let bare = new.trim_start();
    let rest = bare.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    format!("{}{rest}", &new[..new.len() - bare.len()])
}

/// `new` without a comma or semicolon at its end that stands behind the old declaration already.
fn without_end_of(new: &str, behind: &str) -> String {
    let behind = behind.trim_start_matches([' ', '\t']);
    match new.chars().next_back().filter(|last| matches!(last, ',' | ';') && behind.starts_with(*last)) {
        Some(last) => new.strip_suffix(last).unwrap_or(new).to_owned(),
        None => new.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Language, outline};

    fn done(language: Language, text: &str, name: &str, amendment: Amendment, new: &str) -> Result<String, NotAmended> {
        let all = outline(language, text);
        let symbol = all.iter().find(|symbol| symbol.name == name).unwrap_or_else(|| panic!("{name} in {all:?}"));
        amend(text, symbol, &all, amendment, new)
    }

    #[test]
    fn a_declaration_is_replaced_and_its_comment_stays_unless_another_is_given() {
        use Language::{Go, Java, Zig};
        for (language, name, text, new, expected) in [
            (
                Go,
                "a",
                "package p\n\n// a does.\nfunc a() {\n}\n\nvar x int\n",
                "func a() int {\n\treturn 1\n}\n",
                "package p\n\n// a does.\nfunc a() int {\n\treturn 1\n}\n\nvar x int\n",
            ),
            (
                Go,
                "a",
                "package p\n\n// a does.\n//\n// More.\n//go:noinline\nfunc a() {}\n",
                "// a is new.\nfunc a() int { return 1 }",
                "package p\n\n// a is new.\n//go:noinline\nfunc a() int { return 1 }\n",
            ),
            (
                Go,
                "a",
                "package p\n\nfunc a() {}\n",
                "\n\n// a has one now.\nfunc a() {}\n\n",
                "package p\n\n// a has one now.\nfunc a() {}\n",
            ),
            (
                Go,
                "S",
                "package p\n\ntype S struct{}\n",
                "type S struct{ x int }",
                "package p\n\ntype S struct{ x int }\n",
            ),
            (
                Go,
                "S",
                "package p\n\ntype (\n\tS struct{}\n\tT int\n)\n",
                "type S struct {\n\tx int\n}",
                "package p\n\ntype (\n\tS struct {\n\t\tx int\n\t}\n\tT int\n)\n",
            ),
            (
                Go,
                "x",
                "package p\n\ntype S struct {\n\tx int // the x\n}\n",
                "x uint",
                "package p\n\ntype S struct {\n\tx uint // the x\n}\n",
            ),
            (
                Java,
                "f",
                "class A {\n    /** Does. */\n    @Override\n    int f() {\n        return 1;\n    }\n}\n",
                "int f() {\n    return 2;\n}",
                "class A {\n    /** Does. */\n    int f() {\n        return 2;\n    }\n}\n",
            ),
            (
                Java,
                "f",
                "class A {\n    /**\n     * Does.\n     */\n    int f() { return 1; }\n}\n",
                "/** Is new. */\nint f() { return 2; }",
                "class A {\n    /** Is new. */\n    int f() { return 2; }\n}\n",
            ),
            (
                Java,
                "TWO",
                "enum E {\n    ONE,\n    TWO,\n    THREE;\n}\n",
                "TWO(2),",
                "enum E {\n    ONE,\n    TWO(2),\n    THREE;\n}\n",
            ),
            (
                Zig,
                "S",
                "/// It is.\npub const S = struct {\n    x: u8,\n};\n",
                "pub const S = struct {\n    x: u16,\n};",
                "/// It is.\npub const S = struct {\n    x: u16,\n};\n",
            ),
            (
                Zig,
                "m",
                "const S = struct {\n    x: u8,\n\n    /// Does.\n    pub fn m() void {}\n};\n",
                "    /// Is new.\n    pub fn m() u8 {\n        return 1;\n    }\n",
                "const S = struct {\n    x: u8,\n\n    /// Is new.\n    pub fn m() u8 {\n        return 1;\n    }\n};\n",
            ),
            (Zig, "x", "const S = struct {\n    x: u8,\n};\n", "x: u16,", "const S = struct {\n    x: u16,\n};\n"),
            (Zig, "b", "const E = enum { a, b, c };\n", "d", "const E = enum { a, d, c };\n"),
            (
                Zig,
                "a",
                "//! The file.\nconst a = 1;\n",
                "/// The a.\nconst a = 2;",
                "//! The file.\n/// The a.\nconst a = 2;\n",
            ),
            (
                Go,
                "a",
                "package p\r\n\r\nfunc a() {\r\n}\r\n",
                "func a() {\n\tb()\n}\n",
                "package p\r\n\r\nfunc a() {\r\n\tb()\r\n}\r\n",
            ),
        ] {
            assert_eq!(
                done(language, text, name, Amendment::Replace, new).as_deref(),
                Ok(expected),
                "{name} in {text}"
            );
        }
    }

    #[test]
    fn something_is_put_beside_a_declaration_with_the_gaps_of_its_surroundings() {
        use Amendment::{InsertAfter, InsertBefore};
        use Language::{Go, Java, Zig};
        for (language, name, amendment, text, new, expected) in [
            (
                Go,
                "a",
                InsertAfter,
                "package p\n\nfunc a() {\n}\n\nfunc c() {}\n",
                "func b() {\n}",
                "package p\n\nfunc a() {\n}\n\nfunc b() {\n}\n\nfunc c() {}\n",
            ),
            (
                Go,
                "a",
                InsertAfter,
                "package p\n\nfunc a() {\n}\nfunc c() {}\n",
                "func b() {\n}",
                "package p\n\nfunc a() {\n}\n\nfunc b() {\n}\n\nfunc c() {}\n",
            ),
            (Go, "a", InsertAfter, "package p\n\nfunc a() {}", "func b() {}", "package p\n\nfunc a() {}\nfunc b() {}"),
            (
                Go,
                "x",
                InsertAfter,
                "package p\n\ntype S struct {\n\tx int // the x\n}\n",
                "y int",
                "package p\n\ntype S struct {\n\tx int // the x\n\ty int\n}\n",
            ),
            (
                Go,
                "c",
                InsertBefore,
                "package p\n\n// c does.\nfunc c() {\n}\n",
                "func b() {\n}\n",
                "package p\n\nfunc b() {\n}\n\n// c does.\nfunc c() {\n}\n",
            ),
            (
                Java,
                "f",
                InsertAfter,
                "class A {\n    int f() {\n        return 1;\n    }\n}\n",
                "int g() {\n    return 2;\n}",
                "class A {\n    int f() {\n        return 1;\n    }\n\n    int g() {\n        return 2;\n    }\n}\n",
            ),
            (
                Java,
                "ONE",
                InsertAfter,
                "enum E {\n    ONE,\n    TWO;\n}\n",
                "MIDDLE,",
                "enum E {\n    ONE,\n    MIDDLE,\n    TWO;\n}\n",
            ),
            (
                Zig,
                "x",
                InsertAfter,
                "const S = struct {\n    x: u8,\n\n    fn m() void {}\n};\n",
                "y: u8,",
                "const S = struct {\n    x: u8,\n    y: u8,\n\n    fn m() void {}\n};\n",
            ),
        ] {
            assert_eq!(done(language, text, name, amendment, new).as_deref(), Ok(expected), "{name} in {text}");
        }
    }

    #[test]
    fn what_has_no_certain_place_is_refused() {
        use Amendment::{InsertAfter, InsertBefore, Replace};
        use Language::{Go, Java, Zig};
        for (language, name, amendment, text, new, why) in [
            (Go, "a", Replace, "package p\n\nvar a, b int\n", "var a int", NotAmended::Shared(vec!["b".into()])),
            (Java, "y", Replace, "class A {\n    int x, y;\n}\n", "int y;", NotAmended::Shared(vec!["x".into()])),
            (Zig, "a", InsertAfter, "const E = enum { a, b };\n", "c", NotAmended::AmongOthers { line: 1 }),
            (Zig, "b", InsertBefore, "const E = enum { a, b };\n", "c", NotAmended::AmongOthers { line: 1 }),
            (Go, "a", Replace, "package p\n\nfunc a() {}\n", " \n\n", NotAmended::Empty),
            (Go, "a", Replace, "package p\n\nfunc a() {}\n", "func a() {}\n", NotAmended::Same),
        ] {
            assert_eq!(done(language, text, name, amendment, new), Err(why), "{name} in {text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_outside_the_declaration_changes(new in "[a-z{}/*,;\n\t ]{0,24}", which in 0_usize..6) {
            let text = "package p\n\n// A.\nfunc a() {\n}\n\ntype T struct {\n\tx, y int\n\tz int\n}\n\n// B.\nfunc b() {}\n";
            let all = outline(Language::Go, text);
            let symbol = &all[which % all.len()];
            let (first, last) = (symbol.lines.start, symbol.lines.end);
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            for amendment in [Amendment::Replace, Amendment::InsertBefore, Amendment::InsertAfter] {
                if let Ok(amended) = amend(text, symbol, &all, amendment, &new) {
                    let above = lines[..first].iter().rposition(|line| !line.starts_with("//")).map_or(0, |line| line + 1);
                    proptest::prop_assert!(amended.starts_with(&lines[..above].concat()));
                    proptest::prop_assert!(amended.ends_with(&lines[last..].concat()));
                }
            }
        }
    }
}
