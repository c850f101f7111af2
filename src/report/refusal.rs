//! A replacer's refusal as text for the agent: why, the evidence, and one thing to do next.

use crate::replace::{Nearest, Query, RefusalCode, Refused};
use crate::text::{LineIndex, LineRange};

/// Lines of a nearest stretch that are shown.
const MAX_SHOWN_LINES: usize = 12;
/// Characters of a line that are shown.
const MAX_SHOWN_CHARACTERS: usize = 160;
/// Lines with hits of an ambiguous query that are named.
const MAX_NAMED_LINES: usize = 8;

/// What an agent is told of a refusal. It does not state the disk: the caller writes `not edited PATH: ` in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Why, and the evidence with 1-based line numbers.
    pub message: String,
    /// The next call that would help, if one is known. Without the word `Hint:`.
    pub hint: Option<String>,
}

/// Explains why `query` was refused on `text`.
pub fn explain(text: &str, query: &Query<'_>, refused: &Refused) -> Explanation {
    let index = LineIndex::new(text);
    let mut message = reason(query, refused);
    if refused.code == RefusalCode::Ambiguous {
        message.push_str(&named_hits(text, &index, &refused.hits));
    }
    if let Some(nearest) = &refused.nearest {
        message.push_str(&shown(text, &index, nearest));
    }
    Explanation { message, hint: hint(refused) }
}

fn reason(query: &Query<'_>, refused: &Refused) -> String {
    match refused.code {
        RefusalCode::NotFound => "old_string is not in the file".to_owned(),
        RefusalCode::Ambiguous if query.replace_all => "old_string matches overlapping places".to_owned(),
        RefusalCode::Ambiguous => format!("old_string matches {} places", refused.hits.len().max(2)),
        RefusalCode::AlreadyApplied => "the file already reads as new_string says; there is nothing to change".to_owned(),
        RefusalCode::Stale => "the place was found, but a line that the edit changes reads differently in the file".to_owned(),
        RefusalCode::TooLittleInformation if query.old.trim().is_empty() => "old_string is blank".to_owned(),
        RefusalCode::TooLittleInformation => {
            "old_string is not in the file as typed, and it is too short to search for anything like it".to_owned()
        }
        RefusalCode::Identical => "old_string and new_string are the same".to_owned(),
        RefusalCode::ElisionUnclear => "the \"...\" in old_string could stand for more than one stretch of the file".to_owned(),
        RefusalCode::TooLarge => "old_string is not in the file as typed, and file or old_string are too large to search for anything like it".to_owned(),
    }
}

fn hint(refused: &Refused) -> Option<String> {
    let hint = match refused.code {
        RefusalCode::Ambiguous => {
            let add = "add lines around it to old_string until only one place fits";
            // A line does not tell two places on it apart.
            match by_line(&refused.hits).iter().find(|(_, count)| *count == 1) {
                Some((line, _)) => {
                    format!("{add}, or pass near_line (for instance {}), or replace_all.", line + 1)
                }
                None => format!("{add}, or pass replace_all."),
            }
        }
        RefusalCode::AlreadyApplied => return None,
        RefusalCode::Identical => "put what the lines should become into new_string.".to_owned(),
        RefusalCode::TooLittleInformation => "copy at least one whole line of the file into old_string.".to_owned(),
        RefusalCode::ElisionUnclear => "write the lines out in full instead of \"...\".".to_owned(),
        RefusalCode::TooLarge => "copy old_string literally from the file, a few lines are enough.".to_owned(),
        RefusalCode::NotFound | RefusalCode::Stale => match &refused.nearest {
            Some(nearest) => {
                let (first, last) = nearest.lines.one_based();
                format!("read lines {first}-{last} and copy old_string from there.")
            }
            None => "read the file and copy old_string from it.".to_owned(),
        },
    };
    Some(hint)
}

fn named_hits(text: &str, index: &LineIndex, hits: &[LineRange]) -> String {
    let lines = by_line(hits);
    let mut out = String::new();
    for (line, count) in lines.iter().take(MAX_NAMED_LINES) {
        out.push_str(&format!("\n{:>6} | {}", line + 1, clipped(index.line(text, *line), 60)));
        if *count > 1 {
            out.push_str(&format!(" ({count} times)"));
        }
    }
    let left_out: usize = lines.iter().skip(MAX_NAMED_LINES).map(|(_, count)| count).sum();
    if left_out > 0 {
        out.push_str(&format!("\n       … and {left_out} more"));
    }
    out
}

