//! The language servers of a workspace as a person is told of them.

use std::path::PathBuf;
use std::time::Duration;

use super::slot::{Phase, Slot};
use super::snapshot::one_line;

/// How many last lines of standard error are shown.
const SHOWN_LINES: usize = 5;

/// One language server on one root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its key in `servers.toml`.
    pub name: String,
    /// The folder it works on.
    pub root: PathBuf,
    /// `absent`, `loading`, `ready`, `down`, `stopped`, or `checker only`.
    pub state: &'static str,
    /// What is behind that: progress, or why it is down.
    pub detail: Option<String>,
    /// Its process, while it runs.
    pub pid: Option<u32>,
    /// How long it has been running.
    pub uptime: Option<Duration>,
    /// How often it has died.
    pub crashes: u32,
    /// Resident memory of it and of what it started, bytes.
    pub memory: Option<u64>,
    /// The last lines of its standard error, sanitised; after its end those of the process that ended.
    pub last_words: Vec<String>,
}

impl ServerStatus {
    pub(super) fn of(slot: &Slot) -> ServerStatus {
        let standing = slot.standing().borrow().clone();
        let (server, of_the_dead) = {
            let state = slot.state();
            (state.server.clone(), state.last_words.clone())
        };
        let state = match &standing.phase {
            Phase::Absent => "absent",
            Phase::Loading { .. } => "loading",
            Phase::Ready if server.is_none() => "checker only",
            Phase::Ready => "ready",
            Phase::Down { .. } => "down",
            Phase::Stopped => "stopped",
        };
        let words = server.as_ref().map_or(of_the_dead, |server| server.last_words());
        ServerStatus {
            name: slot.spec.name.clone(),
            root: slot.root.clone(),
            state,
            detail: slot.unsettled(&standing).detail,
            pid: server.as_ref().map(|server| server.process_id()),
            uptime: server.as_ref().map(|server| server.started().elapsed()),
            crashes: standing.crashes,
            memory: server.as_ref().map(|server| server.memory()),
            last_words: words.iter().rev().take(SHOWN_LINES).rev().map(|line| one_line(line)).collect(),
        }
    }
}
