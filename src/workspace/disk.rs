//! The world outside: what others change on disk, noticed by a watcher and by looking.
//!
//! Invariant: whoever finds a change tells every language server of it before anybody else looks; so after a look all
//! earlier changes have been told.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher};
use tokio::sync::{Notify, watch};

use super::held::Held;
use super::tree::{Found, Stamp, Tree, Wanted};
use crate::lsp::FileEvent;

/// Up to this many files and folders are looked at before each round; larger trees rely on the watcher.
const LOOKED_AT: usize = 3_000;
/// More single changes than these are one look at everything (a branch switch).
const STORM: usize = 500;
/// How long changes are gathered before they are told.
const GATHERING: Duration = Duration::from_millis(15);
/// Larger files are not sent to language servers. Bytes.
const LARGEST_TEXT: u64 = 16 << 20;

/// The source files of a workspace, and what watches them.
#[derive(Debug)]
pub(super) struct Disk {
    root: PathBuf,
    seen: Mutex<Seen>,
    /// Changes of our own that have not been taken for seen yet.
    own: Mutex<Vec<(PathBuf, Option<Stamp>)>>,
    held: Mutex<Held>,
    noticed: Arc<Noticed>,
    walked: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Seen {
    tree: Option<Tree>,
    watcher: Option<notify::RecommendedWatcher>,
}

/// What the watcher has noticed and nobody has looked at.
#[derive(Debug, Default)]
struct Noticed {
    paths: Mutex<BTreeSet<PathBuf>>,
    /// The watcher lost count.
    everything: Mutex<bool>,
    news: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Disk {
    pub(super) fn new(root: &Path) -> Disk {
        Disk {
            root: root.to_owned(),
            seen: Mutex::default(),
            own: Mutex::default(),
            held: Mutex::default(),
            noticed: Arc::default(),
            walked: watch::Sender::new(false),
        }
    }

    /// Walks the tree and begins to watch it. Blocks for as long as that takes.
    pub(super) fn begin(&self, wanted: Wanted) {
        let mut watcher = self.watcher();
        // Watched first, so that nothing happens between the walk and the watch.
        let mut tree = Tree::walk(&self.root, wanted);
        let folders: Vec<PathBuf> = tree.folders().map(Path::to_owned).collect();
        let complete = folders.iter().all(|folder| watch_folder(watcher.as_mut(), folder));
        if !complete {
            watcher = None;
        }
        drop(tree.look());
        let mut seen = lock(&self.seen);
        (seen.tree, seen.watcher) = (Some(tree), watcher);
        drop(seen);
        self.walked.send_replace(true);
    }

    fn watcher(&self) -> Option<notify::RecommendedWatcher> {
        let noticed = Arc::clone(&self.noticed);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| noticed.note(event));
        watcher.inspect_err(|error| tracing::warn!(%error, "changes on disk are not watched, only looked for")).ok()
    }

    /// Waits until the tree has been walked.
    pub(super) async fn walked(&self) {
        // The sender lives as long as this.
        let _ = self.walked.subscribe().wait_for(|walked| *walked).await;
    }

    /// Somebody has announced that it will change `path` and tell of it; whether it is the first.
    pub(super) fn announced(&self, path: &Path) -> bool {
        lock(&self.held).announce(path, Instant::now())
    }

    /// It will not, after all: what happened to `path` meanwhile and was not told.
    pub(super) fn withdrawn(&self, path: &Path) -> Option<FileEvent> {
        lock(&self.held).withdraw(path)
    }

    /// We changed `path` ourselves, just now, or whoever announced it did.
    pub(super) fn changed_by_us(&self, path: &Path) {
        lock(&self.own).push((path.to_owned(), Stamp::now(path)));
        // After that, so that whoever is looking finds it in one of them.
        lock(&self.held).release(path);
    }

    /// The files under `root` that fit.
    pub(super) fn files(&self, root: &Path, fits: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let mut seen = lock(&self.seen);
        self.take_own(&mut seen);
        let Some(tree) = &seen.tree else { return Vec::new() };
        tree.files(root, fits).map(Path::to_owned).collect()
    }

    /// Looks for what others changed, where that is quick or nothing watches, and hands it to `tell`.
    pub(super) fn look(&self, tell: impl FnOnce(&[(PathBuf, FileEvent)])) {
        let mut seen = lock(&self.seen);
        let watched = seen.watcher.is_some();
        if seen.tree.as_ref().is_some_and(|tree| watched && tree.size() > LOOKED_AT) {
            self.look_at_noticed(&mut seen, tell);
        } else {
            self.look_with(&mut seen, Tree::look, tell);
        }
    }

    /// Walks the tree once more, because other files matter now; what others changed until then is handed to `tell`.
    /// Blocks for as long as that takes.
    pub(super) fn walk_again(&self, tell: impl FnOnce(&[(PathBuf, FileEvent)])) {
        let mut seen = lock(&self.seen);
        self.look_with(&mut seen, Tree::look, tell);
        let Seen { tree: Some(tree), watcher } = &mut *seen else { return };
        let new = tree.walk_again();
        if watcher.is_some() && !new.iter().all(|folder| watch_folder(watcher.as_mut(), folder)) {
            *watcher = None;
        }
    }

    /// Tells of what the watcher notices, for ever.
    pub(super) async fn follow(&self, tell: impl Fn(&[(PathBuf, FileEvent)])) {
        self.walked().await;
        loop {
            self.noticed.news.notified().await;
            tokio::time::sleep(GATHERING).await;
            self.look_at_noticed(&mut lock(&self.seen), &tell);
        }
    }

