//! What is to be put on disk, made out before anything is: each file read, each change planned, each obstacle found.

use super::plan::{self, MoveHere};
use super::present::{Present, read};
use super::{Deed, Order, Planned, Stopped, Unlanded, Wanted};
use crate::text::{self, Encoding, LineCounts, hunks};
use crate::workspace::Workspace;
use crate::workspace::ledger::{Gone, Intent, IntentFile, LandedEntry};
use crate::workspace::paths::contained::{self, Expected, Like, WriteError};

/// What is to be put in the place of one file.
pub(super) struct Prepared {
    pub(super) present: Option<Present>,
    pub(super) planned: Planned,
    pub(super) changed_outside: bool,
    /// The file that is moved here.
    moved: Option<Present>,
    /// What the file was that is made again.
    again: Option<Gone>,
    /// How the bytes stood for the text that is put back.
    encoding: Option<Encoding>,
}

impl Prepared {
    /// The bytes it will hold; `None` for a file that goes.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        let again = || self.again.as_ref().and_then(|gone| Encoding::named(&gone.encoding)).unwrap_or(Encoding::Utf8);
        let like = self.moved.as_ref().or(self.present.as_ref());
        let encoding = self.encoding.or(like.map(|like| like.decoded.encoding)).unwrap_or_else(again);
        self.planned.after.as_ref().map(|after| text::encode(after, encoding))
    }

    /// What else a new file gets.
    pub(super) fn like<'o>(&self, order: &'o Order) -> Option<Like<'o>> {
        let again = || self.again.as_ref().map(|gone| Like::Mode(gone.mode));
        order.wanted.moved_from().map(Like::File).or_else(again)
    }

    fn before(&self) -> Option<&str> {
        self.present.as_ref().map(|present| present.decoded.text.as_str())
    }
}

/// Prepares all `orders`.
#[tracing::instrument(level = "debug", name = "plan", skip_all)]
pub(super) fn prepare_all(workspace: &Workspace, orders: &[Order]) -> Result<Vec<Prepared>, Stopped> {
    let mut all = Vec::with_capacity(orders.len());
    for (index, order) in orders.iter().enumerate() {
        let prepared = match &order.wanted {
            Wanted::MoveHere(moving) => prepare_move(workspace, order, moving).map_err(|(at_source, why)| {
                let source = orders.iter().position(|order| order.target.absolute == moving.from.absolute);
                Stopped { index: if at_source { source.unwrap_or(index) } else { index }, why }
            }),
            _ => prepare(workspace, order).map_err(|why| Stopped { index, why }),
        };
        all.push(prepared?);
    }
    if orders.len() > 1 {
        check(workspace, orders, &all)?;
    }
    Ok(all)
}

fn prepare(workspace: &Workspace, order: &Order) -> Result<Prepared, Unlanded> {
    let present = read(workspace, &order.target)?;
    let changed_outside = changed_outside(order, present.as_ref());
    let before = present.as_ref().map(|present| present.decoded.text.as_str());
    let planned = plan::plan(before, &order.wanted, order.seen.is_some() && !changed_outside)?;
    let (again, encoding) = match &order.wanted {
        Wanted::Undo(undo) if present.is_none() => (undo.entry.gone.clone(), None),
        Wanted::Undo(undo) => (None, undo.entry.encoding.as_deref().and_then(Encoding::named)),
        _ => (None, None),
    };
    Ok(Prepared { present, planned, changed_outside, moved: None, again, encoding })
}

/// Prepares the new place of a moved file. An error says whether it is about the old one.
fn prepare_move(workspace: &Workspace, order: &Order, moving: &MoveHere) -> Result<Prepared, (bool, Unlanded)> {
    let source = read(workspace, &moving.from).and_then(|source| source.ok_or(Unlanded::Missing));
    let source = source.map_err(|why| (true, why))?;
    let planned = plan::plan_on_the_way(&source.decoded.text, &moving.change).map_err(|why| (true, why))?;
    let present = read(workspace, &order.target).map_err(|why| (false, why))?;
    let changed_outside = changed_outside(order, present.as_ref());
    let before = present.as_ref().map(|present| present.decoded.text.as_str());
    let deed = plan::deed_of_whole(before, order.seen.is_some() && !changed_outside).map_err(|why| (false, why))?;
    let planned = Planned { deed, ..planned };
    Ok(Prepared { present, planned, changed_outside, moved: Some(source), again: None, encoding: None })
}

