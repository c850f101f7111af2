//! The life of one language server: started when needed, asked after each change, started again when it dies.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::launch::{DataDir, launch, needs_data_dir, needs_source_roots, source_roots};
use super::round::RoundFailure;
use super::slot::{Phase, Slot};
use crate::lsp::LanguageServer;
use crate::programs::{self, Found};

/// How long to wait before it is started again, by how often it has failed in a row.
const BACK_OFF: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16)];
/// After that it is only tried when it is wanted, and not more often than this.
const LAST_BACK_OFF: Duration = Duration::from_secs(60);
/// Whoever lived so long has not failed at the start.
const LIVED: Duration = Duration::from_secs(60);

/// Why a language server is not running any more.
enum End {
    /// Nobody needs anything any more.
    Shutdown,
    /// Its program is not there.
    Absent,
    /// It was not used for long.
    Idle,
    /// It died, or did not start.
    Failed(String),
}

/// Lives until it is not needed any more; then nothing is left running. Waits first for the end of the one whose place it
/// takes: they work in the same folders.
pub(super) async fn live(slot: Arc<Slot>, before: Option<CancellationToken>) {
    let _ended = slot.ended.clone().drop_guard();
    if let Some(before) = before {
        before.cancelled().await;
    }
    lives(&slot, &slot.gone).await;
}

async fn lives(slot: &Slot, shutdown: &CancellationToken) {
    let mut failures = 0;
    loop {
        let begun = Instant::now();
        let end = slot.once(shutdown).await;
        if begun.elapsed() > LIVED {
            failures = 0;
        }
        match end {
            End::Shutdown => return,
            End::Absent => {
                slot.set_phase(Phase::Absent);
                if !slot.rest(Some(Duration::from_secs(10)), true, shutdown).await {
                    return;
                }
            }
            End::Idle => {
                slot.set_phase(Phase::Stopped);
                if !slot.rest(None, true, shutdown).await {
                    return;
                }
                slot.set_phase(Phase::Loading { since: Instant::now() });
            }
            End::Failed(reason) => {
                tracing::warn!(language_server = slot.spec.name, reason, "a language server failed");
                let pause = BACK_OFF.get(failures).copied();
                failures += 1;
                slot.count_crash(Phase::Down { reason, again: pause.is_some() });
                if !slot.rest(Some(pause.unwrap_or(LAST_BACK_OFF)), pause.is_none(), shutdown).await {
                    return;
                }
            }
        }
    }
}

impl Slot {
    /// Waits for `pause` and, if `for_want`, until somebody wants something; the checker goes on alone meanwhile.
    /// Returns whether to go on.
    async fn rest(&self, pause: Option<Duration>, for_want: bool, shutdown: &CancellationToken) -> bool {
        let rest = async {
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
            }
            if for_want {
                self.wanted.notified().await;
            }
        };
        let check = async {
            match &self.checker {
                Some(_) => self.rounds(None).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = rest => true,
            _ = check => true,
            () = shutdown.cancelled() => false,
        }
    }

    async fn once(&self, shutdown: &CancellationToken) -> End {
        let Some(Found { program, .. }) = programs::find(&self.spec.command, &self.place.installed) else {
            return if self.checker.is_some() { self.checker_only(shutdown).await } else { End::Absent };
        };
        self.set_phase(Phase::Loading { since: Instant::now() });
        let room = tokio::select! {
            room = self.place.budget.admit(self) => room,
            () = shutdown.cancelled() => return End::Shutdown,
        };
        let Some(room) = room else { return End::Idle };
        let data = match needs_data_dir(&self.spec).then(|| DataDir::take(&self.place.cache, &self.spec, &self.root)) {
            Some(Ok(data)) => Some(data),
            Some(Err(error)) => return End::Failed(format!("no folder for its data: {error}")),
            None => None,
        };
        self.place.disk.walked().await;
        let roots = self.find_source_roots();
        let start = LanguageServer::start(launch(&self.spec, &self.root, program, data.as_ref(), &roots));
        let server = tokio::select! {
            started = start => match started {
                Ok(server) => server,
                Err(error) => return End::Failed(error.to_string()),
            },
            () = shutdown.cancelled() => return End::Shutdown,
        };
        self.adopt(&server);
        drop(room);
        // Whoever was to be stopped to make room was another.
        let _ = self.evicted.notified().now_or_never();
        let end = tokio::select! {
            end = self.rounds(Some(&server)) => end,
            () = shutdown.cancelled() => End::Shutdown,
        };
        let last_words = server.last_words();
        {
            let mut state = self.state();
            (state.server, state.last_words) = (None, last_words);
        }
        match end {
            End::Shutdown | End::Idle => {
                server.stop().await;
                if let Some(data) = &data {
                    data.left_clean();
                }
            }
            End::Absent | End::Failed(_) => server.kill(),
        }
        end
    }

