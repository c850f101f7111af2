//! One round of evidence: what has changed is settled, compared with what was, and told to whoever waits.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::baseline::{Sight, Snapshot};
use super::checker::{CheckError, Checked, Checker};
use super::go_scope::Asked;
use super::outcome::Outcome;
use super::slot::{Edited, Slot, State};
use super::snapshot::{HeardPublishes, Texts, from_message};
use super::verdict::{Problem, Severity};
use crate::config::{DiagnosticsSource, Evidence};
use crate::lsp::LanguageServer;
use crate::lsp::quirks::{self, Evident, Round, Unsettled};

/// How often a round starts over because something changed meanwhile. Then it is carried to its end, so that a stream
/// of changes cannot keep everybody waiting.
const OVERTAKEN: u32 = 3;
/// A language server that does not answer is asked about its processor time so far apart.
const IDLE_FOR: Duration = Duration::from_secs(5);
/// Loading a project may take so many times the limit of a request.
const LOADING_FACTOR: u32 = 10;

/// Why a round had no end.
#[derive(Debug)]
pub(super) enum RoundFailure {
    /// The language server ended.
    Died(String),
    /// It neither answers nor works.
    Hung,
}

struct Plan {
    tick: u64,
    round: Round,
    /// How far the round sees, when that is less than all.
    scope: Option<String>,
}

struct Gathered {
    spoken: Option<Result<Evident, Unsettled>>,
    checked: Option<Result<Checked, CheckError>>,
}

impl Slot {
    /// Settles everything that has been told by now.
    ///
    /// # Errors
    /// [`RoundFailure`] when the language server is of no more use.
    pub(super) async fn round(&self, server: Option<&LanguageServer>, first: bool) -> Result<(), RoundFailure> {
        self.place.disk.walked().await;
        for overtaken in 0.. {
            self.place.look();
            if let Some(server) = server {
                self.teach_source_roots(server).await;
            }
            let plan = self.plan(first);
            let mut ticks = self.ticks();
            ticks.borrow_and_update();
            if self.state().tick() != plan.tick {
                continue;
            }
            tokio::select! {
                biased;
                gathered = self.gather(server, &plan) => return self.conclude(server, &plan, gathered),
                _ = ticks.changed(), if overtaken < OVERTAKEN => {}
                () = self.stands_still(server, first) => return Err(RoundFailure::Hung),
            }
        }
        Ok(())
    }

    fn plan(&self, first: bool) -> Plan {
        let asked = match self.spec.evidence {
            Evidence::Gopls => self.go_files(),
            _ => Asked { files: Vec::new(), scope: None },
        };
        let state = self.state();
        let settled = if first { 0 } else { state.settled };
        let round = Round {
            mark: state.mark,
            sent: state.documents.sent_since(settled),
            files: asked.files.into(),
            is_part: asked.scope.is_some(),
            open: match self.spec.evidence {
                Evidence::Publish => state.documents.texts().map(|(path, _)| path).collect(),
                _ => Vec::new(),
            },
            source: self.spec.diagnostics,
            first,
            rebuilt: state.rebuilt > settled,
            quiet: Duration::from_millis(u64::from(self.spec.quiet_ms)),
        };
        Plan { tick: state.tick(), round, scope: asked.scope }
    }

    async fn gather(&self, server: Option<&LanguageServer>, plan: &Plan) -> Gathered {
        let spoken = async {
            match server {
                Some(server) => Some(quirks::settle(server, self.spec.evidence, &plan.round).await),
                None => None,
            }
        };
        let checked = async {
            match &self.checker {
                Some(checker) => Some(checker.check().await),
                None => None,
            }
        };
        let (spoken, checked) = tokio::join!(spoken, checked);
        Gathered { spoken, checked }
    }

    /// Ends when the language server is over its time and does nothing.
    async fn stands_still(&self, server: Option<&LanguageServer>, first: bool) {
        let Some(server) = server else { return std::future::pending().await };
        let limit = Duration::from_millis(self.spec.timeouts.request_ms);
        tokio::time::sleep(if first { limit * LOADING_FACTOR } else { limit }).await;
        loop {
            let before = server.ticks();
            tokio::time::sleep(IDLE_FOR).await;
            if server.ticks() == before {
                return;
            }
        }
    }

