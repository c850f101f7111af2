//! The memory of all language servers together: over the budget, the one least recently used is stopped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::place::Place;
use super::slot::Slot;

/// How often it is looked at.
const INTERVAL: Duration = Duration::from_secs(20);
/// Whoever was used so recently is in use.
const IN_USE: Duration = Duration::from_secs(60);
/// The budget when nothing else is said: this share of the machine's memory.
const SHARE: u64 = 2;

/// Watches over the language servers of a workspace, for ever.
pub(super) async fn keep_within_budget(place: Arc<Place>) {
    let Some(budget) = machine_memory().map(|memory| memory / SHARE) else { return };
    loop {
        tokio::time::sleep(INTERVAL).await;
        let slots = place.slots();
        let running: Vec<Running<'_>> = slots.iter().filter_map(|slot| Running::of(slot)).collect();
        if let Some(over) = to_evict(budget, &running) {
            tracing::info!(language_server = over.spec.name, root = %over.root.display(), "stopped to save memory");
            over.evicted.notify_one();
        }
    }
}

struct Running<'a> {
    slot: &'a Slot,
    memory: u64,
    unused: Duration,
    in_call: bool,
}

impl Running<'_> {
    fn of(slot: &Slot) -> Option<Running<'_>> {
        let (server, last_used, in_call) = {
            let state = slot.state();
            let in_call = state.waiting.iter().any(|cell| cell.strong_count() > 0);
            (state.server.clone()?, state.last_used, in_call)
        };
        let unused = last_used.unwrap_or_else(|| server.started()).elapsed().min(Instant::now() - server.started());
        Some(Running { slot, memory: server.memory(), unused, in_call })
    }
}

fn to_evict<'a>(budget: u64, running: &[Running<'a>]) -> Option<&'a Slot> {
    if running.iter().map(|server| server.memory).sum::<u64>() <= budget {
        return None;
    }
    let idle = running.iter().filter(|server| !server.in_call && server.unused >= IN_USE);
    idle.max_by_key(|server| server.unused).map(|server| server.slot)
}

/// Bytes of memory that the machine has, by proc_meminfo(5).
fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;

    #[tokio::test]
    async fn the_least_recently_used_goes_and_never_one_in_use() {
        let servers = Arc::new(Servers::built_in());
        let place = Arc::new(Place::new("/w".into(), Arc::clone(&servers), Vec::new(), "/c".into()));
        let spec = servers.get("gopls").expect("built in");
        let slots: Vec<Slot> =
            ["/a", "/b", "/c"].map(|root| Slot::new(spec.clone(), root.into(), Arc::clone(&place))).into();
        let running = |unused: [u64; 3], in_call: [bool; 3]| -> Vec<Running<'_>> {
            let of =
                |(slot, (unused, in_call))| Running { slot, memory: 100, unused: Duration::from_secs(unused), in_call };
            slots.iter().zip(unused.into_iter().zip(in_call)).map(of).collect()
        };
        let evicted =
            |budget, unused, in_call| to_evict(budget, &running(unused, in_call)).map(|slot| slot.root.to_str());
        assert_eq!(evicted(300, [900, 800, 700], [false; 3]), None, "within the budget");
        assert_eq!(evicted(299, [700, 900, 800], [false; 3]), Some(Some("/b")));
        assert_eq!(evicted(299, [700, 900, 800], [false, true, false]), Some(Some("/c")));
        assert_eq!(evicted(299, [1, 2, 3], [false; 3]), None, "all in use");
    }

    #[test]
    fn the_machine_has_memory() {
        assert!(machine_memory().is_none_or(|bytes| bytes > 64 << 20));
    }
}
