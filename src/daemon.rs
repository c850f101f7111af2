//! The daemon: one process of a user that all sessions share, reached through a Unix socket.
//!
//! Invariants:
//! - Whoever holds the lock beside the socket serves; a socket file without a held lock is left over and is replaced.
//! - Only the user it belongs to is answered, whatever the modes of files say.
//! - The daemon's environment is made of what its [`Identity`] names and of PATH, so it does not matter which client
//!   started it; clients for which these differ have daemons of their own.
//! - A client that is gone ends its session, never a write.

mod bridge;
mod calls;
mod client;
mod host;
mod identity;
mod lasting;
pub mod log;
mod seat;
mod sessions;
mod start;
mod status;
mod until;
mod wire;

pub use bridge::bridge;
pub use client::{AskError, Connection, Daemon, daemons};
pub use host::{Host, HostOptions};
pub use identity::{Identity, ProcessOptions, build_seconds};
pub use lasting::lasting_bridge;
pub use seat::{Seat, SeatError};
pub use start::{StartError, connect_or_start, start_for_later};
pub use status::{ServerLine, SessionLine, Status, WorkspaceLine};
pub use wire::{Answer, Ask, CallLine, HookAsk, SessionAsk};
