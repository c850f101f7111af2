//! Sessions that outlive a connection: kept for their next one, and not for ever.

use std::collections::HashMap;
use std::hash::Hash;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::session::Session;

/// More sessions than these are not kept; those go that were not used for longest.
const MOST_KEPT: usize = 64;

/// Sessions by what their clients call them. A cheap handle.
#[derive(Debug, Clone)]
pub struct Kept<K> {
    sessions: Arc<Mutex<HashMap<K, Entry>>>,
    patience: Duration,
}

#[derive(Debug)]
struct Entry {
    session: Session,
    used: Instant,
}

impl<K: Clone + Eq + Hash + Send + 'static> Kept<K> {
    /// Sessions that end when they are not asked for during `patience`.
    pub fn for_so_long(patience: Duration) -> Kept<K> {
        Kept { sessions: Arc::default(), patience }
    }

    /// The session that is called `key`, begun by `begin` if there is none.
    ///
    /// # Errors
    /// Those of `begin`.
    pub fn session(&self, key: K, begin: impl FnOnce() -> io::Result<Session>) -> io::Result<Session> {
        let mut sessions = self.lock();
        let now = Instant::now();
        if let Some(entry) = sessions.get_mut(&key) {
            entry.used = now;
            return Ok(entry.session.clone());
        }
        let session = begin()?;
        sessions.insert(key.clone(), Entry { session: session.clone(), used: now });
        let mut crowded_out = None;
        if sessions.len() > MOST_KEPT {
            let others = sessions.iter().filter(|(other, _)| **other != key);
            let oldest = others.min_by_key(|(_, entry)| entry.used).map(|(oldest, _)| oldest.clone());
            crowded_out = oldest.and_then(|oldest| sessions.remove(&oldest));
        }
        drop(sessions);
        // Outside the lock: it may be the last handle.
        drop(crowded_out);
        self.end_unused(key, now);
        Ok(session)
    }

    /// Ends the session, last used at `used`, when nobody has asked for it long enough.
    fn end_unused(&self, key: K, mut used: Instant) {
        let (sessions, patience) = (Arc::downgrade(&self.sessions), self.patience);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep_until(used + patience).await;
                let Some(sessions) = sessions.upgrade() else { return };
                let mut sessions = sessions.lock().unwrap_or_else(PoisonError::into_inner);
                match sessions.get(&key) {
                    Some(entry) if entry.used > used => used = entry.used,
                    Some(_) => break drop(sessions.remove(&key)),
                    None => break,
                }
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Entry>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
