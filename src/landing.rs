//! The only door by which bytes are put on disk: lock, read, plan, write, record, tell the language servers.
//!
//! Invariants:
//! - What is planned is planned against the bytes that are replaced. The file locks keep our own changes in line; a
//!   change from outside between read and rename makes the landing start over from the new bytes.
//! - Of several files all are changed or none. An intent with all new texts is on disk before the first file changes, so
//!   that after a crash the next start carries the change through and the ledger agrees with the disk.

mod adoption;
mod form;
mod plan;
mod preparing;
mod present;
mod putting;
mod recovery;
mod refusal;

use std::path::PathBuf;
use std::sync::Arc;

pub use adoption::{Foreign, adopt};
pub use plan::{Deed, Edit, MoveHere, OnTheWay, Planned, Undo, Wanted};
pub use present::{Present, now, read};
pub use recovery::recover;
pub use refusal::{EditRefused, OfSeveral, Unlanded};

use crate::workspace::ledger::Ledger;
use crate::workspace::locks::FileLock;
use crate::workspace::paths::Resolved;
use crate::workspace::paths::contained::{Expected, WriteError};
use crate::workspace::verdict::FileChange;
use crate::workspace::{Settling, Workspace};
use preparing::Prepared;
use putting::Put;

/// Larger files are not edited: reading, comparing and checking them would outlast any call. Bytes.
pub const LARGEST_FILE: u64 = 64 << 20;

/// How often a landing starts over because a file changed between read and rename.
const ATTEMPTS: usize = 5;

/// How long a landing waits for other processes of ours.
const FOLDER_PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// A change that is on disk.
#[derive(Debug, Clone)]
pub struct Landed {
    /// The file, relative to the workspace root, with `/`.
    pub file: String,
    /// The file that it was before it was moved, if it was.
    pub moved_from: Option<String>,
    /// How the path was put right, if it was.
    pub path_note: Option<String>,
    /// What was done, and where.
    pub planned: Planned,
    /// The text before; `None` for a file that did not exist.
    pub before: Option<Arc<str>>,
    /// Whether the file was changed by somebody else since the session last saw it.
    pub changed_outside: bool,
    /// The empty folders that went with the file for which they had been made, relative to the workspace root.
    pub folders_gone: Vec<String>,
    /// What is on disk now, for telling whether it still is later; `None` for a file that is gone.
    pub content: Option<Expected>,
}

/// A change of one file that is wanted.
#[derive(Debug)]
pub struct Order {
    /// The file.
    pub target: Resolved,
    /// What to do to it.
    pub wanted: Wanted,
    /// What the session last saw of the file, if it did.
    pub seen: Option<Expected>,
}

/// Why nothing was changed, and of which order.
#[derive(Debug)]
pub struct Stopped {
    /// The order's place, 0-based.
    pub index: usize,
    /// Why.
    pub why: Unlanded,
}

/// Lands all `orders` or none, as one call of `tool`, and enters them into `ledger`.
///
/// Once the writing has begun it is carried out even if the returned future is dropped: cancelling a call stops the
/// wait, never the write.
///
/// # Errors
/// [`Stopped`] when nothing was written; the files are then as they were (but see [`Unlanded::Torn`]).
pub async fn land(
    workspace: &Workspace,
    ledger: &Ledger,
    tool: &'static str,
    orders: Vec<Order>,
) -> Result<(Vec<Landed>, Settling), Stopped> {
    let locks = lock_all(workspace, &orders).await?;
    let (workspace, ledger) = (workspace.clone(), ledger.clone());
    let (runtime, span) = (tokio::runtime::Handle::current(), tracing::Span::current());
    let work = move || {
        let (_entered, _span) = (runtime.enter(), span.entered());
        let _folders = hold_folders(&orders);
        // Whoever looks at the disk between the write and the word of it must not take it for somebody else's.
        let announced = workspace.begin_change(orders.iter().map(|order| order.target.absolute.as_path()));
        let (landed, entered) =
            land_locked(&workspace, &ledger, tool, &orders).inspect_err(|_| workspace.withdraw(&announced))?;
        let change = |(order, landed): (&Order, &Landed)| FileChange {
            path: order.target.absolute.clone(),
            before: landed.before.clone(),
            after: landed.planned.after.clone(),
        };
        // Under the locks, so that language servers hear of changes in the order of the disk.
        let settling = workspace.landed(orders.iter().zip(&landed).map(change).collect()).entered_as(entered);
        drop(locks);
        Ok((landed, settling))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Stopped { index: 0, why: Unlanded::ShuttingDown }),
    }
}

