//! `edit` and `write`: what lands, and what the result says of it.

use serde_json::json;

use crate::support::Agent;

const STORE: &str = "package store\n\nfunc Get(k string) string {\n\treturn k\n}\n\nfunc Put(k string) {\n\t_ = k\n}\n";

#[test]
fn an_exact_edit_lands_and_says_where() {
    let mut agent = Agent::with_files(&[("store/store.go", STORE.as_bytes())]);
    let reply = agent.call(
        "edit",
        json!({ "file_path": "store/store.go", "old_string": "\treturn k\n", "new_string": "\tk += k\n\treturn k\n" }),
    );
    assert_eq!(reply.first_line(), "edited store/store.go: line 4, +1 -0, now 10 lines");
    assert!(!reply.is_error);
    assert_eq!(reply.verdict(), "no_language_server");
    assert_eq!(agent.text("store/store.go"), STORE.replace("\treturn k\n", "\tk += k\n\treturn k\n"));
}

#[test]
fn an_edit_with_drifted_white_space_lands_in_the_files_own() {
    let mut agent = Agent::with_files(&[("a.go", STORE.as_bytes())]);
    let reply = agent.call(
        "edit",
        json!({ "file_path": "a.go", "old_string": "func Put(k string) {\n    _ = k\n}", "new_string": "func Put(k string) {\n    _ = k\n    _ = k\n}" }),
    );
    assert!(reply.text.contains("\nmatched by "), "{}", reply.text);
    assert_eq!(agent.text("a.go"), STORE.replace("\t_ = k\n", "\t_ = k\n\t_ = k\n"));
}

#[test]
fn a_refused_edit_says_so_first_and_leaves_the_file() {
    let mut agent = Agent::with_files(&[("a.go", STORE.as_bytes())]);
    for (old, code) in [
        ("\tif err := s.flush(); err != nil {\n\t\treturn err\n\t}", "not_found"),
        ("k string", "ambiguous"),
        ("}", "ambiguous"),
    ] {
        let reply =
            agent.call("edit", json!({ "file_path": "a.go", "old_string": old, "new_string": "something else" }));
        assert!(reply.is_error && reply.first_line().starts_with("not edited a.go: "), "{}", reply.text);
        assert_eq!(reply.structured["code"], code, "{}", reply.text);
        assert_eq!(reply.structured["landed"], false);
    }
    let same = agent.call("edit", json!({ "file_path": "a.go", "old_string": "return k", "new_string": "return k" }));
    assert_eq!(same.structured["code"], "identical");
    assert_eq!(agent.text("a.go"), STORE);
}

#[test]
fn line_endings_and_marks_outside_the_change_stay() {
    let crlf = "\u{feff}package a\r\n\r\nvar x = 1\r\nvar y = 2\n";
    let mut agent = Agent::with_files(&[("a.go", crlf.as_bytes())]);
    let reply =
        agent.call("edit", json!({ "file_path": "a.go", "old_string": "var x = 1\n", "new_string": "var x = 10\n" }));
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(agent.text("a.go"), crlf.replace("x = 1", "x = 10"), "{}", reply.text);
}

#[test]
fn bytes_that_do_not_decode_survive_an_edit_beside_them() {
    let mut agent = Agent::with_files(&[("a.txt", b"caf\xE9 one\nline two\n")]);
    let reply = agent.call("edit", json!({ "file_path": "a.txt", "old_string": "line two", "new_string": "line 2" }));
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(agent.bytes("a.txt"), b"caf\xE9 one\nline 2\n");
}

#[test]
fn what_cannot_be_written_in_a_files_own_encoding_is_said() {
    let mut agent = Agent::with_files(&[("a.txt", b"caf\xE9 one\nline two\n")]);
    let reply =
        agent.call("edit", json!({ "file_path": "a.txt", "old_string": "line two", "new_string": "zw\u{f6}lf" }));
    assert_eq!(agent.bytes("a.txt"), b"caf\xE9 one\nzw\xC3\xB6lf\n");
    let note = reply.text.lines().nth(1).unwrap_or_default();
    assert!(
        note.starts_with("note: the file was not UTF-8 (it had single bytes such as 0xE9); \u{f6} of"),
        "{}",
        reply.text
    );
    let reply = agent.call("undo", json!({}));
    assert_eq!(
        (agent.bytes("a.txt").as_slice(), reply.text.contains("note:")),
        (&b"caf\xE9 one\nline two\n"[..], false)
    );
}

#[test]
fn write_creates_and_overwrites_only_what_was_read() {
    let mut agent = Agent::with_files(&[("old.txt", b"one\ntwo\n")]);
    let created = agent.call("write", json!({ "file_path": "deep/er/new.txt", "content": "a\nb\n" }));
    assert_eq!(created.first_line(), "created deep/er/new.txt: 2 lines");
    let refused = agent.call("write", json!({ "file_path": "old.txt", "content": "three\n" }));
    assert_eq!(refused.structured["code"], "not_read", "{}", refused.text);
    assert_eq!(agent.text("old.txt"), "one\ntwo\n");
    agent.call("read", json!({ "file_path": "old.txt" }));
    let over = agent.call("write", json!({ "file_path": "old.txt", "content": "three\n" }));
    assert_eq!(over.first_line(), "overwrote old.txt: +1 -2, now 1 line");
    let again = agent.call("write", json!({ "file_path": "old.txt", "content": "four\n" }));
    assert_eq!(again.first_line(), "overwrote old.txt: +1 -1, now 1 line");
}

