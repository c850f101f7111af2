//! The owner of what lasts: one workspace's documents, language servers and diagnostics.

mod available;
mod baseline;
mod checker;
mod checker_output;
mod disk;
mod documents;
mod floor;
mod go_scope;
mod held;
mod launch;
pub mod ledger;
mod life;
pub mod locks;
mod memory;
pub mod navigation;
mod outcome;
mod own_file;
pub mod paths;
mod place;
pub mod proposing;
mod registry;
pub mod rewriting;
mod round;
mod settling;
mod slot;
mod snapshot;
mod status;
pub mod symbols;
mod tree;
pub mod verdict;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use disk::read_text;
pub use memory::MemoryBudget;
pub use registry::Registry;
pub use settling::Settling;
pub use status::ServerStatus;

use crate::config::{Servers, Trusted};
use crate::dirs::Dirs;
use floor::Floor;
use locks::FileLocks;
use own_file::OwnFile;
use paths::{AllowRule, Durability, PathRules, Recovery};
use place::Place;
use settling::Awaited;
use snapshot::relative;
use verdict::{DiagnosticsReport, FileChange, Verdict};

/// How a workspace is opened.
#[derive(Debug, Clone)]
pub struct WorkspaceOptions {
    /// The language servers there are.
    pub servers: Arc<Servers>,
    /// Whether any may be started.
    pub language_servers: bool,
    /// Where their programs are looked up after PATH.
    pub server_path: Vec<PathBuf>,
    /// What may be deleted at any time: data directories of language servers, build caches.
    pub cache_dir: PathBuf,
    /// Other true spellings of the root (a symlinked home).
    pub spellings: Vec<PathBuf>,
    /// What may be used outside the workspace.
    pub allow: Vec<AllowRule>,
    /// What the result of a change waits for.
    pub durability: Durability,
    /// Which workspaces' own configuration may name programs.
    pub trusted: Trusted,
    /// What the language servers of all workspaces may use together.
    pub budget: MemoryBudget,
}

impl WorkspaceOptions {
    /// With these language servers, in the user's folders.
    pub fn new(servers: Servers, language_servers: bool, dirs: &Dirs) -> WorkspaceOptions {
        WorkspaceOptions {
            budget: MemoryBudget::new(servers.memory_mb()),
            servers: Arc::new(servers),
            language_servers,
            server_path: vec![dirs.servers()],
            cache_dir: dirs.cache().to_owned(),
            spellings: Vec::new(),
            allow: Vec::new(),
            durability: Durability::default(),
            trusted: Trusted::below(dirs.state()),
        }
    }
}

/// One workspace. A cheap handle.
#[derive(Debug, Clone)]
pub struct Workspace {
    shared: Arc<Shared>,
    /// Not shared: what may be used outside, and how the root is spelled, differ between those who use it.
    paths: Arc<PathRules>,
}

#[derive(Debug)]
struct Shared {
    root: PathBuf,
    locks: FileLocks,
    /// `None` when no language server may be started.
    place: Option<Arc<Place>>,
    floor: Arc<Floor>,
    own_file: OwnFile,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            place.shutdown.cancel();
        }
    }
}

impl Workspace {
    /// Opens the workspace at `root`, which must be absolute with symlinks resolved. Returns at once; must be called
    /// within a tokio runtime.
    pub fn open(root: PathBuf, options: WorkspaceOptions) -> Workspace {
        let paths = PathRules {
            root: root.clone(),
            spellings: options.spellings.clone(),
            recovery: Recovery::default(),
            allow: options.allow.clone(),
            durability: options.durability,
        };
        let swept = root.clone();
        tokio::task::spawn_blocking(move || paths::contained::sweep(&swept));
        let own_file = OwnFile::read(root.clone(), options.servers, options.trusted);
        let place = options.language_servers.then(|| {
            let place =
                Place::new(root.clone(), own_file.servers(), options.server_path, options.cache_dir, options.budget);
            place::begin(Arc::new(place))
        });
        Workspace {
            shared: Arc::new(Shared { root, locks: FileLocks::default(), place, floor: Arc::default(), own_file }),
            paths: Arc::new(paths),
        }
    }

    /// Its root, absolute, symlinks resolved.
    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// What is wrong with its own `.landfall.toml`, if anything; it is left out then.
    pub fn misconfigured(&self) -> Option<String> {
        self.shared.own_file.wrong()
    }

    /// Lets a change of its own `.landfall.toml` count from now on.
    pub(super) fn look_at_own_file(&self) {
        if let (Some(servers), Some(place)) = (self.shared.own_file.look(), &self.shared.place) {
            place.reconfigure(servers);
        }
    }

    /// How paths are resolved in it.
    pub fn paths(&self) -> &PathRules {
        &self.paths
    }

    /// The same workspace for somebody who may use more outside of it.
    pub fn allowing(mut self, rules: &[AllowRule]) -> Workspace {
        if !rules.is_empty() {
            Arc::make_mut(&mut self.paths).allow.extend_from_slice(rules);
        }
        self
    }

    /// The same workspace for somebody who spells its root `typed`.
    pub(super) fn spelled(mut self, typed: PathBuf) -> Workspace {
        if typed != self.shared.root && !self.paths.spellings.contains(&typed) {
            Arc::make_mut(&mut self.paths).spellings.push(typed);
        }
        self
    }

