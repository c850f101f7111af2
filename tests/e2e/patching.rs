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
        reply.first_line()
            == "changed 4 files, all of them on disk: src/a.txt, src/new.txt, gone.txt, moved/to.txt (moved from old.txt)",
        "{}",
        reply.text
    );
    assert_eq!(agent.text("src/a.txt"), "one\n2\nthree\n");
    assert_eq!(agent.text("src/new.txt"), "fresh\n");
    assert_eq!(agent.text("moved/to.txt"), "w\ny\n");
    assert!(!agent.root().join("gone.txt").exists() && !agent.root().join("old.txt").exists());
}

#[test]
fn a_moved_file_keeps_its_bytes_and_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let patch = "*** Begin Patch\n*** Update File: a.sh\n*** Move to: bin/b.sh\n@@\n-one\n+1\n*** End Patch";
    for (before, after) in [
        (&b"one\ncaf\xE9\n"[..], &b"1\ncaf\xE9\n"[..]),
        (b"\xFF\xFEo\0n\0e\0\r\0\n\0", b"\xFF\xFE1\0\r\0\n\0"),
        (b"\xEF\xBB\xBFone\r\n", b"\xEF\xBB\xBF1\r\n"),
    ] {
        for mode in [0o755, 0o640] {
            let mut agent = Agent::with_files(&[("a.sh", before)]);
            let (from, to) = (agent.root().join("a.sh"), agent.root().join("bin/b.sh"));
            std::fs::set_permissions(&from, std::fs::Permissions::from_mode(mode)).expect("sets the mode");
            let reply = agent.call("apply_patch", json!({ "patch": patch }));
            assert!(reply.first_line().starts_with("moved a.sh to bin/b.sh: +1 -1, now "), "{}", reply.text);
            assert_eq!(agent.bytes("bin/b.sh"), after, "{}", reply.text);
            assert_eq!(std::fs::metadata(&to).expect("is there").permissions().mode() & 0o7777, mode);
            assert!(!from.exists());
            let undone = agent.call("undo", json!({}));
            assert!(!undone.is_error && agent.bytes("a.sh") == before && !to.exists(), "{}", undone.text);
        }
    }
}

#[test]
fn what_cannot_be_moved_stays_where_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let files: &[(&str, &[u8])] = &[("a.txt", b"one\n"), ("taken.txt", b"t\n"), ("locked.txt", b"one\n")];
    let mut agent = Agent::with_files(files);
    let locked = agent.root().join("locked.txt");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o444)).expect("sets the mode");
    let patch = |from: &str, to: &str, old: &str| {
        format!("*** Begin Patch\n*** Update File: {from}\n*** Move to: {to}\n@@\n-{old}\n+1\n*** End Patch")
    };
    for (from, to, old, file, code) in [
        ("a.txt", "new/b.txt", "some other line altogether", "a.txt", "not_found"),
        ("a.txt", "taken.txt", "one", "taken.txt", "not_read"),
        ("locked.txt", "new/b.txt", "one", "locked.txt", "read_only"),
        ("a.txt", "a.txt", "one", "a.txt", "named_twice"),
    ] {
        let reply = agent.call("apply_patch", json!({ "patch": patch(from, to, old) }));
        assert_eq!(reply.structured["code"], code, "{}", reply.text);
        assert!(reply.text.starts_with(&format!("not edited {file}: ")), "{}", reply.text);
        for (path, bytes) in files {
            assert_eq!(agent.bytes(path), *bytes, "{}", reply.text);
        }
        assert!(!agent.root().join("new").exists(), "{}", reply.text);
    }
    agent.call("read", json!({ "file_path": "taken.txt" }));
    let reply = agent.call("apply_patch", json!({ "patch": patch("a.txt", "taken.txt", "one") }));
    assert!(reply.text.starts_with("moved a.txt to taken.txt, over the file that was there: +1 -1"), "{}", reply.text);
    assert_eq!(agent.text("taken.txt"), "1\n");
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
