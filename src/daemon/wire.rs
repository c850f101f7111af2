//! What is said over the socket: one line of JSON from the client, one from the daemon, then what was asked for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::hooks::Harness;
use crate::report::Reply;

/// The longest first line that is read. Bytes.
pub(super) const LONGEST_HELLO: usize = 4 << 20;

/// A client's first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Hello {
    /// The client's version.
    pub(super) landfall: String,
    #[serde(flatten)]
    pub(super) ask: Ask,
}

/// The daemon's first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Welcome {
    /// The daemon's version.
    pub(super) landfall: String,
    pub(super) pid: u32,
    /// Why what was asked for is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<String>,
}

/// What a client wants.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// A session over MCP: what follows is the protocol.
    Session(SessionAsk),
    /// A session of single calls: each line that follows is a [`CallLine`], answered by a line with an [`Answer`].
    Calls(SessionAsk),
    /// An editor's session: what follows is LSP.
    Editor(SessionAsk),
    /// What a harness's hook is to be told: one line with it, `null` for nothing.
    Hook(HookAsk),
    /// What it is doing: one line with a [`super::Status`].
    Status,
    /// To end; with `force` even while sessions are open.
    Stop {
        /// Whether open sessions do not matter.
        #[serde(default)]
        force: bool,
    },
    /// To end as soon as no session is open: there is a newer daemon.
    HandOver,
    /// To end language servers: one line with their number.
    StopServers {
        /// Only those of this name.
        #[serde(default)]
        name: Option<String>,
        /// Only those of the workspace with this root.
        #[serde(default)]
        workspace: Option<PathBuf>,
    },
}

/// How a session is wanted.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionAsk {
    /// How the client is connected to its own side: `stdio`, `hook`, `shell`, `lsp`.
    pub face: String,
    /// Workspaces to open, absolute; the first is the one of calls that name none.
    pub workspaces: Vec<PathBuf>,
    /// Whether commands may be run.
    pub commands: bool,
    /// The environment of those commands.
    pub environment: BTreeMap<String, String>,
    /// Globs of what may be used outside the workspaces.
    pub allow_paths: Vec<String>,
    /// Whether structured results are wanted beside the text.
    pub structured: bool,
    /// A name under which the session outlives this connection for a while, so that the next one goes on with it.
    pub name: Option<String>,
    /// What is put on top of its first result.
    pub note: Option<String>,
}

/// A message of a harness's hook.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HookAsk {
    /// Whose.
    pub harness: Harness,
    /// The workspace that is meant, where that is known; absolute.
    #[serde(default)]
    pub workspace: Option<PathBuf>,
    /// The message.
    pub message: Value,
}

/// One call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallLine {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// As the agent reads it.
    pub text: String,
    /// Whether it did not do what it was asked.
    pub is_error: bool,
    /// The same for programs.
    pub structured: Map<String, Value>,
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Answer {
        Answer { text: reply.text, is_error: reply.is_error, structured: reply.structured }
    }
}

/// `value` as one line.
pub(super) fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_is_read_as_it_was_written_and_later_fields_do_not_disturb() {
        let session = SessionAsk { face: "stdio".into(), workspaces: vec!["/w".into()], ..SessionAsk::default() };
        let written = line(&Hello { landfall: "1.2.3".into(), ask: Ask::Session(session) });
        let read: Hello = serde_json::from_slice(&written).expect("reads");
        assert!(matches!(read.ask, Ask::Session(ask) if ask.workspaces == [PathBuf::from("/w")] && !ask.commands));
        let newer = r#"{"landfall":"9.0.0","ask":"stop","force":true,"gently":1}"#;
        let read: Hello = serde_json::from_str(newer).expect("reads");
        assert!(matches!(read.ask, Ask::Stop { force: true }));
        for junk in ["", "{}", "{\"landfall\":\"1\"}", "{\"landfall\":\"1\",\"ask\":\"dance\"}", "\u{0}\u{1}"] {
            assert!(serde_json::from_str::<Hello>(junk).is_err(), "{junk}");
        }
    }
}
