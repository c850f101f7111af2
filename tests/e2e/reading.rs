//! `read`: what is shown, and how to get the rest.

use serde_json::json;

use crate::support::Agent;

#[test]
fn lines_are_numbered_and_a_cut_says_how_to_go_on() {
    let text: String = (1..=2500).map(|n| format!("line {n}\n")).collect();
    let mut agent = Agent::with_files(&[("long.txt", text.as_bytes()), ("empty.txt", b"")]);
    let reply = agent.call("read", json!({ "file_path": "long.txt" }));
    assert!(reply.text.starts_with("    1 | line 1\n"), "{}", &reply.text[..100]);
    assert!(reply.text.ends_with("(long.txt: lines 1-2000 of 2500; continue with offset 2001)"));
    let reply = agent.call("read", json!({ "path": "long.txt", "offset": "2499", "limit": 10 }));
    assert_eq!(reply.text, " 2499 | line 2499\n 2500 | line 2500\n(long.txt: end of file, 2500 lines)");
    assert_eq!(agent.call("read", json!({ "file_path": "empty.txt" })).text, "(empty.txt is empty)");
}

#[test]
fn a_directory_is_listed() {
    let mut agent = Agent::with_files(&[("b.txt", b"x"), ("sub/a.txt", b"x")]);
    assert_eq!(agent.call("read", json!({ "file_path": "." })).text, "b.txt\nsub/\n(. is a directory: 2 entries)");
}

#[test]
fn a_missing_file_is_answered_with_the_nearest_one() {
    let mut agent = Agent::with_files(&[("src/store.go", b"package src\n")]);
    let reply = agent.call("read", json!({ "file_path": "src/stroe.go" }));
    assert!(reply.text.contains("src/store.go"), "{}", reply.text);
}
