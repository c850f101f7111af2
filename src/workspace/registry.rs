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

    /// The workspace at `root`, opened if it was not; its own configuration as it is now.
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
            open.look_at_own_file();
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

    /// Closes the workspace at `root` (real) if nobody holds it and none of its language servers runs; whether it did.
    pub async fn close_unused(&self, root: &Path) -> bool {
        // Looked at and taken out in one step, so that whoever opens it now gets either this one, open, or a new one.
        let closed = self.shared.open.remove_if(root, |_, workspace| workspace.is_unused());
        match closed {
            Some((_, workspace)) => workspace.shutdown().await,
            None => return false,
        }
        true
    }

    /// Ends every language server of every workspace.
    pub async fn shutdown(&self) {
        futures::future::join_all(self.workspaces().iter().map(Workspace::shutdown)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;
    use crate::dirs::Dirs;

    #[tokio::test]
    async fn a_workspace_is_closed_only_when_nobody_holds_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let dirs = Dirs::from(|_| Some(folder.path().into())).expect("folders");
        let registry = Registry::new(WorkspaceOptions::new(Servers::built_in(), true, &dirs));
        let held = registry.open(folder.path()).expect("opens");
        let root = held.root().to_owned();
        assert!(!registry.close_unused(&root).await && registry.workspaces().len() == 1);
        drop(held);
        assert!(registry.close_unused(&root).await && registry.workspaces().is_empty());
        assert!(!registry.close_unused(&root).await, "there is none any more");
        assert!(registry.open(folder.path()).is_ok());
    }
}