#[test]
fn a_file_changed_outside_is_told_and_the_edit_lands_on_what_is_there() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\ntwo\nthree\n")]);
    agent.call("read", json!({ "file_path": "a.txt" }));
    std::fs::write(agent.root().join("a.txt"), "zero\none\ntwo\nthree\n").expect("writes");
    let write = agent.call("write", json!({ "file_path": "a.txt", "content": "x\n" }));
    assert_eq!(write.structured["code"], "not_read", "{}", write.text);
    let edit = agent.call("edit", json!({ "file_path": "a.txt", "old_string": "two\n", "new_string": "2\n" }));
    assert!(edit.text.contains("changed on disk since you read it"), "{}", edit.text);
    assert_eq!(agent.text("a.txt"), "zero\none\n2\nthree\n");
}

#[test]
fn the_mode_of_a_file_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let mut agent = Agent::with_files(&[("run.sh", b"#!/bin/sh\necho one\n")]);
    let path = agent.root().join("run.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o754)).expect("sets the mode");
    agent.call("edit", json!({ "file_path": "run.sh", "old_string": "echo one", "new_string": "echo two" }));
    assert_eq!(std::fs::metadata(&path).expect("is there").permissions().mode() & 0o7777, 0o754);
    let left: Vec<_> =
        std::fs::read_dir(agent.root()).expect("reads").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["run.sh"]);
}

#[test]
fn parallel_edits_of_one_file_all_land() {
    let lines: String = (0..40).map(|n| format!("line number {n} of forty\n")).collect();
    let mut agent = Agent::with_files(&[("a.txt", lines.as_bytes())]);
    let calls: Vec<u64> = (0..40)
        .map(|n| agent.post("edit", json!({ "file_path": if n % 2 == 0 { "a.txt" } else { "./a.txt" }, "old_string": format!("line number {n} of forty\n"), "new_string": format!("LINE {n}\n") })))
        .collect();
    for id in calls {
        let reply = agent.reply(id);
        assert!(!reply.is_error, "{}", reply.text);
    }
    let expected: String = (0..40).map(|n| format!("LINE {n}\n")).collect();
    assert_eq!(agent.text("a.txt"), expected);
}

#[test]
fn a_new_syntax_problem_is_told_without_a_language_server() {
    let mut agent = Agent::with_files(&[("a.go", STORE.as_bytes())]);
    let reply = agent.call(
        "edit",
        json!({ "file_path": "a.go", "old_string": "func Put(k string) {", "new_string": "func Put(k string) {{" }),
    );
    assert!(reply.first_line().starts_with("edited a.go"), "{}", reply.text);
    assert!(reply.text.contains("the syntax check found"), "{}", reply.text);
    assert!(reply.structured["diagnostics"]["floor"].as_array().is_some_and(|floor| !floor.is_empty()));
}

#[test]
fn replace_all_says_in_how_many_places() {
    let mut agent = Agent::with_files(&[("a.go", STORE.as_bytes())]);
    let reply = agent.call(
        "edit",
        json!({ "filePath": "a.go", "oldString": "k string", "newString": "key string", "replaceAll": "true" }),
    );
    assert_eq!(reply.first_line(), "edited a.go: 2 places, lines 3-7, +2 -2, now 9 lines");
    let near = agent.call(
        "edit",
        json!({ "file_path": "a.go", "old_string": "key string", "new_string": "id string", "near_line": 7 }),
    );
    assert!(near.first_line().starts_with("edited a.go: line 7"), "{}", near.text);
}

#[test]
fn several_edits_land_together_or_not_at_all() {
    let mut agent = Agent::with_files(&[("a.go", STORE.as_bytes())]);
    let bad = agent.call(
        "multi_edit",
        json!({ "file_path": "a.go", "edits": [
            { "old_string": "func Get(k string) string {", "new_string": "func Get(key string) string {" },
            { "old_string": "func Remove(k string) error {", "new_string": "x" },
            { "old_string": "\t_ = k\n", "new_string": "" },
        ] }),
    );
    assert!(
        bad.first_line()
            .starts_with("not edited a.go: none of the 3 edits was made, because of edit 2 (edits 1, 3 match): "),
        "{}",
        bad.text
    );
    assert_eq!(agent.text("a.go"), STORE);
    let good = agent.call(
        "multi_edit",
        json!({ "file_path": "a.go", "edits": "[{\"old_string\": \"return k\", \"new_string\": \"return k + k\"}, {\"old_string\": \"k + k\", \"new_string\": \"2 * k\"}]" }),
    );
    assert_eq!(good.first_line(), "edited a.go: 2 places, line 4, +1 -1, now 9 lines");
    assert_eq!(agent.text("a.go"), STORE.replace("return k", "return 2 * k"));
}
