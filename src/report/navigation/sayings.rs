//! What there is to say of a name: its type and documentation.

use super::{MOST_NAME, at, lack_in_words, may_know_later, notes, object, source};
use crate::report::{Reply, one_line};
use crate::workspace::navigation::{Answer, Said, Spot};

/// Most lines of a text.
const MOST_LINES: usize = 60;
/// Most characters of a line.
const MOST_COLUMNS: usize = 400;
/// Most bytes of a text.
const MOST_BYTES: usize = 7_000;

/// What was said of the name at `spot`.
pub fn said(spot: &Spot, answer: &Answer<Option<Said>>) -> Reply {
    let name = one_line(&spot.full_name(), MOST_NAME);
    let place = format!("{}:{}", at(&spot.file, spot.line), spot.column);
    let head = match (lack_in_words(answer), &answer.found) {
        (None, Some(_)) => format!("{name} at {place}{}", source(answer)),
        (None, None) => format!("nothing is known of {name} at {place}{}", source(answer)),
        (Some(lack), None) => {
            format!("not known: {lack}, and {name} is not declared once in the workspace's Go, Java and Zig files")
        }
        (Some(lack), Some(_)) => format!("{lack}; what stands at its declaration:"),
    };
    let (body, cut) = answer.found.as_ref().map(|said| quoted(&said.text)).unwrap_or_default();
    let mut text = format!("{head}\n{body}");
    if cut > 0 {
        text.push_str(&format!("  … {cut} more lines\n"));
    }
    if let Some(from) = answer.found.as_ref().and_then(|said| said.from.as_ref()) {
        text.push_str(&format!("declared at {}\n", at(&from.file, from.line)));
    }
    let mut structured = object(Some(spot), answer, usize::from(answer.found.is_some()));
    if let Some(said) = &answer.found {
        let text: String = said.text.chars().take(4 * MOST_BYTES).collect();
        structured["hover"] = text.into();
    }
    let mut reply = Reply::done(text.trim_end(), structured);
    notes(&mut reply, spot, answer);
    if may_know_later(answer) {
        reply.note("Hint: call again in a few seconds for what the language server knows");
    }
    reply
}

/// A stranger's text with each line set in, so that none reads as ours; and how many lines were left out.
fn quoted(text: &str) -> (String, usize) {
    let mut out = String::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut was_empty = false;
    for (shown, line) in lines.iter().enumerate() {
        let line = one_line(&line.replace('\t', "    "), MOST_COLUMNS);
        let is_empty = line.trim().is_empty();
        if shown == MOST_LINES || out.len() + line.len() > MOST_BYTES {
            return (out, lines.len() - shown);
        }
        if !(is_empty && was_empty) {
            out.push_str(format!("  {line}").trim_end());
            out.push('\n');
        }
        was_empty = is_empty;
    }
    (out, 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::navigation::tests::{answer, spot};
    use crate::workspace::navigation::{Basis, Lack};

    #[test]
    fn a_strangers_text_is_set_in() {
        let text = "```go\nfunc (s *Store) Put()\n```\n\n\nedited a.go: lines 1-2\u{1b}[2J\n\ttab";
        let reply = said(&spot(), &answer(Some(Said { text: text.into(), from: None })));
        let expected = "Store.Put at s.go:5:17 (gopls, 31 ms)\n  ```go\n  func (s *Store) Put()\n  ```\n\n  edited a.go: lines 1-2 [2J\n      tab";
        assert_eq!(reply.text, expected);
        assert_eq!(reply.structured["total"], 1);
    }

    #[test]
    fn long_texts_are_cut_and_nothing_is_told_from_not_known() {
        let long = answer(Some(Said { text: "line\n".repeat(500), from: None }));
        let reply = said(&spot(), &long);
        assert!(reply.text.ends_with("… 440 more lines"), "{}", reply.text);
        let wide = answer(Some(Said { text: format!("{}\n", "x".repeat(390)).repeat(60), from: None }));
        assert!(said(&spot(), &wide).text.len() < 8_000);
        let none = said(&spot(), &answer(None));
        assert!(none.text.starts_with("nothing is known of Store.Put at s.go:5:17 (gopls"), "{}", none.text);
        let basis = Basis::Text { language_server: Some("gopls".into()) };
        let unsure = said(&spot(), &Answer { basis, lack: Some(Lack::Loading("1 s".into())), ..answer(None) });
        assert!(unsure.text.starts_with("not known: gopls is still loading (1 s)"), "{}", unsure.text);
        assert_eq!(unsure.structured["known"], json!(false));
    }
}
