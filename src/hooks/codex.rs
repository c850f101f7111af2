//! Codex: `PreToolUse` and `PostToolUse` of `apply_patch`, whose patch is its input's `command`.
//!
//! Source: openai/codex pull request 20527: a new input is only taken together with the decision `allow`.

use serde_json::Value;

use super::event::{self, Answer, Event, Moment, NativeTool};

/// Its own tool that works on files.
pub(super) const TOOLS: &[NativeTool] = &[NativeTool { name: "apply_patch", paths: &[], patch: Some("command") }];

/// Reads what it says.
pub(super) fn read(message: &Value) -> Option<Event> {
    event::read(message, |name| match name {
        "PreToolUse" => Some(Moment::Before),
        "PostToolUse" => Some(Moment::After),
        _ => None,
    })
}

/// Writes what it is told.
pub(super) fn write(moment: Moment, answer: Answer) -> Option<Value> {
    let name = match moment {
        Moment::Before => "PreToolUse",
        Moment::After | Moment::Failed => "PostToolUse",
    };
    let is_input = matches!(answer, Answer::Input { .. });
    let mut written = event::specific_output(name, answer)?;
    if is_input {
        written["hookSpecificOutput"]["permissionDecision"] = "allow".into();
    }
    Some(written)
}
