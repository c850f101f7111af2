//! What the language servers of one workspace have in common: the folder, the disk, and each other.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::disk::Disk;
use super::life::live;
use super::memory::{MemoryBudget, keep_within};
use super::slot::Slot;
use crate::config::{RootChoice, ServerSpec, Servers};
use crate::lsp::FileEvent;

/// Build files that language servers want to hear of, besides their root markers.
const BUILD_FILES: [&str; 4] = ["go.sum", "build.zig.zon", "settings.gradle.kts", ".classpath"];

/// By name and root.
#[derive(Debug, Default)]
struct Slots {
    live: HashMap<(String, PathBuf), Arc<Slot>>,
    /// Those that were given up, and when they have ended: whoever takes their place waits for that.
    retired: HashMap<(String, PathBuf), CancellationToken>,
}

/// The language servers of one workspace.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) root: PathBuf,
    pub(super) installed: Vec<PathBuf>,
    pub(super) cache: PathBuf,
    pub(super) disk: Disk,
    pub(super) budget: MemoryBudget,
    servers: Arc<Mutex<Arc<Servers>>>,
    slots: Mutex<Slots>,
    pub(super) shutdown: CancellationToken,
    pub(super) tasks: TaskTracker,
    runtime: tokio::runtime::Handle,
}

/// Walks and watches the folder, and starts the language servers of what is found in it, in the background.
pub(super) fn begin(place: Arc<Place>) -> Arc<Place> {
    let walker = Arc::clone(&place);
    place.tasks.spawn_blocking_on(
        move || {
            let servers = Arc::clone(&walker.servers);
            walker.disk.begin(Box::new(move |path| current(&servers).iter().any(|spec| concerns(spec, path))));
            walker.start_seen();
        },
        &place.runtime,
    );
    let follower = Arc::clone(&place);
    let follow = async move {
        tokio::select! {
            () = follower.disk.follow(|events| follower.tell(events)) => {}
            () = follower.shutdown.cancelled() => {}
        }
    };
    place.tasks.spawn_on(follow, &place.runtime);
    place.budget.count(&place);
    let (budget, shutdown) = (place.budget.clone(), place.shutdown.clone());
    let keep = async move {
        tokio::select! {
            () = keep_within(budget) => {}
            () = shutdown.cancelled() => {}
        }
    };
    place.tasks.spawn_on(keep, &place.runtime);
    place
}

