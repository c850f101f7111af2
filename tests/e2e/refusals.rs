//! Every refusal of an edit in the words an agent reads, collected in `fixtures/refusals.txt` for people to review.
//!
//! Each must begin with the state of the disk, name the path as it was received, hint at most once, and be short unless it
//! shows lines of the file. `UPDATE_EXPECT=1` rewrites the collection.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Agent, Reply};

const STORE: &str = "package store\n\nfunc Get(k string) string {\n\treturn k\n}\n\nfunc Put(k string) {\n\t_ = k\n}\n";

/// What each call is refused with.
fn calls(root: &str, outside: &str) -> Vec<(&'static str, &'static str, Value)> {
    let edit = |path: &str, old: &str, new: &str| json!({ "file_path": path, "old_string": old, "new_string": new });
    let patch = |body: &str| json!({ "patch": format!("*** Begin Patch\n{body}\n*** End Patch") });
    let write = |path: &str| json!({ "file_path": path, "content": "x\n" });
    let mistyped = root.replacen("runs-hb11", "runs_hb11", 1);
    vec![
        ("path_empty", "edit", edit(" ", "a", "b")),
        ("path_malformed", "edit", edit("src/\u{1b}[31mstore.go", "a", "b")),
        ("path_malformed", "write", write(&"very/long/".repeat(1000))),
        ("path_not_found", "edit", edit("src/stroe.go", "return k", "return k + k")),
        ("path_not_found", "edit", edit("nothing/like/it.go", "a", "b")),
        ("path_outside", "edit", edit(&format!("{mistyped}/src/missing.go"), "a", "b")),
        ("path_outside", "edit", edit("/etc/hostname", "a", "b")),
        ("path_outside", "write", write("../../elsewhere.txt")),
        ("path_link_outside", "write", write("link/new.txt")),
        ("path_read_only", "edit", edit(&format!("{outside}/a.txt"), "a", "b")),
        ("path_is_directory", "edit", edit("src", "a", "b")),
        ("path_not_a_file", "edit", edit("pipe", "a", "b")),
        ("path_link_circle", "edit", edit("loop", "a", "b")),
        ("path_near_duplicate", "write", write("Src/store/new.go")),
        ("bad_arguments", "edit", json!({ "file_path": "src/store.go", "old_string": ["a"] })),
        ("bad_arguments", "edit", json!({ "old_string": "a", "new_string": "b" })),
        ("stale", "edit", edit("src/store.go", "func Get(k string) string {\n\treturn key\n}\n", "x")),
        ("not_found", "edit", edit("src/store.go", "if err := s.flush(ctx); err != nil {\n\treturn err\n}", "x")),
        ("ambiguous", "edit", edit("src/store.go", "k string", "key string")),
        ("identical", "edit", edit("src/store.go", "return k", "return k")),
        (
            "already_applied",
            "edit",
            edit(
                "src/store.go",
                "func Fetch(k string) string {\n\treturn k\n}",
                "func Get(k string) string {\n\treturn k\n}",
            ),
        ),
        ("too_little_information", "edit", edit("src/store.go", " \n ", "x")),
        (
            "not_found",
            "multi_edit",
            json!({ "file_path": "src/store.go", "edits": [
            { "old_string": "return k", "new_string": "return k + k" },
            { "old_string": "func Remove(k string) error {", "new_string": "x" },
        ] }),
        ),
        // The path is put right, and the text is not there.
        (
            "not_found",
            "edit",
            edit(&format!("{mistyped}/src/store.go"), "if err := s.flush(ctx); err != nil {\n\treturn err\n}", "x"),
        ),
        ("not_read", "write", write("src/store.go")),
        ("read_only", "edit", edit("locked.txt", "locked", "open")),
        ("hard_link", "edit", edit("twin.txt", "twin", "x")),
        ("binary", "edit", edit("binary.dat", "a", "b")),
        ("binary", "edit", edit("broken16.txt", "a", "b")),
        ("nothing_to_undo", "undo", json!({})),
        ("bad_patch", "apply_patch", patch("*** Update File: src/store.go")),
        ("bad_patch", "apply_patch", json!({ "patch": "please change the store" })),
        ("not_found", "apply_patch", patch("*** Update File: src/store.go\n@@\n-func Remove(k string) error {\n+x")),
        (
            "not_found",
            "apply_patch",
            patch("*** Add File: new.txt\n+x\n*** Update File: src/store.go\n@@ func Remove\n+x"),
        ),
        ("ambiguous", "apply_patch", patch("*** Update File: src/store.go\n@@\n-}\n+} // end")),
        ("path_not_found", "apply_patch", patch("*** Update File: src/stroe.go\n@@\n-a\n+b")),
        ("path_not_found", "apply_patch", patch("*** Delete File: src/none/../gone.go")),
        (
            "named_twice",
            "apply_patch",
            patch("*** Update File: src/store.go\n@@\n-\treturn k\n+\treturn 1\n*** Delete File: ./src/store.go"),
        ),
        ("not_read", "apply_patch", patch("*** Update File: twin2.txt\n*** Move to: src/store.go\n@@\n-two\n+2")),
        (
            "read_only",
            "apply_patch",
            patch("*** Update File: src/store.go\n@@\n-\treturn k\n+\treturn 1\n*** Delete File: locked.txt"),
        ),
        (
            "bad_workspace",
            "edit",
            json!({ "workspace": "/nowhere/at/all", "file_path": "a", "old_string": "a", "new_string": "b" }),
        ),
    ]
}