/// Takes the locks of all files, in path order, so that two calls cannot wait for each other.
#[tracing::instrument(level = "debug", name = "lock", skip_all)]
async fn lock_all(workspace: &Workspace, orders: &[Order]) -> Result<Vec<FileLock>, Stopped> {
    let mut paths: Vec<(PathBuf, usize)> =
        orders.iter().enumerate().map(|(index, order)| (order.target.absolute.clone(), index)).collect();
    paths.sort();
    if let Some(twice) = paths.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(Stopped { index: twice[1].1, why: Unlanded::NamedTwice });
    }
    let mut locks = Vec::with_capacity(paths.len());
    for (path, _) in &paths {
        locks.push(workspace.locks().lock(path.to_owned()).await);
    }
    Ok(locks)
}

/// Keeps other processes of ours out of the files' folders: an exchange that crosses another is put back, and what was
/// read in that instant must not be built upon. Advisory; given up after [`FOLDER_PATIENCE`], when the exchange guards alone.
#[tracing::instrument(level = "debug", skip_all)]
fn hold_folders(orders: &[Order]) -> Vec<std::fs::File> {
    let folders: std::collections::BTreeSet<_> =
        orders.iter().filter_map(|order| order.target.absolute.parent()).collect();
    let deadline = std::time::Instant::now() + FOLDER_PATIENCE;
    let held = folders.into_iter().filter_map(|folder| {
        let folder = std::fs::File::open(folder).ok()?;
        while rustix::fs::flock(&folder, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_err() {
            if std::time::Instant::now() > deadline {
                return None;
            }
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        Some(folder)
    });
    held.collect()
}

/// Lands all `orders`: what was done, and the number of each in the ledger.
fn land_locked(
    workspace: &Workspace,
    ledger: &Ledger,
    tool: &str,
    orders: &[Order],
) -> Result<(Vec<Landed>, Vec<Option<u64>>), Stopped> {
    let mut attempt = 1;
    loop {
        let prepared = preparing::prepare_all(workspace, orders)?;
        let begun = ledger.begin(preparing::intent(workspace, tool, orders, &prepared));
        match putting::put_all(workspace, orders, &prepared) {
            Ok(put) => {
                let first = begun.landed();
                let landed: Vec<Landed> = orders.iter().zip(prepared).zip(put).map(told).collect();
                let entered = numbers(&landed, first);
                return Ok((landed, entered));
            }
            Err(Stopped { why: Unlanded::Write(WriteError::ChangedMeanwhile), .. }) if attempt < ATTEMPTS => {
                begun.dropped();
                attempt += 1;
            }
            Err(stopped) => {
                begun.dropped();
                return Err(stopped);
            }
        }
    }
}

/// The number that each of `landed` has in the ledger, where the first has `first`. What was left as it is has none.
fn numbers(landed: &[Landed], first: u64) -> Vec<Option<u64>> {
    let mut numbers = first..;
    landed.iter().map(|landed| landed.planned.deed.action().and_then(|_| numbers.next())).collect()
}

fn told(((order, prepared), put): ((&Order, Prepared), Put)) -> Landed {
    Landed {
        file: order.target.relative.clone(),
        moved_from: order.wanted.moved_from().map(|from| from.relative.clone()),
        path_note: order.target.note.clone(),
        planned: prepared.planned,
        before: prepared.present.map(|present| Arc::from(present.decoded.text)),
        changed_outside: prepared.changed_outside,
        folders_gone: put.folders_gone,
        content: put.content,
    }
}