fn changed_outside(order: &Order, present: Option<&Present>) -> bool {
    order.seen.is_some_and(|seen| present.is_none_or(|present| present.expected != seen))
}

/// Finds what would stop the writing of several files before the first of them is written.
fn check(workspace: &Workspace, orders: &[Order], prepared: &[Prepared]) -> Result<(), Stopped> {
    for (index, (order, one)) in orders.iter().zip(prepared).enumerate() {
        let stopped = |why| Stopped { index, why: Unlanded::Write(why) };
        if one.present.is_some() && one.planned.deed != Deed::LeftAsIs {
            contained::may_replace(workspace.paths(), &order.target).map_err(stopped)?;
        }
        // What is moved is what goes in its old place.
        if let (Some(from), Some(moved)) = (order.wanted.moved_from(), &one.moved) {
            let gone = orders.iter().zip(prepared).find(|(order, _)| order.target.absolute == from.absolute);
            let read_there: Option<Expected> = gone.and_then(|(_, gone)| Some(gone.present.as_ref()?.expected));
            if read_there != Some(moved.expected) {
                return Err(stopped(WriteError::ChangedMeanwhile));
            }
        }
    }
    Ok(())
}

/// What is about to be done, as the ledger keeps it until it is done.
pub(super) fn intent(workspace: &Workspace, tool: &str, orders: &[Order], prepared: &[Prepared]) -> Intent {
    let several = orders.len() > 1;
    let file = |(order, prepared): (&Order, &Prepared)| {
        Some(IntentFile {
            absolute: order.target.absolute.clone(),
            entry: entry(order, prepared)?,
            // One file is changed at once or not at all; only of several may some be missing after a crash.
            bytes: if several { prepared.bytes() } else { None },
            like: order.wanted.moved_from().map(|from| from.absolute.clone()),
            mode: prepared.again.as_ref().map(|gone| gone.mode),
            folders: order.wanted.folders_to_go(),
        })
    };
    let files = orders.iter().zip(prepared).filter_map(file).collect();
    let allow = workspace.paths().allow.iter().map(|rule| rule.written().to_owned()).collect();
    Intent { root: workspace.root().to_owned(), tool: tool.to_owned(), allow, files }
}

fn entry(order: &Order, prepared: &Prepared) -> Option<LandedEntry> {
    let planned = &prepared.planned;
    let action = planned.deed.action()?;
    let (before, after) = (prepared.before(), planned.after.as_deref());
    let file = &order.target.relative;
    let mut entry = match prepared.moved {
        // Its plan is about what it was in its old place; here all of it is new.
        Some(_) => {
            let hunks = hunks(before.unwrap_or_default(), after.unwrap_or_default());
            let counts = LineCounts::of(&hunks, after.unwrap_or_default());
            LandedEntry::new(file, action, before, after, &hunks, counts)
        }
        None => LandedEntry::new(file, action, before, after, &planned.hunks, planned.counts),
    };
    if let (Deed::Deleted, Some(present)) = (planned.deed, &prepared.present) {
        entry.gone = Some(Gone { encoding: present.decoded.encoding.name().to_owned(), mode: present.mode });
    }
    if planned.deed == Deed::Created {
        entry.folders = contained::missing_folders(&order.target);
    }
    let encoding = prepared.present.as_ref().map(|present| present.decoded.encoding);
    entry.encoding = encoding.filter(|encoding| *encoding != Encoding::Utf8).map(|encoding| encoding.name().to_owned());
    if let Wanted::Undo(undone) = &order.wanted {
        entry.undoes = Some(undone.number);
    }
    entry.matched_via = planned.matched_via.clone().filter(|via| via != "exact");
    entry.path_note.clone_from(&order.target.note);
    Some(entry)
}
