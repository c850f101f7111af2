//! Waiting for what the language servers say of a change that has landed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::floor::Floor;
use super::ledger::VerdictEntry;
use super::outcome::{Cell, Outcome};
use super::slot::{Phase, Slot, Standing};
use super::verdict::{DiagnosticsReport, FileChange, Verdict};

/// A longer wait is nobody's call: it is for the report that is still owed, and outlasts a death.
const LONGEST_CALL: Duration = Duration::from_secs(10);

/// The reports on one change, waited for as often as wanted. A cheap handle.
#[derive(Debug, Clone)]
pub struct Settling {
    shared: Arc<Shared>,
    /// The numbers of the changes in the ledger, in the order of the files; empty where that is not known.
    entered: Arc<[Option<u64>]>,
}

#[derive(Debug)]
struct Shared {
    files: Vec<Awaited>,
    floor: Arc<Floor>,
    /// When the changes had landed.
    landed: Instant,
    /// The language server died while this was waited for, and that was told: who waits again waits for its successor.
    death_told: AtomicBool,
}

/// One changed file.
#[derive(Debug)]
pub(super) struct Awaited {
    /// Relative to the workspace root, with `/`.
    pub(super) file: String,
    pub(super) change: FileChange,
    /// Where the report will come from; `None` without a language server for the file.
    pub(super) from: Option<(Arc<Slot>, Arc<Cell>)>,
}

impl Settling {
    pub(super) fn new(files: Vec<Awaited>, floor: Arc<Floor>) -> Settling {
        let shared = Shared { files, floor, landed: Instant::now(), death_told: AtomicBool::new(false) };
        Settling { shared: Arc::new(shared), entered: Arc::default() }
    }

    /// The same, and its changes have these numbers in the ledger, in the order of the files.
    pub fn entered_as(self, entered: Vec<Option<u64>>) -> Settling {
        Settling { entered: entered.into(), ..self }
    }

    /// What `reports` (one a file, in order) come to as lines of the ledger.
    pub fn verdicts<'r>(&self, reports: &'r [DiagnosticsReport]) -> impl Iterator<Item = VerdictEntry> + use<'r, '_> {
        let after = self.shared.landed.elapsed();
        let pairs = self.entered.iter().zip(reports);
        pairs.filter_map(move |(number, report)| Some(VerdictEntry::of((*number)?, after, report)))
    }

    /// The changed files, relative to the workspace root, in the order of the reports.
    pub fn files(&self) -> Vec<String> {
        self.shared.files.iter().map(|awaited| awaited.file.clone()).collect()
    }

    /// What is being waited for, in words; `None` when nothing is.
    pub fn awaited(&self) -> Option<String> {
        let open = self.shared.files.iter().filter_map(|awaited| awaited.from.as_ref());
        let mut open = open.filter(|(_, cell)| cell.outcome.get().is_none());
        open.next().map(|(slot, _)| slot.awaited())
    }

    /// Waits at most `budget` for evidence about every changed file, and reports on each, in order.
    ///
    /// Without a budget the language server's own applies. Dropping the future ends the wait and nothing else; a
    /// later call with more budget gets the report that was not there yet.
    #[tracing::instrument(level = "debug", name = "settle", skip_all)]
    pub async fn wait(&self, budget: Option<Duration>) -> Vec<DiagnosticsReport> {
        let begun = Instant::now();
        let changed: BTreeSet<String> = self.files().into_iter().collect();
        let mut reports: Vec<DiagnosticsReport> = Vec::with_capacity(changed.len());
        let mut spoken: Vec<&Arc<Slot>> = Vec::new();
        for awaited in &self.shared.files {
            let report = match &awaited.from {
                None => DiagnosticsReport::unsettled(Verdict::NoLanguageServer),
                Some((slot, cell)) => {
                    let is_first = !spoken.iter().any(|known| Arc::ptr_eq(known, slot));
                    spoken.push(slot);
                    match evidence(slot, cell, budget, begun, &self.shared.death_told).await {
                        Ok(outcome) => outcome.report(&awaited.file, &changed, cell, is_first),
                        Err(unsettled) => *unsettled,
                    }
                }
            };
            let mut report = DiagnosticsReport { waited: begun.elapsed(), ..report };
            if !report.verdict.is_settled() {
                report.floor = self.shared.floor.introduced(&awaited.file, &awaited.change).await;
            }
            reports.push(report);
        }
        reports
    }
}

