//! The place of one language server on one root: what it should know, and what it has said of it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Instant;

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::baseline::Baseline;
use super::checker::Checker;
use super::documents::Documents;
use super::go_scope::Imports;
use super::launch::{needs_source_roots, source_root};
use super::outcome::{Cell, Outcome};
use super::place::Place;
use super::snapshot::{Reader, relative};
use super::verdict::FileChange;
use crate::config::ServerSpec;
use crate::lsp::{FileEvent, LanguageServer};
use crate::text::hunks;

/// One language server on one root.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) spec: ServerSpec,
    pub(super) root: PathBuf,
    pub(super) place: Arc<Place>,
    pub(super) checker: Option<Checker>,
    state: Mutex<State>,
    /// Changes told so far.
    tick: watch::Sender<u64>,
    standing: watch::Sender<Standing>,
    /// Somebody wants something of it.
    pub(super) wanted: Notify,
    /// It is to make room.
    pub(super) evicted: Notify,
    /// It is not needed any more.
    pub(super) gone: CancellationToken,
    /// It has ended for good.
    pub(super) ended: CancellationToken,
}

/// What is waited on.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub(super) phase: Phase,
    /// How often the language server has died.
    pub(super) crashes: u32,
    /// How many rounds have ended.
    pub(super) rounds: u64,
}

/// Where in its life a language server is.
#[derive(Debug, Clone)]
pub(super) enum Phase {
    /// Its program is not there.
    Absent,
    /// It starts, or has not spoken about the project yet.
    Loading { since: Instant },
    /// It has spoken at least once.
    Ready,
    /// It has died, or could not be started; whether it is tried again soon.
    Down { reason: String, again: bool },
    /// Not needed at present.
    Stopped,
}

/// A file that was changed since it was last spoken about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edited {
    /// When that began.
    pub(super) first: u64,
    /// When it was changed last.
    pub(super) last: u64,
    /// Whether a change of it has a report of its own; changes from outside have none.
    pub(super) has_report: bool,
}

impl Edited {
    /// Notes in `all` that `file` was changed at `tick`.
    fn note(all: &mut BTreeMap<String, Edited>, file: String, tick: u64, has_report: bool) {
        let edited = all.entry(file).or_insert(Edited { first: tick, last: tick, has_report });
        edited.last = tick;
        edited.has_report |= has_report;
    }
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) server: Option<LanguageServer>,
    pub(super) documents: Documents,
    pub(super) baseline: Baseline,
    /// Whether the baseline was ever made.
    pub(super) has_baseline: bool,
    /// Up to which tick it has been spoken about.
    pub(super) settled: u64,
    /// What the language server had said when it was last told something.
    pub(super) mark: u64,
    /// Files changed since, relative to the workspace root.
    pub(super) edited: BTreeMap<String, Edited>,
    pub(super) waiting: Vec<Weak<Cell>>,
    pub(super) last: Option<Arc<Outcome>>,
    /// What the checkers could not see past, last time.
    pub(super) stops: Vec<String>,
    pub(super) reader: Reader,
    pub(super) imports: Imports,
    pub(super) last_used: Option<Instant>,
    /// Where packages begin, for a language server that must be told.
    pub(super) source_roots: Vec<String>,
    /// New files that begin a tree of packages it was not told of, and where that begins.
    pub(super) new_roots: Vec<(PathBuf, String)>,
    /// When it was last made to build everything anew.
    pub(super) rebuilt: u64,
    /// What the language server before printed last on its standard error.
    pub(super) last_words: Vec<String>,
    tick: u64,
}

impl State {
    /// Counts a change that is about to be told.
    fn next_tick(&mut self) -> u64 {
        self.tick += 1;
        if let Some(server) = &self.server {
            self.mark = server.board().heard().count;
        }
        self.tick
    }

    pub(super) fn tick(&self) -> u64 {
        self.tick
    }
}

