//! One lock a file, made when first asked for and gone with its last holder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The file locks of a workspace, keyed by the real file, so that two spellings share one lock.
#[derive(Debug, Default, Clone)]
pub struct FileLocks {
    locks: Arc<DashMap<PathBuf, Arc<Mutex<()>>>>,
}

/// A held file lock; dropping it lets the next one in.
#[derive(Debug)]
pub struct FileLock {
    guard: Option<OwnedMutexGuard<()>>,
    path: PathBuf,
    locks: Arc<DashMap<PathBuf, Arc<Mutex<()>>>>,
}

impl FileLocks {
    /// Waits for the lock of `path`, which must be absolute with symlinks resolved. Fair: first come, first served.
    pub async fn lock(&self, path: &Path) -> FileLock {
        let lock = Arc::clone(&self.locks.entry(path.to_owned()).or_default());
        let guard = lock.lock_owned().await;
        FileLock { guard: Some(guard), path: path.to_owned(), locks: Arc::clone(&self.locks) }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        drop(self.guard.take());
        // Whoever holds or waits for the lock has a clone of it; under the map's shard lock none can be taken meanwhile.
        self.locks.remove_if(&self.path, |_, lock| Arc::strong_count(lock) == 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_file_is_held_by_one_and_leaves_nothing_behind() {
        let locks = FileLocks::default();
        let first = locks.lock(Path::new("/a")).await;
        let other = locks.lock(Path::new("/b")).await;
        let waiting = {
            let locks = locks.clone();
            tokio::spawn(async move { locks.lock(Path::new("/a")).await })
        };
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        let second = waiting.await.expect("gets the lock");
        drop((second, other));
        assert!(locks.locks.is_empty());
    }
}
