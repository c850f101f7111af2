//! What a person is shown of sessions: the facts of their ledgers and of the language servers, and one HTML page of it.
//!
//! Pure: no clock, no files. Every document stands alone (no external asset, no script but a known one), so that it can
//! be kept beside a benchmark's results, and everything that comes from an agent, a file or a language server is escaped.

mod figures;
mod gather;
mod lists;
mod live;
mod moment;
mod page;
mod servers;
mod shown;
mod timeline;

pub use figures::Figures;
pub use gather::{Origin, session};
pub use live::{Earlier, Told, live, login};
pub use moment::Moment;
pub use page::{Policy, report};

/// What there is to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// When it was taken.
    pub taken: Moment,
    /// The sessions, the oldest first.
    pub sessions: Vec<SessionPicture>,
    /// The language servers.
    pub language_servers: Vec<ServerPicture>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPicture {
    /// Its name, that of its ledger.
    pub name: String,
    /// How it is connected, while it is.
    pub face: Option<String>,
    /// The roots of the workspaces that it worked in, and that of calls that name none.
    pub roots: Vec<String>,
    /// When it began, as far as that is known.
    pub began: Moment,
    /// When it last did anything.
    pub last: Moment,
    /// What it comes to.
    pub figures: Figures,
    /// What landed, in order; the oldest may be left out.
    pub landed: Vec<LandedLine>,
    /// What was refused, in order; the oldest may be left out.
    pub refused: Vec<RefusedLine>,
    /// What was changed past us, in order; the oldest may be left out.
    pub outside: Vec<OutsideLine>,
    /// What the language servers had to say of it, by name.
    pub judges: Vec<Judge>,
}

/// Where a line of the ledger comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its number in the session.
    pub number: u64,
    /// When.
    pub at: Moment,
    /// The tool.
    pub tool: String,
    /// The root of the workspace that was meant.
    pub root: String,
}

/// A change that is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandedLine {
    /// Where it comes from.
    pub source: Source,
    /// The file, relative to the workspace root.
    pub file: String,
    /// What was done: `edited`, `created`, `overwrote`, `deleted`.
    pub action: &'static str,
    /// The lines that it made, one range a place, 1-based and inclusive.
    pub lines: Vec<(usize, usize)>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// How it matched, where that was not exact.
    pub matched_via: Option<String>,
    /// How its path was put right, if it was.
    pub path_note: Option<String>,
    /// The number of the change that it took back.
    pub undoes: Option<u64>,
    /// What was said of it, in order; the last counts.
    pub verdicts: Vec<VerdictLine>,
}

impl LandedLine {
    /// What is known of it.
    pub fn mark(&self) -> Mark {
        self.verdicts.last().map_or(Mark::Unknown, |verdict| verdict.mark)
    }
}

/// How much is known of a change, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Checked, and nothing wrong.
    Clean,
    /// Checked, and something wrong.
    Problems,
    /// Nobody has said anything of it, or not yet.
    Unknown,
    /// Nobody could check more than its syntax.
    Unchecked,
}

/// What a language server said of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictLine {
    /// When.
    pub at: Moment,
    /// What it comes to.
    pub mark: Mark,
    /// The verdict's name.
    pub name: String,
    /// Whose it is.
    pub language_server: Option<String>,
    /// From the landing to the verdict. Milliseconds.
    pub after_ms: u64,
    /// What is behind it.
    pub detail: Option<String>,
    /// What it counted, in words; empty where there is nothing to count.
    pub counts: String,
    /// The first problems.
    pub problems: Vec<String>,
}

/// A change that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLine {
    /// Where it comes from.
    pub source: Source,
    /// Why, as a stable word.
    pub code: String,
    /// The path as typed; empty where none was.
    pub typed: String,
    /// The files that it meant, where they are known and not what was typed.
    pub files: Vec<String>,
    /// What the agent was told.
    pub message: String,
    /// What became of it.
    pub fate: Fate,
}

pub use crate::workspace::ledger::Fate;

/// Files that a command changed, past us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideLine {
    /// Where it comes from.
    pub source: Source,
    /// The first of them: what became of it, and its name.
    pub files: Vec<(&'static str, String)>,
    /// How many there are.
    pub total: usize,
}

/// What a language server had to say in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judge {
    /// Its name.
    pub name: String,
    /// How many changes it judged.
    pub judged: usize,
    /// From a landing to its verdict, in the middle. Milliseconds.
    pub median_ms: u64,
    /// The longest of them. Milliseconds.
    pub longest_ms: u64,
}

/// A language server as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPicture {
    /// Its name.
    pub name: String,
    /// The folder it works on.
    pub root: String,
    /// `absent`, `loading`, `ready`, `down`, `stopped`, or `checker only`.
    pub state: String,
    /// What is behind that.
    pub detail: Option<String>,
    /// Resident memory of it and of what it started. Bytes.
    pub memory_bytes: Option<u64>,
    /// How often it has died.
    pub restarts: u32,
    /// How long it has been running. Seconds.
    pub uptime_seconds: Option<u64>,
}
