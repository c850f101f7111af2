//! A changed line word by word: what the edit does not change stays as the file has it.

use super::reading::is_comment;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Longer lines are not taken apart.
const MAX_BYTES: usize = 2000;

/// The file's line with what leads from `old` to `new` done to it; where both differ from `old`, new is right. `None`
/// where nothing would be gained: the three have too little in common, or the file reads as old does.
pub(super) fn merged(old: &str, new: &str, file: &str) -> Option<String> {
    if [old, new, file].iter().any(|line| line.len() > MAX_BYTES) {
        return None;
    }
    let (old, new, file) = (tokens(old), tokens(new), tokens(file));
    let drift = changes(&old, &file);
    let edit = changes(&old, &new);
    let lost = |changes: &[Change]| changes.iter().map(|change| change.1 - change.0).sum::<usize>();
    if drift.is_empty() || lost(&drift) * 2 > old.len() || lost(&edit) * 2 > old.len() {
        return None;
    }
    // A comment that only the file has behind the line stays, even right behind words that the edit replaces.
    let is_comment_behind = |change: &Change| change.0 == old.len() && is_comment(file[change.2..].concat().trim());
    let is_free = |change: &Change| {
        edit.iter().all(|other| change.1 < other.0 || other.1 < change.0 || is_comment_behind(change))
    };
    let mut all: Vec<(&Change, &[&str])> = edit.iter().map(|change| (change, new.as_slice())).collect();
    all.extend(drift.iter().filter(|change| is_free(change)).map(|change| (change, file.as_slice())));
    all.sort_by_key(|(change, _)| (change.0, change.1));
    let (mut out, mut from) = (String::new(), 0);
    for ((start, end, first, last), source) in all {
        out.extend(old[from..*start].iter().chain(&source[*first..*last]).copied());
        from = *end;
    }
    out.extend(old[from..].iter().copied());
    Some(out)
}

/// Tokens `0..1` of old that became tokens `2..3` of the other.
type Change = (usize, usize, usize, usize);

fn changes(old: &[&str], other: &[&str]) -> Vec<Change> {
    capture_diff_slices(Algorithm::Myers, old, other)
        .iter()
        .filter(|operation| !matches!(operation, DiffOp::Equal { .. }))
        .map(|operation| (operation.old_range(), operation.new_range()))
        .map(|(mine, theirs)| (mine.start, mine.end, theirs.start, theirs.end))
        .collect()
}

/// Words, runs of blanks, and signs one by one.
fn tokens(line: &str) -> Vec<&str> {
    let kind = |character: char| match character {
        character if character.is_alphanumeric() || character == '_' => 1,
        character if character.is_whitespace() => 2,
        _ => 0,
    };
    let (mut found, mut start, mut last) = (Vec::new(), 0, 0);
    for (at, character) in line.char_indices() {
        let kind = kind(character);
        if at > start && (kind == 0 || kind != last) {
            found.push(&line[start..at]);
            start = at;
        }
        last = kind;
    }
    if start < line.len() {
        found.push(&line[start..]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_edit_leaves_alone_is_the_files() {
        let cases = [
            ("f(usres, 1)", "f(usres, 2)", "f(users, 1)", Some("f(users, 2)")),
            ("return a", "return b", "return a  // as asked", Some("return b  // as asked")),
            ("f(usres, 1, x)", "f(users, 1, y)", "f(users, 1, x)", Some("f(users, 1, y)")),
            ("f(a, b)", "f(a, c)", "f(a, b)", None),
            ("one two", "three four", "five six", None),
        ];
        for (old, new, file, expected) in cases {
            assert_eq!(merged(old, new, file).as_deref(), expected, "{old:?}");
        }
    }

    #[test]
    fn tokens_make_up_the_line() {
        assert_eq!(tokens("a_1 +=  é(b)"), ["a_1", " ", "+", "=", "  ", "é", "(", "b", ")"]);
        assert!(tokens("").is_empty());
    }
}
