//! Why nothing was written.

use std::sync::Arc;

use super::Edit;
use crate::patch::HunkRefused;
use crate::replace::Refused;
use crate::text::UndecodableText;
use crate::workspace::paths::contained::{ReadError, WriteError};

/// A change that did not land; but for [`Unlanded::Torn`] the files are as they were.
#[derive(Debug)]
pub enum Unlanded {
    /// The replacer found no place it could be sure of.
    Refused(Box<EditRefused>),
    /// A hunk of a patch has no certain place.
    Hunk(Box<HunkRefused>),
    /// There is no such file to edit.
    Missing,
    /// A whole file would be overwritten whose present content the session has not seen.
    Unseen {
        /// How many lines it has.
        lines: usize,
    },
    /// An earlier change was to be undone, but the file is no longer as that change left it.
    NotAsLeft,
    /// The file is not text.
    Undecodable(UndecodableText),
    /// The file could not be read.
    Read(ReadError),
    /// The file could not be written.
    Write(WriteError),
    /// A file could not be written, and files that had been changed before it could not be put back.
    Torn {
        /// The files that are changed.
        changed: Vec<String>,
        /// Why the file could not be written.
        error: WriteError,
    },
    /// Several changes of one call name the same file.
    NamedTwice,
    /// The service is ending.
    ShuttingDown,
}

/// An edit that the replacer refused.
#[derive(Debug)]
pub struct EditRefused {
    /// The text it met, for showing what is near.
    pub text: Arc<str>,
    /// What was asked.
    pub edit: Edit,
    /// Why not.
    pub refused: Box<Refused>,
    /// Which one, when several were asked for.
    pub of_several: Option<OfSeveral>,
}

/// The place of a refused edit among several, none of which was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfSeveral {
    /// Which edit, 0-based.
    pub index: usize,
    /// Whether each edit matched.
    pub matched: Vec<bool>,
}
