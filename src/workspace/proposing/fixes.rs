//! The fixes that a language server offers for a problem.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;

use super::{NotProposed, Proposal, lacking_by};
use crate::lsp::{CodeAction, Diagnostic, Doing, EditRefused, LanguageServer, Range, RequestError};
use crate::text::Position;
use crate::workspace::Workspace;
use crate::workspace::navigation::Lack;
use crate::workspace::navigation::asking::{Enough, ask};
use crate::workspace::slot::Slot;
use crate::workspace::snapshot::one_line;

/// Most problems of one line that fixes are asked for.
const MOST_PROBLEMS: usize = 10;
/// Fixes of problems.
const QUICK_FIXES: &[&str] = &["quickfix"];
/// What mends imports where no fix is offered for a single problem.
const IMPORTS: &[&str] = &["source.organizeImports"];

/// Where something is wrong.
#[derive(Debug, Clone)]
pub struct Problematic {
    /// The file's real path.
    pub path: PathBuf,
    /// Its text as it is on disk.
    pub text: Arc<str>,
    /// The line, 1-based.
    pub line: u32,
    /// What is wrong, as it was told; without it everything on the line is meant.
    pub message: Option<String>,
}

/// Fixes to choose from.
#[derive(Debug)]
pub struct Offered {
    /// The language server's key in `servers.toml`.
    pub language_server: String,
    /// What is wrong, each with its line (1-based).
    pub problems: Vec<(u32, String)>,
    actions: Vec<CodeAction>,
    slot: Arc<Slot>,
    server: LanguageServer,
    tick: u64,
    begun: Instant,
}

impl Offered {
    /// What the fixes are called, in the order they were offered.
    pub fn titles(&self) -> Vec<String> {
        self.actions.iter().map(|action| one_line(&action.title)).collect()
    }

    /// The one to take when nobody chose, 0-based: the only one, or the only one that the language server prefers.
    pub fn obvious(&self) -> Option<usize> {
        let preferred = || {
            let mut all = self.actions.iter().enumerate().filter(|(_, action)| action.is_preferred);
            let first = all.next()?;
            all.next().is_none().then_some(first.0)
        };
        if self.actions.len() == 1 { Some(0) } else { preferred() }
    }
}

impl Workspace {
    /// The fixes offered for what is wrong at a place; none when there are none.
    ///
    /// # Errors
    /// [`NotProposed`].
    pub async fn fixes(&self, at: &Problematic, budget: Option<Duration>) -> Result<Offered, NotProposed> {
        let begun = Instant::now();
        let lacking = |lack| NotProposed::Lacking { language_server: None, lack };
        let slot = self.slot_of(&at.path, &at.text).ok_or_else(|| lacking(Lack::NoLanguageServer))?;
        // Its problems must be those of this text.
        self.diagnostics(Some(&at.path), budget).await;
        let tick = slot.state().tick();
        let (own, place) = (Arc::clone(&slot), at.clone());
        let request = move |server: LanguageServer| -> BoxFuture<'static, _> {
            let wrong = own.wrong_at(&server, &place);
            let path = place.path.clone();
            Box::pin(async move { offers(&server, path, wrong).await })
        };
        let asked = ask(&slot, Enough::All, budget, &request).await.map_err(|(basis, lack)| lacking_by(basis, lack))?;
        let problems = slot.wrong_at(&asked.server, at);
        Ok(Offered {
            language_server: slot.spec.name.clone(),
            problems: problems.iter().map(|one| (one.start.line + 1, one_line(&one.message))).collect(),
            actions: asked.found,
            slot,
            server: asked.server,
            tick,
            begun,
        })
    }

    /// What taking the fix of that place in the list (0-based) takes.
    ///
    /// # Errors
    /// [`NotProposed`].
    pub async fn fixing(&self, offered: &Offered, which: usize) -> Result<Proposal, NotProposed> {
        let language_server = offered.language_server.clone();
        let lacking = |lack| NotProposed::Lacking { language_server: Some(offered.language_server.clone()), lack };
        let Some(action) = offered.actions.get(which) else { return Err(NotProposed::Nothing { language_server }) };
        let doing = offered.server.resolved(action).await.map_err(|refused| match refused {
            EditRefused::Strange(why) => why.into(),
            EditRefused::Request(RequestError::Gone) => lacking(Lack::Crashed("it ended while it was asked".into())),
            EditRefused::Request(error) => lacking(Lack::Refused(one_line(&error.to_string()))),
        })?;
        let edit = match doing {
            Doing::Edit(Some(edit)) => edit,
            Doing::Edit(None) => return Err(NotProposed::Nothing { language_server }),
            Doing::Command { name, .. } => return Err(NotProposed::Command(one_line(&name))),
        };
        let rewrites = self.rewrites(&offered.slot, &offered.server, edit, offered.tick).await?;
        if rewrites.is_empty() {
            return Err(NotProposed::Nothing { language_server });
        }
        Ok(Proposal { rewrites, language_server, opened: None, waited: offered.begun.elapsed() })
    }
}

/// Asks for the fixes of each problem; for those of the imports when there are none.
async fn offers(
    server: &LanguageServer,
    path: PathBuf,
    wrong: Vec<Diagnostic>,
) -> Result<Vec<CodeAction>, RequestError> {
    let mut all: Vec<CodeAction> = Vec::new();
    for kinds in [QUICK_FIXES, IMPORTS] {
        for problem in &wrong {
            let Ok(raw) = serde_json::from_str::<serde_json::Value>(&problem.raw) else { continue };
            let offered = server.code_actions(&path, extent(problem, &raw), &[raw], kinds).await?;
            let fitting = offered.into_iter().filter(|action| kinds.iter().any(|kind| action.kind.starts_with(kind)));
            for action in fitting {
                if !all.iter().any(|known| known.title == action.title) {
                    all.push(action);
                }
            }
        }
        if !all.is_empty() {
            break;
        }
    }
    Ok(all)
}

/// Where a problem begins and ends; without a true end only where it begins.
fn extent(problem: &Diagnostic, raw: &serde_json::Value) -> Range {
    let number = |name: &str| raw["range"]["end"][name].as_u64().and_then(|number| u32::try_from(number).ok());
    let end = number("line").zip(number("character")).map(|(line, column)| Position { line, column });
    Range { start: problem.start, end: end.filter(|end| *end >= problem.start).unwrap_or(problem.start) }
}

impl Slot {
    /// What the language server says is wrong there: on the line; of a problem that was told, wherever it stands now.
    fn wrong_at(&self, server: &LanguageServer, at: &Problematic) -> Vec<Diagnostic> {
        let source = self.spec.diagnostics;
        let heard = server.board().heard();
        let all = heard.problems(source).into_iter().filter(|(path, _)| *path == at.path);
        let mut all: Vec<Diagnostic> =
            all.flat_map(|(_, (_, items))| items.iter().cloned().collect::<Vec<_>>()).collect();
        drop(heard);
        let distance = |problem: &Diagnostic| (problem.start.line + 1).abs_diff(at.line);
        match &at.message {
            Some(message) => {
                all.retain(|problem| one_line(&problem.message) == *message);
                all.sort_by_key(distance);
                all.truncate(1);
            }
            None => all.retain(|problem| distance(problem) == 0),
        }
        all.truncate(MOST_PROBLEMS);
        all
    }
}
