//! The source files of a workspace as they were last seen on disk, and what has changed since.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::lsp::FileEvent;

/// More folders than these are not followed.
const MOST_FOLDERS: usize = 50_000;

/// What a file or folder looked like: enough to notice that it was written or exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: i128,
    size: u64,
    inode: u64,
}

impl Stamp {
    /// Of the file at `path` now; `None` if there is none.
    pub(super) fn now(path: &Path) -> Option<Stamp> {
        std::fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|metadata| Stamp::of(&metadata))
    }

    /// Of a file of which that is known.
    pub(super) fn of(metadata: &Metadata) -> Stamp {
        use std::os::unix::fs::MetadataExt;
        let modified = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        Stamp { modified, size: metadata.size(), inode: metadata.ino() }
    }
}

/// Which files matter.
pub(super) type Wanted = Box<dyn Fn(&Path) -> bool + Send + Sync>;

/// The files, by folder. Gitignored and hidden folders are left out.
pub(super) struct Tree {
    root: PathBuf,
    wanted: Wanted,
    files: BTreeMap<PathBuf, Stamp>,
    folders: HashMap<PathBuf, Stamp>,
}

/// What a look at the disk brought up.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files that were created, changed or deleted.
    pub(super) events: Vec<(PathBuf, FileEvent)>,
    /// Folders that were not known before.
    pub(super) folders: Vec<PathBuf>,
}

impl Tree {
    /// Walks `root`. Blocks for as long as that takes.
    pub(super) fn walk(root: &Path, wanted: Wanted) -> Tree {
        let mut tree = Tree { root: root.to_owned(), wanted, files: BTreeMap::new(), folders: HashMap::new() };
        tree.enter(root, &mut Found::default());
        tree
    }

    /// The files under `root` that fit, in order.
    pub(super) fn files<'a>(
        &'a self,
        root: &'a Path,
        fits: impl Fn(&Path) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Path> {
        let below = self.files.range(root.to_owned()..).map(|(path, _)| path.as_path());
        below.take_while(move |path| path.starts_with(root)).filter(move |path| fits(path))
    }

    /// What a file was when it was last looked at; `None` for one that is not known.
    pub(super) fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.files.get(path).copied()
    }

    /// Every folder that is followed.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.keys().map(PathBuf::as_path)
    }

    /// How many files and folders a full look has to ask for.
    pub(super) fn size(&self) -> usize {
        self.files.len() + self.folders.len()
    }

    /// Takes a file for seen as it was in `sight`: we changed it ourselves.
    pub(super) fn seen(&mut self, path: &Path, sight: Option<Stamp>) {
        if !(self.wanted)(path) {
            return;
        }
        match sight {
            Some(stamp) => {
                self.files.insert(path.to_owned(), stamp);
                self.enter_parents(path);
            }
            None => {
                self.files.remove(path);
            }
        }
    }

    /// A folder we made ourselves must be followed, and its own change needs no second look.
    fn enter_parents(&mut self, path: &Path) {
        let parents = path.ancestors().skip(1).take_while(|parent| parent.starts_with(&self.root));
        let unknown: Vec<PathBuf> =
            parents.take_while(|parent| !self.folders.contains_key(*parent)).map(Path::to_owned).collect();
        for folder in unknown {
            if let Ok(metadata) = std::fs::symlink_metadata(&folder) {
                self.folders.insert(folder, Stamp::of(&metadata));
            }
        }
    }

    /// Walks the tree once more, because other files matter now; the folders that were not known before. Blocks for as
    /// long as that takes.
    pub(super) fn walk_again(&mut self) -> Vec<PathBuf> {
        let known = std::mem::take(&mut self.folders);
        self.files.clear();
        let root = self.root.clone();
        self.enter(&root, &mut Found::default());
        self.folders.keys().filter(|folder| !known.contains_key(*folder)).cloned().collect()
    }

    /// Looks at everything.
    pub(super) fn look(&mut self) -> Found {
        let folders: Vec<PathBuf> = self.folders.keys().cloned().collect();
        let mut found = Found::default();
        for folder in folders {
            self.look_at_folder(&folder, false, &mut found);
        }
        let files: Vec<PathBuf> = self.files.keys().cloned().collect();
        for file in files {
            self.look_at_file(&file, &mut found);
        }
        found
    }

    /// Looks at what `paths` name: files, or folders with what is directly in them.
    pub(super) fn look_at(&mut self, paths: &BTreeSet<PathBuf>) -> Found {
        let mut found = Found::default();
        for path in paths {
            if self.folders.contains_key(path) {
                self.look_at_folder(path, true, &mut found);
            } else if self.files.contains_key(path) || self.folders.contains_key(path.parent().unwrap_or(path)) {
                match std::fs::symlink_metadata(path) {
                    Ok(metadata) if metadata.is_dir() => self.enter_if_followed(path, &mut found),
                    _ => self.look_at_file(path, &mut found),
                }
            }
        }
        found
    }

    fn look_at_file(&mut self, path: &Path, found: &mut Found) {
        if !(self.wanted)(path) {
            return;
        }
        let now = Stamp::now(path);
        let event = match (self.files.get(path), now) {
            (None, None) => return,
            (Some(before), Some(now)) if *before == now => return,
            (None, Some(_)) => FileEvent::Created,
            (Some(_), Some(_)) => FileEvent::Changed,
            (Some(_), None) => FileEvent::Deleted,
        };
        match now {
            Some(stamp) => self.files.insert(path.to_owned(), stamp),
            None => self.files.remove(path),
        };
        found.events.push((path.to_owned(), event));
    }

    /// A folder's own time changes when something in it is made, renamed or deleted; `always` looks all the same.
    fn look_at_folder(&mut self, folder: &Path, always: bool, found: &mut Found) {
        let Ok(metadata) = std::fs::symlink_metadata(folder) else {
            self.leave(folder, found);
            return;
        };
        let stamp = Stamp::of(&metadata);
        if self.folders.insert(folder.to_owned(), stamp) == Some(stamp) && !always {
            return;
        }
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut present = BTreeSet::new();
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if !self.folders.contains_key(&path) {
                        self.enter_if_followed(&path, found);
                    }
                }
                Ok(_) => {
                    self.look_at_file(&path, found);
                    present.insert(path);
                }
                Err(_) => {}
            }
        }
        let vanished = |path: &&Path| path.parent() == Some(folder) && !present.contains(*path);
        let vanished: Vec<PathBuf> = self.files(folder, |_| true).filter(vanished).map(Path::to_owned).collect();
        for path in vanished {
            self.look_at_file(&path, found);
        }
    }

    fn leave(&mut self, folder: &Path, found: &mut Found) {
        self.folders.retain(|path, _| !path.starts_with(folder));
        let gone: Vec<PathBuf> = self.files(folder, |_| true).map(Path::to_owned).collect();
        for path in gone {
            self.files.remove(&path);
            found.events.push((path, FileEvent::Deleted));
        }
    }

    fn enter_if_followed(&mut self, folder: &Path, found: &mut Found) {
        // The walk applies the ignore rules to what it finds, not to where it begins: so it begins one above.
        let Some(parent) = folder.parent() else { return };
        let own = folder.to_owned();
        let mut walk = walker(parent);
        walk.max_depth(Some(1)).filter_entry(move |entry| entry.depth() == 0 || entry.path() == own);
        if walk.build().flatten().any(|entry| entry.path() == folder) {
            self.enter(folder, found);
        }
    }

    fn enter(&mut self, folder: &Path, found: &mut Found) {
        for entry in walker(folder).build().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                if self.folders.len() < MOST_FOLDERS
                    && self.folders.insert(entry.path().to_owned(), Stamp::of(&metadata)).is_none()
                {
                    found.folders.push(entry.path().to_owned());
                }
            } else if metadata.is_file() && (self.wanted)(entry.path()) {
                let before = self.files.insert(entry.path().to_owned(), Stamp::of(&metadata));
                let event = if before.is_some() { FileEvent::Changed } else { FileEvent::Created };
                found.events.push((entry.path().to_owned(), event));
            }
        }
    }
}

