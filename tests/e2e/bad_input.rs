//! Whatever is asked: a clear result that names the file and the state of the disk, and the service lives on.

use serde_json::json;

use crate::support::Agent;

#[test]
fn arguments_that_are_wrong_are_named_and_nothing_is_written() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\n")]);
    let reply = agent.call("edit", json!({ "file_path": "a.txt", "old_string": ["one"] }));
    assert!(reply.is_error && reply.text.starts_with("Nothing was written. "), "{}", reply.text);
    for part in ["`old_string` must be a string", "`new_string` is missing", "Hint: call again with"] {
        assert!(reply.text.contains(part), "{part}: {}", reply.text);
    }
    let reply =
        agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "two", "dry_run": true }));
    assert!(reply.text.ends_with("note: `edit` does not know \"dry_run\"; left out"), "{}", reply.text);
    assert_eq!(agent.text("a.txt"), "two\n");
}

#[test]
fn an_unknown_tool_is_answered_with_the_ones_there_are() {
    let mut agent = Agent::with_files(&[]);
    let reply = agent.call("str_replace", json!({}));
    let tools = reply.text.split_once("the tools are ").map(|(_, tools)| tools.split(", ").collect::<Vec<_>>());
    let tools = tools.unwrap_or_default();
    assert!(reply.is_error, "{}", reply.text);
    for tool in ["read", "glob", "grep", "edit", "multi_edit", "apply_patch", "write", "diagnostics", "changes", "undo"]
    {
        assert!(tools.contains(&tool), "{tool}: {}", reply.text);
    }
    assert!(!tools.contains(&"bash"), "{}", reply.text);
}

#[test]
fn what_is_no_text_file_is_refused_by_name() {
    let mut agent =
        Agent::with_files(&[("dir/x.txt", b"x\n"), ("prog", b"\x7fELF\0\0\x01"), ("half.txt", b"\xFF\xFEa")]);
    let edit = |path: &str| json!({ "file_path": path, "old_string": "xxxx", "new_string": "yyyy" });
    for (path, part) in
        [("dir", "directory"), ("prog", "binary"), ("half.txt", "UTF-16"), ("none.txt", "none.txt"), ("", "path")]
    {
        let reply = agent.call("edit", edit(path));
        assert!(reply.is_error, "{path}: {}", reply.text);
        assert!(
            reply.text.starts_with("not edited") || reply.text.starts_with("Nothing was written"),
            "{path}: {}",
            reply.text
        );
        assert!(reply.text.contains(part), "{path}: {}", reply.text);
    }
    let write = agent.call("write", json!({ "file_path": "dir", "content": "x" }));
    assert!(write.is_error && write.text.contains("dir"), "{}", write.text);
}

#[test]
fn huge_and_empty_strings_are_answered() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\n")]);
    let huge = "x".repeat(3 << 20);
    let reply = agent.call("edit", json!({ "file_path": "a.txt", "old_string": huge, "new_string": "y" }));
    assert!(reply.is_error && reply.text.len() < 10_000, "{}", reply.text.len());
    let reply = agent.call("edit", json!({ "file_path": "a.txt", "old_string": "", "new_string": "y" }));
    assert!(reply.is_error && reply.first_line().starts_with("not edited a.txt"), "{}", reply.text);
    let reply = agent.call("edit", json!({ "file_path": "p".repeat(100_000), "old_string": "a", "new_string": "b" }));
    assert!(reply.is_error && reply.text.len() < 3_000, "{}", reply.text.len());
    assert_eq!(agent.text("a.txt"), "one\n");
}

#[test]
fn a_read_only_file_stays_and_the_result_says_why() {
    use std::os::unix::fs::PermissionsExt;
    let mut agent = Agent::with_files(&[("a.txt", b"one\n")]);
    let path = agent.root().join("a.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).expect("sets the mode");
    let reply = agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "two" }));
    assert!(reply.is_error && reply.first_line().starts_with("not edited a.txt: "), "{}", reply.text);
    assert_eq!(reply.structured["code"], "read_only");
    assert_eq!(agent.text("a.txt"), "one\n");
}

#[test]
fn a_path_out_of_the_workspace_is_refused() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\n")]);
    let outside = tempfile::tempdir().expect("a folder");
    let target = outside.path().join("b.txt");
    std::fs::write(&target, "safe\n").expect("writes");
    std::os::unix::fs::symlink(outside.path(), agent.root().join("link")).expect("links");
    for path in [target.to_str().expect("UTF-8"), "link/b.txt", "../b.txt", "/etc/hostname"] {
        let reply = agent.call("edit", json!({ "file_path": path, "old_string": "safe", "new_string": "gone" }));
        assert!(
            reply.is_error && reply.text.contains("b.txt") | reply.text.contains("hostname"),
            "{path}: {}",
            reply.text
        );
    }
    let reply = agent.call("write", json!({ "file_path": "link/new.txt", "content": "x" }));
    assert!(reply.is_error, "{}", reply.text);
    assert_eq!(std::fs::read_to_string(&target).expect("reads"), "safe\n");
    assert!(!outside.path().join("new.txt").exists());
}

#[test]
fn a_file_deleted_in_between_is_told() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\n")]);
    agent.call("read", json!({ "file_path": "a.txt" }));
    std::fs::remove_file(agent.root().join("a.txt")).expect("deletes");
    let reply = agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "two" }));
    assert!(reply.is_error && reply.text.contains("a.txt"), "{}", reply.text);
    assert!(!agent.root().join("a.txt").exists());
}
