//! The tools from a shell: `landfall call` and the subcommands that stand for one tool each.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::{installed, landfall};

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("src")).expect("a folder");
    std::fs::write(folder.path().join("src/a.go"), "package a\n\nfunc Put() {\n\tneedle()\n}\n").expect("writes");
    std::fs::write(folder.path().join("b.txt"), "needle\nneedle\n").expect("writes");
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    told(landfall(folder, arguments).output().expect("runs"))
}

fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn grep_counts_as_an_object_with_the_flag_before_the_arguments() {
    let folder = project();
    let workspace = folder.path().to_str().expect("a path");
    let arguments = r#"{"pattern": "needle", "output": "count"}"#;
    let (code, out, _) =
        run(Path::new("/"), &["call", "grep", "--workspace", workspace, "--no-lsp", "--json", arguments]);
    let object: Value = serde_json::from_str(&out).expect("one object");
    assert_eq!((code, &object["total"]), (Some(0), &json!(3)), "{out}");
    assert!(object["text"].as_str().is_some_and(|text| text.starts_with("3 hits")), "{out}");
}

#[test]
fn a_whole_file_is_replaced_where_that_is_said() {
    let folder = project();
    let write = r#"{"path": "b.txt", "content": "pin\n"}"#;
    let (code, out, err) = run(folder.path(), &["call", "write", "--no-lsp", write]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("not edited b.txt: ") && err.contains("landfall call write --overwrite"), "{err}");
    let (code, out, err) = run(folder.path(), &["call", "write", "--overwrite", "--no-lsp", write]);
    assert!(code == Some(0) && out.starts_with("overwrote b.txt: +1 -2, now 1 line"), "{out}{err}");
    let (code, _, err) = run(folder.path(), &["call", "edit", "--overwrite", "--no-lsp", "{}"]);
    assert!(code == Some(2) && err.contains("--overwrite goes with `write` alone"), "{err}");
    let new = r#"{"file_path": "new.txt", "content": "pin\n"}"#;
    let (code, out, err) = run(folder.path(), &["call", "write", "--overwrite", "--no-lsp", new]);
    assert!(code == Some(0) && out.starts_with("created new.txt"), "{out}{err}");
}

#[test]
fn exit_codes_tell_found_from_nothing_and_from_refused() {
    let folder = project();
    let absent = r#"{"pattern": "absent"}"#;
    let wrong = r#"{"file_path": "b.txt", "old_string": "absent", "new_string": "x"}"#;
    let right = r#"{"file_path": "src/a.go", "old_string": "needle()", "new_string": "pin()"}"#;
    for (arguments, code, in_out, in_err) in [
        (vec!["call", "grep", r#"{"pattern": "needle"}"#], 0, "3 hits in 2 files", ""),
        (vec!["grep", "needle", "src"], 0, "in: func Put", ""),
        (vec!["grep", "--output", "files", "--include", "*.txt", "needle"], 0, "b.txt", ""),
        (vec!["grep", "-F", "needle()"], 0, "1 hit in 1 file", ""),
        (vec!["call", "grep", absent], 1, "no hits for `absent`", ""),
        (vec!["grep", "absent"], 1, "no hits for `absent`", ""),
        (vec!["call", "edit", wrong], 2, "", "not edited b.txt: "),
        (vec!["call", "edit", wrong, "--json"], 2, "\"landed\":false", ""),
        (vec!["grep", "nee(dle"], 2, "", "unclosed group"),
        (vec!["rename", "Put", "Pet"], 2, "", "no language server"),
        (vec!["rename", "Put", "a b"], 2, "", "is no name"),
        (vec!["fix", "src/a.go:4"], 2, "", "no language server"),
        (vec!["call", "levitate"], 2, "", "invalid value 'levitate'"),
        (vec!["call", "bash", r#"{"command": "true"}"#], 2, "", "there is no tool `bash`"),
        (vec!["call", "bash", "--allow", "bash", r#"{"command": "echo hi"}"#], 0, "hi", ""),
        (vec!["call", "edit", "{\"file_path\""], 2, "", "is not JSON"),
        (vec!["call", "read", "--workspace", "/nowhere/at/all"], 2, "", "/nowhere/at/all cannot be opened"),
        (vec!["call", "edit", right], 0, "edited src/a.go: line 4, +1 -1", ""),
    ] {
        let arguments: Vec<&str> = arguments.into_iter().chain(["--no-lsp"]).collect();
        let (got, out, err) = run(folder.path(), &arguments);
        assert_eq!(got, Some(code), "{arguments:?}: {out}{err}");
        assert!(out.contains(in_out) && err.contains(in_err), "{arguments:?}: {out}{err}");
    }
    let changed = std::fs::read_to_string(folder.path().join("src/a.go")).expect("reads");
    assert_eq!(changed, "package a\n\nfunc Put() {\n\tpin()\n}\n");
}

#[test]
fn arguments_may_come_from_a_file_or_standard_input() {
    let folder = project();
    let arguments = r#"{"pattern": "needle"}"#;
    std::fs::write(folder.path().join("call.json"), arguments).expect("writes");
    let (code, out, err) = run(folder.path(), &["call", "grep", "@call.json", "--no-lsp"]);
    assert!(code == Some(0) && out.starts_with("4 hits in 3 files"), "{out}{err}");
    let mut child = landfall(folder.path(), &["call", "grep", "-", "--no-lsp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    child.stdin.take().expect("input").write_all(arguments.as_bytes()).expect("writes");
    let (code, out, _) = told(child.wait_with_output().expect("ends"));
    assert!(code == Some(0) && out.starts_with("4 hits in 3 files"), "{out}");
}

#[test]
fn completions_and_manual_pages_are_printed() {
    let folder = project();
    for (arguments, part) in [
        (vec!["completions", "bash"], "complete -F _landfall"),
        (vec!["completions", "zsh"], "#compdef landfall"),
        (vec!["completions", "fish"], "complete -c landfall"),
        (vec!["man"], ".SH SUBCOMMANDS"),
    ] {
        let (code, out, err) = run(folder.path(), &arguments);
        assert!(code == Some(0) && out.contains(part), "{arguments:?}: {out}{err}");
    }
    for shell in ["bash", "zsh", "fish"].into_iter().filter(|shell| installed(shell)) {
        let (_, script, _) = run(folder.path(), &["completions", shell]);
        std::fs::write(folder.path().join("script"), script).expect("writes");
        let checked = std::process::Command::new(shell).args(["-n", "script"]).current_dir(folder.path()).output();
        let (code, _, err) = told(checked.expect("runs"));
        assert!(code == Some(0) && err.is_empty(), "{shell} does not read its script: {err}");
    }
}
