//! The exact path: `old` stands in the text byte for byte.

use std::borrow::Cow;

use memchr::memmem;

use super::changes::{choose, landed};
use super::{Landed, Query, RefusalCode, Refused, Replacement};
use crate::text::{LineRange, Span};

/// More hits than this are not listed.
const MAX_LISTED: usize = 50;

/// Carries out the query where `old` occurs literally; `None` when it does not.
pub(super) fn replace(text: &str, query: &Query<'_>) -> Option<Result<Landed, Refused>> {
    let hits = occurrences(text, query);
    if !hits.is_empty() {
        return Some(settle(text, query, &hits, "exact"));
    }
    in_the_other_line_ending(text, query)
}

/// However short `old` is: where it stands whole but for CR LF in the place of LF, or the reverse, it stands for certain.
fn in_the_other_line_ending(text: &str, query: &Query<'_>) -> Option<Result<Landed, Refused>> {
    let (crlf, lf) = styles(query.old);
    if crlf == lf || query.old.trim().is_empty() {
        return None;
    }
    let other = |typed: &str| {
        let plain = typed.replace("\r\n", "\n");
        if lf { plain.replace('\n', "\r\n") } else { plain }
    };
    let (old, new) = (other(query.old), other(query.new));
    let query = Query { old: &old, new: &new, ..*query };
    let hits = occurrences(text, &query);
    (!hits.is_empty()).then(|| settle(text, &query, &hits, "line_trimmed"))
}

fn settle(text: &str, query: &Query<'_>, hits: &[usize], via: &str) -> Result<Landed, Refused> {
    let taken: Vec<usize> = if hits.len() == 1 {
        hits.to_vec()
    } else if query.replace_all {
        not_overlapping(hits, query.old.len())
    } else {
        let lines: Vec<LineRange> = lines_of(text, hits, query.old);
        match choose(&lines, query.near_line) {
            Some(at) => vec![hits[at]],
            None => return Err(Refused { code: RefusalCode::Ambiguous, hits: lines, nearest: None }),
        }
    };
    let mut repaired = false;
    let edits = taken
        .iter()
        .map(|at| {
            let with = fitted(text, Span::new(*at, at + query.old.len()), query);
            repaired |= with != query.new;
            vec![Replacement { span: Span::new(*at, at + query.old.len()), with: with.into_owned() }]
        })
        .collect();
    let via = if repaired { format!("{via}+trimmed_boundary") } else { via.to_owned() };
    landed(text, edits, via, 1.0)
}

/// Where `old` begins, overlapping hits included (`aa` stands twice in `aaa`): uniqueness must not depend on the
/// direction of the search. Without `replace_all` no more are sought than are listed.
fn occurrences(text: &str, query: &Query<'_>) -> Vec<usize> {
    let finder = memmem::Finder::new(query.old);
    let step = query.old.chars().next().map_or(1, char::len_utf8);
    let (mut hits, mut from) = (Vec::new(), 0);
    while let Some(at) = finder.find(&text.as_bytes()[from..]) {
        hits.push(from + at);
        // A next occurrence can only be wanted whole when all are replaced.
        from += at + if query.replace_all { query.old.len() } else { step };
        if !query.replace_all && query.near_line.is_none() && hits.len() >= MAX_LISTED {
            break;
        }
    }
    hits
}

fn not_overlapping(hits: &[usize], length: usize) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    for at in hits {
        if taken.last().is_none_or(|last| last + length <= *at) {
            taken.push(*at);
        }
    }
    taken
}

fn lines_of(text: &str, hits: &[usize], old: &str) -> Vec<LineRange> {
    let height = old.trim_end_matches('\n').matches('\n').count() + 1;
    let (mut line, mut from) = (0, 0);
    hits.iter()
        .map(|at| {
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[from..*at]).count();
            from = *at;
            LineRange::new(line, line + height)
        })
        .collect()
}

/// `new` as it goes in at `span`: its line endings are those of the place, the next line is not glued on, and an
/// indent that `old` left out is not doubled.
fn fitted<'q>(text: &str, span: Span, query: &Query<'q>) -> Cow<'q, str> {
    let mut new = local_endings(text, span, query);
    let followed = span.end < text.len();
    let only_joins = query.old.trim_end_matches(['\r', '\n']) == &*new;
    if query.old.ends_with('\n') && !new.is_empty() && !new.ends_with('\n') && followed && !only_joins {
        let ending = if query.old.ends_with("\r\n") { "\r\n" } else { "\n" };
        new.to_mut().push_str(ending);
    }
    let line_start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let before = text[line_start..span.start].trim_start_matches('\u{FEFF}');
    let in_indent = !before.is_empty() && before.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    let several = query.old.trim_end().contains('\n');
    if in_indent && several && !query.old.starts_with([' ', '\t']) && new.starts_with(before) {
        new = Cow::Owned(new[before.len()..].to_owned());
    }
    new
}

