//! `apply_patch`: several files, all or none.

use serde_json::json;

use crate::support::Agent;

const PATCH: &str = "*** Begin Patch
*** Update File: src/a.txt
@@
 one
-two
+2
*** Add File: src/new.txt
+fresh
*** Delete File: gone.txt
*** Update File: old.txt
*** Move to: moved/to.txt
@@
-x
+y
*** End Patch";

const FILES: &[(&str, &[u8])] = &[("src/a.txt", b"one\ntwo\nthree\n"), ("gone.txt", b"g\n"), ("old.txt", b"w\nx\n")];

#[test]
fn a_patch_changes_adds_deletes_and_moves() {
    let mut agent = Agent::with_files(FILES);
    let reply = agent.call("apply_patch", json!({ "input": PATCH }));
    assert!(
        reply.first_line().starts_with("changed 5 files, all of them on disk: src/a.txt, src/new.txt, gone.txt, "),
        "{}",
        reply.text
    );
    assert_eq!(agent.text("src/a.txt"), "one\n2\nthree\n");
    assert_eq!(agent.text("src/new.txt"), "fresh\n");
    assert_eq!(agent.text("moved/to.txt"), "w\ny\n");
    assert!(!agent.root().join("gone.txt").exists() && !agent.root().join("old.txt").exists());
}

#[test]
fn one_hunk_that_has_no_place_keeps_every_file_as_it_was() {
    let mut agent = Agent::with_files(FILES);
    let reply = agent.call("apply_patch", json!({ "patch": PATCH.replace("-x", "-something else entirely") }));
    assert!(reply.is_error && reply.first_line().starts_with("not edited old.txt: "), "{}", reply.text);
    for (path, bytes) in FILES {
        assert_eq!(agent.bytes(path), *bytes);
    }
    assert!(!agent.root().join("src/new.txt").exists() && !agent.root().join("moved").exists());
}

#[test]
fn a_write_error_in_the_middle_puts_back_what_was_done() {
    use std::os::unix::fs::PermissionsExt;
    let mut agent = Agent::with_files(&[("a.txt", b"a\n"), ("z.txt", b"z\n")]);
    std::fs::set_permissions(agent.root().join("z.txt"), std::fs::Permissions::from_mode(0o444))
        .expect("sets the mode");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n--- a/z.txt\n+++ b/z.txt\n@@ -1 +1 @@\n-z\n+Z\n";
    let reply = agent.call("apply_patch", json!({ "patch": patch }));
    assert_eq!(reply.structured["code"], "read_only", "{}", reply.text);
    assert!(reply.text.contains("none of the 2 files of this call was changed"), "{}", reply.text);
    assert_eq!((agent.text("a.txt"), agent.text("z.txt")), ("a\n".into(), "z\n".into()));
}

#[test]
fn a_patch_that_cannot_be_read_is_refused_with_its_line() {
    let mut agent = Agent::with_files(FILES);
    let reply = agent.call("apply_patch", json!({ "patch": "*** Begin Patch\n*** Update File: a.txt\n*** End Patch" }));
    assert!(reply.text.starts_with("Nothing was written. patch line "), "{}", reply.text);
    assert!(reply.text.contains("\nHint: "), "{}", reply.text);
}
