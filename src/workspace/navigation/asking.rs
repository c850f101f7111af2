//! Asking a language server within a budget: it is waited for, and asked again once it has loaded.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::{Instant, timeout_at};

use super::{Basis, Lack};
use crate::config;
use crate::lsp::{LanguageServer, RequestError};
use crate::programs;
use crate::workspace::Workspace;
use crate::workspace::slot::{Phase, Slot};
use crate::workspace::snapshot::one_line;

/// How long a loaded language server has for an answer: longer than for a verdict, because the first search of jdtls
/// builds its index, and short enough for a call to stay under 10 s.
const ANSWERING: Duration = Duration::from_secs(8);
/// Whatever finding the place took, so long a language server has at least.
const LEAST: Duration = Duration::from_millis(1_500);
/// A language server that says nothing of its progress counts as loaded after this.
const SILENT_START: Duration = Duration::from_secs(3);
/// How often it is asked at most.
const ATTEMPTS: usize = 4;

/// A request, made of a handle so that it can be made again.
pub(in crate::workspace) type Request<'r, T> =
    dyn Fn(LanguageServer) -> BoxFuture<'static, Result<T, RequestError>> + Send + Sync + 'r;

/// What counts as an answer, even of a language server that has not loaded everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::workspace) enum Enough {
    /// One item will do: a definition is where it is.
    Any,
    /// All there are: before it has loaded some may be missing.
    All,
}

/// An answer and how far it can be trusted.
#[derive(Debug)]
pub(in crate::workspace) struct Asked<T> {
    pub(in crate::workspace) found: T,
    pub(in crate::workspace) server: LanguageServer,
    pub(in crate::workspace) basis: Basis,
}

/// Whether an answer holds nothing.
pub(in crate::workspace) trait Answer {
    fn is_nothing(&self) -> bool;
}

