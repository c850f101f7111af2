//! The LSP face before language servers that follow a script.

use std::time::Instant;

use serde_json::json;

use crate::support::editor::Editor;
use crate::support::{PATIENCE, scripted_servers};

#[test]
fn symbols_of_a_workspace_are_those_of_all_its_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 } });
    let symbol = json!({ "name": "two", "kind": 12, "location": { "uri": "file:///a.scripted", "range": range } });
    let script = format!(
        "[script]\nanswers = {{ \"workspace/symbol\" = [{{ result = {:?} }}] }}\n",
        json!([symbol]).to_string()
    );
    let servers = scripted_servers(folder.path(), &script, "");
    let base = folder.path().canonicalize().expect("there");
    let folders = [base.join("one"), base.join("two")];
    for root in &folders {
        std::fs::create_dir(root).expect("made");
        std::fs::write(root.join("a.scripted"), "one\ntwo\n").expect("written");
    }
    let arguments = ["--no-daemon", "--servers", &servers.to_string_lossy()];
    let mut editor = Editor::start_on(&folders[0], &[&folders[0], &folders[1]], json!({}), &arguments, &[]);
    for root in &folders {
        let file = root.join("a.scripted").to_string_lossy().into_owned();
        editor.open(&file, 1, "one\ntwo\n");
        editor.diagnostics(&file, Some(1));
    }
    let begun = Instant::now();
    loop {
        let found = editor.request("workspace/symbol", json!({ "query": "two" }));
        if found["result"].as_array().is_some_and(|all| all.len() == 2) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{found}");
    }
}

#[test]
fn a_client_that_takes_published_problems_is_not_told_to_pull_them_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let both =
        json!({ "publishDiagnostics": { "versionSupport": false }, "diagnostic": { "dynamicRegistration": true } });
    for (capabilities, pulls) in [
        (json!({}), true),
        (json!({ "textDocument": { "diagnostic": {} } }), true),
        (json!({ "textDocument": { "publishDiagnostics": {} } }), false),
        (json!({ "textDocument": both }), false),
    ] {
        let arguments = ["--no-daemon", "--no-lsp"];
        let editor = Editor::start_on(folder.path(), &[folder.path()], capabilities.clone(), &arguments, &[]);
        assert_eq!(editor.offered["diagnosticProvider"].is_object(), pulls, "{capabilities}");
    }
}
