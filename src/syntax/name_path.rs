//! The path of names by which a call means a declaration: `Put`, `Store.Put`, `(*Store).Put`, `pkg.Func`, `Outer#inner`.

use super::Symbol;

/// Words that stand before a name where a declaration was copied whole.
const WORDS_BEFORE: [&str; 18] = [
    "func",
    "fn",
    "pub",
    "public",
    "private",
    "protected",
    "static",
    "final",
    "abstract",
    "class",
    "struct",
    "interface",
    "enum",
    "record",
    "type",
    "const",
    "var",
    "test",
];

/// A declaration as a call names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePath {
    whole: String,
    segments: Vec<String>,
    /// Whether it holds a `/`, as an import path does.
    is_import_path: bool,
}

/// What may stand before the names of a file's declarations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The folders the file lies in, outermost first.
    pub folders: Vec<String>,
    /// The file's name without its extension.
    pub stem: String,
    /// The package that the file says it belongs to.
    pub package: Option<String>,
}

impl NamePath {
    /// Reads what was typed; `None` when there is no name in it.
    pub fn parse(typed: &str) -> Option<NamePath> {
        let whole = typed.trim().trim_matches(['`', '"', '\'', ';']).trim();
        let (receiver, rest) = receiver(without_words(whole));
        let bare = without_brackets(rest);
        let bare = bare.split_whitespace().next_back().unwrap_or_default();
        let parts = bare.split(['.', '#', '/']).flat_map(|part| part.split("::")).flat_map(|part| part.split("->"));
        let names = parts.map(|part| part.trim_matches(['*', '&', '`', ':'])).filter(|part| !part.is_empty());
        let segments: Vec<String> = receiver.into_iter().chain(names.map(str::to_owned)).collect();
        let is_import_path = bare.contains('/');
        (!segments.is_empty()).then(|| NamePath { whole: whole.to_owned(), segments, is_import_path })
    }