    fn conclude(&self, server: Option<&LanguageServer>, plan: &Plan, gathered: Gathered) -> Result<(), RoundFailure> {
        let mut outcome = Outcome { source: self.source(server), scope: plan.scope.clone(), ..Outcome::default() };
        let mut checked = Checked::default();
        match gathered.spoken {
            Some(Err(Unsettled::Ended(ended))) => return Err(RoundFailure::Died(ended.0)),
            Some(Err(Unsettled::Refused(why))) => outcome.failure = Some(why),
            Some(Ok(evident)) => {
                let why = server.and_then(|server| server.board().heard().complaint.clone());
                let why = why.unwrap_or_else(|| format!("{} does not know it as part of a project", self.spec.name));
                let unknown = evident.unknown.iter().map(|path| (self.name(path), super::snapshot::one_line(&why)));
                outcome.no_project.extend(unknown);
            }
            None => {}
        }
        if self.spec.evidence == Evidence::Gopls && is_ignored_by_go(&self.root) {
            let why =
                "the go command leaves out folders whose names begin with a dot or an underscore, and so does gopls";
            outcome.no_project.insert(String::new(), why.to_owned());
        }
        match gathered.checked {
            Some(Ok(found)) => checked = found,
            Some(Err(CheckError::NoProject(why))) => {
                outcome.no_project.insert(String::new(), why);
            }
            // Where it is the only one that knows of types, nothing is known without it.
            Some(Err(CheckError::Failed(why))) if self.spec.evidence == Evidence::Zls || server.is_none() => {
                outcome.failure = Some(why);
            }
            Some(Err(CheckError::Failed(why))) => outcome.scope = Some(format!("without the checker: {why}")),
            None => {}
        }
        self.compare(server, plan, outcome, &checked);
        Ok(())
    }