impl Place {
    pub(super) fn new(
        root: PathBuf,
        servers: Arc<Servers>,
        installed: Vec<PathBuf>,
        cache: PathBuf,
        budget: MemoryBudget,
    ) -> Place {
        Place {
            disk: Disk::new(&root),
            root,
            installed,
            cache,
            budget,
            servers: Arc::new(Mutex::new(servers)),
            slots: Mutex::default(),
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
            runtime: tokio::runtime::Handle::current(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on these language servers are wanted. Those that are others now end, and start again when needed.
    pub(super) fn reconfigure(self: &Arc<Self>, servers: Arc<Servers>) {
        let mut slots = self.lock();
        *self.servers.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&servers);
        let is_other = |slot: &Slot| servers.get(&slot.spec.name) != Some(&slot.spec);
        let others: Vec<_> = slots.live.extract_if(|_, slot| is_other(slot)).collect();
        for (key, slot) in others {
            tracing::info!(language_server = key.0, root = %key.1.display(), "its configuration has changed");
            slots.retired.insert(key, slot.give_up());
        }
        drop(slots);
        let again = Arc::clone(self);
        let walk = async move {
            again.disk.walked().await;
            let walker = Arc::clone(&again);
            let walk = move || {
                walker.disk.walk_again(|events| walker.tell(events));
                walker.start_seen();
            };
            let _ = tokio::task::spawn_blocking(walk).await;
        };
        self.tasks.spawn_on(walk, &self.runtime);
    }

    /// Starts the language servers of what was seen in the folder.
    fn start_seen(self: &Arc<Self>) {
        for sample in self.samples() {
            self.slot_for(&sample);
        }
    }

    /// Every slot there is.
    pub(super) fn slots(&self) -> Vec<Arc<Slot>> {
        let mut slots: Vec<Arc<Slot>> = self.lock().live.values().cloned().collect();
        slots.sort_by(|a, b| (&a.spec.name, &a.root).cmp(&(&b.spec.name, &b.root)));
        slots
    }

    /// The slot responsible for a file, made and begun if there was none; `None` if no language server is.
    pub(super) fn slot_for(self: &Arc<Self>, path: &Path) -> Option<Arc<Slot>> {
        if self.shutdown.is_cancelled() {
            return None;
        }
        let servers = current(&self.servers);
        let spec = servers.for_path(path)?;
        let root = project_root(spec, &self.root, path);
        let key = (spec.name.clone(), root.clone());
        let mut slots = self.lock();
        if !Arc::ptr_eq(&servers, &current(&self.servers)) {
            // They have changed just now, and nobody would end one that begins with the old ones.
            drop(slots);
            return self.slot_for(path);
        }
        if let Some(slot) = slots.live.get(&key) {
            return Some(Arc::clone(slot));
        }
        let slot = Arc::new(Slot::new(spec.clone(), root, Arc::clone(self)));
        let before = slots.retired.remove(&key);
        self.tasks.spawn_on(live(Arc::clone(&slot), before), &self.runtime);
        slots.live.insert(key, Arc::clone(&slot));
        Some(slot)
    }

    /// Whether a language server is responsible for a file like this.
    pub(super) fn serves(&self, path: &Path) -> bool {
        current(&self.servers).for_path(path).is_some()
    }

    /// The files with which languages in the workspace were first seen, one a language server.
    pub(super) fn samples(&self) -> Vec<PathBuf> {
        let nearest = |spec: &ServerSpec| {
            let files = self.disk.files(&self.root, |path| spec.language_for(path).is_some());
            files.into_iter().min_by_key(|path| path.components().count())
        };
        current(&self.servers).iter().filter_map(nearest).collect()
    }

    /// Looks for what others changed, and tells of it.
    pub(super) fn look(&self) {
        self.disk.look(|events| self.tell(events));
    }

    /// Tells every language server of what others changed on disk.
    pub(super) fn tell(&self, events: &[(PathBuf, FileEvent)]) {
        for slot in self.slots() {
            let of_slot =
                |(path, _): &&(PathBuf, FileEvent)| path.starts_with(&slot.root) && concerns(&slot.spec, path);
            let events: Vec<(PathBuf, FileEvent)> = events.iter().filter(of_slot).cloned().collect();
            if !events.is_empty() {
                slot.changed_outside(&events);
            }
        }
    }

    /// Lets go of the slots, which hold this.
    pub(super) fn clear(&self) {
        *self.lock() = Slots::default();
    }
}

fn current(servers: &Mutex<Arc<Servers>>) -> Arc<Servers> {
    Arc::clone(&servers.lock().unwrap_or_else(PoisonError::into_inner))
}

fn concerns(spec: &ServerSpec, path: &Path) -> bool {
    let is = |name: &str| path.file_name().is_some_and(|own| own == name);
    spec.language_for(path).is_some()
        || spec.root_markers.iter().any(|marker| is(marker))
        || BUILD_FILES.iter().any(|name| is(name))
}

/// The folder that a language server responsible for `path` works on: that of the strongest marker there is between the
/// file and the workspace, else the workspace.
fn project_root(spec: &ServerSpec, workspace: &Path, path: &Path) -> PathBuf {
    let folders = || path.ancestors().skip(1).take_while(|folder| folder.starts_with(workspace));
    for marker in &spec.root_markers {
        let mut with_marker = folders().filter(|folder| folder.join(marker).exists());
        let root = match spec.root {
            RootChoice::Nearest => with_marker.next(),
            RootChoice::Outermost => with_marker.last(),
        };
        if let Some(root) = root {
            return root.to_owned();
        }
    }
    workspace.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_marker_chooses_the_root() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let servers = Servers::built_in();
        let at = |name: &str, path: &str| {
            let spec = servers.get(name).expect("built in");
            project_root(spec, root, &root.join(path))
                .strip_prefix(root)
                .expect("inside")
                .to_string_lossy()
                .into_owned()
        };
        std::fs::create_dir_all(root.join("a/b/c")).expect("made");
        assert_eq!(at("gopls", "a/b/c/x.go"), "");
        for path in ["a/b/go.mod", "a/b/c/go.mod", "a/build.zig", "a/b/build.zig"] {
            std::fs::write(root.join(path), "").expect("written");
        }
        assert_eq!(at("gopls", "a/b/c/x.go"), "a/b", "outermost");
        assert_eq!(at("zls", "a/b/c/x.zig"), "a/b", "nearest");
        std::fs::write(root.join("a/go.work"), "").expect("written");
        assert_eq!(at("gopls", "a/b/c/x.go"), "a", "go.work before go.mod");
    }
}
