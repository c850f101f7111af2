//! What a daemon is doing, as it tells it.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::identity::build_seconds;
use crate::service::{Service, SessionStatus, own_memory};
use crate::workspace::ServerStatus;

/// What a daemon is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Its version.
    pub version: String,
    /// When its program was built, or installed: seconds since 1970.
    #[serde(default)]
    pub build_seconds: i64,
    /// Its process.
    pub pid: u32,
    /// Its socket.
    pub socket: PathBuf,
    /// How long it has been running.
    pub uptime_seconds: u64,
    /// Its own resident memory, without language servers. Bytes.
    pub memory_bytes: u64,
    /// How many calls have not come back yet.
    #[serde(default)]
    pub calls_under_way: u64,
    /// The open sessions, the oldest first.
    pub sessions: Vec<SessionLine>,
    /// The open workspaces, by root.
    pub workspaces: Vec<WorkspaceLine>,
}

/// An open session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionLine {
    /// Its name, that of its ledger.
    pub name: String,
    /// How it is connected.
    pub face: String,
    /// The workspace of calls that name none.
    pub workspace: PathBuf,
    /// How long it has been open.
    pub open_seconds: u64,
    /// How many changes landed.
    pub landed: usize,
    /// How many were refused.
    pub refused: usize,
}

/// An open workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceLine {
    /// Its root.
    pub root: PathBuf,
    /// Its language servers.
    pub language_servers: Vec<ServerLine>,
}

/// A language server of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerLine {
    /// Its key in `servers.toml`.
    pub name: String,
    /// The folder it works on.
    pub root: PathBuf,
    /// `absent`, `loading`, `ready`, `down`, `stopped`, or `checker only`.
    pub state: String,
    /// What is behind that.
    pub detail: Option<String>,
    /// Its process, while it runs.
    pub pid: Option<u32>,
    /// How long that has been running.
    pub uptime_seconds: Option<u64>,
    /// How often it has died and was started again.
    pub restarts: u32,
    /// Resident memory of it and of what it started. Bytes.
    pub memory_bytes: Option<u64>,
    /// The last lines of its standard error.
    pub last_stderr: Vec<String>,
}

impl Status {
    /// What `service` is doing.
    pub(super) fn of(service: &Service, socket: PathBuf, uptime: Duration) -> Status {
        let mut workspaces: Vec<WorkspaceLine> = service
            .registry()
            .workspaces()
            .iter()
            .map(|workspace| WorkspaceLine {
                root: workspace.root().to_owned(),
                language_servers: workspace.servers().into_iter().map(ServerLine::from).collect(),
            })
            .collect();
        workspaces.sort_by(|a, b| a.root.cmp(&b.root));
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_seconds: build_seconds(),
            pid: std::process::id(),
            socket,
            uptime_seconds: uptime.as_secs(),
            memory_bytes: own_memory(),
            calls_under_way: service.tally().under_way(),
            sessions: service.sessions().into_iter().map(SessionLine::from).collect(),
            workspaces,
        }
    }
}

impl From<SessionStatus> for SessionLine {
    fn from(status: SessionStatus) -> SessionLine {
        SessionLine {
            name: status.name,
            face: status.face.to_owned(),
            workspace: status.home,
            open_seconds: SystemTime::now().duration_since(status.began).unwrap_or_default().as_secs(),
            landed: status.landed,
            refused: status.refused,
        }
    }
}

impl From<ServerStatus> for ServerLine {
    fn from(status: ServerStatus) -> ServerLine {
        ServerLine {
            name: status.name,
            root: status.root,
            state: status.state.to_owned(),
            detail: status.detail,
            pid: status.pid,
            uptime_seconds: status.uptime.map(|uptime| uptime.as_secs()),
            restarts: status.crashes,
            memory_bytes: status.memory,
            last_stderr: status.last_words,
        }
    }
}
