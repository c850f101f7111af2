//! `landfall changes`: the ledger from the shell.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::Agent;

fn changes(state: &Path, workspace: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_landfall"))
        .arg("changes")
        .args(arguments)
        .current_dir(workspace)
        .env("XDG_STATE_HOME", state)
        .output()
        .expect("runs")
}

fn code_and_text(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code().expect("ends by itself"), String::from_utf8(text).expect("UTF-8"))
}

#[test]
fn the_last_session_of_the_workspace_is_told_with_what_is_missing() {
    let (folder, state) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let root = folder.path().canonicalize().expect("a real path");
    let changes = |arguments: &[&str]| changes(state.path(), &root, arguments);
    for (file, text) in [("a.txt", "one\ntwo\n"), ("b.txt", "x\n")] {
        std::fs::write(root.join(file), text).expect("writes");
    }
    let (code, text) = code_and_text(&changes(&[]));
    assert_eq!((code, text), (1, format!("No session has changed anything in {}.\n", root.display())));

    let environment = [("XDG_STATE_HOME", state.path().to_str().expect("UTF-8"))];
    let mut agent = Agent::start(&root, &["--no-lsp"], &environment);
    let session = agent.call("changes", json!({})).structured["session"].as_str().expect("a name").to_owned();
    agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one\n", "new_string": "1\n1\n" }));
    agent.call("edit", json!({ "file_path": "a.txt", "old_string": "two\n", "new_string": "2\n" }));
    agent.call("edit", json!({ "file_path": "b.txt", "old_string": "not there at all", "new_string": "y" }));
    agent.call("edit", json!({ "file_path": "b.txt", "old_string": ["x"] }));
    agent.call("write", json!({ "file_path": "c.txt", "content": "c\n" }));
    agent.call("undo", json!({}));
    let patch =
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-2\n+3\n*** Update File: d.txt\n@@\n-q\n+r\n*** End Patch";
    agent.call("apply_patch", json!({ "patch": patch }));
    let told = agent.call("changes", json!({ "since_start": true }));
    // A session that only looks is not the last one that did anything.
    drop(Agent::start(&root, &["--no-lsp"], &environment));

    let (code, text) = code_and_text(&changes(&["--since-start"]));
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with(&format!("session {session} in {}, 20", root.display())), "{text}");
    assert_eq!(text.split_once('\n').expect("two lines").1.trim_end(), told.text);
    let expected = "against the start of this session: 1 file, +3 -2\n  edited a.txt +3 -2\n  as at the start: c.txt\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("\nREFUSED and not made good since: b.txt (not_found; bad_arguments): "), "{text}");
    for file in ["a.txt", "d.txt"] {
        assert!(text.contains(&format!("\nREFUSED and not made good since: {file} (path_not_found): ")), "{text}");
    }
    let (_, json) = code_and_text(&changes(&["--json", "--session", &session]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((json["landed"].as_array().map(Vec::len), json["refused"].as_array().map(Vec::len)), (Some(4), Some(3)));

    let (code, text) = code_and_text(&changes(&["--session", "nonesuch"]));
    assert_eq!(code, 2, "{text}");
    assert!(text.contains(&format!("there is no session nonesuch; the last ones are {session}")), "{text}");
    let (code, text) = code_and_text(&changes(&["--workspace", "nowhere"]));
    assert!(code == 2 && text.contains("the workspace nowhere cannot be opened"), "{text}");
}
