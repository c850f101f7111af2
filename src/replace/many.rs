//! Several edits of one text: one after another, all or none.

use super::{Landed, Query, Refused, replace};

/// Every edit landed.
#[derive(Debug, Clone, PartialEq)]
pub struct ManyLanded {
    /// The text after the last edit.
    pub text: String,
    /// Each edit as it landed on the text that the ones before it had made.
    pub each: Vec<Landed>,
}

/// One edit was refused, so none was made.
#[derive(Debug, Clone, PartialEq)]
pub struct ManyRefused {
    /// Which edit, 0-based.
    pub index: usize,
    /// Why.
    pub refused: Box<Refused>,
    /// The text that this edit met: the ones before it had been applied.
    pub text: String,
    /// Whether each edit matched, the refused one left out of the sequence.
    pub matched: Vec<bool>,
}

/// Carries out `queries` in order, each on what the one before made.
///
/// # Errors
/// [`ManyRefused`] for the first edit that is refused; nothing is changed then. The others are still tried, so that
/// one answer tells all that needs mending.
pub fn replace_many(text: &str, queries: &[Query<'_>]) -> Result<ManyLanded, ManyRefused> {
    let mut each: Vec<Landed> = Vec::with_capacity(queries.len());
    for (index, query) in queries.iter().enumerate() {
        let present = each.last().map_or(text, |landed| &landed.text);
        match replace(present, query) {
            Ok(landed) => each.push(landed),
            Err(refused) => {
                let text = present.to_owned();
                let mut matched = vec![true; index];
                matched.push(false);
                matched.extend(which_match(text.clone(), &queries[index + 1..]));
                return Err(ManyRefused { index, refused: Box::new(refused), text, matched });
            }
        }
    }
    let text = each.last().map_or_else(|| text.to_owned(), |landed| landed.text.clone());
    Ok(ManyLanded { text, each })
}

fn which_match(mut text: String, queries: &[Query<'_>]) -> Vec<bool> {
    queries
        .iter()
        .map(|query| match replace(&text, query) {
            Ok(landed) => {
                text = landed.text;
                true
            }
            Err(_) => false,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::RefusalCode;
    use super::*;

    fn query<'q>(old: &'q str, new: &'q str) -> Query<'q> {
        Query { old, new, replace_all: false, near_line: None }
    }

    #[test]
    fn edits_build_on_each_other() {
        let landed = replace_many("a\nb\n", &[query("a", "a1\na2"), query("a2", "a3"), query("b", "c")]).expect("all");
        assert_eq!(landed.text, "a1\na3\nc\n");
        assert_eq!(landed.each.len(), 3);
        assert_eq!(replace_many("a", &[]).expect("none").text, "a");
    }

    #[test]
    fn one_refusal_stops_all_and_tells_of_the_others() {
        let queries = [query("a", "A"), query("nowhere", "x"), query("b", "B"), query("gone", "y")];
        let refused = replace_many("a\nb\n", &queries).expect_err("second");
        assert_eq!((refused.index, refused.matched.as_slice()), (1, [true, false, true, false].as_slice()));
        assert_eq!(refused.text, "A\nb\n");
        assert_ne!(refused.refused.code, RefusalCode::Ambiguous);
    }
}
