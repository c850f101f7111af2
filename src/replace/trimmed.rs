//! Lines that are the same but for white space at their ends: the nearest thing to an exact match.

use super::alignment::{Alignment, Pair};
use super::changes::{choose, landed};
use super::file_lines::{FileLines, query_lines};
use super::transfer::transfer;
use super::{Landed, Query, RefusalCode, Refused};
use crate::text::LineRange;

/// Letters and digits that `old` must have to be found other than literally.
const MIN_LETTERS: usize = 8;

pub(super) fn replace(text: &str, query: &Query<'_>) -> Result<Landed, Refused> {
    let (old, new) = (query_lines(query.old), query_lines(query.new));
    let new = if query.new.is_empty() { Vec::new() } else { new };
    if query.old.chars().filter(|character| character.is_alphanumeric()).count() < MIN_LETTERS {
        return Err(Refused::plain(RefusalCode::TooLittleInformation));
    }
    let file = FileLines::new(text);
    let found = find(&file, &old);
    let hits: Vec<LineRange> =
        found.iter().map(|hit| hit.file_range()).map(|range| LineRange::new(range.start, range.end)).collect();
    let taken: Vec<&Alignment> = match found.len() {
        0 => return Err(Refused::plain(RefusalCode::NotFound)),
        1 => found.iter().collect(),
        _ if query.replace_all => found.iter().collect(),
        _ => match choose(&hits, query.near_line) {
            Some(at) => vec![&found[at]],
            None => return Err(Refused { code: RefusalCode::Ambiguous, hits, nearest: None }),
        },
    };
    let edits = taken.iter().map(|hit| transfer(&file, &old, &new, hit)).collect::<Result<Vec<_>, _>>();
    landed(text, edits.map_err(Refused::plain)?, "line_trimmed".to_owned(), 0.99)
}

/// Every place where the lines of `old` that are not blank follow each other, none overlapping.
fn find(file: &FileLines<'_>, old: &[&str]) -> Vec<Alignment> {
    let wanted: Vec<(usize, &str)> = filled(old.iter().copied());
    let present: Vec<(usize, &str)> = filled((0..file.count()).map(|line| file.content(line)));
    let Some((_, first)) = wanted.first() else { return Vec::new() };
    let (mut found, mut from) = (Vec::new(), 0);
    for at in 0..present.len() {
        if at < from || present[at].1 != *first || present.len() - at < wanted.len() {
            continue;
        }
        if wanted.iter().zip(&present[at..]).all(|((_, old), (_, line))| old == line) {
            let pairs = wanted.iter().zip(&present[at..]);
            let pairs = pairs.map(|((i, _), (j, _))| Pair { old: *i..i + 1, file: *j..j + 1 }).collect();
            found.push(Alignment::new(old.len(), pairs));
            from = at + wanted.len();
        }
    }
    found
}

fn filled<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<(usize, &'a str)> {
    lines.enumerate().map(|(at, line)| (at, line.trim())).filter(|(_, line)| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Query, RefusalCode, replace};

    fn check(text: &str, old: &str, new: &str, expected: &str) {
        let landed = replace(text, &Query { old, new, replace_all: false, near_line: None }).expect(old);
        assert_eq!(landed.text, expected, "{old:?} -> {new:?}");
    }

    #[test]
    fn indentation_endings_and_trailing_blanks_stay_the_files() {
        check(
            "func f() {\n\tif ready {\n\t\trun(now)\n\t}\n}\n",
            "    if ready {\n        run(now)\n    }",
            "    if ready {\n        prepare()\n        run(now)\n    }",
            "func f() {\n\tif ready {\n\t\tprepare()\n\t\trun(now)\n\t}\n}\n",
        );
        check(
            "alpha = 1  \r\nbeta = 2\r\n",
            "alpha = 1\nbeta = 2",
            "alpha = 1\nbeta = 3",
            "alpha = 1  \r\nbeta = 3\r\n",
        );
        check(
            "class A:\n    def f(self):\n        return 1\n",
            "def f(self):\n    return 1\n",
            "def f(self):\n    x = 2\n    return 1\n",
            "class A:\n    def f(self):\n        x = 2\n        return 1\n",
        );
        check("first_line()\n\nlast_line()", "first_line()\nlast_line() ", "first_line()", "first_line()\n");
    }

    #[test]
    fn depth_changed_on_purpose_is_carried_over() {
        check(
            "\tfirst(call)\n\tsecond(call)\n",
            "    first(call)\n    second(call)",
            "    if ok {\n        first(call)\n        second(call)\n    }",
            "\tif ok {\n\t\tfirst(call)\n\t\tsecond(call)\n\t}\n",
        );
    }

    #[test]
    fn several_places_or_too_little_text_are_refused() {
        let query = |old| Query { old, new: "x", replace_all: false, near_line: None };
        let text = "  some_call(a)\n\tother(b)\n\nsome_call(a)\nother(b)\n";
        assert_eq!(replace(text, &query(" some_call(a)\n other(b)")).expect_err("two").code, RefusalCode::Ambiguous);
        assert_eq!(replace(" }\n", &query("}\n\n")).expect_err("short").code, RefusalCode::TooLittleInformation);
    }
}
