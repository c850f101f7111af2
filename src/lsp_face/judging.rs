//! What a client is told of its documents: once it is known, and of which version.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tower_lsp_server::Client;
use tower_lsp_server::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range, Uri};

use super::documents::{Document, Documents};
use crate::report;
use crate::syntax::{Language, SyntaxTree};
use crate::text::{hunks, shift_line};
use crate::workspace::verdict::{DiagnosticsReport, Problem, Severity, Verdict};
use crate::workspace::{Workspace, read_text};

/// How long one question waits; it is asked again while nothing is known.
const ONE_WAIT: Duration = Duration::from_secs(20);
/// A language server that has said nothing for so long is not waited for any more.
const PATIENCE: Duration = Duration::from_secs(600);

/// Tells one client.
#[derive(Debug, Clone)]
pub(super) struct Judge {
    pub(super) client: Client,
    pub(super) documents: Arc<Documents>,
    /// Files that it has open or not of which problems were told.
    pub(super) told: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Judge {
    /// Follows a document until what it holds now is judged, or it changes again.
    pub(super) async fn follow(&self, workspace: &Workspace, path: &Path, version: i32) {
        let begun = Instant::now();
        let is_current = || self.documents.get(path).is_some_and(|document| document.version == version);
        while begun.elapsed() < PATIENCE && is_current() {
            let Some(document) = self.documents.get(path) else { return };
            let judged = judged(workspace, path, &document, Some(ONE_WAIT)).await;
            if !is_current() {
                return;
            }
            match judged {
                Judged::Settled(diagnostics) => {
                    self.client.publish_diagnostics(document.uri, diagnostics, Some(version)).await;
                    self.tell_of_others(workspace, path).await;
                    return;
                }
                Judged::SyntaxOnly(diagnostics) => {
                    self.client.publish_diagnostics(document.uri, diagnostics, Some(version)).await;
                    return;
                }
                Judged::NotYet(_) => {}
            }
        }
    }

    /// Tells of files that are not open: what is wrong in them now, and what no longer is.
    async fn tell_of_others(&self, workspace: &Workspace, own: &Path) {
        let open: BTreeSet<PathBuf> = self.documents.paths().into_iter().collect();
        let reports = workspace.diagnostics(None, Some(Duration::ZERO)).await;
        if reports.iter().any(|report| !report.verdict.is_settled()) {
            return;
        }
        let mut wrong: BTreeMap<PathBuf, Vec<Problem>> = BTreeMap::new();
        for problem in
            reports.iter().flat_map(|report| report::problems_now(report).into_iter().chain(report.elsewhere.clone()))
        {
            wrong.entry(workspace.root().join(&problem.file)).or_default().push(problem);
        }
        wrong.retain(|path, _| path != own && !open.contains(path));
        let mended: Vec<PathBuf> = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let mended =
                told.iter().filter(|path| !wrong.contains_key(*path) && !open.contains(*path)).cloned().collect();
            *told = wrong.keys().cloned().collect();
            mended
        };
        for (path, problems) in wrong {
            let text = read_text(&path).unwrap_or_default();
            if let Some(uri) = Uri::from_file_path(&path) {
                self.client.publish_diagnostics(uri, to_lsp(&problems, &text), None).await;
            }
        }
        for uri in mended.iter().filter_map(Uri::from_file_path) {
            self.client.publish_diagnostics(uri, Vec::new(), None).await;
        }
    }
}

/// How much is known of a document.
#[derive(Debug)]
pub(super) enum Judged {
    /// All.
    Settled(Vec<Diagnostic>),
    /// Its syntax, and more will not come: nobody knows the language, or the text is not saved.
    SyntaxOnly(Vec<Diagnostic>),
    /// Nothing yet; why.
    NotYet(String),
}

/// Judges a document, waiting at most `budget` for evidence.
pub(super) async fn judged(
    workspace: &Workspace,
    path: &Path,
    document: &Document,
    budget: Option<Duration>,
) -> Judged {
    let disk = read_text(path);
    if disk.as_ref() != Some(&document.text) {
        return Judged::SyntaxOnly(unsaved(workspace, path, document, disk.as_deref()).await);
    }
    let reports = workspace.diagnostics(Some(path), budget).await;
    let Some(report) = reports.first() else { return Judged::SyntaxOnly(syntax(path, &document.text)) };
    match report.verdict {
        Verdict::Clean | Verdict::Problems => Judged::Settled(to_lsp(&report::problems_now(report), &document.text)),
        Verdict::NoLanguageServer | Verdict::NoProject => Judged::SyntaxOnly(syntax(path, &document.text)),
        Verdict::Later | Verdict::Loading | Verdict::TimedOut | Verdict::Crashed => {
            Judged::NotYet(report::verdict_text(report).trim_end().to_owned())
        }
    }
}

