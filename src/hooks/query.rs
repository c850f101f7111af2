//! The native edit tools find `old_string` byte for byte. Where it is not in the file that way, the replacer says what
//! was meant, and the call is given the file's own text instead. Pure.

use crate::replace::{self, Query, Refused};

/// Most lines by which a stretch is grown until the file has it only once.
const MOST_GROWN: usize = 30;

/// What a native edit should be given.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Meant {
    /// Just what it was given.
    AsTyped,
    /// The same change in the file's own words.
    Otherwise {
        /// A stretch that the file has once.
        old: String,
        /// What it becomes.
        new: String,
        /// How it was found.
        matched_via: String,
    },
    /// Nothing: the change is refused.
    Nothing(Refused),
}

/// Says what `query` means in `text`.
pub(super) fn meant(text: &str, query: &Query<'_>) -> Meant {
    // A carriage return is not shown to models, and native tools each have their own way with it.
    if query.old.is_empty() || text.contains('\r') || text.contains(query.old) {
        return Meant::AsTyped;
    }
    match replace::replace(text, query) {
        Ok(landed) => {
            let (Some(first), Some(last)) = (landed.edits.first(), landed.edits.last()) else { return Meant::AsTyped };
            let after = text.len() - last.span.end;
            match only_once(text, first.span.start, last.span.end) {
                Some((start, end)) => Meant::Otherwise {
                    old: text[start..end].to_owned(),
                    new: landed.text[start..landed.text.len() - (after - (end - last.span.end))].to_owned(),
                    matched_via: landed.matched_via,
                },
                None => Meant::AsTyped,
            }
        }
        Err(refused) => Meant::Nothing(refused),
    }
}

/// The whole lines around a stretch of `text` that it has only once, as bytes.
fn only_once(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let (mut start, mut end) = (line_start(start), line_end(if end > start { end - 1 } else { end }));
    for _ in 0..MOST_GROWN {
        let stretch = &text[start..end];
        if !stretch.is_empty() && text.find(stretch) == text.rfind(stretch) {
            return Some((start, end));
        }
        start = line_start(start.saturating_sub(1));
        end = line_end((end + 1).min(text.len()));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, old: &str, new: &str) -> Meant {
        let query = Query { old, new, replace_all: false, near_line: None };
        let meant = meant(text, &query);
        if let Meant::Otherwise { old: exact, new: with, .. } = &meant {
            assert_eq!(text.matches(exact.as_str()).count(), 1, "{exact:?}");
            let landed = replace::replace(text, &query).expect("it was found");
            assert_eq!(text.replacen(exact.as_str(), with, 1), landed.text);
        }
        meant
    }

    #[test]
    fn a_drifted_edit_is_said_in_the_files_own_words() {
        let text = "func a() {\n\tone()\n\ttwo()\n}\n\nfunc b() {\n\tone()\n\tthree()\n}\n";
        assert_eq!(check(text, "\tone()\n\ttwo()", "\ttwo()"), Meant::AsTyped, "it is there");
        let drifted = check(text, "func b() {\n    one()\n    three()\n}", "func b() {\n    one()\n    four()\n}");
        assert!(matches!(&drifted, Meant::Otherwise { new, .. } if new.contains("\tfour()")), "{drifted:?}");
        let inserted =
            check(text, "func b() {\n    one()\n    three()", "func b() {\n    one()\n    half()\n    three()");
        assert!(matches!(&inserted, Meant::Otherwise { new, .. } if new.contains("\thalf()")), "{inserted:?}");
        assert!(matches!(check(text, "func c() {\n\tnothing()\n}", "x"), Meant::Nothing(_)));
    }

    #[test]
    fn what_ends_the_file_and_what_is_empty() {
        assert_eq!(check("a\n", "", "x"), Meant::AsTyped);
        assert_eq!(check("a\r\nb\r\n", "a\nb", "c"), Meant::AsTyped);
        let last =
            check("first line here\n  second line there", "first line here\nsecond line there", "first line here");
        assert!(matches!(last, Meant::Otherwise { .. }), "{last:?}");
    }
}
