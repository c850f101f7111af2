//! Rows of `old` that stand for lines left out: `...`, `// ... existing code ...`.

/// Words that such a row may hold besides its dots.
const WORDS: [&str; 47] = [
    "above",
    "and",
    "as",
    "before",
    "below",
    "block",
    "body",
    "brevity",
    "class",
    "code",
    "content",
    "contents",
    "continues",
    "elided",
    "existing",
    "file",
    "for",
    "function",
    "here",
    "implementation",
    "imports",
    "in",
    "is",
    "keep",
    "lines",
    "logic",
    "method",
    "methods",
    "more",
    "no",
    "of",
    "omitted",
    "other",
    "previous",
    "remaining",
    "rest",
    "same",
    "snip",
    "snipped",
    "stays",
    "the",
    "this",
    "to",
    "truncated",
    "unchanged",
    "unmodified",
    "changes",
];

/// Whether a line is nothing but an elision.
pub(super) fn is_elision(line: &str) -> bool {
    let mut body = line.trim();
    for mark in ["//", "#", "--", "/*", "<!--"] {
        if let Some(rest) = body.strip_prefix(mark) {
            body = rest.trim_start();
            break;
        }
    }
    let body = body.trim_end_matches("*/").trim_end_matches("-->").trim();
    let body = body.strip_prefix(['[', '(']).and_then(|body| body.strip_suffix([']', ')'])).unwrap_or(body).trim();
    let (dots, rest) = match (body.strip_prefix("..."), body.strip_prefix('…')) {
        (Some(rest), _) | (None, Some(rest)) => (true, rest),
        (None, None) => (false, body),
    };
    let closed = rest.ends_with("...") || rest.ends_with('…');
    let words = rest.trim_end_matches(['.', '…']);
    (dots || closed)
        && words
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .all(|word| word.parse::<u32>().is_ok() || WORDS.contains(&word.to_ascii_lowercase().as_str()))
        && words.chars().all(|character| character.is_alphanumeric() || " ,()[]{}-_'".contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dots_and_their_words_are_an_elision() {
        let cases = [
            ("...", true),
            ("  // ...", true),
            ("\t# ... existing code ...", true),
            ("// … rest of the code unchanged …", true),
            ("/* ... */", true),
            ("// existing code ...", true),
            ("// [...]", true),
            ("// ... 12 lines omitted", true),
            ("(...)", true),
            ("// ... keep existing code (unchanged) ...", true),
            ("[...args]", false),
            ("...args", false),
            ("f(...)", false),
            ("// wait for it ...", false),
            ("// existing code", false),
            ("", false),
        ];
        for (line, expected) in cases {
            assert_eq!(is_elision(line), expected, "{line:?}");
        }
    }
}
