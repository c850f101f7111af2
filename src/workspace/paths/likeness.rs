//! How alike two names or two paths are, by segments and the tokens in them. Pure.

/// What tells two paths apart, in small steps: a separator counts 1, a letter more or less 2, a digit 4.
pub(super) type Cost = u32;

/// Up to here two paths may be the same one mistyped.
pub(super) const NEAR: Cost = 9;
/// Up to here two segments may be.
const NEAR_SEGMENT: Cost = 6;
const SEPARATOR: Cost = 1;
const CASE: Cost = 1;
const LETTER: Cost = 2;
const OTHER_LETTER: Cost = 3;
const DIGIT: Cost = 4;
const MISSING_SEGMENT: Cost = 5;
const REPEATED_SEGMENT: Cost = 2;
/// How many segments one segment may have fallen apart into.
const MOST_PARTS: usize = 3;

/// What two segments differ by, or `None` when they are not near: a mistyped token is near, another token is not.
pub(super) fn segment_cost(typed: &str, real: &str) -> Option<Cost> {
    if typed == real {
        return Some(0);
    }
    let (longer, shorter) = (typed.len().max(real.len()), typed.len().min(real.len()));
    if longer - shorter > NEAR_SEGMENT as usize || longer > 255 {
        return None;
    }
    if least_cost(typed, real) > NEAR_SEGMENT {
        return None;
    }
    let (left, right) = (folded(typed), folded(real));
    let cost = distance(&left, &right) + if capitals(typed).eq(capitals(real)) { 0 } else { CASE };
    (cost <= allowance(&left, &right)).then_some(cost)
}

/// A lower bound, found without comparing in order: what stands in one of them only has to be taken out or replaced.
/// Directories can be long, and most of their names are not near.
fn least_cost(typed: &str, real: &str) -> Cost {
    let (left, right) = (alphabet(typed), alphabet(real));
    let (only_left, only_right) = (left & !right, right & !left);
    let weigh = |only: u64| (only & LETTERS).count_ones() * LETTER + (only & !LETTERS).count_ones() * DIGIT;
    weigh(only_left).max(weigh(only_right))
}

const LETTERS: u64 = (1 << 26) - 1;

/// The ASCII letters and digits in a name, a bit for each.
fn alphabet(name: &str) -> u64 {
    name.bytes().fold(0, |bits, byte| match byte {
        b'a'..=b'z' => bits | 1 << (byte - b'a'),
        b'A'..=b'Z' => bits | 1 << (byte - b'A'),
        b'0'..=b'9' => bits | 1 << (26 + byte - b'0'),
        _ => bits,
    })
}

/// What a name differs by when nothing but separators and case tells it apart.
pub(super) fn same_letters(typed: &str, real: &str) -> bool {
    let letters =
        |name: &str| name.chars().filter(|c| !is_separator(*c)).flat_map(char::to_lowercase).collect::<String>();
    let typed = letters(typed);
    !typed.is_empty() && typed == letters(real)
}

/// Whether a new directory `typed` beside `real` is more likely a slip than meant: another separator or case, a letter
/// more, less or out of place. Another digit is how people number directories, so it does not count.
pub(super) fn is_near_duplicate(typed: &str, real: &str) -> bool {
    if typed == real {
        return false;
    }
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let limit = if typed.chars().count().max(real.chars().count()) < 5 { CASE } else { LETTER + SEPARATOR };
    same_letters(typed, real)
        || digits(typed) == digits(real)
            && segment_cost(typed, real).is_some_and(|cost| cost <= limit && !one_letter_replaced(typed, real))
}

fn one_letter_replaced(typed: &str, real: &str) -> bool {
    let (left, right) = (folded(typed), folded(real));
    let differing =
        left.iter().zip(&right).filter(|(a, b)| a != b && !(is_separator(**a) && is_separator(**b))).count();
    left.len() == right.len() && differing == 1
}

fn folded(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

fn capitals(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|character| character.is_uppercase())
}

/// Short names say little, so a letter in them must not differ; a digit may.
fn allowance(left: &[char], right: &[char]) -> Cost {
    let letters = |name: &[char]| name.iter().copied().filter(|c| c.is_alphabetic()).collect::<Vec<char>>();
    match left.len().min(right.len()) {
        0 => 0,
        1 | 2 if letters(left) != letters(right) => CASE,
        1..=5 => DIGIT,
        _ => NEAR_SEGMENT,
    }
}

