//! The hook face through the daemon, as harnesses run it.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::go::FILES;
use crate::support::daemon::Seat;
use crate::support::{available, wait_until};

/// What `landfall hook claude` answers; `None` for nothing.
fn hook(seat: &Seat, arguments: &[&str], root: &Path, event: &str, tool: &str, input: &Value) -> Option<Value> {
    let message =
        json!({ "session_id": "s1", "cwd": root, "hook_event_name": event, "tool_name": tool, "tool_input": input });
    let (code, output) = run(seat, arguments, &message.to_string());
    assert_eq!(code, 0, "{output}");
    (!output.is_empty()).then(|| serde_json::from_str(&output).unwrap_or_else(|error| panic!("{output}: {error}")))
}

fn run(seat: &Seat, arguments: &[&str], message: &str) -> (i32, String) {
    let mut command = seat.command(&["hook", "claude"]);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("starts");
    child.stdin.take().expect("its input").write_all(message.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("ends");
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stdout).expect("UTF-8"))
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("landfall-hooked-").tempdir().expect("a temporary folder");
    for (path, content) in FILES.iter().copied().chain([(".git/HEAD", "")]) {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, content).expect("a file");
    }
    folder
}

#[test]
fn a_native_edit_is_put_right_before_and_judged_after() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let (seat, folder) = (Seat::new(), project());
    let root = folder.path().canonicalize().expect("there");
    let file = root.join("store/store.go");
    let mistyped = file.display().to_string().replace("landfall-hooked", "landfall_hooked");
    let input = json!({ "file_path": mistyped, "old_string": "\treturn s.prices[name]", "new_string": "\treturn s.price[name]" });
    let ask = |event: &str, input: &Value| hook(&seat, &[], &root, event, "Edit", input);
    // The first call finds no daemon and starts one.
    let mut before = ask("PreToolUse", &input);
    wait_until("a daemon answers", || {
        before = before.take().or_else(|| ask("PreToolUse", &input));
        before.is_some()
    });
    let input = before.expect("an answer")["hookSpecificOutput"]["updatedInput"].clone();
    assert_eq!(input["file_path"], file.display().to_string());
    // A cold gopls may take longer than a call waits: the same edit is made until it is judged.
    let right = std::fs::read_to_string(&file).expect("reads");
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        std::fs::write(&file, right.replace("s.prices[name]", "s.price[name]")).expect("writes");
        let after = ask("PostToolUse", &input).expect("an answer");
        let context = after["hookSpecificOutput"]["additionalContext"].as_str().expect("a context").to_owned();
        assert!(context.contains("edited store/store.go: line 8, +1 -1"), "{context}");
        if context.contains("1 introduced") {
            assert!(context.contains("store/store.go:8:11 error"), "{context}");
            break;
        }
        assert!(Instant::now() < deadline, "{context}");
        std::fs::write(&file, &right).expect("writes");
        ask("PreToolUse", &input);
    }
}

#[test]
fn no_daemon_costs_nothing_and_nonsense_is_nothing() {
    let (seat, folder) = (Seat::new(), project());
    let input = json!({ "file_path": folder.path().join("store/store.go") });
    assert_eq!(hook(&seat, &["--no-lsp"], folder.path(), "PreToolUse", "Edit", &input), None);
    for message in ["", "{", "[1]", "{\"hook_event_name\": 7}"] {
        assert_eq!(run(&seat, &["--no-lsp"], message), (0, String::new()), "{message:?}");
    }
    // The first call has started a daemon for later: it is there before it is ended.
    wait_until("the daemon answers", || seat.command(&["status"]).output().expect("runs").status.success());
}
