//! The memory of all language servers of this process together: over the budget, the one least recently used is stopped,
//! and one that would lead over it is not started before there is room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::available::available_memory;
use super::place::Place;
use super::slot::Slot;
use crate::config::ServerSpec;
use crate::lsp::memory_by_group;

/// How often it is looked at.
const INTERVAL: Duration = Duration::from_secs(5);
/// How often somebody who waits for room looks for it.
const LOOK: Duration = Duration::from_millis(250);
/// Whoever was used so recently may be in a call.
const IN_USE: Duration = Duration::from_secs(10);
/// A language server younger than this is still growing.
const YOUNG: Duration = Duration::from_secs(60);
/// The budget when nothing else is said: this share of the machine's memory, or of what a container may use of it.
const SHARE: u64 = 2;
/// Where the machine's memory is not known. Bytes.
const UNKNOWN_MACHINE: u64 = 8 << 30;

/// What all language servers may use together. A cheap handle.
#[derive(Debug, Clone)]
pub struct MemoryBudget {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Bytes.
    limit: u64,
    ledger: Mutex<Ledger>,
    /// One is let in after the other.
    gate: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Ledger {
    places: Vec<Weak<Place>>,
    /// What those that start now are expected to need, bytes.
    starting: u64,
    /// The most that a language server of that name was seen to use, bytes.
    seen: HashMap<String, u64>,
    looked: Option<Instant>,
}

/// Room for a language server that starts, until it runs.
#[derive(Debug)]
pub(super) struct Room {
    budget: MemoryBudget,
    bytes: u64,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.budget.ledger().starting -= self.bytes;
    }
}

impl MemoryBudget {
    /// So many MiB; without a number half of the memory that there is for us.
    pub fn new(mebibytes: Option<u32>) -> MemoryBudget {
        let limit = mebibytes.map(|mebibytes| u64::from(mebibytes) << 20);
        let limit = limit.unwrap_or_else(|| available_memory().map_or(UNKNOWN_MACHINE, |memory| memory / SHARE));
        MemoryBudget {
            shared: Arc::new(Shared { limit, ledger: Mutex::default(), gate: tokio::sync::Mutex::default() }),
        }
    }

    /// Bytes that they may use together.
    pub fn limit(&self) -> u64 {
        self.shared.limit
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.shared.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the language servers of one more workspace.
    pub(super) fn count(&self, place: &Arc<Place>) {
        let mut ledger = self.ledger();
        ledger.places.retain(|place| place.strong_count() > 0);
        ledger.places.push(Arc::downgrade(place));
    }

    fn slots(&self) -> Vec<Arc<Slot>> {
        let places: Vec<Arc<Place>> = self.ledger().places.iter().filter_map(Weak::upgrade).collect();
        places.iter().flat_map(|place| place.slots()).collect()
    }

    /// Makes room for `slot`, which is about to start: stops others if it is wanted, and waits while they are in use.
    /// `None` when there is no room and nobody wants it.
    pub(super) async fn admit(&self, slot: &Slot) -> Option<Room> {
        let _gate = self.shared.gate.lock().await;
        loop {
            let bytes = self.expected(&slot.spec);
            let slots = self.slots();
            let running = self.measure(&slots);
            let used = self.used(&running);
            if used + bytes <= self.shared.limit || used == 0 {
                self.ledger().starting += bytes;
                return Some(Room { budget: self.clone(), bytes });
            }
            if !slot.is_wanted() {
                return None;
            }
            if let Some(over) = least_recently_used(&running) {
                evict(over, "to make room for another");
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// What a language server of this kind will need, bytes: as much as any did, at first half of what it may.
    fn expected(&self, spec: &ServerSpec) -> u64 {
        self.ledger().seen.get(&spec.name).copied().unwrap_or(u64::from(spec.memory_mb) << 19)
    }

    /// What runs and what starts, bytes.
    fn used(&self, running: &[Running<'_>]) -> u64 {
        let grown = |server: &Running<'_>| match server.age < YOUNG {
            true => server.memory.max(self.expected(&server.slot.spec)),
            false => server.memory,
        };
        running.iter().map(grown).sum::<u64>() + self.ledger().starting
    }

    fn measure<'s>(&self, slots: &'s [Arc<Slot>]) -> Vec<Running<'s>> {
        let memory = memory_by_group();
        let running: Vec<Running<'_>> = slots.iter().filter_map(|slot| Running::of(slot, &memory)).collect();
        let mut ledger = self.ledger();
        for server in &running {
            let seen = ledger.seen.entry(server.slot.spec.name.clone()).or_default();
            // One that starts says nothing of those that run.
            if server.age >= IN_USE {
                *seen = server.memory.max(*seen);
            }
        }
        ledger.seen.retain(|_, bytes| *bytes > 0);
        running
    }

    /// Stops what is too much, if nobody has looked lately.
    fn keep(&self) {
        {
            let mut ledger = self.ledger();
            if ledger.looked.is_some_and(|looked| looked.elapsed() < INTERVAL / 2) {
                return;
            }
            ledger.looked = Some(Instant::now());
        }
        let slots = self.slots();
        let running = self.measure(&slots);
        if let Some(over) = over_budget(self.shared.limit, &running) {
            evict(over, "to save memory");
        }
    }
}

/// Watches over the budget on behalf of one workspace, for ever; the others do the same.
pub(super) async fn keep_within(budget: MemoryBudget) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        budget.keep();
    }
}