fn workspace(root: &Path) {
    let files: [(&str, &[u8]); 6] = [
        ("src/store.go", STORE.as_bytes()),
        ("src/store/a.go", b"package store\n"),
        ("locked.txt", b"locked\n"),
        ("twin.txt", b"twin\n"),
        ("twin2.txt", b"two\n"),
        ("binary.dat", b"a\0b"),
    ];
    for (path, bytes) in files.into_iter().chain([("broken16.txt", &b"\xff\xfea"[..])]) {
        std::fs::create_dir_all(root.join(path).parent().expect("a parent")).expect("folders");
        std::fs::write(root.join(path), bytes).expect("writes");
    }
    std::fs::set_permissions(root.join("locked.txt"), std::fs::Permissions::from_mode(0o444)).expect("sets the mode");
    std::fs::hard_link(root.join("twin.txt"), root.join("other-twin.txt")).expect("links");
    std::os::unix::fs::symlink("loop", root.join("loop")).expect("links");
    std::os::unix::fs::symlink("/etc", root.join("link")).expect("links");
    let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status().expect("runs");
    assert!(made.success());
}

#[test]
fn each_says_first_what_is_so_then_why_then_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().canonicalize().expect("a real path");
    let (root, outside) = (base.join("runs-hb11/t14-ledger-go"), base.join("allowed"));
    std::fs::create_dir_all(&root).expect("folders");
    std::fs::create_dir(&outside).expect("a folder");
    std::fs::write(outside.join("a.txt"), "a\n").expect("writes");
    workspace(&root);
    let rule = outside.display().to_string();
    let mut collected =
        String::from("Every refusal of an edit, as an agent reads it. Collected by tests/e2e/refusals.rs.\n");
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (code, tool, arguments) in calls(&root.display().to_string(), &rule) {
        // Each in a session of its own: the loop gate shall not speak.
        let reply = Agent::start(&root, &["--no-lsp", "--allow-path", &rule], &[]).call(tool, arguments.clone());
        seen.insert(code);
        faults.extend(fault(code, &arguments, &reply).map(|fault| format!("{tool} {code}: {fault}\n{}", reply.text)));
        let mut shown = arguments.to_string();
        if shown.chars().count() > 300 {
            shown = shown.chars().take(120).collect::<String>() + "…";
        }
        let _ = writeln!(collected, "\n=== {code} · {tool} {shown}\n{}", reply.text);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(seen.len() > 20);
    let top: std::path::PathBuf = base.components().take(2).collect();
    let collected = collected
        .replace(&base.display().to_string(), "/base")
        .replace(&format!("the workspace is in {}\n", top.display()), "the workspace is in /base\n");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/refusals.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&fixture, &collected).expect("writes");
    }
    let expected = std::fs::read_to_string(&fixture).unwrap_or_default();
    assert!(collected == expected, "the words have changed; read them, then UPDATE_EXPECT=1:\n{collected}");
}

/// What is wrong with the words of a refusal.
fn fault(code: &str, arguments: &Value, reply: &Reply) -> Option<String> {
    let text = &reply.text;
    if !reply.is_error || reply.structured["code"] != code {
        return Some(format!("the code is {}", reply.structured["code"]));
    }
    if !text.starts_with("not edited ") && !text.starts_with("Nothing was written. ") {
        return Some("it does not begin with the state of the disk".into());
    }
    let hints = text.lines().filter(|line| line.starts_with("Hint: ")).count();
    let needs_none = code == "already_applied";
    if hints != usize::from(!needs_none) || text.matches("Hint:").count() != hints {
        return Some(format!("{hints} hints"));
    }
    if !needs_none && !text.lines().last().is_some_and(|line| line.starts_with("Hint: ")) {
        return Some("the hint is not its end".into());
    }
    let shows_lines = text
        .lines()
        .any(|line| line.trim_start().split_once(" | ").is_some_and(|(number, _)| number.parse::<usize>().is_ok()));
    let most = if shows_lines { 2500 } else { 600 };
    if text.chars().count() > most {
        return Some(format!("{} characters", text.chars().count()));
    }
    let typed = arguments["file_path"].as_str().map(str::trim).filter(|typed| !typed.is_empty() && typed.len() < 300);
    match typed.filter(|typed| !typed.chars().any(char::is_control)) {
        // What was put right is told by the part that was wrong.
        Some(typed) if !text.contains(typed) && !text.contains("\npath put right: ") && code != "bad_workspace" => {
            Some("the path as received is not named".into())
        }
        _ if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t')) => {
            Some("control characters".into())
        }
        _ => None,
    }
}
