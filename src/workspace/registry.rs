//! The workspaces that are open, by root.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;

use super::{Workspace, WorkspaceOptions};

/// The open workspaces. A cheap handle.
#[derive(Debug, Clone)]
pub struct Registry {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: WorkspaceOptions,
    open: DashMap<PathBuf, Workspace>,
}

impl Registry {
    /// A registry whose workspaces are opened with `options`.
    pub fn new(options: WorkspaceOptions) -> Registry {
        Registry { shared: Arc::new(Shared { options, open: DashMap::new() }) }
    }

    /// The workspace at `root`, opened if it was not.
    ///
    /// # Errors
    /// When `root` is not an existing directory.
    pub fn open(&self, root: &Path) -> io::Result<Workspace> {
        let typed = std::path::absolute(root)?;
        let real = typed.canonicalize()?;
        if !real.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a directory"));
        }
        if let Some(open) = self.shared.open.get(&real) {
            return Ok(open.clone());
        }
        let mut options = self.shared.options.clone();
        if typed != real {
            options.spellings.push(typed);
        }
        let entry = self.shared.open.entry(real.clone()).or_insert_with(|| Workspace::open(real, options));
        Ok(entry.clone())
    }

    /// The open workspace that `path` lies in, the innermost if several; `None` for a relative path.
    pub fn containing(&self, path: &Path) -> Option<Workspace> {
        let holds = |root: &Path| path.starts_with(root);
        let open = self.shared.open.iter().filter(|entry| holds(entry.key()));
        open.max_by_key(|entry| entry.key().as_os_str().len()).map(|entry| entry.value().clone())
    }

    /// Ends every language server of every workspace.
    pub async fn shutdown(&self) {
        let open: Vec<Workspace> = self.shared.open.iter().map(|entry| entry.value().clone()).collect();
        futures::future::join_all(open.iter().map(Workspace::shutdown)).await;
    }
}
