//! One agent's connection: which workspace a call means, what the agent has seen, and which reports it is still owed.

mod loops;
pub mod news;
mod numbers;
mod owed;
mod roots;
mod tally;
mod waiting;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures::FutureExt;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use loops::{CallKey, LoopGate};
use news::{Called, Event, NewsDesk};
use numbers::Numbers;
pub use numbers::Shown;
use owed::Owed;
pub use roots::Roots;
pub use tally::Tally;
pub use waiting::Waiting;

use crate::report::{Reply, ToolError, one_line};
use crate::shell;
use crate::tools::{ALL, Arguments, FILE_PATH, Tool};
use crate::workspace::ledger::{Ledger, Outcome, RefusedEntry};
use crate::workspace::paths::contained::Expected;
use crate::workspace::paths::{self, Access, AllowRule, Purpose};
use crate::workspace::verdict::DiagnosticsReport;
use crate::workspace::{Registry, Settling, Workspace};

/// Most characters of a path or message that the ledger keeps.
const MOST_PATH: usize = 1000;

/// One agent's connection. A cheap handle.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    registry: Registry,
    /// The workspace of calls that name none.
    home: PathBuf,
    /// The roots of its workspaces, real: home, those opened for it, and those it has named. A path leads into no other,
    /// whatever other sessions have open.
    roots: Mutex<Vec<PathBuf>>,
    /// What the agent last saw of each file, by real path.
    seen: Mutex<HashMap<PathBuf, Expected>>,
    /// Workspaces of whose configuration it was told that it is wrong.
    /// What it was told to be wrong with the configuration of workspaces.
    warned: Mutex<HashMap<PathBuf, String>>,
    loops: Mutex<LoopGate>,
    owed: Owed,
    numbers: Numbers,
    ledger: Ledger,
    allowed: Allowed,
    news: NewsDesk,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.news.tell(&self.ledger.session(), Event::Ended);
    }
}

/// A handle that does not keep its session open.
#[derive(Debug, Clone)]
pub struct WeakSession {
    shared: Weak<Shared>,
}

impl WeakSession {
    /// The session, while it is open.
    pub fn upgrade(&self) -> Option<Session> {
        self.shared.upgrade().map(|shared| Session { shared })
    }
}

/// What a session may do beside working on files.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// Where the output of commands goes that is too much to show; without it no command may be run.
    pub commands: Option<PathBuf>,
    /// The environment of commands; without it, this process'.
    pub environment: Option<Arc<BTreeMap<String, String>>>,
    /// What it may use outside its workspaces.
    pub paths: Vec<AllowRule>,
    /// The folders that its workspaces must lie in; without it they may be anywhere.
    pub roots: Option<Roots>,
}

impl Allowed {
    /// The same, and commands may be run; too much output goes into a folder below `state`, where it may be read.
    ///
    /// # Errors
    /// When there can be no such folder.
    pub fn with_commands(mut self, state: &Path) -> io::Result<Allowed> {
        let spills = shell::folder(state);
        shell::clean(&spills);
        // It must be there for the rule to know its real path.
        std::fs::create_dir_all(&spills)?;
        let rule = AllowRule::new(&spills.to_string_lossy(), Access::ReadOnly);
        self.paths.push(rule.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?);
        self.commands = Some(spills);
        Ok(self)
    }

    /// Opens the workspace at `root` if it may be opened.
    ///
    /// # Errors
    /// When `root` is not an existing directory, or lies outside [`Allowed::roots`].
    pub(crate) fn open(&self, registry: &Registry, root: &Path) -> io::Result<Workspace> {
        let Some(roots) = &self.roots else { return registry.open(root) };
        roots.admit(root)?;
        let workspace = registry.open(root)?;
        // A link may have been turned around since it was looked at.
        if roots.hold(workspace.root()) { Ok(workspace) } else { Err(roots.refusal()) }
    }
}

/// One call being carried out: what a tool may use.
#[derive(Debug)]
pub struct Call {
    /// The session it belongs to.
    pub session: Session,
    /// The workspace it means.
    pub workspace: Workspace,
    /// Cancelled when the client no longer waits: ends waiting, never a write.
    pub cancel: CancellationToken,
    /// Where to say what is waited for, if the client wants to hear of it.
    pub progress: Option<watch::Sender<String>>,
}

