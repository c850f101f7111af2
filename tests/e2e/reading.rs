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

#[test]
fn several_ranges_and_the_tail_come_in_one_call() {
    let text: String = (1..=500).map(|n| format!("line {n}\n")).collect();
    let mut agent = Agent::with_files(&[("a.txt", text.as_bytes())]);
    let reply = agent.call("read", json!({ "file_path": "a.txt", "ranges": "1-2, 200-201,499-" }));
    let expected = "    1 | line 1\n    2 | line 2\n      …\n  200 | line 200\n  201 | line 201\n      …\n  499 | line 499\n  500 | line 500\n\
                    (a.txt: lines 1-2, 200-201, 499-500 of 500)";
    assert_eq!(reply.text, expected);
    assert_eq!(reply.structured["ranges"][1], json!({ "start": 200, "end": 201 }));
    let reply = agent.call("read", json!({ "file_path": "a.txt", "tail": 1 }));
    assert_eq!(reply.text, "  500 | line 500\n(a.txt: end of file, 500 lines)");
    let reply = agent.call("read", json!({ "file_path": "a.txt", "ranges": "9-7" }));
    assert!(reply.is_error && reply.text.contains("not 9-7"), "{}", reply.text);
    let reply = agent.call("read", json!({ "file_path": "a.txt", "offset": 700 }));
    assert_eq!(reply.text, "(a.txt has 500 lines; there is no line 700)");
}

#[test]
fn an_outline_has_the_declarations() {
    let mut agent = Agent::with_files(&[
        ("a.zig", b"const S = struct {\n    x: i32,\n    fn m() void {}\n};\n"),
        ("a.txt", b"x\n"),
    ]);
    let reply = agent.call("read", json!({ "file_path": "a.zig", "outline": true }));
    assert!(
        reply.text.starts_with("        1-4  struct S\n") && reply.text.contains("3  method S.m\n"),
        "{}",
        reply.text
    );
    let reply = agent.call("read", json!({ "file_path": "a.txt", "outline": true }));
    assert!(reply.is_error && reply.structured["code"] == "no_outline", "{}", reply.text);
}

#[test]
fn images_and_notebooks_are_named_and_long_lines_cut() {
    let notebook =
        br##"{"cells": [{"cell_type": "code", "source": ["import x\n", "x.y()\n"], "outputs": []}], "nbformat": 4}"##;
    let minified = "x".repeat(300_000);
    let mut agent = Agent::with_files(&[
        ("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xE0"),
        ("a.ipynb", notebook),
        ("min.js", minified.as_bytes()),
    ]);
    let reply = agent.call("read", json!({ "file_path": "logo.png" }));
    assert!(
        reply.is_error && reply.text.starts_with("logo.png is a PNG image, 640 x 480 pixels, 24 bytes"),
        "{}",
        reply.text
    );
    let reply = agent.call("read", json!({ "file_path": "a.ipynb" }));
    assert!(
        reply.text.starts_with("a.ipynb is a notebook: 1 cells, 1 lines of JSON\n    1 code (2 lines): import x\n"),
        "{}",
        reply.text
    );
    let reply = agent.call("read", json!({ "file_path": "a.ipynb", "offset": 1 }));
    assert!(reply.text.starts_with("    1 | {\"cells\""), "{}", reply.text);
    let reply = agent.call("read", json!({ "file_path": "min.js" }));
    assert!(reply.text.len() < 3_000 && reply.text.contains("(298000 more characters)"), "{}", reply.text.len());
}

#[test]
fn of_a_file_too_large_to_edit_parts_are_read() {
    let mut agent = Agent::with_files(&[]);
    let path = agent.root().join("big.log");
    let line = format!("{}\n", "x".repeat(99));
    let block = line.repeat(10_000);
    let mut file = std::fs::File::create(path).expect("creates");
    for _ in 0..70 {
        std::io::Write::write_all(&mut file, block.as_bytes()).expect("writes");
    }
    let reply = agent.call("read", json!({ "file_path": "big.log", "ranges": "1,500000" }));
    assert!(reply.text.ends_with("(big.log: lines 1-1, 500000-500000 of 700000)"), "{}", reply.text);
    let reply = agent.call("read", json!({ "file_path": "big.log", "tail": 1 }));
    assert!(reply.text.ends_with("(big.log: end of file, 700000 lines)"), "{}", reply.text);
}
