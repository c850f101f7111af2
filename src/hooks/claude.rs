//! Claude Code: `PreToolUse`, `PostToolUse`, `PostToolUseFailure`.
//!
//! Source: <https://code.claude.com/docs/en/hooks>. A new input is given without a decision of ours, so that the user's
//! permissions hold as before.

use serde_json::Value;

use super::event::{self, Answer, Event, Moment, NativeTool, Use};

/// Its own tools that work on files.
pub(super) const TOOLS: &[NativeTool] = &[
    NativeTool { name: "Read", paths: &[("file_path", Use::Look)], patch: None },
    NativeTool { name: "Edit", paths: &[("file_path", Use::Edit)], patch: None },
    NativeTool { name: "MultiEdit", paths: &[("file_path", Use::Edit)], patch: None },
    NativeTool { name: "Write", paths: &[("file_path", Use::Write)], patch: None },
    NativeTool { name: "NotebookEdit", paths: &[("notebook_path", Use::Edit)], patch: None },
    NativeTool { name: "Glob", paths: &[("path", Use::Directory)], patch: None },
    NativeTool { name: "Grep", paths: &[("path", Use::Look)], patch: None },
];

/// Reads what it says.
pub(super) fn read(message: &Value) -> Option<Event> {
    event::read(message, |name| match name {
        "PreToolUse" => Some(Moment::Before),
        "PostToolUse" => Some(Moment::After),
        "PostToolUseFailure" => Some(Moment::Failed),
        _ => None,
    })
}

/// Writes what it is told.
pub(super) fn write(moment: Moment, answer: Answer) -> Option<Value> {
    let name = match moment {
        Moment::Before => "PreToolUse",
        Moment::After => "PostToolUse",
        Moment::Failed => "PostToolUseFailure",
    };
    event::specific_output(name, answer)
}