    fn look_at_noticed(&self, seen: &mut Seen, tell: impl FnOnce(&[(PathBuf, FileEvent)])) {
        let paths = std::mem::take(&mut *lock(&self.noticed.paths));
        let everything = std::mem::take(&mut *lock(&self.noticed.everything));
        if everything || paths.len() > STORM {
            self.look_with(seen, Tree::look, tell);
        } else if !paths.is_empty() {
            self.look_with(seen, |tree| tree.look_at(&paths), tell);
        }
    }

    fn look_with(
        &self,
        seen: &mut Seen,
        look: impl FnOnce(&mut Tree) -> Found,
        tell: impl FnOnce(&[(PathBuf, FileEvent)]),
    ) {
        self.take_own(seen);
        let Seen { tree: Some(tree), watcher } = seen else { return };
        let mut found = look(tree);
        // What appears in a new folder before it is watched is found by looking once more.
        let mut unwatched = std::mem::take(&mut found.folders);
        while !unwatched.is_empty() && watcher.is_some() {
            if !unwatched.iter().all(|folder| watch_folder(watcher.as_mut(), folder)) {
                *watcher = None;
            }
            let more = tree.look_at(&unwatched.drain(..).collect());
            found.events.extend(more.events);
            unwatched = more.folders;
        }
        lock(&self.held).sift(&mut found.events, Instant::now());
        let own = lock(&self.own);
        found.events.retain(|(path, _)| !own.iter().any(|(ours, stamp)| ours == path && tree.stamp(path) == *stamp));
        drop(own);
        if !found.events.is_empty() {
            tell(&found.events);
        }
    }

    fn take_own(&self, seen: &mut Seen) {
        if let Some(tree) = &mut seen.tree {
            for (path, stamp) in lock(&self.own).drain(..) {
                tree.seen(&path, stamp);
            }
        }
    }
}

fn watch_folder(watcher: Option<&mut notify::RecommendedWatcher>, folder: &Path) -> bool {
    let Some(watcher) = watcher else { return false };
    match watcher.watch(folder, RecursiveMode::NonRecursive) {
        Ok(()) => true,
        // It may be gone already.
        Err(_) if !folder.exists() => true,
        Err(error) => {
            tracing::warn!(%error, folder = %folder.display(), "changes on disk are not watched, only looked for");
            false
        }
    }
}

impl Noticed {
    fn note(&self, event: notify::Result<notify::Event>) {
        match event {
            Ok(event) if event.kind.is_access() => return,
            Ok(event) if !event.need_rescan() => lock(&self.paths).extend(event.paths),
            Ok(_) | Err(_) => *lock(&self.everything) = true,
        }
        self.news.notify_one();
    }
}

/// A file's text as it is on disk; `None` when it is gone, too large or no text.
pub fn read_text(path: &Path) -> Option<Arc<str>> {
    if std::fs::metadata(path).ok()?.len() > LARGEST_TEXT {
        return None;
    }
    crate::text::decode(std::fs::read(path).ok()?).ok().map(|decoded| decoded.text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn what_others_write_is_told_and_what_we_write_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        std::fs::write(root.join("a.go"), "1").expect("written");
        let disk = Arc::new(Disk::new(&root));
        disk.begin(Box::new(|path| path.extension().is_some_and(|extension| extension == "go")));
        let told: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
        let follower = {
            let (disk, told) = (Arc::clone(&disk), Arc::clone(&told));
            let tell =
                move |events: &[(PathBuf, FileEvent)]| lock(&told).extend(events.iter().map(|(path, _)| path.clone()));
            tokio::spawn(async move { disk.follow(tell).await })
        };
        std::fs::write(root.join("a.go"), "22").expect("written");
        disk.changed_by_us(&root.join("a.go"));
        std::fs::create_dir_all(root.join("new/deep")).expect("made");
        std::fs::write(root.join("new/deep/b.go"), "1").expect("written");
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while lock(&told).is_empty() {
            assert!(std::time::Instant::now() < deadline, "nothing was noticed");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(*lock(&told), [root.join("new/deep/b.go")]);
        follower.abort();
    }

    #[test]
    fn what_we_write_while_somebody_looks_is_no_news() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        let (ours, others) = (root.join("a.go"), root.join("b.go"));
        let write = |path: &Path, text: &str| std::fs::write(path, text).expect("written");
        [&ours, &others].into_iter().for_each(|path| write(path, "1"));
        let disk = Disk::new(&root);
        disk.begin(Box::new(|path| path.extension().is_some_and(|extension| extension == "go")));
        // Each step: what happens after the look has begun, and what is told.
        let told = |during: &dyn Fn()| {
            let mut told = Vec::new();
            let look = |tree: &mut Tree| {
                during();
                tree.look()
            };
            let tell = |events: &[(PathBuf, FileEvent)]| told.extend(events.iter().map(|(path, _)| path.clone()));
            disk.look_with(&mut lock(&disk.seen), look, tell);
            told
        };
        assert!(disk.announced(&ours));
        assert_eq!(
            told(&|| [&ours, &others].into_iter().for_each(|path| write(path, "22"))),
            std::slice::from_ref(&others)
        );
        disk.changed_by_us(&ours);
        assert_eq!(told(&|| ()), Vec::<PathBuf>::new());
        let land = || {
            write(&ours, "333");
            disk.changed_by_us(&ours);
        };
        assert_eq!(told(&land), Vec::<PathBuf>::new(), "between the write and the look");
        assert_eq!(told(&|| write(&ours, "4444")), std::slice::from_ref(&ours), "later changes are news");
        assert!(disk.announced(&ours));
        assert_eq!(told(&|| write(&ours, "55555")), Vec::<PathBuf>::new());
        assert_eq!(disk.withdrawn(&ours), Some(FileEvent::Changed));
    }
}