impl Slot {
    pub(super) fn new(spec: ServerSpec, root: PathBuf, place: Arc<Place>) -> Slot {
        let checker = Checker::of(&spec, &root, &place.cache, &place.installed);
        let phase = Phase::Loading { since: Instant::now() };
        Slot {
            gone: place.shutdown.child_token(),
            ended: CancellationToken::new(),
            spec,
            root,
            place,
            checker,
            state: Mutex::default(),
            tick: watch::Sender::new(0),
            standing: watch::Sender::new(Standing { phase, crashes: 0, rounds: 0 }),
            wanted: Notify::new(),
            evicted: Notify::new(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn standing(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    pub(super) fn set_phase(&self, phase: Phase) {
        self.standing.send_modify(|standing| standing.phase = phase);
    }

    pub(super) fn count_crash(&self, phase: Phase) {
        self.standing.send_modify(|standing| (standing.phase, standing.crashes) = (phase, standing.crashes + 1));
    }

    pub(super) fn count_round(&self) {
        self.standing.send_modify(|standing| (standing.phase, standing.rounds) = (Phase::Ready, standing.rounds + 1));
    }

    /// Ends the language server until it is wanted again; whether there was one.
    pub(super) fn stop(&self) -> bool {
        let running = self.state().server.is_some();
        if running {
            self.evicted.notify_one();
        }
        running
    }

    /// Ends it for good, because its configuration is another now; what says when it has ended.
    pub(super) fn give_up(&self) -> CancellationToken {
        self.gone.cancel();
        self.tell_standing();
        self.ended.clone()
    }

    /// Whether it was given up while its workspace goes on.
    pub(super) fn is_given_up(&self) -> bool {
        self.gone.is_cancelled() && !self.place.shutdown.is_cancelled()
    }

    pub(super) fn ticks(&self) -> watch::Receiver<u64> {
        self.tick.subscribe()
    }

    /// Whether anybody has asked anything of it, so that it is not only started because its language was seen.
    pub(super) fn is_wanted(&self) -> bool {
        self.state().last_used.is_some()
    }

    /// Whether somebody waits for what it will say.
    pub(super) fn is_awaited(&self) -> bool {
        self.state().waiting.iter().any(|cell| cell.strong_count() > 0)
    }

    /// Whether something it was told is not settled yet.
    pub(super) fn is_behind(&self) -> bool {
        let state = self.state();
        state.tick > state.settled || !state.has_baseline
    }

    /// The name of a file in reports.
    pub(super) fn name(&self, path: &Path) -> String {
        relative(&self.place.root, path)
    }

    /// Tells of a file we changed. Never waits; the language server hears of it in order.
    pub(super) fn landed(&self, change: &FileChange) -> Arc<Cell> {
        self.place.disk.changed_by_us(&change.path);
        let name = self.name(&change.path);
        let mut state = self.state();
        let tick = state.next_tick();
        let state = &mut *state;
        let (server, path) = (state.server.as_ref(), change.path.as_path());
        let tell = |event| {
            if let Some(server) = server {
                server.did_change_watched_files(&[(path.to_owned(), event)]);
            }
        };
        match (&change.before, &change.after) {
            (_, None) => {
                state.documents.close(server, path);
                state.baseline.forget(&name);
                tell(FileEvent::Deleted);
            }
            (None, Some(after)) => {
                tell(FileEvent::Created);
                state.documents.open(server, path, self.language(path), after, tick);
                state.documents.change(server, path, after, tick);
            }
            (Some(before), Some(after)) => {
                if state.baseline.has(&name) {
                    // What was last told is what the problems' lines belong to.
                    let told = state.documents.get(path).map_or(before, |document| &document.text);
                    state.baseline.shift(&name, &hunks(told, after));
                }
                state.documents.open(server, path, self.language(path), before, tick);
                state.documents.change(server, path, after, tick);
            }
        }
        if change.before.is_none() && change.after.is_some() {
            self.look_for_source_root(state, path);
        }
        Edited::note(&mut state.edited, name, tick, true);
        let cell = self.cell(state, path);
        self.announce(state);
        cell
    }

    /// Opens a document, or brings it up to what was read just now. Returns whether that told anything.
    pub(super) fn touch(&self, path: &Path, text: &Arc<str>) -> bool {
        let mut state = self.state();
        let state = &mut *state;
        let changed = match state.documents.get(path) {
            Some(document) => document.text != *text,
            None => true,
        };
        if !changed {
            state.last_used = Some(Instant::now());
            return false;
        }
        let tick = state.next_tick();
        let server = state.server.as_ref();
        let name = self.name(path);
        if let Some(document) = state.documents.get(path) {
            state.baseline.shift(&name, &hunks(&document.text, text));
            Edited::note(&mut state.edited, name, tick, false);
        }
        state.documents.open(server, path, self.language(path), text, tick);
        state.documents.change(server, path, text, tick);
        self.announce(state);
        true
    }

    /// Tells of files that others changed on disk.
    pub(super) fn changed_outside(&self, events: &[(PathBuf, FileEvent)]) {
        let open: Vec<PathBuf> = {
            let state = self.state();
            events.iter().map(|(path, _)| path).filter(|path| state.documents.get(path).is_some()).cloned().collect()
        };
        let texts: HashMap<PathBuf, Arc<str>> =
            open.into_iter().filter_map(|path| Some((path.clone(), super::disk::read_text(&path)?))).collect();
        let mut state = self.state();
        let state = &mut *state;
        let tick = state.next_tick();
        let server = state.server.as_ref();
        for (path, event) in events {
            let name = self.name(path);
            match (event, texts.get(path)) {
                (FileEvent::Deleted, _) => state.documents.close(server, path),
                (_, Some(text)) => {
                    if let Some(document) = state.documents.get(path) {
                        state.baseline.shift(&name, &hunks(&document.text, text));
                    }
                    state.documents.change(server, path, text, tick);
                }
                (_, None) => {}
            }
            Edited::note(&mut state.edited, name, tick, false);
        }
        if let Some(server) = server {
            server.did_change_watched_files(events);
        }
        for (path, _) in events.iter().filter(|(_, event)| *event == FileEvent::Created) {
            self.look_for_source_root(state, path);
        }
        self.tick.send_replace(tick);
    }

    /// A new file may begin a new tree of packages, of which the language server must be told.
    fn look_for_source_root(&self, state: &mut State, path: &Path) {
        if !needs_source_roots(&self.spec, &self.root) || self.spec.language_for(path).is_none() {
            return;
        }
        let new = source_root(&self.root, path).filter(|new| !state.source_roots.contains(new));
        state.new_roots.extend(new.map(|new| (path.to_owned(), new)));
    }

    /// Tells the language server of the trees of packages that are new.
    pub(super) async fn teach_source_roots(&self, server: &LanguageServer) {
        let new = std::mem::take(&mut self.state().new_roots);
        for (path, root) in new {
            if !self.state().source_roots.contains(&root) {
                crate::lsp::quirks::add_source_root(server, &self.root.join(&root)).await;
                self.state().source_roots.push(root);
            }
            // What it has said of the file by now, it said without knowing that.
            let mut state = self.state();
            let tick = state.next_tick();
            state.documents.reopen(server, &path, tick);
            state.rebuilt = tick;
            self.tick.send_replace(tick);
        }
    }

    /// A place for what will be said of the present state.
    pub(super) fn expect(&self, path: Option<&Path>) -> Arc<Cell> {
        let mut state = self.state();
        let cell = self.cell(&mut state, path.unwrap_or(&self.root));
        if let Some(last) = state.last.clone().filter(|_| state.settled >= cell.tick) {
            // Nobody else has this cell yet.
            let _ = cell.outcome.set(last);
        }
        self.announce(&mut state);
        cell
    }

    /// Somebody is about to ask it something: if it was stopped, it starts.
    pub(super) fn want(&self) {
        self.state().last_used = Some(Instant::now());
        self.wanted.notify_one();
    }

    /// Wakes whoever waits for it, because it runs now.
    pub(super) fn tell_standing(&self) {
        self.standing.send_modify(|_| ());
    }

    fn cell(&self, state: &mut State, path: &Path) -> Arc<Cell> {
        let cell = Arc::new(Cell {
            tick: state.tick,
            version: state.documents.get(path).map(|document| document.version),
            crashes: self.standing.borrow().crashes,
            outcome: OnceLock::new(),
        });
        state.waiting.retain(|waiting| waiting.strong_count() > 0);
        state.waiting.push(Arc::downgrade(&cell));
        cell
    }

    fn announce(&self, state: &mut State) {
        state.last_used = Some(Instant::now());
        self.tick.send_replace(state.tick);
        self.wanted.notify_one();
    }

    fn language(&self, path: &Path) -> &str {
        self.spec.language_for(path).map_or("plaintext", |language| &language.id)
    }
}
