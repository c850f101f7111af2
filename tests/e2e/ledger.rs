//! `changes` and `undo`: the session's memory agrees with the disk.

use serde_json::json;

use crate::support::Agent;

#[test]
fn changes_lists_what_landed_and_what_is_still_open() {
    let mut agent = Agent::with_files(&[("src/a.txt", b"one\ntwo\n"), ("b.txt", b"x\n")]);
    agent.call("edit", json!({ "file_path": "src/a.txt", "old_string": "no such line at all", "new_string": "y" }));
    agent.call("edit", json!({ "file_path": "b.txt", "old_string": "no such line at all", "new_string": "y" }));
    agent.call("edit", json!({ "file_path": "src/a.txt", "old_string": "one\n", "new_string": "1\n1\n" }));
    agent.call("write", json!({ "file_path": "c.txt", "content": "c\n" }));
    let reply = agent.call("changes", json!({}));
    let expected = "2 changes landed on disk:\n  3. edited src/a.txt +2 -1\n  4. created c.txt +1 -0\n\
                    altogether in 2 files: src/a.txt +2 -1, c.txt +1 -0\nREFUSED and not made good since: b.txt (not_found): ";
    assert!(reply.text.starts_with(expected), "{}", reply.text);
}

#[test]
fn undo_takes_changes_back_one_by_one() {
    let before = b"\xEF\xBB\xBFone\r\ntwo\n";
    let mut agent = Agent::with_files(&[("a.txt", before)]);
    agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "1" }));
    agent.call("write", json!({ "file_path": "new/b.txt", "content": "b\n" }));
    let reply = agent.call("undo", json!({}));
    assert_eq!(reply.first_line(), "deleted new/b.txt: -1");
    assert!(!agent.root().join("new/b.txt").exists());
    let reply = agent.call("undo", json!({}));
    assert!(reply.first_line().starts_with("edited a.txt: line 1"), "{}", reply.text);
    assert_eq!(agent.bytes("a.txt"), before);
    let reply = agent.call("undo", json!({}));
    assert_eq!(reply.structured["code"], "nothing_to_undo", "{}", reply.text);
}

#[test]
fn undo_of_a_new_file_takes_the_folders_made_for_it() {
    let mut agent = Agent::with_files(&[("kept/a.txt", b"one\n")]);
    let is_there = |agent: &Agent, path: &str| agent.root().join(path).exists();
    agent.call("write", json!({ "file_path": "kept/x/y/b.txt", "content": "b\n" }));
    let reply = agent.call("undo", json!({}));
    let said =
        "deleted kept/x/y/b.txt: -1\nwith it the folders kept/x/y, kept/x, which had been made for it and were empty";
    assert!(reply.text.starts_with(said), "{}", reply.text);
    assert!(!is_there(&agent, "kept/x") && is_there(&agent, "kept/a.txt"), "{}", reply.text);
    // What others have put there by now keeps its folder.
    agent.call("write", json!({ "file_path": "kept/x/y/b.txt", "content": "b\n" }));
    std::fs::write(agent.root().join("kept/x/other.txt"), "theirs\n").expect("writes");
    agent.call("undo", json!({}));
    assert!(!is_there(&agent, "kept/x/y") && is_there(&agent, "kept/x/other.txt"));
    // A folder that was there before stays, and several files share what was made for them.
    std::fs::create_dir(agent.root().join("empty")).expect("makes");
    agent.call("write", json!({ "file_path": "empty/c.txt", "content": "c\n" }));
    agent.call("undo", json!({}));
    assert!(is_there(&agent, "empty"));
    let patch = "*** Begin Patch\n*** Add File: n/m/1.txt\n+1\n*** Add File: n/m/2.txt\n+2\n*** End Patch";
    assert!(!agent.call("apply_patch", json!({ "patch": patch })).is_error);
    let reply = agent.call("undo", json!({}));
    assert!(!reply.is_error && !is_there(&agent, "n"), "{}", reply.text);
}

#[test]
fn undo_leaves_alone_what_others_changed_since() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\n")]);
    agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "1" }));
    std::fs::write(agent.root().join("a.txt"), "something else\n").expect("writes");
    let reply = agent.call("undo", json!({ "file_path": "a.txt" }));
    assert_eq!(reply.structured["code"], "changed_since", "{}", reply.text);
    assert_eq!(agent.text("a.txt"), "something else\n");
}

#[test]
fn undo_takes_back_all_files_of_a_patch() {
    let files: &[(&str, &[u8])] = &[("a.txt", b"one\n"), ("old.txt", b"w\nx\n")];
    let mut agent = Agent::with_files(files);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: old.txt\n*** Move to: b/new.txt\n\
                 @@\n-x\n+y\n*** Add File: c.txt\n+c\n*** End Patch";
    assert!(!agent.call("apply_patch", json!({ "patch": patch })).is_error);
    let reply = agent.call("undo", json!({}));
    assert!(!reply.is_error, "{}", reply.text);
    for (path, bytes) in files {
        assert_eq!(agent.bytes(path), *bytes);
    }
    assert!(!agent.root().join("c.txt").exists() && !agent.root().join("b/new.txt").exists(), "{}", reply.text);
    assert_eq!(agent.call("undo", json!({})).structured["code"], "nothing_to_undo");
}
