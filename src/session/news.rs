//! What sessions tell whoever watches them: a page for people, metrics, a log.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::{broadcast, watch};

use super::tally::Tally;

/// How much news a watcher may be behind before it misses some: sessions never wait for one.
const BACKLOG: usize = 256;

/// Something that happened in a session.
#[derive(Debug, Clone)]
pub struct News {
    /// The session's name, that of its ledger.
    pub session: String,
    /// What happened.
    pub event: Event,
}

/// What can happen in a session.
#[derive(Debug, Clone)]
pub enum Event {
    /// It began.
    Began,
    /// A call came back.
    Called(Called),
    /// Its client is gone.
    Ended,
}

/// A call that came back.
#[derive(Debug, Clone)]
pub struct Called {
    /// The tool; one that does not exist is `unknown`.
    pub tool: &'static str,
    /// The root of the workspace that it meant, once that was known.
    pub workspace: Option<PathBuf>,
    /// The path as the agent typed it; empty where it gave none.
    pub typed_path: String,
    /// From the call's arrival to its result.
    pub elapsed: Duration,
    /// Whether it did not do what it was asked.
    pub is_error: bool,
    /// The first line of its text.
    pub headline: String,
    /// The structured result.
    pub structured: Map<String, Value>,
}

/// Where sessions tell their news. A cheap handle; nothing is kept for those who come later.
#[derive(Debug, Clone)]
pub struct NewsDesk {
    sender: broadcast::Sender<News>,
    open: watch::Sender<usize>,
    tally: Tally,
}

impl Default for NewsDesk {
    fn default() -> NewsDesk {
        NewsDesk { sender: broadcast::Sender::new(BACKLOG), open: watch::Sender::new(0), tally: Tally::default() }
    }
}

impl NewsDesk {
    /// All news from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<News> {
        self.sender.subscribe()
    }

    /// How many sessions are open.
    pub fn open_sessions(&self) -> watch::Receiver<usize> {
        self.open.subscribe()
    }

    /// What was done so far, in numbers. Unlike the news none of it is missed.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Whether anyone listens, so that nothing need be put together for nobody.
    pub(super) fn has_listeners(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    /// Tells what happened in `session`.
    pub(super) fn tell(&self, session: &str, event: Event) {
        match event {
            Event::Began => self.open.send_modify(|open| *open += 1),
            Event::Ended => self.open.send_modify(|open| *open = open.saturating_sub(1)),
            Event::Called(_) => {}
        }
        // Nobody listening is no fault.
        let _ = self.sender.send(News { session: session.to_owned(), event });
    }
}
