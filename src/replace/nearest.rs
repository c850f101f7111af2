//! What a refusal shows: the stretch that is most like `old`, and what differs there.

use super::Nearest;
use super::align::{Candidate, OldText, SAME_KEY};
use super::regions::FileIndex;
use crate::text::LineRange;

/// Characters of a line that are quoted.
const MAX_QUOTED: usize = 60;

/// Describes `found`.
pub(super) fn nearest(file: &FileIndex<'_>, old: &OldText<'_>, found: &Candidate) -> Nearest {
    let range = found.alignment.file_range();
    Nearest {
        lines: LineRange::new(range.start, range.end),
        differs: differs(file, old, found),
        similarity: f64::from(found.score.clamp(0.0, 1.0)),
    }
}

/// The first line that is not the file's.
fn differs(file: &FileIndex<'_>, old: &OldText<'_>, found: &Candidate) -> String {
    for i in (0..old.lines.len()).filter(|i| !old.lines[*i].is_blank() && !old.elided[*i]) {
        let Some(pair) = found.alignment.pair(i) else {
            return format!("`{}` is not there", quoted(old.lines[i].text));
        };
        let likeness =
            found.alignment.pairs.iter().position(|other| other == pair).map_or(1.0, |at| found.likeness[at]);
        if likeness < SAME_KEY && pair.file.len() == 1 && pair.old.len() == 1 {
            let line = file.lines.content(pair.file.start);
            let (mine, theirs) = first_difference(old.lines[i].text.trim(), line.trim());
            return format!(
                "line {}: the file has `{}`, old_string `{}`",
                pair.file.start + 1,
                quoted(theirs),
                quoted(mine)
            );
        }
    }
    String::new()
}

/// The stretch of words in which two lines differ.
fn first_difference<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let head: usize = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum();
    let tail: usize = a[head..]
        .chars()
        .rev()
        .zip(b[head..].chars().rev())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum();
    let start = a[..head]
        .rfind(|character: char| !character.is_alphanumeric() && character != '_')
        .map_or(0, |at| at + a[at..].chars().next().map_or(1, char::len_utf8));
    let end =
        a[a.len() - tail..].find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(tail);
    (&a[start..a.len() - tail + end], &b[start..b.len() - tail + end])
}

fn quoted(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_QUOTED) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_in_whole_words() {
        let cases = [
            ("load(users, 1)", "load(teams, 1)", ("users", "teams")),
            ("a = b", "a = b + c", ("b", "b + c")),
            ("retrun x", "return x", ("retrun", "return")),
        ];
        for (a, b, expected) in cases {
            assert_eq!(first_difference(a, b), expected);
        }
    }
}
