//! Code actions: what can be done, by title, and what doing it takes.

use serde_json::Value;

use super::{StrangeEdit, WorkspaceEdit, decode};

/// Something a language server offers to do.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeAction {
    /// What it calls it.
    pub title: String,
    /// Its kind (`quickfix`, `source.organizeImports`); empty when none was given.
    pub kind: String,
    /// Whether it is the one to take of several.
    pub is_preferred: bool,
    /// As it was sent.
    pub(super) raw: Value,
}

/// What doing it takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Doing {
    /// A change of files; `None` when nothing is to be changed.
    Edit(Option<WorkspaceEdit>),
    /// A command of the language server's own, which may do anything.
    Command {
        /// Its name.
        name: String,
        /// What goes with it.
        arguments: Value,
    },
}

/// Reads a `CodeAction` or a bare `Command`; `None` for one that cannot be taken now.
pub(super) fn read(value: &Value) -> Option<CodeAction> {
    if value.get("disabled").is_some_and(|why| !why.is_null()) {
        return None;
    }
    Some(CodeAction {
        title: value["title"].as_str()?.to_owned(),
        kind: value["kind"].as_str().unwrap_or_default().to_owned(),
        is_preferred: value["isPreferred"] == true,
        raw: value.clone(),
    })
}

/// What an action does that has been resolved.
///
/// # Errors
/// [`StrangeEdit`], also when it both edits and runs a command: then the edit alone would be half of it.
pub(super) fn doing(raw: &Value) -> Result<Doing, StrangeEdit> {
    let edit = raw.get("edit").map(decode::edit).transpose()?.flatten();
    // A bare command has its name where a code action has an object.
    let command = match &raw["command"] {
        Value::String(name) => Some((name.clone(), &raw["arguments"])),
        Value::Object(command) => {
            let name = command.get("command").and_then(Value::as_str);
            let name = name.ok_or(StrangeEdit::NotUnderstood("a command without a name"))?;
            Some((name.to_owned(), &raw["command"]["arguments"]))
        }
        _ => None,
    };
    match (edit, command) {
        (None, None) => Ok(Doing::Edit(None)),
        (Some(edit), None) => Ok(Doing::Edit(Some(edit))),
        // jdtls hands what it wants changed to its client as the argument of a command that is the client's.
        (None, Some((name, arguments))) if name == "java.apply.workspaceEdit" => {
            Ok(Doing::Edit(decode::edit(&arguments[0])?))
        }
        (None, Some((name, arguments))) => Ok(Doing::Command { name, arguments: arguments.clone() }),
        (Some(_), Some(_)) => Err(StrangeEdit::NotUnderstood("an edit and a command in one")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_action_edits_or_runs_a_command() {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
        let edit = json!({ "changes": { "file:///w/a": [{ "range": range, "newText": "x" }] } });
        let command = json!({ "title": "t", "command": "x.y", "arguments": [1] });
        let edits = |raw: &Value| matches!(doing(raw), Ok(Doing::Edit(Some(_))));
        assert!(edits(&json!({ "title": "t", "edit": edit })));
        assert!(edits(
            &json!({ "title": "t", "command": { "command": "java.apply.workspaceEdit", "arguments": [edit] } })
        ));
        let named = Ok(Doing::Command { name: "x.y".into(), arguments: json!([1]) });
        assert_eq!(doing(&command), named);
        assert_eq!(doing(&json!({ "title": "t", "command": command })), named);
        assert_eq!(doing(&json!({ "title": "t" })), Ok(Doing::Edit(None)));
        assert!(doing(&json!({ "title": "t", "edit": edit, "command": command })).is_err());
        assert!(doing(&json!({ "title": "t", "edit": 7 })).is_err());
    }

    #[test]
    fn what_is_disabled_is_not_offered() {
        assert!(read(&json!({ "title": "t", "disabled": { "reason": "no" } })).is_none());
        assert!(read(&json!({ "kind": "quickfix" })).is_none());
        let action = read(&json!({ "title": "t", "kind": "quickfix", "isPreferred": true })).expect("offered");
        assert_eq!((action.title.as_str(), action.kind.as_str(), action.is_preferred), ("t", "quickfix", true));
    }
}
