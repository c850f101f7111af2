//! `--allow-path`: what lies outside the workspace and may be used all the same, and nothing else.

use std::path::Path;

use serde_json::json;

use crate::support::Agent;

#[test]
fn rules_widen_the_workspace_to_what_they_name_and_no_further() {
    let (folder, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let outside = outside.path().canonicalize().expect("a real path");
    let at = |path: &str| outside.join(path).display().to_string();
    for (path, text) in
        [("look/a.txt", "one\n"), ("change/b.txt", "two\n"), ("other/c.txt", "three\n"), ("d.log", "x\n")]
    {
        std::fs::create_dir_all(outside.join(path).parent().expect("a parent")).expect("folders");
        std::fs::write(outside.join(path), text).expect("writes");
    }
    std::os::unix::fs::symlink(outside.join("other"), outside.join("change/link")).expect("links");
    let (look, change, made, log) = (at("look"), at("change/**:rw"), at("made:rw"), at("*.log:ro"));
    let rules =
        ["--no-lsp", "--allow-path", &look, "--allow-path", &change, "--allow-path", &made, "--allow-path", &log];
    let mut agent = Agent::start(folder.path(), &rules, &[]);
    let edit = |path: &str, old: &str| json!({ "file_path": path, "old_string": old, "new_string": "changed" });

    assert!(!agent.call("read", json!({ "file_path": at("look/a.txt") })).is_error);
    assert!(agent.call("read", json!({ "file_path": at("d.log") })).text.contains("1 | x"));
    assert!(agent.call("grep", json!({ "pattern": "one", "path": at("look") })).text.contains("one"));
    assert!(agent.call("read", json!({ "file_path": at("look") })).text.contains("a.txt"), "a directory is listed");
    let reply = agent.call("edit", edit(&at("look/a.txt"), "one"));
    assert_eq!(reply.structured["code"], "path_read_only", "{}", reply.text);
    assert!(
        reply.text.starts_with("Nothing was written. ") && reply.text.contains(&at("look/a.txt")),
        "{}",
        reply.text
    );

    let reply = agent.call("edit", edit(&at("change/b.txt"), "two"));
    assert_eq!(reply.first_line(), format!("edited {}: line 1, +1 -1, now 1 line", at("change/b.txt")));
    let reply = agent.call("write", json!({ "file_path": at("change/new/e.txt"), "content": "new\n" }));
    assert!(!reply.is_error, "{}", reply.text);
    let reply = agent.call("write", json!({ "file_path": at("made/deep/f.txt"), "content": "new\n" }));
    assert!(!reply.is_error, "the folder of a rule may be yet to be made: {}", reply.text);
    let undone = agent.call("undo", json!({}));
    assert!(!undone.is_error && !Path::new(&at("made/deep/f.txt")).exists(), "{}", undone.text);

    for path in ["other/c.txt", "change/../other/c.txt", "change/link/c.txt"] {
        let reply = agent.call("edit", edit(&at(path), "three"));
        assert!(reply.is_error && reply.text.starts_with("Nothing was written. "), "{path}: {}", reply.text);
    }
    assert_eq!(std::fs::read_to_string(outside.join("other/c.txt")).expect("reads"), "three\n");
    assert_eq!(std::fs::read_to_string(outside.join("look/a.txt")).expect("reads"), "one\n");
}

#[test]
fn a_rule_that_is_none_is_an_error_at_the_start() {
    for (rule, told) in [("data/**", "must be absolute or begin with ~/"), ("/data/[", "error parsing glob")] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_landfall"))
            .args(["mcp", "--no-daemon", "--allow-path", rule])
            .output()
            .expect("runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(told), "{rule}: {text}");
    }
}