    /// Who speaks about changes.
    pub(super) fn source(&self, server: Option<&LanguageServer>) -> String {
        let server = server.map(|server| server.name().to_owned());
        let checker = self.checker.as_ref().map(Checker::name);
        match (server, checker) {
            (Some(server), Some(checker)) => format!("{server} and {checker}"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.spec.name.clone(),
        }
    }

    fn compare(&self, server: Option<&LanguageServer>, plan: &Plan, mut outcome: Outcome, checked: &Checked) {
        if let (Some(checker), None) = (&self.checker, &outcome.scope) {
            let reach = format!("what {} reaches", checker.name());
            outcome.scope = Some(match &checked.stopped_at {
                Some(file) => format!("{reach}; it stopped at the error in {}", self.name(file)),
                None => reach,
            });
        }
        let heard = server.map(|server| {
            let source = match self.spec.evidence {
                Evidence::Publish => server.diagnostics_source(self.spec.diagnostics),
                _ => DiagnosticsSource::Push,
            };
            HeardPublishes::of(&server.board().heard(), source, server.encoding(), &self.place.root)
        });
        let mut state = self.state();
        let state = &mut *state;
        let snapshot = self.snapshot(state, heard.as_ref(), checked, &mut outcome);
        outcome.versions = self.versions(state);
        if outcome.failure.is_none() {
            let stops = self.stops(&snapshot, checked);
            let edited = std::mem::take(&mut state.edited);
            let changed_since = |file: &str| edited.get(file).is_some_and(|edited| edited.last > plan.tick);
            let sight = |file: &str| self.sight(file, &stops, &edited);
            outcome.deltas = state.baseline.advance(&snapshot, sight, changed_since);
            outcome.uncovers = state.stops.iter().any(|stop| !stops.contains(stop));
            outcome.baseline = state.has_baseline;
            state.edited.clone_from(&edited);
            state.edited.retain(|_, edited| edited.last > plan.tick);
            outcome.edited = edited;
            state.stops = stops;
            state.has_baseline = true;
        }
        state.settled = plan.tick;
        let outcome = Arc::new(outcome);
        state.last = Some(Arc::clone(&outcome));
        state.waiting.retain(|waiting| match waiting.upgrade() {
            Some(cell) if cell.tick <= plan.tick => {
                // Set once only: a cell is not in the list any more after this.
                let _ = cell.outcome.set(Arc::clone(&outcome));
                false
            }
            Some(_) => true,
            None => false,
        });
        self.count_round();
    }

    fn snapshot(
        &self,
        state: &mut State,
        heard: Option<&HeardPublishes>,
        checked: &Checked,
        outcome: &mut Outcome,
    ) -> Snapshot {
        let open: HashMap<PathBuf, Arc<str>> = state.documents.texts().collect();
        let mut texts = Texts::new(&self.place.root, open);
        let mut files: BTreeMap<String, Vec<Problem>> = BTreeMap::new();
        let published = heard.map(|heard| state.reader.published(heard, &mut texts)).unwrap_or_default();
        for (path, problems) in published {
            let name = texts.name(&path);
            let (outside_project, problems): (Vec<_>, Vec<_>) =
                problems.iter().cloned().partition(|problem| problem.message.contains(NON_PROJECT));
            if let Some(line) = outside_project.into_iter().next() {
                outcome.no_project.insert(name.clone(), line.message);
            }
            files.entry(name).or_default().extend(problems);
        }
        let checker = self.checker.as_ref().map(Checker::name).unwrap_or_default();
        for message in checked.messages.iter() {
            let problem = from_message(message, &checker, &mut texts);
            let of_file = files.entry(problem.file.clone()).or_default();
            let told = |known: &Problem| known.line == problem.line && known.severity == problem.severity;
            if !of_file.iter().any(|known| known.source.as_deref() != Some(checker.as_str()) && told(known)) {
                of_file.push(problem);
            }
        }
        files
            .into_iter()
            .filter(|(_, problems)| !problems.is_empty())
            .map(|(file, problems)| (file, problems.into()))
            .collect()
    }

    fn versions(&self, state: &State) -> BTreeMap<String, i32> {
        state.documents.versions().map(|(path, version)| (self.name(path), version)).collect()
    }

    /// What keeps the checkers from seeing everything: folders (Go) or files with a syntax error, or where Zig stopped.
    fn stops(&self, snapshot: &Snapshot, checked: &Checked) -> Vec<String> {
        if let Some(file) = &checked.stopped_at {
            return vec![self.name(file)];
        }
        let broken = snapshot.iter().filter(|(_, problems)| problems.iter().any(|problem| self.is_syntax(problem)));
        let mut stops: Vec<String> = broken
            .map(|(file, _)| match self.spec.evidence {
                Evidence::Gopls => folder_of(file).to_owned(),
                _ => file.clone(),
            })
            .collect();
        stops.dedup();
        stops
    }

    fn is_syntax(&self, problem: &Problem) -> bool {
        if problem.severity != Severity::Error {
            return false;
        }
        match self.spec.evidence {
            Evidence::Gopls => problem.source.as_deref() == Some("syntax"),
            // Eclipse's compiler marks syntax errors by a bit of the number (IProblem.Syntax).
            Evidence::Jdtls => {
                let code = problem.code.as_deref().and_then(|code| code.parse::<u64>().ok());
                code.is_some_and(|code| code & 0x4000_0000 != 0)
            }
            Evidence::Zls => false,
            Evidence::Publish => {
                let is_of_checker =
                    || self.checker.as_ref().is_some_and(|checker| problem.source == Some(checker.name()));
                let source = problem.source.as_deref().is_some_and(|source| source.contains("syntax"));
                source || (is_of_checker() && reads_like_syntax(&problem.message))
            }
        }
    }

    /// Whether what is not told of `file` is not there. A syntax error hides other errors: in Zig everywhere, in Go in
    /// its package (and what becomes of the packages that import it is uncertain), in Java in its file.
    fn sight(&self, file: &str, stops: &[String], edited: &BTreeMap<String, Edited>) -> Sight {
        let hidden = match self.spec.evidence {
            Evidence::Zls => !stops.is_empty(),
            Evidence::Gopls => {
                let in_broken_package = stops.iter().any(|folder| folder == folder_of(file));
                in_broken_package || (!stops.is_empty() && !edited.contains_key(file))
            }
            // Of a compiler it is not known how far a syntax error stops it.
            Evidence::Publish if self.checker.as_ref().is_some_and(Checker::is_command) => !stops.is_empty(),
            Evidence::Jdtls | Evidence::Publish => stops.iter().any(|stop| stop == file),
        };
        if hidden { Sight::Hidden } else { Sight::Clear }
    }

    /// The files gopls is asked about.
    fn go_files(&self) -> Asked {
        let is_go = |path: &Path| path.extension().is_some_and(|extension| extension == "go");
        let all = self.place.disk.files(&self.root, is_go);
        let mut state = self.state();
        let edited = state.edited.keys().map(|file| self.place.root.join(file)).collect();
        let open: Vec<PathBuf> = state.documents.texts().map(|(path, _)| path).collect();
        state.imports.choose(&self.root, all, &edited, &open)
    }
}

/// jdtls says so on line 1 of a file whose types it cannot check: a "non-project file", or one that "is not on the
/// classpath of project x".
const NON_PROJECT: &str = "only syntax errors are reported";

/// Whether a compiler's message is about syntax, as most of them word it.
fn reads_like_syntax(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let words =
        ["syntax", "parse error", "parsing", "unexpected", "unterminated", "unclosed", "unmatched", "expected ';'"];
    words.iter().any(|word| message.contains(word))
}

fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether the go command's `...` skips `root` by its own name (`go help packages`): gopls then loads no package of the
/// module, and calls every file clean.
fn is_ignored_by_go(root: &Path) -> bool {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(['.', '_']) || name == "testdata"
}