/// Whether a character stands between tokens. Hyphens and blanks beyond ASCII count, they are what `-` and ` ` become.
fn is_separator(character: char) -> bool {
    matches!(character, '-' | '_' | '.' | ' ' | '/' | '+' | '\u{a0}' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

fn weight(character: char) -> Cost {
    match character {
        c if is_separator(c) => SEPARATOR,
        c if c.is_ascii_digit() => DIGIT,
        _ => LETTER,
    }
}

fn replaced(left: char, right: char) -> Cost {
    match (is_separator(left), is_separator(right)) {
        _ if left == right => 0,
        (true, true) => SEPARATOR,
        (false, false) if left.is_ascii_digit() || right.is_ascii_digit() => DIGIT,
        (false, false) => OTHER_LETTER,
        _ => SEPARATOR + LETTER.max(weight(left)).max(weight(right)),
    }
}

/// Weighted edit distance with adjacent transpositions. More than [`NEAR_SEGMENT`] is not told exactly.
fn distance(left: &[char], right: &[char]) -> Cost {
    let before = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[before..], &right[before..]);
    let after = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[..left.len() - after], &right[..right.len() - after]);
    let mut before: Vec<Cost> = Vec::new();
    let mut last: Vec<Cost> = Vec::with_capacity(right.len() + 1);
    last.push(0);
    for (j, character) in right.iter().enumerate() {
        last.push(last[j] + weight(*character));
    }
    for (i, &a) in left.iter().enumerate() {
        let mut row = Vec::with_capacity(right.len() + 1);
        row.push(last[0] + weight(a));
        for (j, &b) in right.iter().enumerate() {
            let mut best = (last[j] + replaced(a, b)).min(last[j + 1] + weight(a)).min(row[j] + weight(b));
            if i > 0 && j > 0 && a == right[j - 1] && left[i - 1] == b {
                best = best.min(before[j - 1] + weight(a).max(weight(b)));
            }
            row.push(best);
        }
        if row.iter().all(|cost| *cost > NEAR_SEGMENT + DIGIT) {
            return Cost::MAX / 2;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

/// A way to cut a typed path in two: what stands for the root, and the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// How many segments of the typed path stand for the root.
    pub(super) head: usize,
    /// What tells them apart.
    pub(super) cost: Cost,
}

/// Every way in which the first segments of `typed` may be `root` mistyped, the likeliest first.
///
/// Segments are laid side by side: one may be mistyped, left out (but not the last, which is the workspace's own name),
/// typed twice, broken in two at a separator or joined with the next.
pub(super) fn cuts(typed: &[&str], root: &[&str]) -> Vec<Cut> {
    let table = align(typed, root);
    let mut cuts: Vec<Cut> = (1..=typed.len())
        .filter_map(|head| table[head][root.len()].map(|cost| Cut { head, cost }))
        .filter(|cut| cut.cost <= NEAR)
        .collect();
    cuts.sort_by_key(|cut| (cut.cost, cut.head));
    cuts
}

/// `table[i][j]`: the least cost of the first `i` typed segments for the first `j` of the root.
fn align(typed: &[&str], root: &[&str]) -> Vec<Vec<Option<Cost>>> {
    let mut table = vec![vec![None; root.len() + 1]; typed.len() + 1];
    table[0][0] = Some(0);
    for i in 0..=typed.len() {
        for j in 0..=root.len() {
            let Some(so_far) = table[i][j].filter(|cost| *cost <= NEAR) else { continue };
            let mut reach = |i: usize, j: usize, step: Cost| {
                let cell: &mut Option<Cost> = &mut table[i][j];
                *cell = Some(cell.map_or(so_far + step, |known| known.min(so_far + step)));
            };
            if j + 1 < root.len() {
                reach(i, j + 1, MISSING_SEGMENT);
            }
            if i > 0
                && i < typed.len()
                && j > 0
                && let Some(cost) = segment_cost(typed[i], root[j - 1])
            {
                reach(i + 1, j, REPEATED_SEGMENT + cost);
            }
            for (parts, wholes) in joins(typed.len() - i, root.len() - j) {
                if let Some(cost) = joined_cost(&typed[i..i + parts], &root[j..j + wholes]) {
                    reach(i + parts, j + wholes, cost);
                }
            }
        }
    }
    table
}

/// What segments differ by that stand for one another as a whole. Of those that fell apart none may be left over.
pub(super) fn joined_cost(typed: &[&str], real: &[&str]) -> Option<Cost> {
    if let ([typed], [real]) = (typed, real) {
        return segment_cost(typed, real);
    }
    let letters = |names: &[&str]| names.iter().flat_map(|name| name.chars()).filter(|c| !is_separator(*c)).count();
    let (in_typed, in_real) = (letters(typed), letters(real));
    let left_over = if typed.len() > real.len() { in_typed > in_real } else { in_typed < in_real };
    if left_over { None } else { segment_cost(&typed.join("/"), &real.join("/")) }
}

/// How many typed segments may stand for how many real ones: one for one, several for one, one for two.
fn joins(typed_left: usize, real_left: usize) -> impl Iterator<Item = (usize, usize)> {
    let several = (1..=MOST_PARTS).map(|parts| (parts, 1));
    several.chain([(1, 2)]).filter(move |(parts, wholes)| *parts <= typed_left && *wholes <= real_left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_differ_by_what_a_slip_costs() {
        for (typed, real, cost) in [
            ("runs_hb11", "runs-hb11", Some(1)),
            ("runs/hb11", "runs-hb11", Some(1)),
            ("runshb11", "runs-hb11", Some(1)),
            ("runs hb11", "runs-hb11", Some(1)),
            ("runs\u{2011}hb11", "runs-hb11", Some(1)),
            ("acme-harness", "acme-harnesses", Some(4)),
            ("acme_harness", "acme-harnesses", Some(5)),
            ("HOME", "home", Some(1)),
            ("mYpROJECT", "MyProject", Some(1)),
            ("wrok", "work", Some(2)),
            ("playgroundd", "playground", Some(2)),
            ("runs-hb12", "runs-hb11", Some(4)),
            ("runs-hb1", "runs-hb11", Some(4)),
            ("v3", "v2", Some(4)),
            ("t14-ledgre-go", "t14-ledger-go", Some(2)),
            ("t41", "t14", Some(4)),
            ("t21", "t14", None),
            ("b", "a", None),
            ("go", "zig", None),
            ("other-project", "this-project", None),
            ("runs-hb23", "runs-hb11", None),
            ("", "a", None),
        ] {
            assert_eq!(segment_cost(typed, real), cost, "{typed} {real}");
        }
    }

    #[test]
    fn a_root_is_found_in_front_of_the_rest() {
        let root = ["home", "user", "acme-harnesses", "runs-hb11", "t14"];
        for (typed, head, cost) in [
            ("home/user/acme-harnesses/runs_hb11/t14/src/a", 5, 1),
            ("home/user/acme/harnesses/runs/hb11/t14/src/a", 7, 2),
            ("home/acme-harnesses/runs-hb11/t14/src/a", 4, 5),
            ("home/user/user/acme-harnesses/runs-hb11/t14/a", 6, 2),
            ("home/user-acme-harnesses/runs-hb11/t14/a", 4, 1),
            ("home/user/acme-harnesses/acme_harnesses/runs-hb11/t14/a", 6, 3),
            ("homeuser/acme-harness/runs_hb11/t14/a", 4, 6),
        ] {
            let typed: Vec<&str> = typed.split('/').collect();
            assert_eq!(cuts(&typed, &root).first(), Some(&Cut { head, cost }), "{typed:?}");
        }
        for typed in [
            "home/user/acme-harnesses/runs-hb11/src/a",
            "home/user/acme-harnesses/s/runs-hb11/t14/a",
            "home/user/other/runs-hb11/t14/a",
            "etc/passwd",
            "a",
        ] {
            let typed: Vec<&str> = typed.split('/').collect();
            assert_eq!(cuts(&typed, &root), [], "{typed:?}");
        }
    }

    #[test]
    fn near_duplicates_are_slips_and_not_numbers() {
        for (typed, real) in [
            ("store-s", "stores"),
            ("stores", "store"),
            ("Store", "store"),
            ("intrenal", "internal"),
            ("my_pkg", "my-pkg"),
        ] {
            assert!(is_near_duplicate(typed, real), "{typed} {real}");
        }
        for (typed, real) in [
            ("v2", "v1"),
            ("case-10", "case-1"),
            ("router", "routes"),
            ("http2", "http"),
            ("get", "set"),
            ("cmd", "cmp"),
            ("a", "a"),
        ] {
            assert!(!is_near_duplicate(typed, real), "{typed} {real}");
        }
    }
}
