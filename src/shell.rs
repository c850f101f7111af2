//! Running one command line: in a session of its own, bounded in time and memory, nothing of its output lost.
//!
//! Knows nothing of workspaces or of the protocol. Everything here blocks; who calls it does so from a thread that may.
//!
//! Invariant: what a command prints goes through one pipe, so that standard output and error keep their order; what is
//! more than the kept tail lies whole in a file (a spill). A process that a command leaves behind holds up nobody, and
//! its output goes on into the spill.

mod capture;
mod group;
mod run;
mod spill;

pub use capture::{HEAD_BYTES, MOST_BYTES, MOST_LINES, Output, UNSPILLED};
pub use group::Guard;
pub use run::{CommandLine, Ending, Finished, run};
pub use spill::{clean, folder};
