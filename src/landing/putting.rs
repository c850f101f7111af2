//! Putting what was prepared on disk: all of it, or nothing.

use std::path::{Path, PathBuf};

use super::preparing::Prepared;
use super::{Deed, Order, Stopped, Unlanded};
use crate::text;
use crate::workspace::Workspace;
use crate::workspace::paths::contained::{self, Aside, Expected, WriteError, Written};

/// What was done to one file, so that it can be taken back.
enum Done {
    /// Nothing; it holds this, or is not there.
    Left(Option<Expected>),
    /// It was made or replaced.
    Put(Written),
    /// It was taken out of its place.
    Gone(Aside),
}

impl Done {
    fn content(&self) -> Option<Expected> {
        match self {
            Done::Left(content) => *content,
            Done::Put(written) => Some(written.expected),
            Done::Gone(_) => None,
        }
    }
}

/// What has become of one file.
pub(super) struct Put {
    /// What it holds now; `None` if it is gone.
    pub(super) content: Option<Expected>,
    /// The folders that went with it, relative to the workspace root.
    pub(super) folders_gone: Vec<String>,
}

/// Puts all that was planned on disk, or nothing: what was put there before a failure is taken back. What the files hold
/// now.
pub(super) fn put_all(workspace: &Workspace, orders: &[Order], prepared: &[Prepared]) -> Result<Vec<Put>, Stopped> {
    let mut done = Vec::with_capacity(orders.len());
    for (index, (order, prepared_one)) in orders.iter().zip(prepared).enumerate() {
        match put(workspace, order, prepared_one) {
            Ok(one) => done.push(one),
            Err(error) => {
                let torn = take_back(workspace, orders, prepared, done);
                let why =
                    if torn.is_empty() { Unlanded::Write(error) } else { Unlanded::Torn { changed: torn, error } };
                return Err(Stopped { index, why });
            }
        }
    }
    Ok(orders.iter().zip(done).map(|(order, done)| conclude(workspace, order, done)).collect())
}

/// After all of them are as they should be: what was set aside goes, and with it what was only made for it.
fn conclude(workspace: &Workspace, order: &Order, done: Done) -> Put {
    let content = done.content();
    let mut folders_gone = Vec::new();
    if let Done::Gone(aside) = done {
        match aside.remove() {
            Ok(()) => folders_gone = remove_folders(workspace, order),
            // It is out of its place, which is what was asked for; the sweeper finds it.
            Err(error) => tracing::warn!(%error, "a deleted file was not removed from beside its place"),
        }
    }
    Put { content, folders_gone }
}

/// Removes the folders that had been made for a file whose making was undone, as far as they are empty.
fn remove_folders(workspace: &Workspace, order: &Order) -> Vec<String> {
    let gone = contained::remove_folders(workspace.paths(), &order.target, order.wanted.folders_to_go());
    let relative = |folder: PathBuf| folder.strip_prefix(workspace.root()).map(Path::to_owned).unwrap_or(folder);
    gone.into_iter().map(|folder| relative(folder).to_string_lossy().into_owned()).collect()
}

fn put(workspace: &Workspace, order: &Order, prepared: &Prepared) -> Result<Done, WriteError> {
    let expected = prepared.present.as_ref().map(|present| &present.expected);
    let (rules, target) = (workspace.paths(), &order.target);
    match (prepared.bytes(), expected) {
        _ if prepared.planned.deed == Deed::LeftAsIs => Ok(Done::Left(expected.copied())),
        (Some(bytes), expected) => {
            contained::replace_file_like(rules, target, &bytes, expected, prepared.like(order)).map(Done::Put)
        }
        (None, Some(expected)) => contained::set_aside(rules, target, expected).map(Done::Gone),
        (None, None) => Ok(Done::Left(None)),
    }
}

/// Takes back what was `done`, the last first; the files for which that failed.
fn take_back(workspace: &Workspace, orders: &[Order], prepared: &[Prepared], done: Vec<Done>) -> Vec<String> {
    let mut torn = Vec::new();
    for ((order, prepared), done) in orders.iter().zip(prepared).zip(done).rev() {
        let rules = workspace.paths();
        let back = match (done, &prepared.present) {
            (Done::Left(_), _) => Ok(()),
            (Done::Gone(aside), _) => aside.put_back(),
            (Done::Put(written), None) => contained::unmake(rules, &order.target, &written),
            (Done::Put(written), Some(present)) => {
                let bytes = text::encode(&present.decoded.text, present.decoded.encoding);
                contained::replace_file(rules, &order.target, &bytes, Some(&written.expected)).map(drop)
            }
        };
        if let Err(error) = back {
            tracing::error!(file = order.target.relative, %error, "a change could not be taken back");
            torn.push(order.target.relative.clone());
        }
    }
    torn
}
