//! Whether a word is another one or the same misspelt.

use super::likeness::likeness;
use super::reading::words;

/// Words less alike than this are two names and not one misspelt.
const SAME_WORD: f32 = 0.75;

/// Whether two lines differ by a word that is another one, not a misspelt one.
pub(super) fn names_differ(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (words(a).collect(), words(b).collect());
    let operations = similar::capture_diff_slices(similar::Algorithm::Myers, &a, &b);
    operations.iter().any(|operation| {
        let (mine, theirs) = (operation.old_range(), operation.new_range());
        match operation {
            similar::DiffOp::Equal { .. } => false,
            similar::DiffOp::Replace { .. } if mine.len() == theirs.len() => {
                mine.zip(theirs).any(|(i, j)| !is_same_word(a[i], b[j]))
            }
            _ => a.len() < 4 || mine.len().max(theirs.len()) > 1,
        }
    })
}

fn is_same_word(a: &str, b: &str) -> bool {
    let folded = |word: &str| word.replace('_', "").to_lowercase();
    if folded(a) == folded(b) {
        return true;
    }
    if a.len() > 3 && letters_of(a) == letters_of(b) {
        return true;
    }
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    !(is_number(a) && is_number(b)) && likeness(a, b) >= SAME_WORD
}

/// The characters of a word in order: letters that changed places do not matter.
fn letters_of(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_no_other_name() {
        let cases = [
            ("return users[0]", "retrun users[0]", false),
            ("const a", "cnots a", false),
            ("load(users)", "load(teams)", true),
            ("retry(3)", "retry(4)", true),
            ("maxSize = limit", "max_size = limit", false),
            ("a b c d e", "a b c d", false),
            ("a b", "a b c", true),
        ];
        for (a, b, expected) in cases {
            assert_eq!(names_differ(a, b), expected, "{a:?} {b:?}");
        }
    }
}
