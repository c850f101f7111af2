//! `bash`: allowed or not there; what ran, how it ended, what it changed, what the tree lacked.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Agent, wait_until};

/// With `--allow bash`, on a folder that the test keeps.
fn allowed(folder: &Path) -> Agent {
    Agent::start(folder, &["--no-lsp", "--allow", "bash"], &[])
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("writes");
    }
    folder
}

/// Whether a process runs; one that has ended and was not yet collected does not.
fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn without_leave_there_is_no_such_tool() {
    let mut agent = Agent::with_files(&[]);
    let listed = agent.request("tools/list", json!({}));
    assert!(!listed.to_string().contains("\"bash\""));
    let reply = agent.call("bash", json!({ "command": "touch x" }));
    assert!(reply.is_error && reply.text.starts_with("there is no tool `bash`"), "{}", reply.text);
    assert!(!agent.root().join("x").exists());
}

#[test]
fn exit_code_and_both_streams_are_told() {
    let folder = folder(&[("sub/a.txt", "x\n")]);
    let mut agent = allowed(folder.path());
    let reply = agent.call("bash", json!({ "command": "cat; ls; echo err >&2; exit 3", "workdir": "sub" }));
    assert!(reply.first_line().starts_with("exit code 3, "), "{}", reply.text);
    assert!(reply.text.ends_with("\noutput:\na.txt\nerr"), "{}", reply.text);
    assert_eq!(
        (&reply.structured["exit_code"], &reply.structured["workdir"], reply.is_error),
        (&json!(3), &json!("sub"), false)
    );
    let reply = agent.call("bash", json!({ "command": "pwd", "workdir": "sbu" }));
    assert!(reply.is_error && reply.text.starts_with("not run: "), "{}", reply.text);
    let reply = agent.call("bash", json!({ "command": "true", "workdir": "/etc" }));
    assert!(reply.is_error && reply.structured["code"] == "path_outside", "{}", reply.text);
}

#[test]
fn changed_files_are_told_and_entered_and_missing_edits_are_named() {
    let folder = folder(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    let mut agent = allowed(folder.path());
    agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "1" }));
    for n in 0..2 {
        agent.call(
            "edit",
            json!({ "file_path": "b.txt", "old_string": format!("no such line {n}"), "new_string": "x" }),
        );
    }
    let reply = agent.call("bash", json!({ "command": "echo more >> a.txt; touch c.txt" }));
    let notes: Vec<&str> = reply.text.lines().skip(1).collect();
    let expected = [
        "note: 2 edits were refused since the last one that landed (b.txt): this run checked a tree without them",
        "changed 2 files: edited a.txt, created c.txt",
        "(no output)",
    ];
    assert_eq!(notes, expected);
    assert_eq!(reply.structured["refused_edits"], 2);
    let changes = agent.call("changes", json!({}));
    assert!(
        changes.text.contains("changed past these tools, by bash (4): edited a.txt, created c.txt"),
        "{}",
        changes.text
    );
    let undo = agent.call("undo", json!({}));
    assert_eq!(undo.structured["code"], "changed_since", "{}", undo.text);
}

#[test]
fn a_refused_command_is_no_missing_edit() {
    let folder = folder(&[("a.txt", "one\n")]);
    let mut agent = allowed(folder.path());
    agent.call("bash", json!({ "command": "true", "workdir": "nowhere" }));
    assert_eq!(agent.call("bash", json!({ "command": "true" })).structured["refused_edits"], 0);
}

#[test]
fn a_flood_is_cut_and_kept_where_read_and_grep_find_it() {
    let folder = folder(&[]);
    let mut agent = allowed(folder.path());
    let reply = agent.call("bash", json!({ "command": "seq 1 30000" }));
    assert!(reply.text.contains("\noutput, the first "), "{}", &reply.text[..300]);
    assert!(reply.text.contains(" of 30000 lines; all of it is in /"), "{}", &reply.text[..300]);
    assert!(reply.text.ends_with("\n30000") && reply.text.contains(":\n1\n2\n") && reply.text.len() < 8_000);
    let long = agent.call("bash", json!({ "command": "seq 1 30000", "limit": 5000 }));
    assert!(long.text.contains("\noutput, the last 2000 of 30000 lines; all of it is in /"), "{}", &long.text[..300]);
    assert!(long.text.ends_with("\n30000") && long.text.contains("\n28001\n") && !long.text.contains("\n28000\n"));
    let spill = reply.structured["spill"].as_str().expect("a path").to_owned();
    let read = agent.call("read", json!({ "file_path": spill, "offset": 100, "limit": 1 }));
    assert!(read.text.starts_with("  100 | 100\n"), "{}", read.text);
    let grep = agent.call("grep", json!({ "pattern": "^123", "path": spill, "output": "count" }));
    assert_eq!(grep.structured["total"], 111, "{}", grep.text);
    let write = agent.call("write", json!({ "file_path": spill, "content": "x" }));
    assert!(write.is_error, "{}", write.text);
}

#[test]
fn the_background_is_not_waited_for_and_a_timeout_ends_all() {
    let folder = folder(&[]);
    let mut agent = allowed(folder.path());
    let reply = agent.call("bash", json!({ "command": "sleep 600 & echo started" }));
    assert!(reply.text.contains("still runs in the background") && reply.text.ends_with("\nstarted"), "{}", reply.text);
    let began = Instant::now();
    let reply = agent.call("bash", json!({ "command": "trap '' TERM; echo $$; sleep 600", "timeout_ms": "200" }));
    assert!(reply.is_error && reply.text.contains("because timeout_ms was 200"), "{}", reply.text);
    assert!(began.elapsed() < Duration::from_secs(30));
    let shell = reply.text.lines().last().expect("a line").to_owned();
    wait_until("the shell is gone", || !runs(&shell));
}

#[test]
fn what_runs_when_the_service_ends_ends_with_it() {
    let folder = folder(&[]);
    let mut agent = allowed(folder.path());
    agent.post("bash", json!({ "command": "echo $$ > pid; sleep 600; sleep 600" }));
    let pid = folder.path().join("pid");
    wait_until("the command has begun", || std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')));
    let pid = std::fs::read_to_string(&pid).expect("reads");
    assert_eq!(agent.finish(), 0);
    wait_until("the command is gone", || !runs(pid.trim()));
}

#[test]
fn a_mistyped_root_is_put_right_for_workdir_and_told_for_the_command() {
    let base = tempfile::tempdir().expect("a folder");
    let root = base.path().join("runs-hb11-2024");
    std::fs::create_dir_all(root.join("src")).expect("folders");
    let mut agent = allowed(&root);
    let typed = base.path().join("runs_hb11-2024/src");
    let command = format!("pwd; ls {}", typed.display());
    let reply = agent.call("bash", json!({ "command": command, "workdir": typed }));
    assert!(reply.first_line().starts_with("path put right: "), "{}", reply.text);
    assert!(reply.text.contains(&format!("note: {} in the command does not exist", typed.display())), "{}", reply.text);
    assert!(reply.text.contains("runs-hb11-2024/src\n"), "{}", reply.text);
    assert_eq!(reply.structured["exit_code"], 2);
}
