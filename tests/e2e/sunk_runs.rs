//! Three runs that a mistyped path sank, played again: from call 7 on every absolute path is one to three tokens off, the
//! same ones each time. Every call must reach the right file, say that the path was put right, and be in the ledger.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{Agent, Reply};

struct Run {
    /// The workspace below the home, as it is.
    workspace: &'static str,
    /// As the model types it from call 7 on.
    typed: &'static str,
}

const RUNS: &[Run] = &[
    Run {
        workspace: "work/flint-harnesses/agent-playground/runs-hb11/flint-40b/t14-ledger-go",
        typed: "work/flint_harness/agent-playground/runs_hb11/flint-40b/t14-ledger-go",
    },
    Run {
        workspace: "work/flint-harnesses/agent-playground/runs-hb11/flint-40b/t14-ledger-go",
        typed: "work/flint_harnesses/agent-playground/runs_hb11/flint-40b/t14-ledger-go",
    },
    Run {
        workspace: "work/flint-harnesses/agent-playground/runs-hz13/flint-40b/t15-audit-zig",
        typed: "work/flint-harnesses/agent-playground/runs_hz13/flint-40b/t15-audit-zig",
    },
];

const FILES: &[&str] = &["src/errors.txt", "src/audit.txt", "src/statement.txt", "src/service.txt", "src/root.txt"];

#[test]
fn every_edit_lands_in_the_right_file_and_says_so() {
    for run in RUNS {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path().canonicalize().expect("a real path");
        let (root, typed) = (home.join(run.workspace), home.join(run.typed));
        for file in FILES {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, format!("first line of {file}\nsecond line of {file}\n")).expect("writes");
        }
        play(Agent::start(&root, &["--no-lsp", "--allow", "bash"], &[]), &root, &typed);
        let beside: Vec<PathBuf> =
            std::fs::read_dir(home.join("work")).expect("reads").flatten().map(|entry| entry.path()).collect();
        assert_eq!(beside, [home.join("work/flint-harnesses")], "nothing was made beside the workspace");
    }
}

fn play(mut agent: Agent, root: &Path, typed: &Path) {
    let right = |path: &str| root.join(path).display().to_string();
    let wrong = |path: &str| typed.join(path).display().to_string();
    for file in FILES {
        assert!(!agent.call("read", json!({ "file_path": right(file) })).is_error);
    }
    for file in FILES {
        put_right(&agent.call("read", json!({ "file_path": wrong(file) })));
        let edit = json!({ "file_path": wrong(file), "old_string": format!("second line of {file}"), "new_string": format!("2nd line of {file}") });
        let reply = agent.call("edit", edit);
        put_right(&reply);
        assert!(reply.first_line().starts_with(&format!("edited {file}: line 2")), "{}", reply.text);
        assert_eq!(agent.text(file), format!("first line of {file}\n2nd line of {file}\n"));
    }
    put_right(&agent.call("write", json!({ "file_path": wrong("src/audit_test.txt"), "content": "8 tests\n" })));
    assert_eq!(agent.text("src/audit_test.txt"), "8 tests\n");
    let patch = format!(
        "*** Begin Patch\n*** Update File: {}\n@@\n-2nd line of src/root.txt\n+patched\n*** End Patch",
        wrong("src/root.txt")
    );
    put_right(&agent.call("apply_patch", json!({ "patch": patch })));
    assert_eq!(agent.text("src/root.txt"), "first line of src/root.txt\npatched\n");
    let shell = agent.call("bash", json!({ "command": "pwd", "workdir": typed.display().to_string() }));
    put_right(&shell);
    assert!(shell.text.contains(&root.display().to_string()), "{}", shell.text);

    let changes = agent.call("changes", json!({}));
    assert!(changes.text.starts_with("7 changes landed on disk:\n"), "{}", changes.text);
    assert!(!changes.text.contains("REFUSED"), "{}", changes.text);
}

fn put_right(reply: &Reply) {
    assert!(!reply.is_error && reply.text.contains("path put right: "), "{}", reply.text);
}
