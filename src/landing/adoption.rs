//! Changes that an agent's own tools have put on disk: entered and settled as if we had landed them.

use std::sync::Arc;

use super::plan;
use super::{Deed, Landed};
use crate::workspace::ledger::{LandedEntry, Ledger, Outcome};
use crate::workspace::paths::Resolved;
use crate::workspace::verdict::FileChange;
use crate::workspace::{Settling, Workspace};

/// A change of one file that somebody else has made.
#[derive(Debug, Clone)]
pub struct Foreign {
    /// The file.
    pub target: Resolved,
    /// Its text before; `None` for a file that did not exist.
    pub before: Option<Arc<str>>,
    /// Its text now; `None` for a file that is gone.
    pub after: Option<Arc<str>>,
}

/// Enters `changes` into `ledger` as made by `tool`, and tells the language servers. Nothing is written.
///
/// What did not change anything is left out of both.
pub fn adopt(workspace: &Workspace, ledger: &Ledger, tool: &str, changes: Vec<Foreign>) -> (Vec<Landed>, Settling) {
    let changes: Vec<Foreign> = changes.into_iter().filter(|change| change.before != change.after).collect();
    let landed: Vec<Landed> = changes.iter().map(as_landed).collect();
    let first = ledger.append_all(tool, workspace.root(), landed.iter().filter_map(entry).collect());
    let told =
        |change: Foreign| FileChange { path: change.target.absolute, before: change.before, after: change.after };
    let entered = super::numbers(&landed, first);
    (landed, workspace.landed(changes.into_iter().map(told).collect()).entered_as(entered))
}

fn as_landed(change: &Foreign) -> Landed {
    let before = change.before.as_deref();
    let (deed, after) = match (before, change.after.as_deref()) {
        (None, after) => (Deed::Created, after),
        (Some(_), Some(after)) => (Deed::Edited, Some(after)),
        (Some(_), None) => (Deed::Deleted, None),
    };
    let mut planned = plan::whole(deed, before.unwrap_or_default(), after.unwrap_or_default());
    if after.is_none() {
        planned.after = None;
    }
    Landed {
        file: change.target.relative.clone(),
        moved_from: None,
        path_note: None,
        planned,
        before: change.before.clone(),
        changed_outside: false,
        folders_gone: Vec::new(),
        content: None,
    }
}

fn entry(landed: &Landed) -> Option<Outcome> {
    let planned = &landed.planned;
    let (before, after) = (landed.before.as_deref(), planned.after.as_deref());
    let action = planned.deed.action()?;
    Some(Outcome::Landed(LandedEntry::new(&landed.file, action, before, after, &planned.hunks, planned.counts)))
}
