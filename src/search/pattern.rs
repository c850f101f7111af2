//! What to look for: a regular expression, and what is wrong with one.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// Whether upper and lower case differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// They do.
    #[default]
    Sensitive,
    /// They do not.
    Insensitive,
    /// They do if the pattern has upper case.
    Smart,
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatternOptions {
    /// As text, not as a regular expression.
    pub literal: bool,
    /// Whether upper and lower case differ.
    pub case: Case,
    /// Whether a match may go over several lines; `.` then matches a line end too.
    pub multiline: bool,
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    pub(super) matcher: RegexMatcher,
    /// Whether matches go over several lines: as asked for, or because the pattern names a line end.
    pub multiline: bool,
}

/// A pattern that is no regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatternError {
    /// What is wrong with it, on one line.
    pub reason: String,
    /// Where, as a count of characters from 1, if one place is to blame.
    pub column: Option<usize>,
}

impl Pattern {
    /// Compiles `pattern`.
    ///
    /// Line ends are taken as they come: `$` also matches before `\r\n`. A pattern that names a line end is multiline.
    ///
    /// # Errors
    /// [`PatternError`] when it is no regular expression, or too large a one.
    pub fn new(pattern: &str, options: PatternOptions) -> Result<Pattern, PatternError> {
        let compiled = |multiline, crlf| {
            let matcher = matcher(pattern, PatternOptions { multiline, ..options }, crlf)?;
            Ok(Pattern { matcher, multiline })
        };
        let is_line_end = |error: &grep_regex::Error| matches!(error.kind(), grep_regex::ErrorKind::NotAllowed(_));
        match compiled(options.multiline, true) {
            // It names `\r`: then carriage returns are ordinary characters. Or `\n`: then lines are.
            Err(error) if is_line_end(&error) => compiled(options.multiline, false).or_else(|_| compiled(true, false)),
            outcome => outcome,
        }
        .map_err(|error| explained(pattern, options.literal, &error))
    }
}

fn matcher(pattern: &str, options: PatternOptions, crlf: bool) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(true).octal(false).fixed_strings(options.literal);
    builder.case_insensitive(options.case == Case::Insensitive).case_smart(options.case == Case::Smart);
    builder.dot_matches_new_line(options.multiline).crlf(crlf);
    if options.multiline {
        builder.line_terminator(None);
    } else if !crlf {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(pattern)
}

fn explained(pattern: &str, literal: bool, error: &grep_regex::Error) -> PatternError {
    let whole = || PatternError { reason: last_line(&error.to_string()), column: None };
    if literal {
        return whole();
    }
    let at = |span: &regex_syntax::ast::Span| Some(pattern.get(..span.start.offset)?.chars().count() + 1);
    match regex_syntax::ParserBuilder::new().multi_line(true).build().parse(pattern) {
        Err(regex_syntax::Error::Parse(error)) => {
            PatternError { reason: error.kind().to_string(), column: at(error.span()) }
        }
        Err(regex_syntax::Error::Translate(error)) => {
            PatternError { reason: error.kind().to_string(), column: at(error.span()) }
        }
        _ => whole(),
    }
}

/// The last line of an explanation of several: the reason, after the picture.
fn last_line(text: &str) -> String {
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use grep_matcher::Matcher;

    use super::*;

    fn matches(pattern: &str, options: PatternOptions, text: &str) -> bool {
        Pattern::new(pattern, options).expect("a pattern").matcher.is_match(text.as_bytes()).expect("matches")
    }

    #[test]
    fn options_change_what_matches() {
        let plain = PatternOptions::default();
        let smart = PatternOptions { case: Case::Smart, ..plain };
        for (pattern, options, text, expected) in [
            ("fo+", plain, "a foo", true),
            ("FO+", plain, "a foo", false),
            ("FO+", PatternOptions { case: Case::Insensitive, ..plain }, "a foo", true),
            ("fo+", smart, "FOO", true),
            ("Fo+", smart, "FOO", false),
            ("a.b(", PatternOptions { literal: true, ..plain }, "x a.b( y", true),
            ("a.b(", PatternOptions { literal: true, ..plain }, "x a+b( y", false),
            ("a;$", plain, "a;\r\n", true),
            ("a.b", plain, "a\nb", false),
            ("a.b", PatternOptions { multiline: true, ..plain }, "a\nb", true),
            (r"a\r$", plain, "a\r\n", true),
            (r"a;\r?\nb", plain, "a;\nb", true),
        ] {
            assert_eq!(matches(pattern, options, text), expected, "{pattern:?} {options:?} {text:?}");
        }
        assert!(Pattern::new("a\nb", plain).expect("a pattern").multiline);
        assert!(!Pattern::new("ab", plain).expect("a pattern").multiline);
    }

    #[test]
    fn what_is_wrong_with_a_pattern_has_its_place() {
        for (pattern, reason, column) in [
            ("é(foo", "unclosed group", Some(2)),
            ("a**(", "unclosed group", Some(4)),
            ("*a", "repetition operator missing expression", Some(1)),
            ("[z-a]", "invalid character class range", Some(2)),
            ("(?=x)", "look-around", Some(1)),
            (r"(a)\1", "backreferences are not supported", Some(4)),
            (r"\p{Nope}", "Unicode property not found", Some(1)),
            ("a{1000}{1000}{1000}", "size limit", None),
        ] {
            let error = Pattern::new(pattern, PatternOptions::default()).expect_err(pattern);
            assert!(error.reason.contains(reason) && !error.reason.contains('\n'), "{pattern}: {error:?}");
            assert_eq!(error.column, column, "{pattern}: {error:?}");
        }
    }
}