impl Session {
    /// A session whose calls mean the workspace at `home` (absolute) unless they say otherwise, and whose changes are
    /// entered into `ledger`. What it does is told to `news`.
    pub fn new(registry: Registry, home: PathBuf, ledger: Ledger, allowed: Allowed, news: NewsDesk) -> Session {
        news.tell(&ledger.session(), Event::Began);
        let shared = Shared {
            roots: Mutex::new(home.canonicalize().into_iter().collect()),
            registry,
            home,
            seen: Mutex::default(),
            warned: Mutex::default(),
            loops: Mutex::default(),
            owed: Owed::default(),
            numbers: Numbers::default(),
            ledger,
            allowed,
            news,
        };
        Session { shared: Arc::new(shared) }
    }

    /// Opens a further workspace at `root` for it.
    ///
    /// # Errors
    /// When `root` is not an existing directory, or lies outside the roots it may use.
    pub fn open(&self, root: &Path) -> io::Result<Workspace> {
        let workspace = self.shared.allowed.open(&self.shared.registry, root)?;
        let mut roots = self.roots();
        if !roots.iter().any(|known| known == workspace.root()) {
            roots.push(workspace.root().to_owned());
        }
        Ok(workspace.allowing(&self.shared.allowed.paths))
    }

    /// Whether `root` (real) is one of its workspaces.
    pub fn uses(&self, root: &Path) -> bool {
        self.roots().iter().any(|known| known == root)
    }

    fn roots(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.shared.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The innermost of its workspaces that `path` lies in; none for a relative path.
    fn containing(&self, path: &Path) -> Option<PathBuf> {
        let roots = self.roots();
        roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.as_os_str().len()).cloned()
    }

    /// Its name, that of its ledger.
    pub fn name(&self) -> String {
        self.shared.ledger.session()
    }

    /// The workspace of calls that name none.
    pub fn home(&self) -> &std::path::Path {
        &self.shared.home
    }

    /// Puts the reports on earlier changes that have come in since on top of `reply`, once.
    pub fn deliver_owed(&self, reply: &mut Reply) {
        self.shared.owed.put_on_top(reply, &self.shared.numbers);
    }

    /// A handle that does not keep it open.
    pub fn downgrade(&self) -> WeakSession {
        WeakSession { shared: Arc::downgrade(&self.shared) }
    }

