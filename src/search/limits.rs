//! When a search ends before it has seen everything.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What bounds a search.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'c> {
    /// How many results are kept; the best ones by the search's own order.
    pub most: usize,
    /// How long it goes on once it has that many: to find better ones, and to count the rest.
    pub patience: Duration,
    /// How long it takes at most.
    pub deadline: Duration,
    /// Ends it from outside.
    pub cancel: &'c AtomicBool,
}

impl<'c> Limits<'c> {
    /// At most `most` results, half a second of counting on, and 20 s altogether.
    pub fn new(most: usize, cancel: &'c AtomicBool) -> Limits<'c> {
        Limits { most, patience: Duration::from_millis(500), deadline: Duration::from_secs(20), cancel }
    }
}

/// Sets its flag when it is dropped, so that work which heeds the flag ends with whoever waited for it.
#[derive(Debug)]
pub struct StopOnDrop(pub Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It has seen everything: its total is exact.
    Complete,
    /// It had enough results and stopped; there may be better ones and more.
    Enough,
    /// It took too long; what it has not seen is not known.
    OutOfTime,
    /// It was cancelled.
    Cancelled,
}

/// The clock of one search.
#[derive(Debug)]
pub(super) struct Watch<'c> {
    limits: Limits<'c>,
    began: Instant,
}

impl<'c> Watch<'c> {
    pub(super) fn start(limits: Limits<'c>) -> Watch<'c> {
        Watch { limits, began: Instant::now() }
    }

    pub(super) fn most(&self) -> usize {
        self.limits.most
    }

    /// Why it is to stop now, if it is; `full` says whether it has as many results as it may keep.
    pub(super) fn stop(&self, full: bool) -> Option<End> {
        if self.limits.cancel.load(Ordering::Relaxed) {
            return Some(End::Cancelled);
        }
        let elapsed = self.began.elapsed();
        if full && elapsed >= self.limits.patience {
            return Some(End::Enough);
        }
        (elapsed >= self.limits.deadline).then_some(End::OutOfTime)
    }
}
