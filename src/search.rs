//! Finding files and lines by ripgrep's own crates: its rules, bounded results, an early stop.
//!
//! Knows nothing of sessions or of the protocol. Everything here blocks and works on as many threads as ripgrep would;
//! who calls it does so from a thread that may block.
//!
//! Invariant: memory does not grow with the tree or with the number of hits: what is not among the best is counted only.

mod best;
mod clip;
mod files;
mod limits;
mod lines;
mod one_file;
mod pattern;
mod place;
mod snapshot;

pub use clip::{MOST_CHARACTERS, clip};
pub use files::{FoundFile, FoundFiles, find_files};
pub use limits::{End, Limits, StopOnDrop};
pub use lines::{FoundLines, Wanted, find_lines};
pub use one_file::{FileHits, Line, Role};
pub use pattern::{Case, Pattern, PatternError, PatternOptions};
pub use place::{GlobError, Place};
pub use snapshot::{FileChange, Snapshot};
