//! What is meant on a line: the name at a column, the name that is said, or the only one there is.

use super::super::words::{self, Word};
use super::{FoundBy, Spot, SpotRefused, declared_at};
use crate::syntax::{Language, NamePath};
use crate::text::{LineIndex, Span, count_lines};
use crate::workspace::symbols::SourceFile;

/// So many lines above and below the one that was said a name is still looked for.
const NEAR: usize = 10;

/// The place on a line (1-based) that is meant.
pub(super) fn on_line(
    source: &SourceFile,
    line: usize,
    column: Option<usize>,
    symbol: Option<&str>,
) -> Result<Spot, SpotRefused> {
    let (index, lines) = (LineIndex::new(&source.text), count_lines(&source.text));
    if line == 0 || line > lines {
        return Err(SpotRefused::NoLine { file: source.file.clone(), line, lines });
    }
    let here = Here { source, index: &index, line };
    let name = symbol.and_then(NamePath::parse);
    let (at, word) = match (column, &name) {
        (Some(column), _) => (line, here.at_column(column)?),
        (None, Some(name)) => here.near(name.name())?,
        (None, None) => (line, here.only_name()?),
    };
    let start = index.span(at - 1).map_or(0, |span| span.start) + word.start;
    let mut spot = Spot::new(source, &index, Span::new(start, start + word.text.len()));
    spot.declared = declared_at(source, spot.name);
    if at != line {
        spot.found = FoundBy::NearLine(line);
    }
    Ok(spot)
}

/// A line of a file, 1-based.
struct Here<'s> {
    source: &'s SourceFile,
    index: &'s LineIndex,
    line: usize,
}

impl<'s> Here<'s> {
    fn text(&self, line: usize) -> &'s str {
        self.index.line(&self.source.text, line - 1)
    }

    /// The word that holds a column or ends at it, else the next one on the line.
    fn at_column(&self, column: usize) -> Result<Word<'s>, SpotRefused> {
        let text = self.text(self.line);
        let characters = text.chars().count();
        if column == 0 || column > characters + 1 {
            let file = self.source.file.clone();
            return Err(SpotRefused::NoColumn { file, line: self.line, column, characters });
        }
        let at = text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at);
        let all = words::all(text);
        let held = all.iter().find(|word| word.start <= at && at < word.end());
        let touched = || all.iter().find(|word| word.end() == at);
        let next = || all.iter().find(|word| word.start > at);
        held.or_else(touched).or_else(next).copied().ok_or_else(|| self.no_one_name(&[]))
    }

    /// The word on the line, or on the nearest line within reach.
    fn near(&self, name: &str) -> Result<(usize, Word<'s>), SpotRefused> {
        let on = |line: usize| {
            // Of a call and a word in a comment behind it, the call is meant.
            let words = words::names(self.text(line));
            let find = |words: Vec<Word<'s>>| words.into_iter().find(|word| word.text == name);
            find(words).or_else(|| find(words::all(self.text(line))))
        };
        let lines = count_lines(&self.source.text);
        let distances = (0..=NEAR).flat_map(|distance| [self.line.checked_sub(distance), Some(self.line + distance)]);
        let near = distances.flatten().filter(|line| (1..=lines).contains(line));
        near.filter_map(|line| Some((line, on(line)?))).next().ok_or_else(|| {
            let stands_on = (1..=lines).filter(|line| on(*line).is_some()).collect();
            let (file, text) = (self.source.file.clone(), self.text(self.line).to_owned());
            SpotRefused::NotOnLine { file, line: self.line, name: name.to_owned(), text, stands_on }
        })
    }

    /// What the line declares, else its only name.
    fn only_name(&self) -> Result<Word<'s>, SpotRefused> {
        let text = self.text(self.line);
        let names = words::names(text);
        let declared = Language::of_path(&self.source.path).and_then(|language| {
            let all = self.source.declarations(language);
            let spans = all.into_iter().filter(|declared| declared.line == self.line).map(|one| one.symbol.name_span);
            let first = spans.min_by_key(|span| span.start)?;
            let start = first.start - self.index.span(self.line - 1)?.start;
            Some(Word { text: text.get(start..start + first.len())?, start })
        });
        let only = || {
            let first = names.first()?;
            names.iter().all(|name| name.text == first.text).then_some(*first)
        };
        declared.or_else(|| words::assigned(text, &names)).or_else(only).ok_or_else(|| self.no_one_name(&names))
    }

    fn no_one_name(&self, names: &[Word<'_>]) -> SpotRefused {
        let text = self.text(self.line);
        let column = |name: &Word<'_>| text[..name.start].chars().count() + 1;
        SpotRefused::NoOneName {
            file: self.source.file.clone(),
            line: self.line,
            text: text.to_owned(),
            names: names.iter().map(|name| (name.text.to_owned(), column(name))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "package p\n\nfunc (s *Store) Put(k string) error {\n\tsum := total(k) // total\n\tfmt.Println(sum, sum)\n\treturn nil\n}\n";

    fn source() -> SourceFile {
        SourceFile { path: "/w/a.go".into(), file: "a.go".into(), text: TEXT.into() }
    }

    fn told(line: usize, column: Option<usize>, symbol: Option<&str>) -> String {
        match on_line(&source(), line, column, symbol) {
            Ok(spot) => {
                let near = if let FoundBy::NearLine(_) = spot.found { " near" } else { "" };
                let declared = spot.declared.as_ref().map(|one| format!(" = {}", one.full_name())).unwrap_or_default();
                format!("{}:{} {}{declared}{near}", spot.line, spot.column, spot.word())
            }
            Err(SpotRefused::NoOneName { names, .. }) => format!("one of {names:?}"),
            Err(SpotRefused::NotOnLine { stands_on, .. }) => format!("on {stands_on:?}"),
            Err(other) => other.to_string(),
        }
    }

    #[test]
    fn a_line_means_what_it_declares_or_the_name_that_is_said() {
        for (line, column, symbol, expected) in [
            (3, None, None, "3:17 Put = Store.Put"),
            (3, None, Some("k"), "3:21 k"),
            (4, None, None, "4:2 sum"),
            (4, None, Some("p.total"), "4:9 total"),
            (5, None, None, r#"one of [("fmt", 2), ("Println", 6), ("sum", 14), ("sum", 19)]"#),
            (5, None, Some("sum"), "5:14 sum"),
            (6, None, None, "one of []"),
            (6, None, Some("total"), "4:9 total near"),
            (1, None, None, "1:9 p"),
            (6, None, Some("missing"), "on []"),
            (5, Some(7), None, "5:6 Println"),
            (5, Some(13), None, "5:6 Println"),
            (5, Some(1), None, "5:2 fmt"),
            (5, Some(99), None, "line 5 of a.go has 22 characters"),
            (9, None, None, "a.go has 7 lines"),
            (0, None, None, "a.go has 7 lines"),
        ] {
            assert_eq!(told(line, column, symbol), expected, "{line} {column:?} {symbol:?}");
        }
    }
}
