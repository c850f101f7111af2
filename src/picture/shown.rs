//! Text that others wrote, on a page: escaped, and what cannot be seen made visible.

use maud::{Markup, PreEscaped, Render, html};

/// Most characters of one text.
const MOST: usize = 1_200;

/// A text of an agent, a file or a language server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a>(pub(super) &'a str);

impl Render for Shown<'_> {
    fn render(&self) -> Markup {
        let mut out = String::new();
        let mut plain = String::new();
        for character in self.0.chars().take(MOST) {
            if is_odd(character) {
                out.push_str(&std::mem::take(&mut plain).render().0);
                let code = format!("U+{:04X}", character as u32);
                out.push_str(&html! { span.odd { (code) } }.0);
            } else {
                plain.push(character);
            }
        }
        if self.0.chars().nth(MOST).is_some() {
            plain.push('…');
        }
        out.push_str(&plain.render().0);
        PreEscaped(out)
    }
}

/// The same where no markup can stand: in an attribute, in a title.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars().take(MOST) {
        if is_odd(character) {
            out.push_str(&format!("\u{27e8}U+{:04X}\u{27e9}", character as u32));
        } else {
            out.push(character);
        }
    }
    out
}

/// What shows nothing, or makes what stands beside it look otherwise than it is.
fn is_odd(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// `1 file`, `2 files`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_others_wrote_is_markup_or_unseen() {
        for (text, expected) in [
            ("src/a.go", "src/a.go"),
            ("</script><b>", "&lt;/script&gt;&lt;b&gt;"),
            ("a\"b'c&d", "a&quot;b'c&amp;d"),
            ("a\u{202e}b", "a<span class=\"odd\">U+202E</span>b"),
            ("\0\n", "<span class=\"odd\">U+0000</span><span class=\"odd\">U+000A</span>"),
            ("na\u{ef}ve \u{4e2d}", "na\u{ef}ve \u{4e2d}"),
        ] {
            assert_eq!(Shown(text).render().0, expected);
        }
        assert_eq!(plain("a\u{202e}<"), "a\u{27e8}U+202E\u{27e9}<");
        let long = "<".repeat(MOST + 1);
        assert_eq!(Shown(&long).render().0, format!("{}…", "&lt;".repeat(MOST)));
    }

    proptest::proptest! {
        #[test]
        fn only_our_own_markup_is_left(text in "\\PC{0,40}|[<>&\"'\u{0}-\u{1f}\u{202a}-\u{202e}/a-z]{0,40}") {
            let rendered = Shown(&text).render().0;
            let rest = rendered.replace("<span class=\"odd\">", "").replace("</span>", "");
            proptest::prop_assert!(!rest.contains(['<', '>', '"']) && !rest.chars().any(is_odd), "{rendered}");
        }
    }
}
