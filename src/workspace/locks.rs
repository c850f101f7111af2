//! One lock a key, made when first asked for and gone with its last holder.

use std::hash::Hash;
use std::path::PathBuf;
use std::sync::Arc;

use dashmap::DashMap;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The file locks of a workspace, keyed by the real file (absolute, symlinks resolved), so that two spellings share one
/// lock.
pub type FileLocks = Locks<PathBuf>;

/// A held file lock.
pub type FileLock = Held<PathBuf>;

type Map<K> = Arc<DashMap<K, Arc<Mutex<()>>>>;

/// One lock a key. A cheap handle.
#[derive(Debug, Clone)]
pub struct Locks<K: Eq + Hash> {
    locks: Map<K>,
}

/// A held lock; dropping it lets the next one in.
#[derive(Debug)]
pub struct Held<K: Eq + Hash> {
    guard: Option<OwnedMutexGuard<()>>,
    key: K,
    locks: Map<K>,
}

impl<K: Eq + Hash> Default for Locks<K> {
    fn default() -> Locks<K> {
        Locks { locks: Arc::default() }
    }
}

impl<K: Clone + Eq + Hash> Locks<K> {
    /// Waits for the lock of `key`. Fair: first come, first served.
    pub async fn lock(&self, key: K) -> Held<K> {
        let lock = Arc::clone(&self.locks.entry(key.clone()).or_default());
        let guard = lock.lock_owned().await;
        Held { guard: Some(guard), key, locks: Arc::clone(&self.locks) }
    }
}

impl<K: Eq + Hash> Drop for Held<K> {
    fn drop(&mut self) {
        drop(self.guard.take());
        // Whoever holds or waits for the lock has a clone of it; under the map's shard lock none can be taken meanwhile.
        self.locks.remove_if(&self.key, |_, lock| Arc::strong_count(lock) == 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_file_is_held_by_one_and_leaves_nothing_behind() {
        let locks = FileLocks::default();
        let first = locks.lock(PathBuf::from("/a")).await;
        let other = locks.lock(PathBuf::from("/b")).await;
        let waiting = {
            let locks = locks.clone();
            tokio::spawn(async move { locks.lock(PathBuf::from("/a")).await })
        };
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        let second = waiting.await.expect("gets the lock");
        drop((second, other));
        assert!(locks.locks.is_empty());
    }
}
