//! The process: the workspaces it holds and the agents' sessions that are open on them.
//!
//! Workspaces outlive sessions, so that the next session finds its language servers warm.

mod kept;
mod process;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use dashmap::DashMap;
use tokio::sync::{broadcast, watch};

pub use kept::Kept;
pub use process::own_memory;

use crate::session::news::{News, NewsDesk};
use crate::session::{Allowed, Session, Tally, WeakSession};
use crate::workspace::Registry;
use crate::workspace::ledger::Ledger;

/// The process' one owner of what lasts. A cheap handle.
#[derive(Debug, Clone)]
pub struct Service {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    registry: Registry,
    state: PathBuf,
    sessions: DashMap<String, Connected>,
    news: NewsDesk,
}

/// Who connects, and what it may do.
#[derive(Debug, Clone)]
pub struct Connecting {
    /// How it is connected: `stdio`, `socket`, `http`, `hook`, `lsp`, `shell`.
    pub face: &'static str,
    /// The workspace of calls that name none: absolute, an existing directory.
    pub home: PathBuf,
    /// What it may do beside working on files.
    pub allowed: Allowed,
}

#[derive(Debug)]
struct Connected {
    session: WeakSession,
    face: &'static str,
    home: PathBuf,
    began: SystemTime,
}

/// An open session as a person is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStatus {
    /// Its name, that of its ledger.
    pub name: String,
    /// How it is connected.
    pub face: &'static str,
    /// The workspace of calls that name none.
    pub home: PathBuf,
    /// When it began.
    pub began: SystemTime,
    /// How many changes landed.
    pub landed: usize,
    /// How many were refused.
    pub refused: usize,
}

impl Service {
    /// A service of the workspaces of `registry` that keeps its ledgers below `state`.
    pub fn new(registry: Registry, state: &Path) -> Service {
        let shared = Shared { registry, state: state.to_owned(), sessions: DashMap::new(), news: NewsDesk::default() };
        Service { shared: Arc::new(shared) }
    }

    /// The workspaces.
    pub fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    /// Where ledgers are kept.
    pub fn state(&self) -> &Path {
        &self.shared.state
    }

    /// Begins a session; it ends when its last handle is dropped.
    ///
    /// # Errors
    /// When its workspace cannot be opened, or lies outside the roots it may use.
    pub fn connect(&self, connecting: Connecting) -> io::Result<Session> {
        let Connecting { face, home, allowed } = connecting;
        allowed.open(&self.shared.registry, &home)?;
        let ledger = Ledger::create(&self.shared.state);
        let session =
            Session::new(self.shared.registry.clone(), home.clone(), ledger, allowed, self.shared.news.clone());
        self.shared.sessions.retain(|_, connected| connected.session.upgrade().is_some());
        let connected = Connected { session: session.downgrade(), face, home, began: SystemTime::now() };
        self.shared.sessions.insert(session.name(), connected);
        Ok(session)
    }

    /// The open sessions, the oldest first.
    pub fn sessions(&self) -> Vec<SessionStatus> {
        self.open().into_iter().map(|(status, _)| status).collect()
    }

    /// The open sessions with their ledgers, the oldest first. Holding one keeps no session open.
    pub fn open(&self) -> Vec<(SessionStatus, Ledger)> {
        let status = |(name, connected): (&String, &Connected)| {
            let ledger = connected.session.upgrade()?.ledger().clone();
            let counts = ledger.counts();
            let status = SessionStatus {
                name: name.clone(),
                face: connected.face,
                home: connected.home.clone(),
                began: connected.began,
                landed: counts.landed,
                refused: counts.refused,
            };
            Some((status, ledger))
        };
        let mut open: Vec<(SessionStatus, Ledger)> =
            self.shared.sessions.iter().filter_map(|entry| status(entry.pair())).collect();
        open.sort_by(|(a, _), (b, _)| (a.began, &a.name).cmp(&(b.began, &b.name)));
        open
    }

    /// What happens in any session from now on.
    pub fn news(&self) -> broadcast::Receiver<News> {
        self.shared.news.subscribe()
    }

