//! Where a name is first used that is declared nowhere in reach.

use super::super::words;
use super::{FoundBy, Spot, declared_at};
use crate::syntax::NamePath;
use crate::text::{LineIndex, Span, count_lines};
use crate::workspace::symbols::SourceFile;

/// The first place in a file where the name is used: first with what was said before it, then alone.
pub(super) fn first_use(source: &SourceFile, name: &NamePath) -> Option<Spot> {
    let index = LineIndex::new(&source.text);
    let spot = |at: usize| {
        let mut spot = Spot::new(source, &index, Span::new(at, at + name.name().len()));
        spot.declared = declared_at(source, spot.name);
        spot.found = FoundBy::FirstUse;
        spot
    };
    let lines = (0..count_lines(&source.text)).map(|line| (line, index.line(&source.text, line)));
    let uses = lines.flat_map(|(line, text)| {
        let start = index.span(line).map_or(0, |span| span.start);
        let named = words::names(text).into_iter().filter(|word| word.text == name.name());
        named.map(move |word| (start + word.start, text, word.start))
    });
    let is_qualified = |text: &str, start: usize| {
        name.qualifier().is_none_or(|qualifier| {
            let before = text[..start].trim_end_matches(['.', ':', '>', '-', '(', ')', '*']);
            before.ends_with(qualifier)
        })
    };
    uses.into_iter().find(|(_, text, start)| is_qualified(text, *start)).map(|(at, ..)| spot(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_found_with_what_stands_before_it() {
        let text = "package p\n\nfunc (s *Store) Put(k string) error {\n\tsum := total(k) // total\n\tfmt.Println(sum, sum)\n}\n";
        let source = SourceFile { path: "/w/a.go".into(), file: "a.go".into(), text: text.into() };
        let at = |name: &str| {
            let spot = first_use(&source, &NamePath::parse(name).expect("a name"))?;
            Some((spot.line, spot.column))
        };
        assert_eq!(at("fmt.Println"), Some((5, 6)));
        assert_eq!(at("Println"), Some((5, 6)));
        assert_eq!(at("log.Println"), None);
        assert_eq!(at("total"), Some((4, 9)));
    }
}
