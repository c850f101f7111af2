//! The hook face: harnesses that keep their own edit tools ask before each call and tell after it.
//!
//! Before: a mistyped path, or text that is not in the file as typed, is put right or refused in our words. After: the
//! change is entered into the ledger as the harness's own, and the model is told what the language server says of it.
//! Invariant: whatever we cannot do, the harness goes on as if we were not there.

mod after;
mod before;
mod claude;
mod codex;
mod event;
mod gemini;
mod place;
mod query;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::service::{Connecting, Service};
use crate::session::{Allowed, Call, Session};
use event::{Answer, Event, Moment, NativeTool};

/// A session that was not heard of for so long is over.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// A harness whose hooks are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Harness {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
}

impl Harness {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Harness::Claude => "claude",
            Harness::Codex => "codex",
            Harness::Gemini => "gemini",
        }
    }

    /// Whether there could be anything to say to `message`.
    pub fn concerns(self, message: &Value) -> bool {
        self.read(message).is_some_and(|event| self.tool(&event).is_some())
    }

    fn tool(self, event: &Event) -> Option<&'static NativeTool> {
        self.tools().iter().find(|tool| tool.name == event.tool)
    }

    fn read(self, message: &Value) -> Option<Event> {
        match self {
            Harness::Claude => claude::read(message),
            Harness::Codex => codex::read(message),
            Harness::Gemini => gemini::read(message),
        }
    }

    fn write(self, moment: Moment, answer: Answer) -> Option<Value> {
        match self {
            Harness::Claude => claude::write(moment, answer),
            Harness::Codex => codex::write(moment, answer),
            Harness::Gemini => gemini::write(moment, answer),
        }
    }

    fn tools(self) -> &'static [NativeTool] {
        match self {
            Harness::Claude => claude::TOOLS,
            Harness::Codex => codex::TOOLS,
            Harness::Gemini => gemini::TOOLS,
        }
    }
}

/// The sessions of harnesses that speak through hooks. A cheap handle.
#[derive(Debug, Clone)]
pub struct Hooks {
    service: Service,
    open: Arc<Mutex<HashMap<String, Open>>>,
}

/// A harness's session, as far as it has spoken.
#[derive(Debug, Clone)]
struct Open {
    session: Session,
    /// The files that calls under way are about to change.
    before: Arc<Mutex<HashMap<PathBuf, Remembered>>>,
    last_heard: Instant,
}

/// A file's text; `None` for one that does not exist.
type Text = Option<Arc<str>>;

/// A file as it was before a call of the harness's.
#[derive(Debug, Clone)]
struct Remembered {
    text: Text,
    /// How many calls are about to change it. One that the user has forbidden is never heard of again: it stays counted.
    calls: usize,
}

impl Hooks {
    /// Hooks into `service`.
    pub fn new(service: Service) -> Hooks {
        Hooks { service, open: Arc::default() }
    }

    /// Answers a hook's `message` as `harness` documents it; `None` when there is nothing to say. `workspace` is the
    /// project's root, where the harness names it; else it is found from where the harness works.
    pub async fn answer(&self, harness: Harness, message: &Value, workspace: Option<&Path>) -> Option<Value> {
        let event = harness.read(message)?;
        let tool = harness.tool(&event)?;
        let root = workspace.map_or_else(|| project_root(&event.directory), Path::to_owned);
        let open = self.open(harness, &event.session, root)?;
        let workspace = self.service.registry().open(open.session.home()).ok()?;
        let call = Call { session: open.session.clone(), workspace, cancel: CancellationToken::new(), progress: None };
        let answer = match event.moment {
            Moment::Before => before::answer(&call, &open, &event, tool),
            Moment::After => after::answer(&call, &open, harness, &event, tool).await,
            Moment::Failed => {
                after::forget(&call, &open, &event, tool);
                Answer::Nothing
            }
        };
        harness.write(event.moment, answer)
    }

    /// The session of that name, begun if it is new.
    fn open(&self, harness: Harness, name: &str, root: PathBuf) -> Option<Open> {
        let mut all = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let key = format!("{} {name} {}", harness.name(), root.display());
        self.let_go_later(key.clone());
        if let Some(open) = all.get_mut(&key) {
            open.last_heard = now;
            return Some(open.clone());
        }
        let connecting = Connecting { face: "hook", home: root, allowed: Allowed::default() };
        let session = self.service.connect(connecting).ok()?;
        let open = Open { session, before: Arc::default(), last_heard: now };
        all.insert(key, open.clone());
        Some(open)
    }

    /// Ends a session that is not heard of again.
    fn let_go_later(&self, key: String) {
        let open = Arc::downgrade(&self.open);
        tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            let Some(open) = open.upgrade() else { return };
            let mut all = open.lock().unwrap_or_else(PoisonError::into_inner);
            if all.get(&key).is_some_and(|open| open.last_heard.elapsed() >= IDLE) {
                all.remove(&key);
            }
        });
    }
}

impl Open {
    fn before(&self) -> MutexGuard<'_, HashMap<PathBuf, Remembered>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the text of a file that a call is about to change. It is the present one, whoever else is about to change it:
    /// what became of that call may never be told.
    fn remember(&self, path: PathBuf, text: Text) {
        let mut all = self.before();
        let calls = all.get(&path).map_or(0, |remembered| remembered.calls) + 1;
        all.insert(path, Remembered { text, calls });
    }

    /// The text of a file before the call that is over, where that is known. `now` is what the next call under way has
    /// found.
    fn recall(&self, path: &Path, now: Option<Text>) -> Option<Text> {
        let mut all = self.before();
        let remembered = all.get_mut(path)?;
        remembered.calls -= 1;
        if remembered.calls == 0 {
            return all.remove(path).map(|remembered| remembered.text);
        }
        let text = remembered.text.clone();
        remembered.text = now.unwrap_or_else(|| text.clone());
        Some(text)
    }
}

/// The nearest folder above `directory` that is a repository's root; `directory` itself where there is none.
fn project_root(directory: &Path) -> PathBuf {
    let root = directory.ancestors().find(|folder| folder.join(".git").exists());
    root.unwrap_or(directory).to_owned()
}

#[cfg(test)]
mod tests;