fn walker(folder: &Path) -> ignore::WalkBuilder {
    let mut walk = ignore::WalkBuilder::new(folder);
    walk.require_git(false).follow_links(false).git_global(false);
    walk
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tree").field("root", &self.root).field("size", &self.size()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "go")
    }

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn events(root: &Path, found: Found) -> Vec<(String, FileEvent)> {
        let mut events: Vec<_> = found
            .events
            .into_iter()
            .map(|(path, event)| (path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), event))
            .collect();
        events.sort_by(|a, b| a.0.cmp(&b.0));
        events
    }

    #[test]
    fn a_look_finds_what_others_did() {
        use FileEvent::{Changed, Created, Deleted};
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (path, text) in [
            (".gitignore", "out/\n"),
            ("a.go", "1"),
            ("b/b.go", "1"),
            ("b/c.go", "1"),
            ("out/x.go", "1"),
            ("n.txt", ""),
        ] {
            put(&root, path, text);
        }
        let mut tree = Tree::walk(&root, Box::new(go));
        let names: Vec<_> =
            tree.files(&root, |_| true).map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect();
        assert_eq!(names, [Path::new("a.go"), Path::new("b/b.go"), Path::new("b/c.go")]);
        assert!(events(&root, tree.look()).is_empty());
        put(&root, "b/b.go", "22");
        put(&root, "d/e/f.go", "1");
        put(&root, "out/y/z.go", "1");
        std::fs::remove_file(root.join("b/c.go")).unwrap();
        let found = tree.look();
        assert_eq!(found.folders.len(), 2, "{:?}", found.folders);
        let expected =
            [("b/b.go".to_owned(), Changed), ("b/c.go".to_owned(), Deleted), ("d/e/f.go".to_owned(), Created)];
        assert_eq!(events(&root, found), expected);
        std::fs::remove_dir_all(root.join("d")).unwrap();
        assert_eq!(events(&root, tree.look()), [("d/e/f.go".to_owned(), Deleted)]);
    }

    #[test]
    fn what_we_did_ourselves_is_no_news() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        put(&root, "a.go", "1");
        let mut tree = Tree::walk(&root, Box::new(go));
        put(&root, "a.go", "22");
        put(&root, "n/b.go", "1");
        for path in ["a.go", "n/b.go"] {
            tree.seen(&root.join(path), Stamp::now(&root.join(path)));
        }
        assert!(events(&root, tree.look()).is_empty());
        put(&root, "n/c.go", "1");
        let paths = BTreeSet::from([root.join("n/c.go"), root.join("a.go")]);
        assert_eq!(events(&root, tree.look_at(&paths)), [("n/c.go".to_owned(), FileEvent::Created)]);
    }
}
