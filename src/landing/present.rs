//! A file as it is on disk now.

use std::os::unix::fs::MetadataExt;

use super::{LARGEST_FILE, Unlanded};
use crate::text::{self, Decoded};
use crate::workspace::Workspace;
use crate::workspace::ledger::Now;
use crate::workspace::paths::contained::{self, Expected};
use crate::workspace::paths::{self, PathRules, Purpose, Resolved};

/// A file as it is on disk now.
#[derive(Debug)]
pub struct Present {
    /// Its text.
    pub decoded: Decoded,
    /// What must still hold of it when it is replaced.
    pub expected: Expected,
    /// Its permissions.
    pub mode: u32,
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
    let mode = found.metadata.mode() & 0o7777;
    Ok(Some(Present { decoded, expected: found.expected, mode }))
}

/// What the file that the ledger calls `file` holds now.
pub fn now(rules: &PathRules, file: &str) -> Now {
    let Ok(target) = paths::resolve(rules, file, Purpose::WriteFile) else { return Now::Unreadable };
    match contained::read_file(rules, &target, LARGEST_FILE) {
        Ok(Some(found)) => text::decode(found.bytes).map_or(Now::Unreadable, |decoded| Now::Text(decoded.text)),
        Ok(None) => Now::Gone,
        Err(_) => Now::Unreadable,
    }
}