fn evict(slot: &Slot, why: &str) {
    tracing::info!(language_server = slot.spec.name, root = %slot.root.display(), "stopped {why}");
    slot.evicted.notify_one();
}

struct Running<'a> {
    slot: &'a Slot,
    /// Bytes.
    memory: u64,
    age: Duration,
    unused: Duration,
    in_call: bool,
}

impl Running<'_> {
    fn of<'a>(slot: &'a Slot, memory: &HashMap<u32, u64>) -> Option<Running<'a>> {
        let (server, last_used, in_call) = {
            let state = slot.state();
            let in_call = state.waiting.iter().any(|cell| cell.strong_count() > 0);
            (state.server.clone()?, state.last_used, in_call)
        };
        let age = server.started().elapsed();
        let unused = last_used.map_or(age, |used| used.elapsed().min(age));
        let memory = memory.get(&server.process_id()).copied().unwrap_or_default();
        Some(Running { slot, memory, age, unused, in_call })
    }
}

fn least_recently_used<'a>(running: &[Running<'a>]) -> Option<&'a Slot> {
    let idle = running.iter().filter(|server| !server.in_call && server.unused >= IN_USE);
    idle.max_by_key(|server| server.unused).map(|server| server.slot)
}

/// The one to stop when they are over the budget. The last one may stay: it would only be started again.
fn over_budget<'a>(limit: u64, running: &[Running<'a>]) -> Option<&'a Slot> {
    let used = running.iter().map(|server| server.memory).sum::<u64>();
    (used > limit && running.len() > 1).then(|| least_recently_used(running)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;

    fn slots() -> Vec<Slot> {
        let servers = Arc::new(Servers::built_in());
        let budget = MemoryBudget::new(Some(100));
        let place = Place::new("/w".into(), Arc::clone(&servers), Vec::new(), "/c".into(), budget);
        let (spec, place) = (servers.get("gopls").expect("built in"), Arc::new(place));
        ["/a", "/b", "/c"].map(|root| Slot::new(spec.clone(), root.into(), Arc::clone(&place))).into()
    }

    #[tokio::test]
    async fn the_least_recently_used_goes_and_never_one_in_use() {
        let slots = slots();
        let running = |unused: [u64; 3], in_call: [bool; 3]| -> Vec<Running<'_>> {
            let of = |(slot, (unused, in_call))| {
                let unused = Duration::from_secs(unused);
                Running { slot, memory: 100, age: unused, unused, in_call }
            };
            slots.iter().zip(unused.into_iter().zip(in_call)).map(of).collect()
        };
        let evicted =
            |limit, unused, in_call| over_budget(limit, &running(unused, in_call)).map(|slot| slot.root.to_str());
        assert_eq!(evicted(300, [900, 800, 700], [false; 3]), None, "within the budget");
        assert_eq!(evicted(299, [700, 900, 800], [false; 3]), Some(Some("/b")));
        assert_eq!(evicted(299, [700, 900, 800], [false, true, false]), Some(Some("/c")));
        assert_eq!(evicted(299, [1, 2, 3], [false; 3]), None, "all in use");
        assert!(over_budget(1, &running([900, 800, 700], [false; 3])[..1]).is_none(), "the last one stays");
    }

    #[tokio::test]
    async fn whoever_is_not_wanted_waits_for_room() {
        let slots = slots();
        // Half of the 1024 MiB that gopls may use is more than the budget, but nothing else is there.
        let budget = MemoryBudget::new(Some(700));
        let first = budget.admit(&slots[0]).await.expect("nothing else runs");
        assert!(budget.admit(&slots[1]).await.is_none(), "there is no room, and nobody wants it");
        drop(first);
        assert!(budget.admit(&slots[1]).await.is_some());
    }

    #[test]
    fn a_number_of_the_users_counts() {
        assert_eq!(MemoryBudget::new(Some(2)).limit(), 2 << 20);
    }
}