/// The lines on which hits begin, 0-based, each with how many do.
fn by_line(hits: &[LineRange]) -> Vec<(usize, usize)> {
    let same_line = hits.chunk_by(|one, next| one.start == next.start);
    same_line.map(|hits| (hits[0].start, hits.len())).collect()
}

fn shown(text: &str, index: &LineIndex, nearest: &Nearest) -> String {
    let (first, last) = nearest.lines.one_based();
    let mut out = format!("; nearest are lines {first}-{last}");
    if !nearest.differs.is_empty() {
        out.push_str(&format!(" ({})", clipped(&nearest.differs, MAX_SHOWN_CHARACTERS)));
    }
    out.push(':');
    for line in (nearest.lines.start..nearest.lines.end).take(MAX_SHOWN_LINES) {
        out.push_str(&format!("\n{:>6} | {}", line + 1, clipped(index.line(text, line), MAX_SHOWN_CHARACTERS)));
    }
    if nearest.lines.len() > MAX_SHOWN_LINES {
        out.push_str(&format!("\n       … {} more lines", nearest.lines.len() - MAX_SHOWN_LINES));
    }
    out
}

/// At most so many characters, none of them a control character but the tab.
fn clipped(text: &str, most: usize) -> String {
    let mut out: String =
        text.chars().filter(|character| *character == '\t' || !character.is_control()).take(most).collect();
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(old: &str) -> Query<'_> {
        Query { old, new: "new", replace_all: false, near_line: None }
    }

    #[test]
    fn an_ambiguity_names_its_places_by_line() {
        let text = "x = 1;\ny\nx = 1;\n";
        let refused = Refused {
            code: RefusalCode::Ambiguous,
            hits: vec![LineRange::new(0, 1), LineRange::new(2, 3)],
            nearest: None,
        };
        let explained = explain(text, &query("x = 1;"), &refused);
        assert_eq!(explained.message, "old_string matches 2 places\n     1 | x = 1;\n     3 | x = 1;");
        assert!(explained.hint.expect("a hint").contains("near_line"));
    }

    #[test]
    fn places_on_one_line_are_named_once_and_no_line_tells_them_apart() {
        let ambiguous = |starts: &[usize]| {
            let hits = starts.iter().map(|start| LineRange::new(*start, start + 1)).collect();
            let refused = Refused { code: RefusalCode::Ambiguous, hits, nearest: None };
            let explained = explain("a a a\na\nb\n", &query("a"), &refused);
            (explained.message, explained.hint.expect("a hint"))
        };
        let (message, hint) = ambiguous(&[0, 0, 0, 1]);
        assert_eq!(message, "old_string matches 4 places\n     1 | a a a (3 times)\n     2 | a");
        assert!(hint.contains("near_line (for instance 2)"), "{hint}");
        let (message, hint) = ambiguous(&[0, 0]);
        assert_eq!(message, "old_string matches 2 places\n     1 | a a a (2 times)");
        assert!(!hint.contains("near_line") && hint.contains("replace_all"), "{hint}");
    }

    #[test]
    fn the_nearest_stretch_is_shown_as_the_file_has_it_and_bounded() {
        let text = "a\n".repeat(40) + &"long ".repeat(200);
        let nearest =
            Nearest { lines: LineRange::new(20, 41), differs: "`b` is `a`\u{1b}[0m".to_owned(), similarity: 0.7 };
        let refused = Refused { code: RefusalCode::NotFound, hits: Vec::new(), nearest: Some(nearest) };
        let explained = explain(&text, &query("b"), &refused);
        assert!(
            explained
                .message
                .starts_with("old_string is not in the file; nearest are lines 21-41 (`b` is `a`[0m):\n    21 | a\n")
        );
        assert!(explained.message.ends_with("… 9 more lines"));
        assert_eq!(explained.hint.as_deref(), Some("read lines 21-41 and copy old_string from there."));
    }

    #[test]
    fn without_a_nearest_stretch_a_message_is_short() {
        let codes = [RefusalCode::NotFound, RefusalCode::AlreadyApplied, RefusalCode::Stale, RefusalCode::Identical];
        for code in codes {
            let refused = Refused { code, hits: Vec::new(), nearest: None };
            assert!(explain("text", &query("old"), &refused).message.len() < 200, "{code:?}");
        }
    }
}