/// What is wrong now in one file, or in all of a language server's.
pub(super) async fn now(
    slot: &Slot,
    path: Option<&Path>,
    file: Option<&str>,
    budget: Option<Duration>,
) -> DiagnosticsReport {
    let begun = Instant::now();
    let cell = slot.expect(path);
    let report = match evidence(slot, &cell, budget, begun, &AtomicBool::new(false)).await {
        Ok(outcome) => outcome.now(file),
        Err(unsettled) => *unsettled,
    };
    DiagnosticsReport { waited: begun.elapsed(), ..report }
}

/// Waits until the cell is filled, or until it is plain that there is nothing to wait for.
async fn evidence(
    slot: &Slot,
    cell: &Cell,
    budget: Option<Duration>,
    begun: Instant,
    death_told: &AtomicBool,
) -> Result<Arc<Outcome>, Box<DiagnosticsReport>> {
    let mut standing = slot.standing();
    let in_call = budget.is_none_or(|budget| budget <= LONGEST_CALL);
    loop {
        let now = standing.borrow_and_update().clone();
        if let Some(outcome) = cell.outcome.get() {
            return Ok(Arc::clone(outcome));
        }
        if is_hopeless(slot, cell, &now, in_call, death_told) {
            return Err(Box::new(slot.unsettled(&now)));
        }
        let own = match now.phase {
            Phase::Ready => slot.spec.timeouts.settle_ms,
            _ => slot.spec.timeouts.loading_ms,
        };
        let deadline = begun + budget.unwrap_or(Duration::from_millis(own));
        tokio::select! {
            // The sender lives in the slot.
            _ = standing.changed() => {}
            () = tokio::time::sleep_until(deadline) => return Err(Box::new(slot.unsettled(&now))),
        }
    }
}

fn is_hopeless(slot: &Slot, cell: &Cell, standing: &Standing, in_call: bool, death_told: &AtomicBool) -> bool {
    if slot.is_given_up() {
        return true;
    }
    // A checker speaks for a language server that does not.
    if slot.checker.is_some() {
        return false;
    }
    match &standing.phase {
        Phase::Absent | Phase::Down { again: false, .. } => true,
        Phase::Down { .. } => in_call && standing.crashes > cell.crashes && !death_told.swap(true, Ordering::Relaxed),
        _ => false,
    }
}

impl Slot {
    /// The report while there is no evidence.
    pub(super) fn unsettled(&self, standing: &Standing) -> DiagnosticsReport {
        let (verdict, detail) = match &standing.phase {
            _ if self.is_given_up() => (Verdict::NoLanguageServer, None),
            Phase::Absent => (Verdict::NoLanguageServer, None),
            Phase::Down { reason, again: true } => (Verdict::Crashed, Some(format!("restarting; {reason}"))),
            Phase::Down { reason, again: false } => (Verdict::Crashed, Some(reason.clone())),
            Phase::Loading { since } => (Verdict::Loading, Some(self.progress(since.elapsed()))),
            Phase::Stopped => (Verdict::Loading, None),
            Phase::Ready => (Verdict::TimedOut, self.activity()),
        };
        DiagnosticsReport { detail, language_server: Some(self.who(standing)), ..DiagnosticsReport::unsettled(verdict) }
    }

    /// Whoever is to speak: beside a language server, or in its place, a checker.
    fn who(&self, standing: &Standing) -> String {
        match standing.phase {
            Phase::Ready => self.source(self.state().server.as_ref()),
            _ => self.spec.name.clone(),
        }
    }

    /// What it is at, for somebody who waits for it.
    pub(super) fn awaited(&self) -> String {
        let standing = self.standing().borrow().clone();
        let who = self.who(&standing);
        match self.unsettled(&standing).detail {
            Some(detail) => format!("waiting for {who}: {detail}"),
            None => format!("waiting for {who}"),
        }
    }

    fn progress(&self, since: Duration) -> String {
        let so_far = format!("{} s so far", since.as_secs());
        match self.activity() {
            Some(activity) => format!("{activity}, {so_far}"),
            None => so_far,
        }
    }

    fn activity(&self) -> Option<String> {
        let server = self.state().server.clone()?;
        let activity = server.board().heard().activity()?;
        Some(super::snapshot::one_line(&activity))
    }
}