    /// The tools that it may call.
    pub fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        ALL.iter().copied().filter(|tool| tool.is_allowed(&self.shared.allowed))
    }

    /// Puts `note` on top of its next result, once.
    pub fn announce(&self, note: String) {
        self.shared.owed.announce(note);
    }

    /// What it may do beside working on files.
    pub fn allowed(&self) -> &Allowed {
        &self.shared.allowed
    }

    /// Carries out one call and says what came of it; never fails, never panics.
    #[tracing::instrument(level = "debug", skip(self, arguments, waiting))]
    pub async fn call(&self, name: &str, arguments: Map<String, Value>, waiting: impl Into<Waiting>) -> Reply {
        let began = Instant::now();
        let watched = self.shared.news.has_listeners().then(|| arguments.clone());
        let _under_way = self.shared.news.tally().begins();
        let reply = self.answer(name, arguments, waiting.into()).await;
        self.shared.news.tally().called(self.known_tool(name), reply.is_error, &reply.structured);
        if let Some(typed) = watched {
            self.tell(name, &typed, began.elapsed(), &reply);
        }
        reply
    }

    /// The tool of that name as those who watch are told of it.
    fn known_tool(&self, name: &str) -> &'static str {
        self.tools().find(|tool| tool.name == name).map_or("unknown", |tool| tool.name)
    }

    /// Tells those who watch of a call that came back.
    fn tell(&self, name: &str, typed: &Map<String, Value>, elapsed: Duration, reply: &Reply) {
        let tool = self.tools().find(|tool| tool.name == name);
        let arguments = tool.and_then(|tool| Arguments::read(tool.all_parameters(), typed).ok());
        let typed_path = arguments.as_ref().and_then(Arguments::path).unwrap_or_default();
        let workspace = arguments.as_ref().and_then(|arguments| self.workspace(arguments).ok());
        let called = Called {
            tool: self.known_tool(name),
            workspace: workspace.map(|workspace| workspace.root().to_owned()),
            typed_path: one_line(typed_path, MOST_PATH),
            elapsed,
            is_error: reply.is_error,
            headline: one_line(reply.text.lines().next().unwrap_or_default(), MOST_PATH),
            structured: reply.structured.clone(),
        };
        self.shared.news.tell(&self.name(), Event::Called(called));
    }

    async fn answer(&self, name: &str, arguments: Map<String, Value>, waiting: Waiting) -> Reply {
        let Some(tool) = self.tools().find(|tool| tool.name == name) else {
            let names: Vec<&str> = self.tools().map(|tool| tool.name).collect();
            let error = ToolError::caller("unknown_tool", format!("there is no tool `{}`", one_line(name, 80)))
                .hint(format!("the tools are {}", names.join(", ")));
            return Reply::refused(&error, false);
        };
        let outcome = AssertUnwindSafe(self.run(tool, &arguments, waiting)).catch_unwind().await;
        let mut reply = match outcome {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => Reply::refused(&error, tool.edits()),
            Err(panic) => {
                tracing::error!(tool = tool.name, "the call panicked: {}", panic_text(&*panic));
                // Whether it wrote before it panicked is not known here, so nothing is claimed of the disk.
                let error =
                    ToolError::bug("landfall itself failed on this call; whether the file changed is not known")
                        .hint("call `read` on the file to see");
                Reply::refused(&error, false)
            }
        };
        self.deliver_owed(&mut reply);
        reply
    }

    async fn run(&self, tool: &Tool, typed: &Map<String, Value>, waiting: Waiting) -> Result<Reply, ToolError> {
        let read = Arguments::read(tool.all_parameters(), typed);
        let read = read.and_then(|arguments| Ok((self.workspace(&arguments)?, arguments)));
        let (workspace, arguments) = read.map_err(|error| self.enter_unread(tool, typed, error))?;
        let key = CallKey::new(tool.name, typed, state_of(&workspace, &arguments).as_ref());
        if let Some(blocked) = self.loops().blocked(&key) {
            self.enter_refused(tool, workspace.root(), arguments.text("file_path").unwrap_or_default(), &blocked);
            return Err(blocked);
        }
        let typed_path = arguments.text("file_path").unwrap_or_default().to_owned();
        let unknown = arguments.unknown.join(", ");
        let Waiting { cancel, progress } = waiting;
        let call = Call { session: self.clone(), workspace, cancel, progress };
        let mut reply = match (tool.run)(&call, arguments).await {
            Ok(reply) => reply,
            Err(mut error) => {
                self.loops().failed(key, &mut error);
                self.enter_refused(tool, call.workspace.root(), &typed_path, &error);
                return Err(error);
            }
        };
        if let Some(file) = reply.structured.get("file").and_then(Value::as_str) {
            self.loops().opened(file);
        }
        if !unknown.is_empty() {
            reply.note(&format!("note: `{}` does not know {unknown}; left out", tool.name));
        }
        if let Some(warning) = self.warning(&call.workspace) {
            reply.note(&warning);
        }
        Ok(reply)
    }

    /// The workspace a call means: the one it names, else that of the session's which its absolute path lies in, else
    /// home.
    fn workspace(&self, arguments: &Arguments) -> Result<Workspace, ToolError> {
        let root = match arguments.text("workspace") {
            Some(named) => PathBuf::from(named.trim()),
            None => {
                let inside = arguments.path().and_then(|path| self.containing(path.as_ref()));
                inside.unwrap_or_else(|| self.shared.home.clone())
            }
        };
        self.open(&root).map_err(|error| {
            ToolError::caller(
                "bad_workspace",
                format!("the workspace {} cannot be opened: {error}", one_line(&root.display().to_string(), 300)),
            )
            .hint("give `workspace` as the absolute path of an existing directory, or leave it out")
        })
    }

    /// What is wrong with the workspace's own configuration, if that was not told yet.
    fn warning(&self, workspace: &Workspace) -> Option<String> {
        let mut warned = self.shared.warned.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(wrong) = workspace.misconfigured() else {
            warned.remove(workspace.root());
            return None;
        };
        let known = warned.insert(workspace.root().to_owned(), wrong.clone());
        (known.as_ref() != Some(&wrong)).then(|| format!("note: left out: {wrong}"))
    }

    /// Enters a change that was refused into the ledger. Reads and commands are left out: no edit of theirs is missing.
    fn enter_refused(&self, tool: &Tool, workspace: &Path, typed_path: &str, error: &ToolError) {
        if tool.edits() {
            self.enter_refusal(tool.name, workspace, typed_path, error);
        }
    }

    /// Enters into the ledger that a change by `tool` was refused: one of ours, or a harness's own.
    pub(crate) fn enter_refusal(&self, tool: &str, workspace: &Path, typed_path: &str, error: &ToolError) {
        let refused = RefusedEntry {
            code: error.code.to_owned(),
            path: one_line(typed_path, MOST_PATH),
            file: error.file.clone(),
            message: one_line(error.message.lines().next().unwrap_or_default(), MOST_PATH),
            with: error.with.clone(),
        };
        self.shared.news.tally().refused(error.code);
        self.shared.ledger.append(tool, workspace, Outcome::Refused(refused));
    }

    /// Enters a call into the ledger whose arguments could not be read, or whose workspace cannot be opened.
    fn enter_unread(&self, tool: &Tool, typed: &Map<String, Value>, mut error: ToolError) -> ToolError {
        let path = typed.iter().find(|(name, _)| FILE_PATH.answers_to(name)).and_then(|(_, value)| value.as_str());
        let path = path.map(str::trim).filter(|path| !path.is_empty() && tool.edits());
        if let Some(path) = path.filter(|path| !error.message.contains(path)) {
            error.message = format!("{} (file_path was `{}`)", error.message, one_line(path, 300));
        }
        if let Ok(home) = self.shared.registry.open(&self.shared.home) {
            self.enter_refused(tool, home.root(), path.unwrap_or_default(), &error);
        }
        error
    }

    /// What this session changed, and what it was refused.
    pub fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    fn loops(&self) -> MutexGuard<'_, LoopGate> {
        self.shared.loops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The problem that was shown with that number, if it was not long ago.
    pub fn shown(&self, number: u32) -> Option<Shown> {
        self.shared.numbers.get(number)
    }

    /// What the agent last saw of the file at `path` (real path).
    pub fn seen(&self, path: &Path) -> Option<Expected> {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied()
    }

    /// Notes that the agent has seen the file at `path` (real path) with this content, or that it is gone (`None`).
    pub fn saw(&self, path: PathBuf, content: Option<Expected>) {
        let mut seen = self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match content {
            Some(content) => seen.insert(path, content),
            None => seen.remove(&path),
        };
    }
}

