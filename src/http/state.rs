//! What all routes share.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Cookies, HttpOptions, Names, Token};
use crate::service::{Kept, Service};
use crate::session::{Allowed, Roots, Session};
use crate::workspace::locks::Locks;

/// More sessions at once are refused.
const MOST_SESSIONS: usize = 500;

/// What all routes share. A cheap handle.
#[derive(Debug, Clone)]
pub struct State {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    service: Service,
    token: Token,
    cookies: Cookies,
    names: Names,
    allowed: Allowed,
    roots: Roots,
    agents: Agents,
    stopping: CancellationToken,
    closing: CancellationToken,
}

/// The agents' sessions, of both kinds, and their calls.
#[derive(Debug)]
pub(super) struct Agents {
    /// Those that the protocol knows: begun by `initialize`.
    pub(super) connected: Arc<LocalSessionManager>,
    /// Those of clients whose protocol has none.
    pub(super) kept: Kept<super::place::Place>,
    /// The requests of sessions that are being answered, by session and id: two of one id take turns, since the SDK
    /// would give the first one's answer to the second.
    pub(super) asked: Locks<(String, String)>,
    /// Calls under way, and answers to them that are being sent.
    pub(super) under_way: TaskTracker,
    /// Cancelled when nobody can wait any longer.
    pub(super) hurry: CancellationToken,
}

impl State {
    pub(super) fn new(service: Service, options: HttpOptions, names: Names, stopping: CancellationToken) -> State {
        let mut connected = LocalSessionManager::default();
        connected.session_config.keep_alive = Some(options.idle);
        let agents = Agents {
            connected: Arc::new(connected),
            kept: Kept::for_so_long(options.idle),
            asked: Locks::default(),
            under_way: TaskTracker::new(),
            hurry: CancellationToken::new(),
        };
        let allowed = Allowed { roots: Some(options.roots.clone()), ..options.allowed };
        let shared = Shared {
            service,
            token: options.token,
            cookies: Cookies::default(),
            names,
            allowed,
            roots: options.roots,
            agents,
            stopping,
            closing: CancellationToken::new(),
        };
        State { shared: Arc::new(shared) }
    }

    /// The process' workspaces and sessions.
    pub fn service(&self) -> &Service {
        &self.shared.service
    }

    /// What a client must know.
    pub fn token(&self) -> &Token {
        &self.shared.token
    }

    /// What browsers hold instead of the token.
    pub fn cookies(&self) -> &Cookies {
        &self.shared.cookies
    }

    /// Cancelled when the service is to end: whatever goes on for ever ends then.
    pub fn stopping(&self) -> &CancellationToken {
        &self.shared.stopping
    }

    /// Cancelled when the calls under way are finished, or have had their time.
    pub(super) fn closing(&self) -> &CancellationToken {
        &self.shared.closing
    }

    pub(super) fn names(&self) -> &Names {
        &self.shared.names
    }

    pub(super) fn roots(&self) -> &Roots {
        &self.shared.roots
    }

    pub(super) fn agents(&self) -> &Agents {
        &self.shared.agents
    }

    /// Begins a session at `place`.
    ///
    /// # Errors
    /// When a workspace cannot be opened, or too many sessions are open.
    pub(super) fn connect(&self, place: &super::place::Place) -> std::io::Result<Session> {
        let open = *self.shared.service.open_sessions().borrow();
        if open >= MOST_SESSIONS {
            return Err(std::io::Error::other(format!("{open} sessions are open already; end one first")));
        }
        place.connect(&self.shared.service, &self.shared.allowed)
    }

    /// Waits until no call is under way, for `patience` at most; then everything may close.
    pub(super) async fn finish_calls(&self, patience: Duration) {
        let Agents { under_way, hurry, .. } = &self.shared.agents;
        under_way.close();
        if tokio::time::timeout(patience, under_way.wait()).await.is_err() {
            tracing::warn!(calls = under_way.len(), "calls under way are cut short");
            hurry.cancel();
            let _ = tokio::time::timeout(super::CLOSING, under_way.wait()).await;
        }
        self.shared.closing.cancel();
    }

    /// The state of a service without workspaces, whose token is `token`.
    #[cfg(test)]
    pub(super) fn for_tests(token: &str) -> State {
        use crate::config::Servers;
        use crate::dirs::Dirs;
        use crate::workspace::{Registry, WorkspaceOptions};

        let folder = std::env::temp_dir();
        let dirs = Dirs::from(|_| Some(folder.clone().into_os_string())).expect("folders");
        let registry = Registry::new(WorkspaceOptions::new(Servers::built_in(), false, &dirs));
        let options = HttpOptions {
            token: Token::of(token),
            roots: Roots::new(std::slice::from_ref(&folder)).expect("roots"),
            allowed: Allowed::default(),
            names: Vec::new(),
            idle: Duration::from_secs(60),
        };
        let names = Names::new(std::net::Ipv4Addr::LOCALHOST.into(), &[]);
        State::new(Service::new(registry, dirs.state()), options, names, CancellationToken::new())
    }
}
