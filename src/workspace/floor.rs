//! The floor under every report: the syntax problems a change introduced, told by a parser alone.

use std::path::Path;

use super::verdict::{FileChange, Problem, Severity};
use crate::syntax;

/// Larger files are not parsed: the floor must cost next to nothing. Bytes.
const LARGEST_TEXT: usize = 2 << 20;

/// The syntax problems that `change` introduced; none for a language without a grammar.
pub(super) fn introduced(file: &str, change: &FileChange) -> Vec<Problem> {
    let Some(after) = change.after.as_deref().filter(|after| after.len() <= LARGEST_TEXT) else { return Vec::new() };
    let Some(language) = syntax::Language::of_path(Path::new(file)) else { return Vec::new() };
    let before = change.before.as_deref().filter(|before| before.len() <= LARGEST_TEXT);
    let found = syntax::new_problems(language, before, after);
    found
        .into_iter()
        .map(|problem| Problem {
            file: file.to_owned(),
            line: problem.line as u32 + 1,
            column: problem.column as u32 + 1,
            severity: Severity::Error,
            message: problem.message,
            source: Some("syntax".to_owned()),
            code: None,
            related: None,
        })
        .collect()
}
