//! The declarations of a text: what there is, where it begins and ends, and what it belongs to.

mod go;
mod java;
mod zig;

use tree_sitter::Node;

use super::{Language, SyntaxTree};
use crate::text::{LineIndex, LineRange, Span};

/// Declarations nested deeper than this are left out.
const MAX_DEPTH: usize = 16;

/// At most so many declarations are listed: a generated table of constants serves nobody.
const MAX_SYMBOLS: usize = 20_000;

/// What a declaration declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SymbolKind {
    Function,
    Method,
    Constructor,
    Class,
    Struct,
    Interface,
    Enum,
    Union,
    ErrorSet,
    /// Any other type: an alias, an opaque.
    Type,
    Field,
    /// A value of an enum or an error set.
    Member,
    Constant,
    Variable,
    Test,
}

impl SymbolKind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            SymbolKind::Function => "function",
            SymbolKind::Method => "method",
            SymbolKind::Constructor => "constructor",
            SymbolKind::Class => "class",
            SymbolKind::Struct => "struct",
            SymbolKind::Interface => "interface",
            SymbolKind::Enum => "enum",
            SymbolKind::Union => "union",
            SymbolKind::ErrorSet => "error set",
            SymbolKind::Type => "type",
            SymbolKind::Field => "field",
            SymbolKind::Member => "member",
            SymbolKind::Constant => "constant",
            SymbolKind::Variable => "variable",
            SymbolKind::Test => "test",
        }
    }
}

/// One declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name; of a Zig test without one, `test`.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The type it belongs to: a receiver's type in Go, else what it stands in, outermost first (`Outer.Inner`).
    pub container: Option<String>,
    /// The lines of the whole declaration, without the comment above it, 0-based.
    pub lines: LineRange,
    /// The bytes of the name.
    pub name_span: Span,
    /// The bytes of the whole declaration, without the comment above it.
    pub span: Span,
}

/// The declarations of `text` in its order: all top-level ones, and those inside types.
///
/// A broken text has those that the parser could still tell; one over the parse budget has none.
pub fn outline(language: Language, text: &str) -> Vec<Symbol> {
    SyntaxTree::parse(language, text).map(|tree| tree.outline()).unwrap_or_default()
}

/// The line that declares what `line` (0-based) stands in, without white space around it and an opening brace at its
/// end; `None` where nothing of several lines holds it, or it is that very line.
pub fn heading<'t>(outline: &[Symbol], index: &LineIndex, text: &'t str, line: usize) -> Option<&'t str> {
    // A field or constant of one line tells nothing that the line itself does not.
    let holds = |symbol: &&Symbol| symbol.lines.len() > 1 && (symbol.lines.start..symbol.lines.end).contains(&line);
    let innermost = outline.iter().filter(holds).rev().min_by_key(|symbol| symbol.lines.len())?;
    let named = index.line_at(innermost.name_span.start);
    (named != line).then(|| index.line(text, named).trim().trim_end_matches('{').trim_end())
}

impl SyntaxTree {
    /// The declarations of the text in its order, as [`outline`] gives them.
    pub fn outline(&self) -> Vec<Symbol> {
        let mut outliner = Outliner { text: self.text(), found: Vec::new() };
        let scope = Scope::default();
        match self.language() {
            Language::Go => go::declarations(&mut outliner, self.root(), &scope),
            Language::Java => java::declarations(&mut outliner, self.root(), &scope),
            Language::Zig => zig::declarations(&mut outliner, self.root(), &scope),
        }
        let mut found = outliner.found;
        found.sort_by_key(|symbol| (symbol.lines.start, symbol.name_span.start));
        found
    }
}

/// What a declaration stands in.
#[derive(Debug, Clone, Default)]
struct Scope {
    container: Option<String>,
    depth: usize,
}

impl Scope {
    /// Inside the type `name` of this scope; `None` when that is too deep.
    fn inside(&self, name: &str) -> Option<Scope> {
        let container = match &self.container {
            Some(outer) => format!("{outer}.{name}"),
            None => name.to_owned(),
        };
        (self.depth < MAX_DEPTH).then(|| Scope { container: Some(container), depth: self.depth + 1 })
    }

    /// In a node that is no scope of its own, but must count so that the walk ends.
    fn below(&self) -> Option<Scope> {
        (self.depth < MAX_DEPTH).then(|| Scope { depth: self.depth + 1, ..self.clone() })
    }
}

struct Outliner<'t> {
    text: &'t str,
    found: Vec<Symbol>,
}

impl<'t> Outliner<'t> {
    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Notes the declaration `whole`, whose name is the text of `name`.
    fn add(&mut self, kind: SymbolKind, scope: &Scope, name: Node<'_>, whole: Node<'_>) {
        self.add_in(kind, scope.container.clone(), name, whole);
    }

    fn add_in(&mut self, kind: SymbolKind, container: Option<String>, name: Node<'_>, whole: Node<'_>) {
        let name_text = self.text_of(name).to_owned();
        if name_text.is_empty() || self.found.len() >= MAX_SYMBOLS {
            return;
        }
        let (start, end) = (whole.start_position(), whole.end_position());
        let past = if end.column == 0 && end.row > start.row { end.row } else { end.row + 1 };
        let (lines, name_span) = (LineRange::new(start.row, past), Span::new(name.start_byte(), name.end_byte()));
        let span = Span::new(whole.start_byte(), whole.end_byte());
        self.found.push(Symbol { name: name_text, kind, container, lines, name_span, span });
    }
}

