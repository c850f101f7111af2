//! Rows of `old` that stand for lines left out: `...`, `// ... existing code ...`.

/// Words that such a row may hold besides its dots.
const WORDS: [&str; 24] = [
    "existing",
    "rest",
    "code",
    "unchanged",
    "same",
    "of",
    "the",
    "remaining",
    "other",
    "lines",
    "as",
    "before",
    "omitted",
    "previous",
    "more",
    "here",
    "function",
    "method",
    "file",
    "body",
    "and",
    "is",
    "stays",
    "implementation",
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
            .all(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
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
