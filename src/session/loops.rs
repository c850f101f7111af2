//! The loop gate: a call that cannot succeed is not carried out a fourth time, but answered with what to do instead.
//!
//! A call fails the same way as long as its arguments and the file it is about are the same; so the key holds both, and
//! a file that has changed opens the gate by itself. A read of the file opens it too: the agent has new knowledge then.
//! Calls that alternate (A, B, A, B) are counted each by itself.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::report::{FaultKind, ToolError};

/// How often the same call may fail.
const MOST_FAILURES: u32 = 3;
/// After so many failures on one file, whatever the arguments, the agent is told to look at it.
const MANY_ON_ONE_FILE: u32 = 5;

/// What a failing call is counted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CallKey {
    tool: &'static str,
    arguments: String,
    /// Length and time of change of the file it is about; it distinguishes states, nothing more.
    state: Option<(u64, std::time::SystemTime)>,
}

impl CallKey {
    /// The key of a call: arguments in an order of their own, so that theirs does not matter.
    pub(super) fn new(tool: &'static str, arguments: &Map<String, Value>, file: Option<&std::fs::Metadata>) -> CallKey {
        let mut sorted: Vec<(&String, &Value)> = arguments.iter().collect();
        sorted.sort_by_key(|(name, _)| *name);
        let arguments = sorted.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
        CallKey { tool, arguments, state: file.and_then(|file| Some((file.len(), file.modified().ok()?))) }
    }
}

/// The failures of one session.
#[derive(Debug, Default)]
pub(super) struct LoopGate {
    failures: HashMap<CallKey, Failure>,
    on_file: HashMap<String, u32>,
}

#[derive(Debug)]
struct Failure {
    count: u32,
    code: &'static str,
    file: Option<String>,
}

impl LoopGate {
    /// The answer to a call that has failed too often just so; `None` if it may be carried out.
    pub(super) fn blocked(&self, key: &CallKey) -> Option<ToolError> {
        let failure = self.failures.get(key).filter(|failure| failure.count >= MOST_FAILURES)?;
        let message = format!(
            "this same call has failed {} times ({}), and nothing has changed since; it was not tried again",
            failure.count, failure.code
        );
        let mut error = ToolError::caller("repeated", message).hint(instead(failure.code, failure.file.as_deref()));
        error.file = failure.file.clone();
        Some(error)
    }

    /// Counts a failure, and puts a stronger hint on `error` when the same file keeps failing.
    pub(super) fn failed(&mut self, key: CallKey, error: &mut ToolError) {
        // The call is right: a language server that loads, a full disk are another matter later.
        if error.kind == FaultKind::Environment {
            return;
        }
        let failure =
            self.failures.entry(key).or_insert(Failure { count: 0, code: error.code, file: error.file.clone() });
        failure.count += 1;
        failure.code = error.code;
        let Some(file) = &error.file else { return };
        let count = self.on_file.entry(file.clone()).or_insert(0);
        *count += 1;
        if *count >= MANY_ON_ONE_FILE {
            error.hints.insert(0, format!("{count} calls on this file have failed in a row: call `read` with file_path {file} before the next one"));
        }
    }

    /// Forgets the failures on `file`: it was read or changed.
    pub(super) fn opened(&mut self, file: &str) {
        self.on_file.remove(file);
        self.failures.retain(|_, failure| failure.file.as_deref() != Some(file));
    }
}

/// What to do instead, by the class of the failure.
fn instead(code: &str, file: Option<&str>) -> String {
    let file = file.unwrap_or("the file");
    match code {
        "not_found" | "stale" | "elision_unclear" | "too_little_information" => {
            format!("call `read` with file_path {file}, and copy old_string from what it shows")
        }
        "ambiguous" => format!(
            "call `read` with file_path {file}, then add lines around the place to old_string, or pass near_line"
        ),
        "already_applied" | "identical" => format!("{file} already is as wanted: go on with the next step"),
        "not_read" => format!("call `read` with file_path {file} first"),
        "bad_arguments" => "look at the tool's parameters and call it with those".into(),
        _ => "use a path relative to the workspace; call `read` with file_path . to see what is there".into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(arguments: Value) -> CallKey {
        CallKey::new("edit", arguments.as_object().expect("an object"), None)
    }

    fn fail(gate: &mut LoopGate, key: &CallKey) -> ToolError {
        let mut error = ToolError::caller("not_found", "old_string is not in the file").about("a.go");
        gate.failed(key.clone(), &mut error);
        error
    }

    #[test]
    fn the_fourth_same_call_is_blocked_also_when_others_come_between() {
        let mut gate = LoopGate::default();
        let (a, b) = (key(json!({ "x": 1, "y": 2 })), key(json!({ "x": 2 })));
        assert_eq!(a, key(json!({ "y": 2, "x": 1 })), "the order of arguments does not matter");
        for _ in 0..3 {
            assert!(gate.blocked(&a).is_none());
            fail(&mut gate, &a);
            fail(&mut gate, &b);
        }
        let blocked = gate.blocked(&a).expect("blocked");
        assert_eq!(blocked.code, "repeated");
        assert!(blocked.hints[0].contains("`read` with file_path a.go"), "{blocked:?}");
        gate.opened("b.go");
        assert!(gate.blocked(&a).is_some());
        gate.opened("a.go");
        assert!(gate.blocked(&a).is_none());
    }

    #[test]
    fn what_may_be_otherwise_a_moment_later_is_never_blocked() {
        let mut gate = LoopGate::default();
        let call = key(json!({ "symbol": "a" }));
        for _ in 0..9 {
            gate.failed(call.clone(), &mut ToolError::environment("loading", "gopls is still loading"));
        }
        assert!(gate.blocked(&call).is_none());
    }

    #[test]
    fn a_file_that_keeps_failing_is_to_be_read() {
        let mut gate = LoopGate::default();
        let errors: Vec<ToolError> = (0..5).map(|n| fail(&mut gate, &key(json!({ "old": n })))).collect();
        assert!(errors[3].hints.is_empty());
        assert!(errors[4].hints[0].starts_with("5 calls on this file have failed in a row"), "{:?}", errors[4]);
    }
}
