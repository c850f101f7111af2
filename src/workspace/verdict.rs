//! What is known of a file after a change, as facts: the verdict, the delta, and where it comes from.

use std::path::PathBuf;
use std::time::Duration;

use crate::syntax::SyntaxProblem;

/// How much is known of a document's state, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Evidence for this version, and nothing wrong in the file nor broken elsewhere by the change.
    Clean,
    /// Evidence for this version, and errors or warnings in the file, or errors elsewhere introduced by the change.
    Problems,
    /// Not waited for, as asked.
    Later,
    /// The language server is still loading the project.
    Loading,
    /// The language server is ready but gave no evidence within the budget.
    TimedOut,
    /// The language server died; the change has landed.
    Crashed,
    /// The language server does not know the file as part of a project: only its syntax was checked.
    NoProject,
    /// No language server for this file.
    NoLanguageServer,
}

impl Verdict {
    /// Its name in structured results and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Problems => "problems",
            Verdict::Later => "later",
            Verdict::Loading => "loading",
            Verdict::TimedOut => "timed_out",
            Verdict::Crashed => "crashed",
            Verdict::NoProject => "no_project",
            Verdict::NoLanguageServer => "no_language_server",
        }
    }

    /// Whether it rests on evidence, so that no further report is owed.
    pub fn is_settled(self) -> bool {
        matches!(self, Verdict::Clean | Verdict::Problems)
    }

    /// Whether a settled report may still come: then it is owed on top of a later result.
    pub fn is_owed(self) -> bool {
        matches!(self, Verdict::Later | Verdict::Loading | Verdict::TimedOut | Verdict::Crashed)
    }
}

/// How grave a problem is, gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

impl Severity {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
            Severity::Hint => "hint",
        }
    }
}

/// One diagnostic as the agent is told of it. Its texts are sanitised: one line, no control characters, bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What a session calls it, once it was shown.
    pub number: Option<u32>,
    /// Relative to the workspace root, with `/`.
    pub file: String,
    /// First line, 1-based.
    pub line: u32,
    /// First column, 1-based, in characters.
    pub column: u32,
    /// How grave.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Who says so (`compiler`, `syntax`, `zig build check`).
    pub source: Option<String>,
    /// The diagnostic's code, if any.
    pub code: Option<String>,
    /// The one related place worth telling, as `path:line: text`.
    pub related: Option<String>,
}

impl Problem {
    /// What the syntax check found in `file`.
    pub(crate) fn of_syntax(file: &str, found: SyntaxProblem) -> Problem {
        Problem {
            number: None,
            file: file.to_owned(),
            line: found.line as u32 + 1,
            column: found.column as u32 + 1,
            severity: Severity::Error,
            message: found.message,
            source: Some("syntax".to_owned()),
            code: None,
            related: None,
        }
    }
}

/// The answer to "what does the language server say now?".
#[derive(Debug, Clone, PartialEq)]
pub struct DiagnosticsReport {
    /// How much is known.
    pub verdict: Verdict,
    /// How far a verdict sees, when that is less than all (`what zig build check reaches`).
    pub scope: Option<String>,
    /// The language server's name.
    pub language_server: Option<String>,
    /// What is behind a verdict that is not settled: progress, the reason of a crash, how to install what is missing.
    pub detail: Option<String>,
    /// How long this report was waited for.
    pub waited: Duration,
    /// The document version it is about.
    pub version: Option<i32>,
    /// A later version, when the document was changed again while this report was waited for.
    pub overtaken_by: Option<i32>,
    /// Whether the state before the change was known; without it nothing is called introduced or fixed.
    pub baseline: bool,
    /// In the file: there now, not there before. Without a baseline: all that is there now.
    pub introduced: Vec<Problem>,
    /// In the file: there before, not there now, at the lines they had before.
    pub fixed: Vec<Problem>,
    /// In the file: there before and now.
    pub unchanged: Vec<Problem>,
    /// In other files: there now, not there before.
    pub elsewhere: Vec<Problem>,
    /// In other files: there now, and not known whether before, because a syntax error that the change mended had
    /// hidden them. Nothing the change broke.
    pub uncovered: Vec<Problem>,
    /// In other files that another call changed in the same while, and has a report of: there now, not there before, and
    /// not known by which change.
    pub meanwhile: Vec<Problem>,
    /// Files with other changes that were judged in one go with this one, where those may be to blame for what is told.
    pub alongside: Vec<String>,
    /// Syntax problems that the change introduced, by the floor; only when the verdict is not settled.
    pub floor: Vec<Problem>,
}

impl DiagnosticsReport {
    /// A report that tells nothing but the verdict.
    pub fn unsettled(verdict: Verdict) -> DiagnosticsReport {
        DiagnosticsReport {
            verdict,
            scope: None,
            language_server: None,
            detail: None,
            waited: Duration::ZERO,
            version: None,
            overtaken_by: None,
            baseline: false,
            introduced: Vec::new(),
            fixed: Vec::new(),
            unchanged: Vec::new(),
            elsewhere: Vec::new(),
            uncovered: Vec::new(),
            meanwhile: Vec::new(),
            alongside: Vec::new(),
            floor: Vec::new(),
        }
    }
}

/// Bytes that have landed on disk, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Absolute, symlinks resolved.
    pub path: PathBuf,
    /// The text before; `None` for a file that did not exist.
    pub before: Option<std::sync::Arc<str>>,
    /// The text now; `None` for a file that is gone.
    pub after: Option<std::sync::Arc<str>>,
}
