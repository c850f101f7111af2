//! A changed text as one replaced stretch of whole lines: the same for every position encoding.

use serde_json::{Value, json};

/// The `contentChanges` of a change from `before` to `after`: the lines that differ, or the whole text where lines are
/// not told apart by line feeds alone (then a language server may count them otherwise), or where the last one has none.
pub(super) fn content_changes(before: &str, after: &str) -> Value {
    match line_change(before, after) {
        Some(change) => json!([{
            "range": {
                "start": { "line": change.start, "character": 0 },
                "end": { "line": change.end, "character": 0 },
            },
            "text": change.text,
        }]),
        None => json!([{ "text": after }]),
    }
}

/// Lines `start..end` (0-based) of the old text become `text`.
struct LineChange<'t> {
    start: usize,
    end: usize,
    text: &'t str,
}

fn line_change<'t>(before: &str, after: &'t str) -> Option<LineChange<'t>> {
    let odd =
        |text: &str| text.bytes().zip(text.bytes().skip(1).chain([0])).any(|pair| pair.0 == b'\r' && pair.1 != b'\n');
    if odd(before) || odd(after) {
        return None;
    }
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let head = before.as_bytes()[..same].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (old, new) = (&before.as_bytes()[head..], &after.as_bytes()[head..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    // The common end begins with a line in both.
    let begins_line = |text: &[u8], at: usize| at == 0 || text[at - 1] == b'\n';
    let tail = match begins_line(old, old.len() - same) && begins_line(new, new.len() - same) {
        true => same,
        false => memchr::memchr(b'\n', &old[old.len() - same..]).map_or(0, |at| same - at - 1),
    };
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let is_whole = |text: &[u8]| text.is_empty() || text.ends_with(b"\n");
    if !is_whole(old) || (tail > 0 && !is_whole(new)) {
        return None;
    }
    let lines = |text: &[u8]| memchr::memchr_iter(b'\n', text).count();
    let start = lines(&before.as_bytes()[..head]);
    Some(LineChange { start, end: start + lines(old), text: &after[head..head + new.len()] })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As a language server applies it.
    fn apply(before: &str, changes: &Value) -> String {
        let text = changes[0]["text"].as_str().expect("a text");
        let Some(range) = changes[0].get("range") else { return text.to_owned() };
        let offset = |end: &str| {
            let line = range[end]["line"].as_u64().expect("a line") as usize;
            before.split_inclusive('\n').take(line).map(str::len).sum::<usize>()
        };
        format!("{}{text}{}", &before[..offset("start")], &before[offset("end")..])
    }

    #[test]
    fn only_what_differs_is_sent() {
        for (before, after, sent) in [
            ("a\nb\nc\n", "a\nB\nc\n", Some((1, 2, "B\n"))),
            ("a\nc\n", "a\nb\nc\n", Some((1, 1, "b\n"))),
            ("a\nb\nc\n", "a\nc\n", Some((1, 2, ""))),
            ("a\r\nb\r\n", "a\r\nX\r\n", Some((1, 2, "X\r\n"))),
            ("a\n", "a\nb", Some((1, 1, "b"))),
            ("a\nb", "a\nc", None),
            ("a\rb\n", "a\rc\n", None),
            ("", "a\n", Some((0, 0, "a\n"))),
        ] {
            let change = line_change(before, after).map(|change| (change.start, change.end, change.text));
            assert_eq!(change, sent, "{before:?} {after:?}");
        }
    }

    proptest! {
        #[test]
        fn the_far_end_gets_the_same_text(before in "[ab\né\r]{0,12}", after in "[ab\né\r]{0,12}") {
            prop_assert_eq!(apply(&before, &content_changes(&before, &after)), after);
        }
    }
}