impl Call {
    /// Waits for what the language servers say of a change, and enters it into the ledger. What is not settled by then is
    /// owed to the session.
    pub async fn settle(&self, settling: Settling, budget: Option<Duration>) -> Vec<DiagnosticsReport> {
        let session = &self.session.shared;
        let waiting = session.news.tally().waits();
        let mut reports = match self.out(settling.wait(budget), || settling.awaited()).await {
            Some(reports) => reports,
            None => settling.wait(Some(Duration::ZERO)).await,
        };
        drop(waiting);
        reports.iter().for_each(|report| session.news.tally().reported(report));
        settling.verdicts(&reports).for_each(|verdict| session.ledger.judge(verdict));
        if reports.iter().any(|report| report.verdict.is_owed()) {
            session.owed.expect(self.workspace.root(), settling, session.ledger.clone());
        }
        reports.iter_mut().for_each(|report| self.number(report));
        reports
    }

    /// Numbers the problems that `report` is going to show, so that the agent can name them.
    pub fn number(&self, report: &mut DiagnosticsReport) {
        self.session.shared.numbers.give(self.workspace.root(), report);
    }
}

/// What is on disk where the call points; `None` where that is nothing.
fn state_of(workspace: &Workspace, arguments: &Arguments) -> Option<std::fs::Metadata> {
    let resolved = paths::resolve(workspace.paths(), arguments.text("file_path")?, Purpose::ReadAny).ok()?;
    std::fs::metadata(resolved.absolute).ok()
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
