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
            return Ok(open.clone().spelled(typed));
        }
        let options = self.shared.options.clone();
        let entry = self.shared.open.entry(real.clone()).or_insert_with(|| Workspace::open(real, options));
        Ok(entry.clone().spelled(typed))
    }

    /// The open workspaces, in no order.
    pub fn workspaces(&self) -> Vec<Workspace> {
        self.shared.open.iter().map(|entry| entry.value().clone()).collect()
    }

    /// Ends every language server of every workspace.
    pub async fn shutdown(&self) {
        futures::future::join_all(self.workspaces().iter().map(Workspace::shutdown)).await;
    }
}
