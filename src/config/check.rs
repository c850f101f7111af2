//! A compiler as a second source of diagnostics, as it is configured.

use std::ops::Deref;

use regex::Regex;
use serde::Deserialize;

/// A compiler that checks what the language server does not, or where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckSpec {
    /// Program and arguments; `{cache_dir}` becomes a directory of its own for this root.
    pub command: Vec<String>,
    /// How its output is read.
    #[serde(default)]
    pub format: CheckFormat,
    /// How its output is read instead, line by line.
    #[serde(default)]
    pub pattern: Option<Pattern>,
}

/// The form of a checker's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckFormat {
    /// `file:line:col: error: message` (also `error[CODE]:`, and without a column), notes behind.
    #[default]
    Gnu,
    /// `file:line:col: message`; what does not call itself a warning or a note is an error.
    Plain,
    /// `file(line,col): error CODE: message`.
    Tsc,
}

/// A regular expression with the groups `file` and `line`, and perhaps `column`, `severity`, `code` and `message`.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Pattern, String> {
        let regex = Regex::new(&text).map_err(|error| format!("`pattern` is no regular expression: {error}"))?;
        let missing =
            ["file", "line"].into_iter().find(|name| !regex.capture_names().flatten().any(|known| known == *name));
        match missing {
            Some(name) => Err(format!("`pattern` needs a group `(?<{name}>…)`")),
            None => Ok(Pattern(regex)),
        }
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.0
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_must_name_file_and_line() {
        let read = |pattern: &str| toml::from_str::<CheckSpec>(&format!("command = [\"x\"]\npattern = '{pattern}'"));
        assert!(read(r"(?<file>\S+):(?<line>\d+)").is_ok());
        for (pattern, expected) in [(r"(?<file>\S+)", "`(?<line>…)`"), ("(", "no regular expression")] {
            let error = read(pattern).expect_err(pattern).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
