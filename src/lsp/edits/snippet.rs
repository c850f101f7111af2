//! A snippet as the plain text it starts with.

/// `text` without the marks of a snippet: placeholders stand for themselves, choices for their first, variables and tab
/// stops for nothing.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut open = 0_usize;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\\' => match rest.chars().next().filter(|next| matches!(next, '$' | '}' | '\\')) {
                Some(escaped) => {
                    out.push(escaped);
                    rest = &rest[escaped.len_utf8()..];
                }
                None => out.push('\\'),
            },
            '$' => rest = mark(rest, &mut out, &mut open),
            '}' if open > 0 => open -= 1,
            other => out.push(other),
        }
    }
    out
}

/// What follows a `$`; of an opened placeholder the text comes next.
fn mark<'t>(rest: &'t str, out: &mut String, open: &mut usize) -> &'t str {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let Some(braced) = rest.strip_prefix('{') else {
        let after = rest.trim_start_matches(is_name);
        if after.len() == rest.len() {
            out.push('$');
        }
        return after;
    };
    let after = braced.trim_start_matches(is_name);
    if let Some(choices) = after.strip_prefix('|') {
        let (all, after) = choices.split_once("|}").unwrap_or((choices, ""));
        out.push_str(all.split(',').next().unwrap_or_default());
        return after;
    }
    if let Some(text) = after.strip_prefix(':') {
        *open += 1;
        return text;
    }
    // A tab stop, a variable, or one with a transformation.
    after.split_once('}').map_or("", |(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn marks_go_and_texts_stay() {
        for (snippet, expected) in [
            ("plain {}", "plain {}"),
            ("f($1, $2)$0", "f(, )"),
            ("f(${1:a}, ${2:b})${0}", "f(a, b)"),
            ("${1:a${2:b}c}d", "abcd"),
            ("${1|one,two|} x", "one x"),
            (r"cost \$5 \} \\ \n", r"cost $5 } \ \n"),
            ("$ {x}", "$ {x}"),
            ("${TM_FILENAME/(.*)/$1/}x", "x"),
            ("if ${1:x} { ${0} }", "if x {  }"),
        ] {
            assert_eq!(plain(snippet), expected, "{snippet}");
        }
    }
}