    /// Its file locks.
    pub fn locks(&self) -> &FileLocks {
        &self.shared.locks
    }

    /// Tells of a file that was read, so that its state before a first edit is known. Never blocks.
    pub fn touch(&self, path: &Path, text: &Arc<str>) {
        self.shared.floor.prepare(path, text);
        if let Some(slot) = self.shared.place.as_ref().and_then(|place| place.slot_for(path)) {
            slot.touch(path, text);
        }
    }

    /// Tells that somebody else is about to change the file at `path` and that [`Workspace::landed`] will be told of it:
    /// until then its changes on disk are not taken for changes from outside. Forgotten after two minutes.
    pub fn announce(&self, path: &Path) {
        if let Some(place) = &self.shared.place {
            place.look();
            place.disk.announced(path);
        }
    }

    /// Like [`Workspace::announce`], of files that a landing is about to change; those that nobody had announced. Never
    /// blocks.
    pub(crate) fn begin_change<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
        let Some(place) = &self.shared.place else { return Vec::new() };
        // Of other files [`Workspace::landed`] tells no language server.
        let served = paths.filter(|path| place.serves(path));
        served.filter(|path| place.disk.announced(path)).map(Path::to_owned).collect()
    }

    /// They were not changed after all.
    pub(crate) fn withdraw(&self, paths: &[PathBuf]) {
        let Some(place) = &self.shared.place else { return };
        let untold = paths.iter().filter_map(|path| Some((path.clone(), place.disk.withdrawn(path)?)));
        place.tell(&untold.collect::<Vec<_>>());
    }

    /// Tells of files that have just been changed on disk, under their locks. Never blocks.
    #[tracing::instrument(level = "debug", name = "sync", skip_all)]
    pub fn landed(&self, changes: Vec<FileChange>) -> Settling {
        let awaited = |change: FileChange| {
            let slot = self.shared.place.as_ref().and_then(|place| place.slot_for(&change.path));
            let from = slot.map(|slot| {
                let cell = slot.landed(&change);
                (slot, cell)
            });
            Awaited { file: relative(&self.shared.root, &change.path), change, from }
        };
        Settling::new(changes.into_iter().map(awaited).collect(), Arc::clone(&self.shared.floor))
    }

    /// What is wrong now in the file at `path`, or in the whole workspace (one report a language server).
    ///
    /// Waits at most `budget` for evidence; without one, as long as the language server's own.
    pub async fn diagnostics(&self, path: Option<&Path>, budget: Option<Duration>) -> Vec<DiagnosticsReport> {
        let Some(place) = &self.shared.place else {
            return path.map(|_| DiagnosticsReport::unsettled(Verdict::NoLanguageServer)).into_iter().collect();
        };
        let slots = match path {
            Some(path) => place.slot_for(path).into_iter().collect(),
            None => {
                // In the first second nobody has asked for any yet.
                place.disk.walked().await;
                for sample in place.samples() {
                    place.slot_for(&sample);
                }
                place.slots()
            }
        };
        if path.is_some() && slots.is_empty() {
            return vec![DiagnosticsReport::unsettled(Verdict::NoLanguageServer)];
        }
        // Every file that is touched here is told before any of them is waited for.
        let file = path.map(|path| relative(&self.shared.root, path));
        let all = slots.iter().map(|slot| async {
            if let (Some(path), Some(text)) = (path, path.and_then(disk::read_text)) {
                slot.touch(path, &text);
            }
            place.look();
            settling::now(slot, path, file.as_deref(), budget).await
        });
        futures::future::join_all(all).await
    }

    /// What is being waited for, in words; `None` when every language server has settled.
    pub fn awaited(&self) -> Option<String> {
        let slots = self.shared.place.as_ref().map(|place| place.slots()).unwrap_or_default();
        slots.iter().find(|slot| slot.is_behind()).map(|slot| slot.awaited())
    }

    /// The language servers that were wanted so far.
    pub fn servers(&self) -> Vec<ServerStatus> {
        let slots = self.shared.place.as_ref().map(|place| place.slots()).unwrap_or_default();
        slots.iter().map(|slot| ServerStatus::of(slot)).collect()
    }

    /// Ends its language servers, or those of that name, until they are wanted again; how many there were.
    pub fn stop_servers(&self, name: Option<&str>) -> usize {
        let slots = self.shared.place.as_ref().map(|place| place.slots()).unwrap_or_default();
        let meant = slots.iter().filter(|slot| name.is_none_or(|name| slot.spec.name == name));
        meant.filter(|slot| slot.stop()).count()
    }

    /// Whether this is the only handle, and no language server runs.
    fn is_unused(&self) -> bool {
        let slots = self.shared.place.as_ref().map(|place| place.slots()).unwrap_or_default();
        Arc::strong_count(&self.shared) == 1 && slots.iter().all(|slot| slot.state().server.is_none())
    }

    /// Ends every language server; none is left behind.
    pub async fn shutdown(&self) {
        if let Some(place) = &self.shared.place {
            place.shutdown.cancel();
            place.tasks.close();
            place.tasks.wait().await;
            place.clear();
        }
    }
}