impl<T> Answer for Vec<T> {
    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Answer for Option<T> {
    fn is_nothing(&self) -> bool {
        self.is_none()
    }
}

impl Workspace {
    /// The language server's place for the file at `path`, told of what is on disk now.
    pub(in crate::workspace) fn slot_of(&self, path: &Path, text: &Arc<str>) -> Option<Arc<Slot>> {
        let place = self.shared.place.as_ref()?;
        let slot = place.slot_for(path)?;
        slot.touch(path, text);
        place.look();
        slot.want();
        Some(slot)
    }
}

/// Asks the language server of `slot`, within `budget` or its own.
pub(in crate::workspace) async fn ask<T: Answer + Send>(
    slot: &Slot,
    enough: Enough,
    budget: Option<Duration>,
    request: &Request<'_, T>,
) -> Result<Asked<T>, (Basis, Lack)> {
    ask_since(slot, enough, Instant::now(), budget, request).await
}

/// The same for a call that began at `since`: what it took to find the place is taken off, but for a moment.
pub(super) async fn ask_since<T: Answer + Send>(
    slot: &Slot,
    enough: Enough,
    since: Instant,
    budget: Option<Duration>,
    request: &Request<'_, T>,
) -> Result<Asked<T>, (Basis, Lack)> {
    let begun = Instant::now();
    let deadline = |limit: Duration| (since + limit).max(begun + limit.min(LEAST));
    let loading = deadline(budget.unwrap_or(Duration::from_millis(slot.spec.timeouts.settle_ms)));
    let answering = deadline(budget.unwrap_or(ANSWERING));
    let lacking = |lack: Lack| (Basis::Text { language_server: Some(slot.spec.name.clone()) }, lack);
    let server = slot.server_by(loading).await.map_err(lacking)?;
    for attempt in 1.. {
        let was_loaded = slot.is_loaded(&server);
        let still_loading = || Lack::Loading(slot.so_far());
        let mut asked = request(server.clone());
        let answer = match timeout_at(loading, &mut asked).await {
            Ok(answer) => answer,
            Err(_) if !slot.is_loaded(&server) => return Err(lacking(still_loading())),
            // Only one that has loaded is worth a longer wait.
            Err(_) => match timeout_at(answering, asked).await {
                Ok(answer) => answer,
                Err(_) => return Err(lacking(Lack::Late(begun.elapsed()))),
            },
        };
        let is_final = was_loaded || attempt == ATTEMPTS;
        match answer {
            Err(RequestError::Gone) => return Err(lacking(Lack::Crashed(slot.reason()))),
            Err(error) if error.is_unable() => return Err(lacking(Lack::Unable)),
            Err(error) if is_final => return Err(lacking(Lack::Refused(one_line(&error.to_string())))),
            Ok(found) if is_final || (enough == Enough::Any && !found.is_nothing()) => {
                let basis = Basis::LanguageServer { name: slot.spec.name.clone(), still_loading: None };
                return Ok(Asked { found, server, basis });
            }
            Ok(found) if !slot.loaded_by(&server, loading).await => {
                if found.is_nothing() {
                    return Err(lacking(still_loading()));
                }
                let still_loading = Some(slot.so_far());
                let basis = Basis::LanguageServer { name: slot.spec.name.clone(), still_loading };
                return Ok(Asked { found, server, basis });
            }
            Err(_) if !slot.loaded_by(&server, loading).await => return Err(lacking(still_loading())),
            Ok(_) | Err(_) => {}
        }
    }
    unreachable!("the last attempt is final")
}

impl Slot {
    /// Waits until it runs; tells why it does not.
    async fn server_by(&self, deadline: Instant) -> Result<LanguageServer, Lack> {
        if programs::find(&self.spec.command, &self.place.installed).is_none() {
            return Err(Lack::NotInstalled);
        }
        let mut standing = self.standing();
        loop {
            let now = standing.borrow_and_update().clone();
            if let Some(server) = self.state().server.clone() {
                return Ok(server);
            }
            match now.phase {
                Phase::Absent => return Err(Lack::NotInstalled),
                Phase::Down { reason, again: false } => return Err(Lack::Crashed(one_line(&reason))),
                _ => {}
            }
            tokio::select! {
                // The sender lives in the slot.
                _ = standing.changed() => {}
                () = tokio::time::sleep_until(deadline) => {
                    return Err(match self.standing().borrow().phase.clone() {
                        Phase::Down { reason, .. } => Lack::Crashed(one_line(&reason)),
                        _ => Lack::Loading(self.so_far()),
                    });
                }
            }
        }
    }

    /// Whether what it does not find is not there.
    fn is_loaded(&self, server: &LanguageServer) -> bool {
        let is_idle = || server.board().heard().activity().is_none();
        match self.spec.evidence {
            // Its rounds may wait for a build, which navigation does not need; it loads files as they are asked about.
            config::Evidence::Zls => is_idle(),
            config::Evidence::Publish if server.started().elapsed() > SILENT_START => is_idle(),
            _ => matches!(self.standing().borrow().phase, Phase::Ready),
        }
    }

    async fn loaded_by(&self, server: &LanguageServer, deadline: Instant) -> bool {
        let mut standing = self.standing();
        loop {
            if self.is_loaded(server) {
                return true;
            }
            let heard = server.board().heard().count;
            let news = server.board().wait(|now| (now.count > heard).then_some(()));
            let soon = tokio::time::sleep(Duration::from_millis(200));
            tokio::select! {
                _ = standing.changed() => {}
                news = news => if news.is_err() { return false },
                () = soon => {}
                () = tokio::time::sleep_until(deadline) => return self.is_loaded(server),
            }
        }
    }

    /// What it is doing, and for how long.
    fn so_far(&self) -> String {
        let standing = self.standing().borrow().clone();
        self.unsettled(&standing).detail.unwrap_or_else(|| "not ready yet".to_owned())
    }

    fn reason(&self) -> String {
        match &self.standing().borrow().phase {
            Phase::Down { reason, .. } => one_line(reason),
            _ => "it ended while it was asked".to_owned(),
        }
    }
}