    /// Finds where packages begin, for a language server that must be told.
    fn find_source_roots(&self) -> Vec<String> {
        if !needs_source_roots(&self.spec, &self.root) {
            return Vec::new();
        }
        let sources = self.place.disk.files(&self.root, |path| self.spec.language_for(path).is_some());
        let roots = source_roots(&self.root, &sources);
        self.state().source_roots.clone_from(&roots);
        roots
    }

    async fn checker_only(&self, shutdown: &CancellationToken) -> End {
        tokio::select! {
            end = self.rounds(None) => end,
            () = shutdown.cancelled() => End::Shutdown,
        }
    }

    /// From here on the language server is told of everything; what is open is opened there first.
    fn adopt(&self, server: &LanguageServer) {
        let mut state = self.state();
        let tick = state.tick();
        state.mark = server.board().heard().count;
        state.documents.replay(server, tick);
        state.server = Some(server.clone());
        drop(state);
        self.tell_standing();
    }

    /// Settles whatever changes, until the language server is of no more use.
    async fn rounds(&self, server: Option<&LanguageServer>) -> End {
        let mut first = true;
        let mut ticks = self.ticks();
        loop {
            let due = {
                let state = self.state();
                first || state.tick() > state.settled
            };
            if due {
                let round = tokio::select! {
                    biased;
                    () = self.evicted.notified(), if server.is_some() => return self.retire(),
                    round = self.round(server, first) => round,
                };
                match round {
                    Ok(()) => first = false,
                    Err(RoundFailure::Died(why)) => return End::Failed(self.obituary(server, &why)),
                    Err(RoundFailure::Hung) => return End::Failed("it neither answered nor worked".to_owned()),
                }
                continue;
            }
            tokio::select! {
                // The sender lives in the slot.
                _ = ticks.changed() => {}
                why = ended(server) => return End::Failed(self.obituary(server, &why)),
                () = self.unused(server) => return self.retire(),
                () = self.evicted.notified(), if server.is_some() => return self.retire(),
            }
        }
    }

    /// It is to rest until somebody wants it again. What was wanted of it by now it has done, except for who waits still.
    fn retire(&self) -> End {
        let _ = self.wanted.notified().now_or_never();
        if self.is_awaited() {
            self.wanted.notify_one();
        }
        End::Idle
    }

    /// What it died of, with its last words.
    fn obituary(&self, server: Option<&LanguageServer>, why: &str) -> String {
        let words = server.map(LanguageServer::last_words).unwrap_or_default();
        let exit = server.and_then(LanguageServer::exit).unwrap_or_else(|| why.to_owned());
        match words.iter().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => super::snapshot::one_line(&format!("{exit}: {line}")),
            None => exit,
        }
    }

    /// Ends when nobody has used it for as long as its specification allows.
    async fn unused(&self, server: Option<&LanguageServer>) {
        if server.is_none() {
            return std::future::pending().await;
        }
        let limit = Duration::from_secs(60 * u64::from(self.spec.idle_minutes));
        let begun = Instant::now();
        loop {
            let used = self.state().last_used.unwrap_or(begun).max(begun);
            match limit.checked_sub(used.elapsed()) {
                Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
                _ => return,
            }
        }
    }
}

async fn ended(server: Option<&LanguageServer>) -> String {
    match server {
        Some(server) => server.board().ended().await.0,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;
    use crate::workspace::memory::MemoryBudget;
    use crate::workspace::place::Place;

    #[tokio::test(start_paused = true)]
    async fn what_it_was_wanted_for_before_does_not_wake_it_and_who_waits_does() {
        let servers = Arc::new(Servers::built_in());
        let budget = MemoryBudget::new(Some(100));
        let place = Arc::new(Place::new("/w".into(), Arc::clone(&servers), Vec::new(), "/c".into(), budget));
        let slot = Slot::new(servers.get("gopls").expect("built in").clone(), "/w".into(), place);
        let shutdown = CancellationToken::new();
        let wakes = async || {
            let rest = slot.rest(None, true, &shutdown);
            tokio::time::timeout(Duration::from_secs(3600), rest).await.is_ok()
        };
        slot.want();
        slot.retire();
        assert!(!wakes().await, "wanted before it was stopped");
        slot.want();
        assert!(wakes().await, "wanted since");
        let waiting = slot.expect(None);
        slot.retire();
        assert!(wakes().await, "somebody waits still");
        drop(waiting);
        slot.retire();
        assert!(!wakes().await, "nobody waits any more");
    }
}
