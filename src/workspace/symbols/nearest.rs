//! Declarations whose names come near one that does not exist.

use std::cmp::Reverse;

use super::Declared;
use crate::syntax::NamePath;

/// How many are told.
const MOST: usize = 5;
/// Names less alike than this are not the same name mistyped. Thousandths.
const LEAST_LIKENESS: u32 = 600;

/// The declarations most like `name`, the most alike first.
pub(super) fn of(name: &NamePath, all: Vec<Declared>) -> Vec<Declared> {
    let mut near: Vec<(u32, bool, Declared)> = all
        .into_iter()
        .map(|declared| (likeness(name.name(), &declared.symbol.name), shares_type(name, &declared), declared))
        .filter(|(likeness, ..)| *likeness >= LEAST_LIKENESS)
        .collect();
    near.sort_by(|(a, a_shares, left), (b, b_shares, right)| {
        let key = |likeness: &u32, shares: &bool, declared: &Declared| {
            (Reverse(*shares), Reverse(*likeness), declared.file.clone(), declared.line)
        };
        key(a, a_shares, left).cmp(&key(b, b_shares, right))
    });
    near.into_iter().take(MOST).map(|(.., declared)| declared).collect()
}

/// Whether the type before the name is the one it stands in.
fn shares_type(name: &NamePath, declared: &Declared) -> bool {
    let innermost = declared.symbol.container.as_deref().and_then(|container| container.rsplit('.').next());
    innermost.is_some() && innermost == name.qualifier()
}

/// How alike two names are, in thousandths: letter for letter but for case, one within the other, or a typing error.
pub(super) fn likeness(typed: &str, declared: &str) -> u32 {
    let (typed, declared) = (typed.to_lowercase(), declared.to_lowercase());
    if typed == declared {
        return 1000;
    }
    let (short, long) = if typed.len() < declared.len() { (&typed, &declared) } else { (&declared, &typed) };
    // A short name stands in many long ones by chance.
    let is_part = short.len() >= 3 && 2 * short.len() >= long.len() && long.contains(short.as_str());
    let contained = if is_part { 750 } else { 0 };
    let alike = (strsim::normalized_damerau_levenshtein(&typed, &declared) * 1000.0) as u32;
    alike.max(contained)
}

#[cfg(test)]
mod tests {
    use super::likeness;

    #[test]
    fn likeness_puts_typing_errors_above_other_names() {
        assert_eq!(likeness("put", "Put"), 1000);
        assert!(likeness("Pus", "Put") >= 600);
        assert!(likeness("transfer", "transferAll") >= 700);
        assert!(likeness("balanceOf", "blanaceOf") >= 600);
        assert!(likeness("Put", "Len") < 600);
        assert!(likeness("NoSuchNameAtAll", "Name") < 600);
        assert!(likeness("open", "Close") < 600);
    }
}
