//! The only door by which bytes are put on disk: lock, read, plan, write, tell the language servers.
//!
//! Invariant: what is planned is planned against the bytes that are replaced. The file lock keeps our own changes in
//! line; a change from outside between read and rename makes the write start over from the new bytes.

mod plan;
mod refusal;

use std::sync::Arc;

pub use plan::{Deed, Edit, Planned, Undo, Wanted};
pub use refusal::{OfSeveral, Unlanded};

use crate::text::{self, Decoded, Encoding};
use crate::workspace::paths::Resolved;
use crate::workspace::paths::contained::{self, Expected, WriteError};
use crate::workspace::ledger::{Action, LandedEntry, Ledger, Outcome};
use crate::workspace::verdict::FileChange;
use crate::workspace::{Settling, Workspace};

/// Larger files are not edited: reading, comparing and checking them would outlast any call. Bytes.
pub const LARGEST_FILE: u64 = 64 << 20;

/// How often a write starts over because the file changed between read and rename.
const ATTEMPTS: usize = 5;

/// A change that is on disk.
#[derive(Debug, Clone)]
pub struct Landed {
    /// The file, relative to the workspace root, with `/`.
    pub file: String,
    /// How the path was put right, if it was.
    pub path_note: Option<String>,
    /// What was done, and where.
    pub planned: Planned,
    /// The text before; `None` for a file that did not exist.
    pub before: Option<Arc<str>>,
    /// Whether the file was changed by somebody else since the session last saw it.
    pub changed_outside: bool,
    /// What is on disk now, for telling whether it still is later; `None` for a file that is gone.
    pub content: Option<Expected>,
}

/// A change that is wanted, with all that landing it takes.
#[derive(Debug)]
pub struct Order {
    /// The tool that asks for it, for the ledger.
    pub tool: &'static str,
    /// The file.
    pub target: Resolved,
    /// What to do to it.
    pub wanted: Wanted,
    /// What the session last saw of the file, if it did.
    pub seen: Option<Expected>,
}

/// Lands what `order` wants, and enters it into `ledger`.
///
/// Once the write has begun it is carried out even if the returned future is dropped: cancelling a call stops the
/// wait, never the write.
///
/// # Errors
/// [`Unlanded`] when nothing was written; the file is then as it was.
pub async fn land(workspace: &Workspace, ledger: &Ledger, order: Order) -> Result<(Landed, Settling), Unlanded> {
    let lock = workspace.locks().lock(&order.target.absolute).await;
    let (workspace, ledger) = (workspace.clone(), ledger.clone());
    let work = move || {
        let landed = land_locked(&workspace, &order)?;
        enter(&ledger, &order, &landed);
        let change = FileChange {
            path: order.target.absolute.clone(),
            before: landed.before.clone(),
            after: landed.planned.after.clone(),
        };
        let settling = workspace.landed(vec![change]);
        drop(lock);
        Ok((landed, settling))
    };
    let runtime = tokio::runtime::Handle::current();
    match tokio::task::spawn_blocking(move || {
        let _entered = runtime.enter();
        work()
    })
    .await
    {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Unlanded::ShuttingDown),
    }
}

fn land_locked(workspace: &Workspace, order: &Order) -> Result<Landed, Unlanded> {
    let (target, seen) = (&order.target, order.seen);
    for _ in 0..ATTEMPTS {
        let present = read(workspace, target)?;
        let changed_outside = match (&present, seen) {
            (Some(present), Some(seen)) => present.expected != seen,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        let before = present.as_ref().map(|present| present.decoded.text.as_str());
        let planned = plan::plan(before, &order.wanted, seen.is_some() && !changed_outside)?;
        match put(workspace, target, present.as_ref(), &planned) {
            Ok(content) => {
                return Ok(Landed {
                    content,
                    file: target.relative.clone(),
                    path_note: target.note.clone(),
                    planned,
                    before: present.map(|present| Arc::from(present.decoded.text)),
                    changed_outside,
                });
            }
            Err(WriteError::ChangedMeanwhile) => continue,
            Err(error) => return Err(Unlanded::Write(error)),
        }
    }
    Err(Unlanded::Write(WriteError::ChangedMeanwhile))
}

/// Puts what was planned on disk.
fn put(
    workspace: &Workspace,
    target: &Resolved,
    present: Option<&Present>,
    planned: &Planned,
) -> Result<Option<Expected>, WriteError> {
    let expected = present.map(|present| &present.expected);
    match (&planned.after, expected) {
        (Some(_), Some(expected)) if planned.deed == Deed::LeftAsIs => Ok(Some(*expected)),
        (Some(after), expected) => {
            let encoding = present.map_or(Encoding::Utf8, |present| present.decoded.encoding);
            let written = contained::replace_file(workspace.paths(), target, &text::encode(after, encoding), expected)?;
            Ok(Some(written.expected))
        }
        (None, Some(expected)) => contained::remove_file(workspace.paths(), target, expected).map(|()| None),
        (None, None) => Ok(None),
    }
}

fn enter(ledger: &Ledger, order: &Order, landed: &Landed) {
    let planned = &landed.planned;
    let action = match planned.deed {
        Deed::Edited => Action::Edited,
        Deed::Created => Action::Created,
        Deed::Overwrote => Action::Overwrote,
        Deed::Deleted => Action::Deleted,
        Deed::LeftAsIs => return,
    };
    let (before, after) = (landed.before.as_deref(), planned.after.as_deref());
    let mut entry = LandedEntry::new(&landed.file, action, before, after, &planned.hunks, planned.counts);
    if let Wanted::Undo(undone) = &order.wanted {
        entry.undoes = Some(undone.number);
    }
    ledger.append(order.tool, Outcome::Landed(entry));
}

/// A file as it is on disk now.
#[derive(Debug)]
pub struct Present {
    /// Its text.
    pub decoded: Decoded,
    /// What must still hold of it when it is replaced.
    pub expected: Expected,
}

/// Reads `target`; `None` if there is no such file.
///
/// # Errors
/// [`Unlanded`] when it is no file that could be edited as text.
pub fn read(workspace: &Workspace, target: &Resolved) -> Result<Option<Present>, Unlanded> {
    let Some(found) = contained::read_file(workspace.paths(), target, LARGEST_FILE).map_err(Unlanded::Read)? else {
        return Ok(None);
    };
    let decoded = text::decode(found.bytes).map_err(Unlanded::Undecodable)?;
    Ok(Some(Present { decoded, expected: found.expected }))
}

