//! The names on a line, for calls that say a line and no column.

use crate::search::{Pattern, PatternOptions};

/// Words of Go, Java and Zig that name nothing an agent could ask about.
const KEYWORDS: &[&str] = &[
    "abstract",
    "align",
    "and",
    "any",
    "anyerror",
    "anytype",
    "asm",
    "assert",
    "async",
    "bool",
    "boolean",
    "break",
    "byte",
    "callconv",
    "case",
    "catch",
    "chan",
    "char",
    "class",
    "comptime",
    "const",
    "continue",
    "default",
    "defer",
    "do",
    "double",
    "else",
    "enum",
    "errdefer",
    "error",
    "export",
    "extends",
    "extern",
    "f32",
    "f64",
    "fallthrough",
    "false",
    "final",
    "finally",
    "float",
    "float32",
    "float64",
    "fn",
    "for",
    "func",
    "go",
    "goto",
    "i16",
    "i32",
    "i64",
    "i8",
    "if",
    "implements",
    "import",
    "in",
    "inline",
    "instanceof",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "interface",
    "isize",
    "let",
    "long",
    "map",
    "native",
    "new",
    "nil",
    "noalias",
    "null",
    "opaque",
    "or",
    "orelse",
    "package",
    "packed",
    "private",
    "protected",
    "pub",
    "public",
    "range",
    "record",
    "return",
    "rune",
    "select",
    "short",
    "static",
    "string",
    "struct",
    "super",
    "suspend",
    "switch",
    "synchronized",
    "test",
    "this",
    "threadlocal",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "type",
    "u16",
    "u32",
    "u64",
    "u8",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "undefined",
    "union",
    "unreachable",
    "usize",
    "usingnamespace",
    "var",
    "void",
    "volatile",
    "while",
    "yield",
    "_",
];

/// A name on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    /// Its first byte in the line.
    pub(super) start: usize,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// A pattern that finds `word` where it is not part of a longer one.
pub(super) fn whole_word(word: &str) -> Option<Pattern> {
    let edge = |character: Option<char>| if character.is_some_and(is_part) { r"\b" } else { "" };
    let (before, after) = (edge(word.chars().next()), edge(word.chars().next_back()));
    let pattern = format!("{before}{}{after}", regex_syntax::escape(word));
    Pattern::new(&pattern, PatternOptions::default()).ok()
}

/// Every word of a line, those in strings and comments too.
pub(super) fn all(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in line.char_indices().chain([(line.len(), ' ')]) {
        match (start, is_part(character)) {
            (None, true) => start = Some(at),
            (Some(begun), false) => {
                words.push(Word { text: &line[begun..at], start: begun });
                start = None;
            }
            _ => {}
        }
    }
    words.retain(|word| !word.text.starts_with(|character: char| character.is_ascii_digit()));
    words
}

/// The words of a line that may be asked about: no keywords, nothing in strings or comments.
pub(super) fn names(line: &str) -> Vec<Word<'_>> {
    let hidden = hidden(line);
    let is_hidden = |word: &Word<'_>| hidden.iter().any(|(start, end)| (*start..*end).contains(&word.start));
    all(line).into_iter().filter(|word| !KEYWORDS.contains(&word.text) && !is_hidden(word)).collect()
}

/// The name that a line declares inside a function: before `:=`, or directly before `=`.
pub(super) fn assigned<'t>(line: &'t str, names: &[Word<'t>]) -> Option<Word<'t>> {
    if let Some(at) = line.find(":=") {
        return names.iter().find(|name| name.start < at).copied();
    }
    let at = line.match_indices('=').map(|(at, _)| at).find(|at| {
        let neighbour =
            |index: Option<usize>| index.and_then(|index| line.as_bytes().get(index)).copied().unwrap_or(b' ');
        neighbour(Some(at + 1)) != b'=' && !b"=!<>+-*/%&|^".contains(&neighbour(at.checked_sub(1)))
    })?;
    names.iter().rev().find(|name| name.start < at).filter(|name| line[name.end()..at].trim().is_empty()).copied()
}

/// Stretches of a line that are strings or a comment.
fn hidden(line: &str) -> Vec<(usize, usize)> {
    let (mut stretches, mut quote) = (Vec::new(), None::<(char, usize)>);
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match quote {
            Some((_, _)) if character == '\\' => {
                characters.next();
            }
            Some((mark, start)) if character == mark => {
                stretches.push((start, at));
                quote = None;
            }
            Some(_) => {}
            None if matches!(character, '"' | '\'' | '`') => quote = Some((character, at)),
            None if character == '/' && matches!(characters.peek(), Some((_, '/' | '*'))) => {
                stretches.push((at, line.len()));
                return stretches;
            }
            // A line of a multi-line string in Zig.
            None if character == '\\' && matches!(characters.peek(), Some((_, '\\'))) => {
                stretches.push((at, line.len()));
                return stretches;
            }
            None => {}
        }
    }
    stretches.extend(quote.map(|(_, start)| (start, line.len())));
    stretches
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_leave_out_keywords_strings_and_comments() {
        for (line, expected) in [
            ("\treturn s.prices[name] // the price", "s prices name"),
            (r#"    log.Printf("%s x\" y", err, 'c')"#, "log Printf err"),
            ("const std = @import(\"std\");", "std"),
            (r"    \\ a line of text", ""),
            ("/* only */", ""),
            ("if err != nil {", "err"),
            ("x1 := 0x1F", "x1"),
            ("größe = ünits.new_one", "größe ünits new_one"),
        ] {
            let found: Vec<&str> = names(line).iter().map(|name| name.text).collect();
            assert_eq!(found.join(" "), expected, "{line}");
        }
    }

    #[test]
    fn the_assigned_name_is_the_declared_one() {
        for (line, expected) in [
            ("\tsum, err := total(s)", Some("sum")),
            ("    int sum = total(s);", Some("sum")),
            ("    var list = a.b(c);", Some("list")),
            ("    if (a == b)", None),
            ("    x += y", None),
            ("    f(a >= b)", None),
            ("    m[key] = v", None),
        ] {
            assert_eq!(assigned(line, &names(line)).map(|name| name.text), expected, "{line}");
        }
    }
}
