//! One level of escaping taken off: quotes, backslashes, the whole of JSON, entities.

/// `\"` as `"`, all else as it stands.
pub(super) fn without_quote_escapes(text: &str) -> Option<String> {
    text.contains("\\\"").then(|| text.replace("\\\"", "\""))
}

/// Whether old tells nothing of how new's backslashes are to be read: old has them in front of quotes only, new has also
/// doubled ones, which may stand for one or for two.
pub(super) fn is_level_unclear(old: &str, new: &str) -> bool {
    let signs = |text: &str, allowed: &[char]| {
        let (mut characters, mut doubled) = (text.chars(), false);
        while let Some(character) = characters.next() {
            if character == '\\' {
                let next = characters.next().filter(|next| allowed.contains(next))?;
                doubled |= next == '\\';
            }
        }
        Some(doubled)
    };
    old.contains('\\') && signs(old, &['"', '\'']).is_some() && signs(new, &['"', '\'', '\\']) == Some(true)
}

/// A backslash in front of a quote or a backslash comes off.
pub(super) fn without_escapes(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let (mut out, mut characters, mut found) = (String::with_capacity(text.len()), text.chars().peekable(), false);
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('"' | '\'' | '\\')) => {
                found = true;
                out.extend(characters.next());
            }
            _ => out.push(character),
        }
    }
    found.then_some(out)
}

/// Punctuation that `old` never has without a backslash in front, without it: no language asks for most of that.
pub(super) fn without_needless_escapes(text: &str, old: &str) -> Option<String> {
    let needless: Vec<char> = NEEDLESS.into_iter().filter(|sign| is_always_escaped(old, *sign)).collect();
    let needless: Vec<char> = needless.into_iter().filter(|sign| is_always_escaped(text, *sign)).collect();
    if needless.is_empty() {
        return None;
    }
    let (mut out, mut characters) = (String::with_capacity(text.len()), text.chars().peekable());
    while let Some(character) = characters.next() {
        let is_needless = character == '\\' && characters.peek().is_some_and(|next| needless.contains(next));
        if !is_needless {
            out.push(character);
        }
    }
    Some(out)
}

/// Signs that writers of shell, Markdown, regular expressions and JSON put a backslash in front of.
const NEEDLESS: [char; 16] = ['/', '$', '`', '{', '}', '(', ')', '[', ']', '<', '>', '!', '#', '*', '_', '|'];

/// Whether `sign` stands in the text, and always behind a backslash.
fn is_always_escaped(text: &str, sign: char) -> bool {
    let mut found = false;
    let mut before = ' ';
    for character in text.chars() {
        if character == sign {
            if before != '\\' {
                return false;
            }
            found = true;
        }
        before = character;
    }
    found
}

/// The text of a JSON string whose newlines were typed as `\n`.
pub(super) fn without_json(text: &str) -> Option<String> {
    if !text.contains("\\n") {
        return None;
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let (decoded, width) = json_escape(behind);
        match decoded {
            Some(character) => out.push(character),
            None => out.push('\\'),
        }
        rest = &behind[width..];
    }
    out.push_str(rest);
    Some(out)
}

/// The character that stands behind a backslash, and how many bytes say so.
fn json_escape(behind: &str) -> (Option<char>, usize) {
    match behind.chars().next() {
        Some('n') => (Some('\n'), 1),
        Some('t') => (Some('\t'), 1),
        Some('r') => (Some('\r'), 1),
        Some(character @ ('"' | '\\' | '/')) => (Some(character), 1),
        Some('u') => {
            let digits = behind.get(1..5).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32) {
                Some(character) => (Some(character), 5),
                None => (None, 0),
            }
        }
        _ => (None, 0),
    }
}

/// Tabs that were typed as `\t` in front of lines.
pub(super) fn without_typed_tabs(text: &str) -> Option<String> {
    let is_typed = |line: &str| line.trim_start_matches([' ', '\t']).starts_with("\\t");
    if !text.split('\n').any(is_typed) {
        return None;
    }
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            let (mut indent, mut rest) = (String::new(), line);
            while let Some(behind) = rest.strip_prefix("\\t").or_else(|| rest.strip_prefix('\t')) {
                indent.push('\t');
                rest = behind;
            }
            indent + rest
        })
        .collect();
    Some(lines.join("\n"))
}

/// Whether a double quote stands there without a backslash in front.
pub(super) fn has_bare_quote(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'"', bytes).any(|at| at == 0 || bytes[at - 1] != b'\\')
}

/// The entities that HTML and XML writers make of code, by name.
const ENTITIES: [(&str, char); 6] =
    [("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", '\u{a0}'), ("amp", '&')];
/// Longest entity between its signs.
const MAX_ENTITY: usize = 8;

/// The character that the entity at the start of `text` stands for, and the entity's length in bytes.
fn entity(text: &str) -> Option<(char, usize)> {
    let length = text.bytes().take(MAX_ENTITY + 2).position(|byte| byte == b';')?;
    let name = text.get(1..length)?;
    let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    });
    let named = || ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, character)| *character);
    Some((number.and_then(char::from_u32).filter(|character| !character.is_control()).or_else(named)?, length + 1))
}

/// Entities as the characters they stand for, one level.
pub(super) fn without_entities(text: &str) -> Option<String> {
    if !text.contains('&') {
        return None;
    }
    let (mut out, mut rest, mut found) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match entity(rest) {
            Some((character, length)) => {
                found = true;
                out.push(character);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_that_is_always_escaped_need_not_be() {
        let cases = [
            (r"a\/b \$c", r"a\/b \$c", Some("a/b $c")),
            (r"a\/b", r"a\/b / c", None),
            (r"x", r"a\/b", None),
            (r"\d", r"\d", None),
        ];
        for (text, old, bare) in cases {
            assert_eq!(without_needless_escapes(text, old).as_deref(), bare, "{text:?}");
        }
    }

    #[test]
    fn one_level_comes_off() {
        type Undo = fn(&str) -> Option<String>;
        let cases: [(Undo, &str, Option<&str>); 13] = [
            (without_entities, "&#60;a&#x3e; &#10; &#xzz;", Some("<a> &#10; &#xzz;")),
            (without_entities, "&&amp;", Some("&&")),
            (without_typed_tabs, "\\ta\\tb\n\t\\tc", Some("\ta\\tb\n\t\tc")),
            (without_typed_tabs, "a\\t", None),
            (without_quote_escapes, r#"a(\"b\n\")"#, Some(r#"a("b\n")"#)),
            (without_quote_escapes, "a", None),
            (without_escapes, r#"a(\\\"b\n\')"#, Some(r#"a(\"b\n')"#)),
            (without_escapes, r"a\n", None),
            (without_json, r#"a\n\tb \\n \u00e9 \x"#, Some("a\n\tb \\n é \\x")),
            (without_json, r"a\t", None),
            (without_entities, "&amp;lt; &lt;a&gt; &copy; & &#39;", Some("&lt; <a> &copy; & '")),
            (without_entities, "a & b", None),
            (without_json, r"\n\", Some("\n\\")),
        ];
        for (function, text, bare) in cases {
            assert_eq!(function(text).as_deref(), bare, "{text:?}");
        }
    }
}
