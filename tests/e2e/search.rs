//! `glob` and `grep`: ripgrep's rules, bounded results, errors that say what to do.

use serde_json::json;

use crate::support::Agent;

const STORE: &[u8] = b"package store\n\ntype Store struct{}\n\nfunc (s *Store) Put(k string) error {\n\treturn check(k)\n}\n\nfunc check(k string) error { return nil }\n";

fn project() -> Agent {
    Agent::with_files(&[
        ("internal/store/store.go", STORE),
        ("internal/store/crlf.txt", b"check;\r\nother\r\n"),
        (".git/HEAD", b"ref: x\n"),
        (".gitignore", b"out/\n"),
        ("out/gen.go", b"check\n"),
        (".hidden.txt", b"check\n"),
        ("bin.dat", b"check\0\n"),
    ])
}

#[test]
fn hits_come_with_file_line_and_the_function_they_stand_in() {
    let mut agent = project();
    let reply = agent.call("grep", json!({ "pattern": "check" }));
    let expected = "3 hits in 2 files\ninternal/store/crlf.txt\n    1 | check;\ninternal/store/store.go\n  \
                    in: func (s *Store) Put(k string) error\n    6 | \treturn check(k)\n    9 | func check(k string) error { return nil }";
    assert_eq!(reply.text, expected);
    assert_eq!(reply.structured["total"], 3);
    let hit = json!({ "file": "internal/store/store.go", "line": 6, "text": "\treturn check(k)", "in": "func (s *Store) Put(k string) error" });
    assert_eq!(reply.structured["hits"][1], hit);
}

#[test]
fn output_include_case_path_and_all_narrow_and_widen() {
    let mut agent = project();
    for (arguments, total) in [
        (json!({ "pattern": "CHECK", "case": "insensitive", "output": "count" }), 3),
        (json!({ "pattern": "check", "output": "files" }), 2),
        (json!({ "pattern": "check;$", "output": "count" }), 1),
        (json!({ "pattern": "check", "include": "*.{go,zig}", "output": "count" }), 2),
        (json!({ "pattern": "check", "include": "!*.go", "output": "count" }), 1),
        (json!({ "pattern": "check", "path": "internal/store/store.go", "output": "count" }), 2),
        (json!({ "pattern": "check", "all": true, "output": "count" }), 5),
        (json!({ "pattern": "error \\{\n\treturn", "output": "count" }), 1),
        (json!({ "pattern": "check(k", "literal": true, "output": "count" }), 2),
    ] {
        let reply = agent.call("grep", arguments.clone());
        assert_eq!(reply.structured["total"], total, "{arguments}: {}", reply.text);
    }
}

#[test]
fn globs_are_found_newest_first_also_by_absolute_paths() {
    let mut agent = project();
    let file = std::fs::File::options().write(true).open(agent.root().join("internal/store/crlf.txt")).expect("opens");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("sets the time");
    let expected = "2 files match, newest first\ninternal/store/store.go\ninternal/store/crlf.txt";
    let absolute = agent.root().join("internal/**/*");
    for arguments in [
        json!({ "pattern": "internal/**" }),
        json!({ "pattern": "**/*", "path": "./internal" }),
        json!({ "pattern": absolute }),
    ] {
        assert_eq!(agent.call("glob", arguments.clone()).text, expected, "{arguments}");
    }
    let none = agent.call("glob", json!({ "pattern": "*.zig" }));
    assert!(
        !none.is_error && none.text.starts_with("no file matches `*.zig` in . (hidden and ignored files left out"),
        "{}",
        none.text
    );
}

#[test]
fn a_cut_stays_small_and_says_how_to_narrow() {
    let files: Vec<(String, Vec<u8>)> =
        (0..60).map(|n| (format!("f{n:02}.txt"), b"some hit with quite a long line behind it\n".repeat(20))).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect();
    let mut agent = Agent::with_files(&files);
    let reply = agent.call("grep", json!({ "pattern": "hit" }));
    assert!(
        reply.text.starts_with("1,200 hits in 60 files; 100 shown, the first by path\nf00.txt\n    1 | some hit"),
        "{}",
        reply.text
    );
    assert!(reply.text.contains("\nHint: narrow it with `include`"), "{}", reply.text);
    assert!(reply.text.len() < 10_000);
    let reply = agent.call("glob", json!({ "pattern": "*.txt", "limit": 5 }));
    assert!(reply.first_line().starts_with("60 files match; 5 shown, newest first"), "{}", reply.text);
}

#[test]
fn what_cannot_be_searched_for_is_explained() {
    let mut agent = project();
    let reply = agent.call("grep", json!({ "pattern": "check(k" }));
    assert!(reply.is_error, "{}", reply.text);
    assert!(
        reply.text.contains("unclosed group at character 6\n  check(k\n       ^\nHint: to find this very text"),
        "{}",
        reply.text
    );
    let reply = agent.call("grep", json!({ "pattern": "check", "path": "internal/stroe" }));
    assert!(reply.is_error && reply.text.contains("internal/store"), "{}", reply.text);
    let reply = agent.call("glob", json!({ "pattern": "*.{go" }));
    assert!(reply.is_error && reply.text.starts_with("`*.{go` is no file pattern"), "{}", reply.text);
    let reply = agent.call("grep", json!({ "pattern": "nowhere", "path": "/etc" }));
    assert!(reply.is_error && reply.structured["code"] == "path_outside", "{}", reply.text);
    let reply = agent.call("grep", json!({ "pattern": "nowhere" }));
    assert!(
        !reply.is_error && reply.text.starts_with("no hits for `nowhere` in .: 3 files searched"),
        "{}",
        reply.text
    );
}

#[test]
fn a_mistyped_root_is_put_right_for_a_search_too() {
    let base = tempfile::tempdir().expect("a folder");
    let root = base.path().join("runs-hb11-2024");
    std::fs::create_dir_all(root.join("src")).expect("folders");
    std::fs::write(root.join("src/a.txt"), "needle\n").expect("writes");
    let mut agent = Agent::start(&root, &["--no-lsp"], &[]);
    let typed = base.path().join("runs_hb11-2024/src");
    let reply = agent.call("grep", json!({ "pattern": "needle", "path": typed }));
    assert!(reply.text.starts_with("1 hit in 1 file\nsrc/a.txt\n    1 | needle\npath put right: "), "{}", reply.text);
}