/// Of a text that is not saved: its syntax, and what is known of the lines that are on disk, too.
async fn unsaved(workspace: &Workspace, path: &Path, document: &Document, disk: Option<&str>) -> Vec<Diagnostic> {
    let mut diagnostics = syntax(path, &document.text);
    let Some(disk) = disk else { return diagnostics };
    let hunks = hunks(disk, &document.text);
    let reports: Vec<DiagnosticsReport> = workspace.diagnostics(Some(path), Some(Duration::ZERO)).await;
    let known = reports.iter().filter(|report| report.verdict.is_settled()).flat_map(report::problems_now);
    let moved: Vec<Problem> = known
        .filter(|problem| problem.source.as_deref() != Some("syntax"))
        .filter_map(|problem| {
            let line = shift_line(&hunks, problem.line.saturating_sub(1) as usize)?;
            Some(Problem { line: u32::try_from(line).ok()? + 1, ..problem })
        })
        .collect();
    diagnostics.extend(to_lsp(&moved, &document.text));
    diagnostics
}

fn syntax(path: &Path, text: &Arc<str>) -> Vec<Diagnostic> {
    let tree = Language::of_path(path).and_then(|language| SyntaxTree::parse(language, Arc::clone(text)));
    let found = tree.map(|tree| tree.problems()).unwrap_or_default();
    to_lsp(&found.into_iter().map(|found| Problem::of_syntax("", found)).collect::<Vec<_>>(), text)
}

fn to_lsp(problems: &[Problem], text: &str) -> Vec<Diagnostic> {
    let lines: Vec<&str> = text.split('\n').collect();
    let diagnostic = |problem: &Problem| Diagnostic {
        range: range(lines.get(problem.line.saturating_sub(1) as usize).copied().unwrap_or_default(), problem),
        severity: Some(match problem.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: problem.code.clone().map(NumberOrString::String),
        source: problem.source.clone(),
        message: match &problem.related {
            Some(related) => format!("{}\n{related}", problem.message),
            None => problem.message.clone(),
        },
        ..Diagnostic::default()
    };
    problems.iter().map(diagnostic).collect()
}

/// From where the problem begins to the end of the word there; of its line, in UTF-16.
fn range(line: &str, problem: &Problem) -> Range {
    let start = problem.column.saturating_sub(1) as usize;
    let mut wide = 0;
    let (mut from, mut to) = (None, None);
    for (index, character) in line.trim_end_matches('\r').chars().enumerate() {
        let is_word = character.is_alphanumeric() || character == '_';
        if index == start {
            from = Some(wide);
            // A sign is marked alone.
            to = (!is_word).then_some(wide + character.len_utf16() as u32);
        } else if index > start && !is_word {
            to = to.or(Some(wide));
        }
        wide += character.len_utf16() as u32;
    }
    let (from, to) = (from.unwrap_or(wide), to.unwrap_or(wide));
    let at = |character| Position { line: problem.line.saturating_sub(1), character };
    Range { start: at(from), end: at(to.max(from)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_the_word_in_utf16() {
        for (line, column, expected) in [
            ("x := undefined + 1", 6, (5, 14)),
            ("😀ab = c", 2, (2, 4)),
            ("ab", 9, (2, 2)),
            ("a(b)", 2, (1, 2)),
            ("", 1, (0, 0)),
            ("end\r", 1, (0, 3)),
        ] {
            let problem = Problem {
                file: String::new(),
                line: 3,
                column,
                severity: Severity::Error,
                message: String::new(),
                source: None,
                code: None,
                related: None,
                number: None,
            };
            let range = range(line, &problem);
            assert_eq!((range.start.character, range.end.character), expected, "{line:?} {column}");
            assert_eq!((range.start.line, range.end.line), (2, 2));
        }
    }
}