    /// What sessions have done so far, in numbers.
    pub fn tally(&self) -> &Tally {
        self.shared.news.tally()
    }

    /// How many sessions are open, and when that changes.
    pub fn open_sessions(&self) -> watch::Receiver<usize> {
        self.shared.news.open_sessions()
    }

    /// Closes workspaces that no open session has used for `patience`, once their language servers have ended for want of
    /// use; for ever. Sleeps while there is none.
    pub async fn close_unused(&self, patience: Duration) {
        let mut open = self.open_sessions();
        loop {
            open.mark_unchanged();
            let unused = self.unused();
            if unused.is_empty() {
                // The sender lives as long as this.
                let _ = open.changed().await;
                continue;
            }
            tokio::time::sleep(patience).await;
            for root in self.unused().into_iter().filter(|root| unused.contains(root)) {
                if self.shared.registry.close_unused(&root).await {
                    tracing::info!(root = %root.display(), "closed, no session uses it");
                }
            }
        }
    }

    /// The roots of workspaces that no open session uses.
    fn unused(&self) -> Vec<PathBuf> {
        let sessions: Vec<Session> =
            self.shared.sessions.iter().filter_map(|connected| connected.session.upgrade()).collect();
        let roots = self.shared.registry.workspaces().into_iter().map(|workspace| workspace.root().to_owned());
        roots.filter(|root| !sessions.iter().any(|session| session.uses(root))).collect()
    }

    /// Ends every language server; sessions that are still open find their workspaces without one.
    pub async fn shutdown(&self) {
        self.shared.registry.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::config::Servers;
    use crate::dirs::Dirs;
    use crate::session::news::Event;
    use crate::workspace::WorkspaceOptions;

    #[tokio::test]
    async fn sessions_are_listed_while_they_are_open_and_tell_what_they_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let dirs = Dirs::from(|_| Some(folder.path().into())).expect("folders");
        let registry = Registry::new(WorkspaceOptions::new(Servers::built_in(), false, &dirs));
        let service = Service::new(registry, dirs.state());
        let mut news = service.news();
        let connecting = |home: &Path| Connecting { face: "shell", home: home.into(), allowed: Allowed::default() };
        assert!(service.connect(connecting(&folder.path().join("missing"))).is_err());

        let session = service.connect(connecting(folder.path())).expect("connects");
        let arguments = json!({"file_path": "nowhere.txt", "old_string": "a", "new_string": "b"});
        let arguments: Map<_, _> = arguments.as_object().expect("an object").clone();
        session.call("edit", arguments, CancellationToken::new()).await;
        let open = service.sessions();
        assert_eq!((open.len(), open[0].landed, open[0].refused), (1, 0, 1));
        assert_eq!(open[0].name, session.name());

        drop(session);
        assert_eq!(service.sessions(), []);
        let mut events = Vec::new();
        while let Ok(news) = news.try_recv() {
            events.push(match news.event {
                Event::Began => "began".to_owned(),
                Event::Called(call) => format!("{} {} {}", call.tool, call.typed_path, call.is_error),
                Event::Ended => "ended".to_owned(),
            });
        }
        assert_eq!(events, ["began", "edit nowhere.txt true", "ended"]);
    }

    #[tokio::test]
    async fn a_workspace_is_closed_when_its_last_session_has_ended() {
        let (folder, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let dirs = Dirs::from(|_| Some(folder.path().into())).expect("folders");
        let registry = Registry::new(WorkspaceOptions::new(Servers::built_in(), false, &dirs));
        let service = Service::new(registry, dirs.state());
        let connect = |home: &Path| {
            service
                .connect(Connecting { face: "shell", home: home.into(), allowed: Allowed::default() })
                .expect("connects")
        };
        let closing = tokio::spawn({
            let service = service.clone();
            async move { service.close_unused(Duration::from_millis(20)).await }
        });
        let (kept, ended) = (connect(folder.path()), connect(other.path()));
        drop(ended);
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while service.registry().workspaces().len() > 1 {
            assert!(std::time::Instant::now() < deadline, "nothing was closed");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(kept.uses(service.registry().workspaces()[0].root()));
        assert!(!closing.is_finished());
        closing.abort();
    }
}
