//! The owner of what lasts: one workspace's documents, language servers and diagnostics.

mod floor;
pub mod locks;
pub mod paths;
mod registry;
mod settling;
pub mod verdict;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use registry::Registry;
pub use settling::Settling;

use crate::config::Servers;
use crate::dirs::Dirs;
use locks::FileLocks;
use paths::{PathRules, Recovery};
use verdict::{DiagnosticsReport, FileChange};

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
}

impl WorkspaceOptions {
    /// With these language servers, in the user's folders.
    pub fn new(servers: Servers, language_servers: bool, dirs: &Dirs) -> WorkspaceOptions {
        WorkspaceOptions {
            servers: Arc::new(servers),
            language_servers,
            server_path: vec![dirs.servers()],
            cache_dir: dirs.cache().to_owned(),
            spellings: Vec::new(),
        }
    }
}

/// One workspace. A cheap handle.
#[derive(Debug, Clone)]
pub struct Workspace {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root: PathBuf,
    paths: PathRules,
    locks: FileLocks,
}

impl Workspace {
    /// Opens the workspace at `root`, which must be absolute with symlinks resolved. Returns at once; must be called
    /// within a tokio runtime.
    pub fn open(root: PathBuf, options: WorkspaceOptions) -> Workspace {
        let paths = PathRules {
            root: root.clone(),
            spellings: options.spellings.clone(),
            recovery: Recovery::default(),
            allow: Vec::new(),
        };
        Workspace { shared: Arc::new(Shared { root, paths, locks: FileLocks::default() }) }
    }

    /// Its root, absolute, symlinks resolved.
    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// How paths are resolved in it.
    pub fn paths(&self) -> &PathRules {
        &self.shared.paths
    }

    /// Its file locks.
    pub fn locks(&self) -> &FileLocks {
        &self.shared.locks
    }

    /// Tells of a file that was read, so that its state before a first edit is known. Never blocks.
    pub fn touch(&self, _path: &Path, _text: &Arc<str>) {}

    /// Tells of files that have just been changed on disk, under their locks. Never blocks.
    pub fn landed(&self, changes: Vec<FileChange>) -> Settling {
        Settling::new(changes.into_iter().map(|change| (self.relative(&change.path), change)).collect())
    }

    /// What is wrong now in the file at `path`, or in the whole workspace (one report a language server).
    pub async fn diagnostics(&self, _path: Option<&Path>, _budget: Option<Duration>) -> Vec<DiagnosticsReport> {
        Vec::new()
    }

    /// Ends every language server; none is left behind.
    pub async fn shutdown(&self) {}

    fn relative(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.shared.root).unwrap_or(path);
        relative.to_string_lossy().replace('\\', "/")
    }
}
