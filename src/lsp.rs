//! One language server seen by its client: process, connection, what it says, and its oddities.
//!
//! The connection is our own, because what it must withstand is what this program is for: language servers print junk on
//! their standard output, announce lengths that are wrong, send `null` for a list, stop reading, die. Knows nothing of
//! workspaces; what it learns stands on a [`Board`] that the room above looks at or waits on.

mod board;
mod connection;
mod diagnostic;
mod edits;
mod frames;
pub(crate) mod guard;
mod line_change;
mod navigation;
mod process;
pub mod quirks;
mod server;
mod settings;
pub mod uri;

pub use board::{Board, Ended, Heard, Publish};
pub use connection::RequestError;
pub use diagnostic::{Diagnostic, Related};
pub use edits::{CodeAction, Doing, EditRefused, EditStep, Present, StrangeEdit, TextEdit, WorkspaceEdit};
pub use frames::AnsweredError;
pub use navigation::{CallItem, Calls, Direction, Location, Lookup, Range, SymbolItem};
pub use process::{Printed, Program, memory_by_group, run};
pub use server::{FileEvent, LanguageServer, Launch, StartError};
