//! Before a native call: put right what is mistyped, and remember the state before.

use serde_json::{Map, Value};

use super::event::{Answer, Event, NativeTool, Use};
use super::place::{Place, place, words};
use super::query::{Meant, meant};
use super::{Open, Text};
use crate::landing;
use crate::patch::{self, Change, Patch};
use crate::replace::Query;
use crate::report::{ToolError, one_line, refusal};
use crate::session::Call;
use crate::workspace::paths::Resolved;

/// The input as it should be, as it comes about.
struct Draft {
    input: Map<String, Value>,
    notes: Vec<String>,
}

/// What the harness is told before the call of `event`.
pub(super) fn answer(call: &Call, open: &Open, event: &Event, tool: &NativeTool) -> Answer {
    let mut draft = Draft { input: event.input.clone(), notes: Vec::new() };
    let mut changed = Vec::new();
    for (name, what_for) in tool.paths {
        let Some(typed) = event.input.get(*name).and_then(Value::as_str) else { continue };
        match place(call.workspace.paths(), &event.directory, typed, *what_for) {
            Place::AsTyped(target) => changed.extend(target.filter(|_| what_for.changes())),
            Place::PutRight(target, note) => {
                draft.input.insert((*name).to_owned(), target.absolute.display().to_string().into());
                draft.notes.push(note);
                changed.extend(Some(target).filter(|_| what_for.changes()));
            }
            Place::Refused(error) => return deny(call, tool, typed, what_for.changes(), &error),
        }
    }
    if let Some(name) = tool.patch {
        match put_patch_right(call, event, name, &mut draft) {
            Ok(targets) => changed.extend(targets),
            Err(refused) => return deny(call, tool, &refused.0, true, &refused.1),
        }
    }
    if let [target] = changed.as_slice()
        && let Some(error) = put_query_right(call, target, &mut draft)
    {
        return deny(call, tool, &target.relative, true, &error.about(&target.relative));
    }
    for target in changed {
        remember(call, open, &target);
    }
    if draft.notes.is_empty() {
        return Answer::Nothing;
    }
    Answer::Input { input: draft.input, note: draft.notes.join("\n") }
}

/// Refuses the call; a change that was refused stands in the ledger.
fn deny(call: &Call, tool: &NativeTool, typed: &str, changes: bool, error: &ToolError) -> Answer {
    let text = words(error, changes);
    if changes {
        call.session.enter_refusal(tool.name, call.workspace.root(), typed, error);
    }
    Answer::Deny(text)
}

/// Keeps the text of a file that is about to change, and shows it to the language server.
fn remember(call: &Call, open: &Open, target: &Resolved) {
    let text: Text = match landing::read(&call.workspace, target) {
        Ok(present) => present.map(|present| present.decoded.text.into()),
        // What is no text has no lines to compare.
        Err(_) => return,
    };
    if let Some(text) = &text {
        call.workspace.touch(&target.absolute, text);
    }
    call.workspace.announce(&target.absolute);
    open.remember(target.absolute.clone(), text);
}

/// Puts the text to be found right; why not, where nothing in the file can be meant.
fn put_query_right(call: &Call, target: &Resolved, draft: &mut Draft) -> Option<ToolError> {
    let text = |name: &str| draft.input.get(name).and_then(Value::as_str);
    let (old, new) = (text("old_string")?.to_owned(), text("new_string")?.to_owned());
    let replace_all = ["replace_all", "allow_multiple"].iter().any(|name| draft.input.get(*name) == Some(&true.into()));
    let present = landing::read(&call.workspace, target).ok()??;
    let query = Query { old: &old, new: &new, replace_all, near_line: None };
    match meant(&present.decoded.text, &query) {
        Meant::AsTyped => None,
        Meant::Otherwise { old, new, matched_via } => {
            draft.input.insert("old_string".into(), old.into());
            draft.input.insert("new_string".into(), new.into());
            draft.notes.push(format!(
                "old_string put right: yours is not in {} as typed; the file's own text was taken (matched by {})",
                one_line(&target.relative, 300),
                matched_via.replace('_', " ")
            ));
            None
        }
        Meant::Nothing(refused) => {
            let explanation = refusal::explain(&present.decoded.text, &query, &refused);
            let mut error = ToolError::caller(refused.code.name(), explanation.message);
            error.hints.extend(explanation.hint);
            Some(error)
        }
    }
}

/// Puts the paths in a patch right; the files it changes, or the path that is refused and why.
fn put_patch_right(
    call: &Call,
    event: &Event,
    name: &str,
    draft: &mut Draft,
) -> Result<Vec<Resolved>, Box<(String, ToolError)>> {
    let text = draft.input.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    // What is wrong with a patch that does not read, its own tool will say.
    let Ok(patch) = patch::parse(&text) else { return Ok(Vec::new()) };
    let (mut right, mut changed) = (text, Vec::new());
    for (typed, what_for) in paths_of(&patch) {
        match place(call.workspace.paths(), &event.directory, typed, what_for) {
            Place::AsTyped(target) => changed.extend(target),
            Place::PutRight(target, note) => {
                right = with_path(&right, typed, &target.absolute.display().to_string());
                draft.notes.push(note);
                changed.push(target);
            }
            Place::Refused(error) => return Err(Box::new((typed.to_owned(), error))),
        }
    }
    draft.input.insert(name.to_owned(), right.into());
    Ok(changed)
}

/// The paths that a patch names, and what each is for.
pub(super) fn paths_of(patch: &Patch) -> Vec<(&str, Use)> {
    let mut paths = Vec::new();
    for file in &patch.files {
        let what_for = if matches!(file.what, Change::Add { .. }) { Use::Write } else { Use::Edit };
        paths.push((file.path.as_str(), what_for));
        if let Change::Update { move_to: Some(target), .. } = &file.what {
            paths.push((target.as_str(), Use::Write));
        }
    }
    paths
}

/// `patch` with `path` in the place of `typed` where it heads a file's part.
fn with_path(patch: &str, typed: &str, path: &str) -> String {
    let line = |line: &str| match line.strip_prefix("*** ").and_then(|rest| rest.split_once(": ")) {
        Some((what, named)) if named.trim() == typed => format!("*** {what}: {path}"),
        _ => line.to_owned(),
    };
    patch.split('\n').map(line).collect::<Vec<String>>().join("\n")
}