    /// The last name: that of the declaration itself.
    pub fn name(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// What was typed, without quotes around it.
    pub fn whole(&self) -> &str {
        &self.whole
    }

    /// The name before the last: of a type, a package or a file.
    pub fn qualifier(&self) -> Option<&str> {
        self.segments.iter().rev().nth(1).map(String::as_str)
    }

    /// How many of the types that `symbol` stands in were left unsaid, 0 for its full path; `None` when another
    /// declaration is meant.
    pub fn fit(&self, symbol: &Symbol, around: &Surroundings) -> Option<usize> {
        let container: Vec<&str> =
            symbol.container.as_deref().map(|path| path.split('.').collect()).unwrap_or_default();
        if symbol.name == self.whole {
            return Some(container.len());
        }
        let (name, prefix) = self.segments.split_last()?;
        if symbol.name != *name {
            return None;
        }
        let fits = |outside: &usize| {
            let (before, types) = prefix.split_at(*outside);
            types.len() <= container.len()
                && container[container.len() - types.len()..].iter().eq(types.iter())
                && self.is_around(before, around)
        };
        let outside = (0..=prefix.len()).find(fits)?;
        Some(container.len() - (prefix.len() - outside))
    }

    /// Whether `names` are the end of what the file lies in: folders, its own name, its package.
    fn is_around(&self, names: &[String], around: &Surroundings) -> bool {
        if names.is_empty() {
            return true;
        }
        let folders: Vec<&str> = around.folders.iter().map(String::as_str).collect();
        let with_stem: Vec<&str> = folders.iter().copied().chain([around.stem.as_str()]).collect();
        let package: Vec<&str> = around.package.as_deref().map(|name| name.split('.').collect()).unwrap_or_default();
        let is_end = |chain: &[&str]| {
            let both = names.len().min(chain.len());
            let agree = names[names.len() - both..].iter().eq(chain[chain.len() - both..].iter());
            // An import path begins with the name of its module, which no folder has.
            agree && both > 0 && (names.len() == both || self.is_import_path)
        };
        is_end(&folders) || is_end(&with_stem) || is_end(&package)
    }
}

fn without_words(mut text: &str) -> &str {
    loop {
        let Some((word, rest)) = text.split_once(char::is_whitespace) else { return text };
        if !WORDS_BEFORE.contains(&word) {
            return text;
        }
        text = rest.trim_start().trim_matches('"');
    }
}

/// Parts a Go receiver (`(s *Store[K]) Put`, `(*Store).Put`) into its type and the rest.
fn receiver(text: &str) -> (Option<String>, &str) {
    let Some((inside, rest)) = text.strip_prefix('(').and_then(|text| text.split_once(')')) else {
        return (None, text);
    };
    let bare = without_brackets(inside);
    let name = bare.rsplit([' ', '\t', '*', '.']).find(|part| !part.is_empty());
    (name.map(str::to_owned), rest.trim_start_matches(['.', ' ']))
}

/// Without parameters (from the first parenthesis on), type arguments and bodies.
fn without_brackets(text: &str) -> String {
    let text = text.split(['(', '{', '=']).next().unwrap_or_default();
    let (mut out, mut depth) = (String::new(), 0usize);
    let text = text.replace("->", "::");
    for character in text.chars() {
        match character {
            '[' | '<' => depth += 1,
            ']' | '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(character),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::SymbolKind;
    use crate::text::{LineRange, Span};

    #[test]
    fn what_models_type_is_read() {
        for (typed, expected) in [
            ("Put", "Put"),
            ("`Store.Put()`", "Store Put"),
            ("(*Store).Put", "Store Put"),
            ("func (s *Store[K, V]) Put(k K) error {", "Store Put"),
            ("Outer.Inner.method", "Outer Inner method"),
            ("Ledger#transfer(Account, int)", "Ledger transfer"),
            ("public Map<String, List<X>> find(String a)", "find"),
            ("a::b::c", "a b c"),
            ("this->x", "this x"),
            ("Store/Put", "Store Put"),
            ("example.com/shop/store.Price", "example com shop store Price"),
            ("pub fn init(self: *Self) void {", "init"),
            ("struct Point", "Point"),
            ("List[int].Len", "List Len"),
        ] {
            assert_eq!(NamePath::parse(typed).expect("a name").segments.join(" "), expected, "{typed}");
        }
        for typed in ["", "  ", "()", ".", "`"] {
            assert_eq!(NamePath::parse(typed), None, "{typed}");
        }
        assert_eq!(NamePath::parse("test \"it holds\"").expect("a name").whole(), "test \"it holds");
    }

    #[test]
    fn a_path_fits_by_its_end() {
        let symbol = |name: &str, container: Option<&str>| Symbol {
            name: name.into(),
            kind: SymbolKind::Method,
            container: container.map(str::to_owned),
            lines: LineRange::new(0, 1),
            name_span: Span::new(0, 1),
            span: Span::new(0, 1),
        };
        let around = Surroundings {
            folders: vec!["internal".into(), "store".into()],
            stem: "disk".into(),
            package: Some("shop.storage".into()),
        };
        for (typed, name, container, expected) in [
            ("Put", "Put", None, Some(0)),
            ("Put", "Put", Some("Store"), Some(1)),
            ("Put", "Puts", None, None),
            ("Store.Put", "Put", Some("Store"), Some(0)),
            ("Inner.Put", "Put", Some("Outer.Inner"), Some(1)),
            ("Outer.Put", "Put", Some("Outer.Inner"), None),
            ("store.Put", "Put", None, Some(0)),
            ("store.Store.Put", "Put", Some("Store"), Some(0)),
            ("store.Put", "Put", Some("Store"), Some(1)),
            ("internal/store.Put", "Put", None, Some(0)),
            ("example.com/shop/internal/store.Put", "Put", None, Some(0)),
            ("example.com.internal.store.Put", "Put", None, None),
            ("disk.Put", "Put", None, Some(0)),
            ("storage.Put", "Put", None, Some(0)),
            ("shop.storage.Store.Put", "Put", Some("Store"), Some(0)),
            ("other.Put", "Put", None, None),
            ("Stor.Put", "Put", Some("Store"), None),
            ("it holds", "it holds", None, Some(0)),
        ] {
            let path = NamePath::parse(typed).expect("a name");
            assert_eq!(path.fit(&symbol(name, container), &around), expected, "{typed} on {container:?}.{name}");
        }
    }
}
