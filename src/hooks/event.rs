//! What every harness's hook says and hears, in one form.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// What a harness tells of one call of its own tools.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    /// The harness's name of its session.
    pub(super) session: String,
    /// Where the harness works: what its relative paths are relative to.
    pub(super) directory: PathBuf,
    /// When in the call this is.
    pub(super) moment: Moment,
    /// The harness's name of the tool.
    pub(super) tool: String,
    /// What the tool was or will be given.
    pub(super) input: Map<String, Value>,
    /// What the tool gave back, after it.
    pub(super) response: Value,
}

/// A moment of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the tool runs.
    Before,
    /// After it has done what it was asked.
    After,
    /// After it has refused or failed.
    Failed,
}

/// What the harness is told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// Nothing: the call goes on as if nobody had been asked.
    Nothing,
    /// The call goes on with this input; the model is told why.
    Input { input: Map<String, Value>, note: String },
    /// The call does not go on, for this reason.
    Deny(String),
    /// The model is told this beside the tool's result.
    Context(String),
}

/// A harness's tool as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NativeTool {
    /// Its name in the harness.
    pub(super) name: &'static str,
    /// Its parameters that hold a path, and what the path is for.
    pub(super) paths: &'static [(&'static str, Use)],
    /// Its parameter that holds a patch, with paths of its own.
    pub(super) patch: Option<&'static str>,
}

/// What a path is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// To look at what is there.
    Look,
    /// To work in it.
    Directory,
    /// To change the file.
    Edit,
    /// To write the file, which may be new.
    Write,
}

impl Use {
    pub(super) fn changes(self) -> bool {
        matches!(self, Use::Edit | Use::Write)
    }
}

/// A string of an object; empty where there is none.
pub(super) fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// What the three harnesses' messages have in common, with the moment that `moment` reads from the event's name; `None`
/// for an event that is none of a tool's.
pub(super) fn read(message: &Value, moment: impl FnOnce(&str) -> Option<Moment>) -> Option<Event> {
    let directory = PathBuf::from(text(message, "cwd"));
    let moment = moment(text(message, "hook_event_name"))?;
    directory.is_absolute().then(|| Event {
        session: text(message, "session_id").to_owned(),
        directory,
        moment,
        tool: text(message, "tool_name").to_owned(),
        input: message.get("tool_input").and_then(Value::as_object).cloned().unwrap_or_default(),
        response: message.get("tool_response").cloned().unwrap_or(Value::Null),
    })
}

/// The form in which Claude Code and those who follow it take an answer; `None` for nothing to say.
pub(super) fn specific_output(name: &str, answer: Answer) -> Option<Value> {
    let mut output = json!({ "hookEventName": name });
    match answer {
        Answer::Nothing => return None,
        Answer::Input { input, note } => {
            output["updatedInput"] = Value::Object(input);
            output["additionalContext"] = note.into();
        }
        Answer::Deny(reason) => {
            output["permissionDecision"] = "deny".into();
            output["permissionDecisionReason"] = reason.into();
        }
        Answer::Context(text) => output["additionalContext"] = text.into(),
    }
    Some(json!({ "hookSpecificOutput": output }))
}
