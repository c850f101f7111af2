//! Gemini CLI: `BeforeTool` and `AfterTool`.
//!
//! Source: <https://geminicli.com/docs/hooks/reference>. A tool that failed says so in its response's `error`.

use serde_json::{Value, json};

use super::event::{self, Answer, Event, Moment, NativeTool, Use};

/// Its own tools that work on files.
pub(super) const TOOLS: &[NativeTool] = &[
    NativeTool { name: "read_file", paths: &[("file_path", Use::Look), ("absolute_path", Use::Look)], patch: None },
    NativeTool { name: "replace", paths: &[("file_path", Use::Edit)], patch: None },
    NativeTool { name: "write_file", paths: &[("file_path", Use::Write)], patch: None },
    NativeTool {
        name: "list_directory",
        paths: &[("dir_path", Use::Directory), ("path", Use::Directory)],
        patch: None,
    },
    NativeTool { name: "glob", paths: &[("dir_path", Use::Directory), ("path", Use::Directory)], patch: None },
    NativeTool {
        name: "search_file_content",
        paths: &[("dir_path", Use::Directory), ("path", Use::Directory)],
        patch: None,
    },
    NativeTool {
        name: "run_shell_command",
        paths: &[("dir_path", Use::Directory), ("directory", Use::Directory)],
        patch: None,
    },
];

/// Reads what it says.
pub(super) fn read(message: &Value) -> Option<Event> {
    let failed = message.pointer("/tool_response/error").is_some_and(|error| !error.is_null());
    event::read(message, |name| match name {
        "BeforeTool" => Some(Moment::Before),
        "AfterTool" if failed => Some(Moment::Failed),
        "AfterTool" => Some(Moment::After),
        _ => None,
    })
}

/// Writes what it is told.
pub(super) fn write(moment: Moment, answer: Answer) -> Option<Value> {
    let name = if moment == Moment::Before { "BeforeTool" } else { "AfterTool" };
    match answer {
        Answer::Nothing => None,
        Answer::Input { input, note } => Some(json!({
            "systemMessage": note,
            "hookSpecificOutput": { "hookEventName": name, "tool_input": input },
        })),
        Answer::Deny(reason) => Some(json!({ "decision": "deny", "reason": reason })),
        Answer::Context(text) => {
            Some(json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": text } }))
        }
    }
}