/// The children of a node that the grammar names.
fn named_children<'n>(node: Node<'n>) -> Vec<Node<'n>> {
    node.named_children(&mut node.walk()).collect()
}

/// The children in a field that may hold several (`var a, b int`).
fn names<'n>(node: Node<'n>) -> Vec<Node<'n>> {
    node.children_by_field_name("name", &mut node.walk()).filter(Node::is_named).collect()
}

/// The first child of one of these kinds.
fn child_of_kind<'n>(node: Node<'n>, kinds: &[&str]) -> Option<Node<'n>> {
    node.children(&mut node.walk()).find(|child| kinds.contains(&child.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `kind container.name first-last`, lines 1-based.
    fn told(language: Language, text: &str) -> Vec<String> {
        let tell = |symbol: &Symbol| {
            assert_eq!(&text[symbol.name_span.start..symbol.name_span.end], symbol.name);
            assert!(symbol.span.start <= symbol.name_span.start && symbol.name_span.end <= symbol.span.end);
            let (first, last) = symbol.lines.one_based();
            let container = symbol.container.as_ref().map(|container| format!("{container}.")).unwrap_or_default();
            format!("{} {container}{} {first}-{last}", symbol.kind.name(), symbol.name)
        };
        outline(language, text).iter().map(tell).collect()
    }

    #[test]
    fn go() {
        let text = "package p\n\ntype (\n\tS struct {\n\t\ta, b int\n\t}\n\tI interface {\n\t\tM(x int) error\n\t}\n)\n\nconst C, D = 1, 2\n\nvar (\n\tv int\n)\n\nfunc (s *S) M(x int) error {\n\tvar local int\n\treturn nil\n}\n\nfunc f[T any]() {}\n";
        let expected = [
            "struct S 4-6",
            "field S.a 5-5",
            "field S.b 5-5",
            "interface I 7-9",
            "method I.M 8-8",
            "constant C 12-12",
            "constant D 12-12",
            "variable v 15-15",
            "method S.M 18-21",
            "function f 23-23",
        ];
        assert_eq!(told(Language::Go, text), expected);
    }

    #[test]
    fn java() {
        let text = "package p;\n\nclass A {\n    static final int X = 1;\n    int z;\n\n    A() {\n    }\n\n    int f(int x) {\n        int y = x;\n        return y;\n    }\n\n    enum E { ONE; void g() {} }\n\n    record R(int a) {}\n}\n\ninterface I {\n    void m();\n}\n";
        let expected = [
            "class A 3-18",
            "constant A.X 4-4",
            "field A.z 5-5",
            "constructor A.A 7-8",
            "method A.f 10-13",
            "enum A.E 15-15",
            "member A.E.ONE 15-15",
            "method A.E.g 15-15",
            "class A.R 17-17",
            "field A.R.a 17-17",
            "interface I 20-22",
            "method I.m 21-21",
        ];
        assert_eq!(told(Language::Java, text), expected);
    }

    #[test]
    fn zig() {
        let text = "const std = @import(\"std\");\nvar g: u8 = 0;\n\npub const S = struct {\n    x: i32,\n\n    const E = enum { a };\n\n    fn m() void {}\n};\n\nfn List(comptime T: type) type {\n    return struct {\n        v: T,\n    };\n}\n\nconst Err = error{Bad};\n\ntest \"it holds\" {}\n\ntest {}\n";
        let expected = [
            "constant std 1-1",
            "variable g 2-2",
            "struct S 4-10",
            "field S.x 5-5",
            "enum S.E 7-7",
            "member S.E.a 7-7",
            "method S.m 9-9",
            "function List 12-16",
            "field List.v 14-14",
            "error set Err 18-18",
            "member Err.Bad 18-18",
            "test it holds 20-20",
            "test test 22-22",
        ];
        assert_eq!(told(Language::Zig, text), expected);
    }

    #[test]
    fn a_line_is_told_the_line_that_declares_what_it_stands_in() {
        let text = "class A {\n    int z;\n\n    int f() {\n        return z;\n    }\n}\n";
        let symbols = outline(Language::Java, text);
        let at = |line| heading(&symbols, &LineIndex::new(text), text, line);
        assert_eq!([at(0), at(1), at(3), at(4), at(7)], [None, Some("class A"), None, Some("int f()"), None]);
    }

    #[test]
    fn a_broken_text_still_has_what_can_be_told() {
        let text = "package p\n\nfunc a() {\n\tb(1 2\n}\n\nfunc c() {\n}\n";
        let names: Vec<String> = outline(Language::Go, text).into_iter().map(|symbol| symbol.name).collect();
        assert_eq!(names, ["a", "c"]);
    }

    #[test]
    fn deep_nesting_ends() {
        let text = "class A {".repeat(200) + &"}".repeat(200);
        assert_eq!(outline(Language::Java, &text).len(), MAX_DEPTH + 1);
    }
}