fn local_endings<'q>(text: &str, span: Span, query: &Query<'q>) -> Cow<'q, str> {
    let (old, new) = (query.old, query.new);
    let (new_crlf, new_lf) = styles(new);
    if !new_crlf && !new_lf || strip_cr(old) == strip_cr(new) {
        return Cow::Borrowed(new);
    }
    let (crlf, lf) = match styles(old) {
        (false, false) => match ending_near(text, span.start) {
            Some(crlf) => (crlf, !crlf),
            None => return Cow::Borrowed(new),
        },
        found => found,
    };
    if (crlf || !new_crlf) && (lf || !new_lf) {
        return Cow::Borrowed(new);
    }
    let plain = new.replace("\r\n", "\n");
    Cow::Owned(if crlf { plain.replace('\n', "\r\n") } else { plain })
}

/// Whether there is a CRLF, and whether there is a bare LF.
fn styles(text: &str) -> (bool, bool) {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\n', bytes).fold((false, false), |(crlf, lf), at| {
        let is_crlf = at > 0 && bytes[at - 1] == b'\r';
        (crlf || is_crlf, lf || !is_crlf)
    })
}

fn strip_cr(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// Whether the line at `offset`, or else the one before it, ends in CRLF; `None` in a text of one line.
fn ending_near(text: &str, offset: usize) -> Option<bool> {
    let bytes = text.as_bytes();
    let at = memchr::memchr(b'\n', &bytes[offset..])
        .map(|at| offset + at)
        .or_else(|| memchr::memrchr(b'\n', &bytes[..offset]))?;
    Some(at > 0 && bytes[at - 1] == b'\r')
}

#[cfg(test)]
mod tests {
    use super::super::{Query, RefusalCode, replace};

    fn query<'q>(old: &'q str, new: &'q str) -> Query<'q> {
        Query { old, new, replace_all: false, near_line: None }
    }

    #[test]
    fn one_literal_hit_lands_and_keeps_every_other_byte() {
        let cases = [
            ("a\nb\nc", "b", "$& \\1", "a\n$& \\1\nc"),
            ("a\r\nb\r\nc\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\n"),
            ("a\r\nb\r\nc\n", "a\r\nb", "a\nB", "a\r\nB\r\nc\n"),
            ("a\nb\nc\n", "b", "x\r\ny", "a\nx\ny\nc\n"),
            ("a\nb\nc\n", "b\n", "x", "a\nx\nc\n"),
            ("a\nb\nc\n", "b\n", "", "a\nc\n"),
            ("a\nb\nc\n", "b\n", "b", "a\nbc\n"),
            ("  if x:\n    y\n", "if x:\n    y", "  if z:\n    y", "  if z:\n    y\n"),
            ("\u{FEFF}one\n", "one", "two", "\u{FEFF}two\n"),
            ("a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n"),
        ];
        for (text, old, new, expected) in cases {
            let landed = replace(text, &query(old, new)).expect(old);
            assert_eq!(landed.text, expected, "{old:?} -> {new:?}");
        }
    }

    #[test]
    fn several_hits_are_settled_by_a_line_or_by_all_and_never_by_guessing() {
        let text = "x = 1\ny\nx = 1\nz\nx = 1\n";
        let refused = replace(text, &query("x = 1", "x = 2")).expect_err("three places");
        assert_eq!(refused.code, RefusalCode::Ambiguous);
        assert_eq!(refused.hits.iter().map(|hit| hit.start).collect::<Vec<_>>(), [0, 2, 4]);
        let near = |line| Query { near_line: Some(line), ..query("x = 1", "x = 2") };
        assert_eq!(replace(text, &near(3)).expect("line 3").text, "x = 1\ny\nx = 2\nz\nx = 1\n");
        assert_eq!(replace(text, &near(2)).expect_err("between two").code, RefusalCode::Ambiguous);
        let all = Query { replace_all: true, ..query("x = 1", "x = 2") };
        let landed = replace(text, &all).expect("all");
        assert_eq!((landed.occurrences, landed.text.as_str()), (3, "x = 2\ny\nx = 2\nz\nx = 2\n"));
    }

    #[test]
    fn overlapping_hits_count() {
        assert_eq!(replace("aaa", &query("aa", "b")).expect_err("twice").code, RefusalCode::Ambiguous);
    }

    #[test]
    fn nothing_to_do_and_nothing_to_find_are_refused() {
        assert_eq!(replace("a", &query("a", "a")).expect_err("same").code, RefusalCode::Identical);
        assert_eq!(replace("", &query("", "a")).expect_err("blank").code, RefusalCode::TooLittleInformation);
        assert_eq!(replace(" \n", &query(" \n", "a")).expect_err("blank").code, RefusalCode::TooLittleInformation);
    }
}
