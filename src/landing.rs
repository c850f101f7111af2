//! The only door by which bytes are put on disk: lock, read, plan, write, tell the language servers.
//!
//! Invariant: what is planned is planned against the bytes that are replaced. The file lock keeps our own changes in
//! line; a change from outside between read and rename makes the write start over from the new bytes.

mod plan;
mod refusal;

use std::sync::Arc;

pub use plan::{Deed, Edit, Planned, Wanted};
pub use refusal::{OfSeveral, Unlanded};

use crate::text::{self, Decoded, Encoding};
use crate::workspace::paths::Resolved;
use crate::workspace::paths::contained::{self, Expected, WriteError};
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
    /// What is on disk now, for telling whether it still is later.
    pub content: Expected,
}

/// Lands `wanted` on `target`. `seen` is what the session last saw of the file, if it did.
///
/// Once the write has begun it is carried out even if the returned future is dropped: cancelling a call stops the
/// wait, never the write.
///
/// # Errors
/// [`Unlanded`] when nothing was written; the file is then as it was.
pub async fn land(
    workspace: &Workspace,
    target: Resolved,
    wanted: Wanted,
    seen: Option<Expected>,
) -> Result<(Landed, Settling), Unlanded> {
    let lock = workspace.locks().lock(&target.absolute).await;
    let workspace = workspace.clone();
    let work = move || {
        let landed = land_locked(&workspace, &target, &wanted, seen)?;
        let change = FileChange {
            path: target.absolute.clone(),
            before: landed.before.clone(),
            after: Some(Arc::clone(&landed.planned.after)),
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

fn land_locked(
    workspace: &Workspace,
    target: &Resolved,
    wanted: &Wanted,
    seen: Option<Expected>,
) -> Result<Landed, Unlanded> {
    for _ in 0..ATTEMPTS {
        let present = read(workspace, target)?;
        let changed_outside = match (&present, seen) {
            (Some(present), Some(seen)) => present.expected != seen,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        let before = present.as_ref().map(|present| present.decoded.text.as_str());
        let planned = plan::plan(before, wanted, seen.is_some() && !changed_outside)?;
        let encoding = present.as_ref().map_or(Encoding::Utf8, |present| present.decoded.encoding);
        let bytes = text::encode(&planned.after, encoding);
        let expected = present.as_ref().map(|present| &present.expected);
        match contained::replace_file(workspace.paths(), target, &bytes, expected) {
            Ok(written) => {
                return Ok(Landed {
                    content: written.expected,
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

