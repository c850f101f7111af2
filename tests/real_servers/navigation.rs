//! Navigation by real language servers on the bundled projects, from the first second on.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Agent, Reply, available};

/// One question: the tool, its arguments, how many results there are, and what the text must hold.
type Question = (&'static str, Value, usize, &'static [&'static str]);

/// A copy of a bundled project, and an agent on it that has just been started.
fn agent_on(language: &str) -> (tempfile::TempDir, Agent) {
    let folder = tempfile::Builder::new().prefix("landfall-test-").tempdir().expect("a folder");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/workspaces").join(language), folder.path());
    let agent = Agent::start(folder.path(), &[], &[]);
    (folder, agent)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("made");
    for entry in std::fs::read_dir(from).expect("there").flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// In the first second: right, or plainly not known yet, and never "none" where there is something.
fn ask_early(agent: &mut Agent, questions: &[Question]) {
    for (tool, arguments, total, parts) in questions {
        let begun = Instant::now();
        let reply = agent.call(tool, arguments.clone());
        assert!(begun.elapsed() < Duration::from_secs(10), "{tool} {arguments} took {:?}", begun.elapsed());
        let state = reply.structured["state"].as_str().unwrap_or_default().to_owned();
        assert!(!reply.text.starts_with("no "), "{tool} {arguments}: {}", reply.text);
        match state.as_str() {
            "ready" => check(&reply, tool, arguments, *total, parts),
            "loading" | "timed_out" => assert!(reply.text.contains("Hint: call again"), "{}", reply.text),
            other => panic!("{tool} {arguments}: {other}: {}", reply.text),
        }
    }
}

/// Once it has loaded: exactly right.
fn ask_warm(agent: &mut Agent, questions: &[Question]) {
    for (tool, arguments, total, parts) in questions {
        let deadline = Instant::now() + Duration::from_secs(120);
        let reply = loop {
            let reply = agent.call(tool, arguments.clone());
            if reply.structured["state"] == "ready" {
                break reply;
            }
            assert!(Instant::now() < deadline, "{tool} {arguments}: not ready in time: {}", reply.text);
        };
        check(&reply, tool, arguments, *total, parts);
    }
}

fn check(reply: &Reply, tool: &str, arguments: &Value, total: usize, parts: &[&str]) {
    assert_eq!(reply.structured["total"], total, "{tool} {arguments}: {}", reply.text);
    for part in parts {
        assert!(reply.text.contains(part), "{tool} {arguments}: {part}\nin {}", reply.text);
    }
    assert!(reply.text.len() < 10_000, "{tool} {arguments}: {} bytes", reply.text.len());
}

fn of_go() -> Vec<Question> {
    vec![
        ("definition", json!({ "symbol": "Ledger.Transfer" }), 1, &["is defined at ledger/ledger.go:38:18 (gopls"]),
        (
            "definition",
            json!({ "file_path": "main.go", "line": 18, "symbol": "Transfer" }),
            1,
            &["ledger/ledger.go:38:18"],
        ),
        (
            "definition",
            json!({ "symbol": "fmt.Errorf" }),
            1,
            &["/fmt/errors.go:", "outside the workspace", "func Errorf("],
        ),
        (
            "references",
            json!({ "symbol": "(*Ledger).Transfer" }),
            3,
            &[
                "in 2 files (gopls",
                "main.go\n  in: func run() error\n   18 | ",
                "ledger/ledger_test.go",
                "   16 | ",
                "   20 | ",
            ],
        ),
        ("references", json!({ "symbol": "sort.Slice" }), 1, &["   33 | "]),
        (
            "hover",
            json!({ "symbol": "Ledger.Transfer" }),
            1,
            &["(gopls", "func (l *Ledger) Transfer(", "leaves both accounts"],
        ),
        ("symbols", json!({ "query": "transfer" }), 2, &["method Ledger.Transfer", "function TestTransfer"]),
        ("symbols", json!({ "file_path": "ledger/ledger.go" }), 7, &["      38-54  method Ledger.Transfer"]),
        ("implementations", json!({ "symbol": "Journal" }), 1, &["(gopls", "   15 | type MemoryJournal struct {"]),
        (
            "calls",
            json!({ "symbol": "Ledger.Transfer" }),
            3,
            &["3 calls of Ledger.Transfer in 2 files (gopls", "in: func run() error"],
        ),
        (
            "calls",
            json!({ "symbol": "Ledger.Transfer", "direction": "outgoing" }),
            4,
            &["Withdraw account/account.go:37:19, called on line 47", "Errorf ", "called on line 41, 45"],
        ),
    ]
}

#[test]
fn gopls_answers_at_once() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let (_folder, mut agent) = agent_on("go");
    ask_early(&mut agent, &of_go());
    ask_warm(&mut agent, &of_go());
    // What lands is seen by the next question.
    let edit = json!({ "file_path": "main.go", "old_string": "\tif err := books.Transfer(\"rent\", \"savings\", 45_050); err != nil {", "new_string": "\t_ = books.Transfer(\"a\", \"b\", 1)\n\tif err := books.Transfer(\"rent\", \"savings\", 45_050); err != nil {" });
    assert!(!agent.call("edit", edit).is_error);
    ask_warm(&mut agent, &[("references", json!({ "symbol": "Ledger.Transfer" }), 4, &["   19 | "])]);
    let unused = json!({ "file_path": "main.go", "old_string": "func main() {", "new_string": "func unusedAtAll() {}\n\nfunc main() {" });
    assert!(!agent.call("edit", unused).is_error);
    ask_warm(
        &mut agent,
        &[("references", json!({ "symbol": "unusedAtAll" }), 0, &["no references to unusedAtAll (gopls"])],
    );
}

fn of_java() -> Vec<Question> {
    vec![
        ("definition", json!({ "symbol": "Ledger.transfer" }), 1, &["src/tally/ledger/Ledger.java:29:17"]),
        (
            "definition",
            json!({ "symbol": "ArrayList" }),
            1,
            &["java.base/java.util/ArrayList.", "outside the workspace"],
        ),
        (
            "references",
            json!({ "symbol": "Ledger#transfer" }),
            3,
            &["Main.java", "   19 | ", "LedgerTest.java", "   17 | "],
        ),
        (
            "hover",
            json!({ "symbol": "tally.ledger.Ledger.transfer" }),
            1,
            &["(jdtls", "transfer(String from, String to, long amount)"],
        ),
        ("symbols", json!({ "query": "transferE" }), 3, &["class TransferException"]),
        (
            "symbols",
            json!({ "file_path": "src/tally/ledger/Journal.java" }),
            6,
            &["interface Journal", "method Journal.append"],
        ),
        (
            "implementations",
            json!({ "symbol": "Journal" }),
            1,
            &["    7 | public final class MemoryJournal implements Journal {"],
        ),
        ("implementations", json!({ "symbol": "Journal.append" }), 1, &["MemoryJournal.java"]),
        ("calls", json!({ "symbol": "Ledger.transfer" }), 3, &["in: public static void main("]),
        (
            "calls",
            json!({ "symbol": "Ledger.transfer", "direction": "outgoing" }),
            5,
            &["find(String) ", "called on line 30, 31", "withdraw(long) "],
        ),
    ]
}

/// One test for all: a start of jdtls takes ten seconds and more.
#[test]
fn jdtls_answers_or_says_that_it_loads() {
    if !available("java", &["jdtls"]) {
        return;
    }
    let (_folder, mut agent) = agent_on("java");
    let early = of_java();
    ask_early(&mut agent, &early[2..3]);
    ask_warm(&mut agent, &of_java());
}

fn of_zig() -> Vec<Question> {
    vec![
        ("definition", json!({ "symbol": "Ledger.transfer" }), 1, &["src/ledger/ledger.zig:30:12 (zls"]),
        (
            "definition",
            json!({ "file_path": "src/main.zig", "line": 16, "symbol": "transfer" }),
            1,
            &["src/ledger/ledger.zig:30:12"],
        ),
        ("definition", json!({ "symbol": "std.debug.print" }), 1, &["/std/debug.zig:", "outside the workspace"]),
        (
            "references",
            json!({ "symbol": "Account" }),
            12,
            &["in 3 files (zls", "src/main.zig\n    4 | ", "src/ledger/ledger.zig\n  in: pub const Ledger = struct"],
        ),
        ("hover", json!({ "symbol": "Ledger.transfer" }), 1, &["(zls", "fn transfer(self: *Ledger", "Moves an amount"]),
        ("symbols", json!({ "query": "transfer" }), 2, &["method Ledger.transfer", "test a transfer moves money once"]),
        ("symbols", json!({ "file_path": "src/account.zig" }), 9, &["struct Account", "method Account.deposit"]),
        (
            "calls",
            json!({ "symbol": "Ledger.transfer" }),
            4,
            &["4 calls of Ledger.transfer in 2 files (zls", "   16 | "],
        ),
        (
            "calls",
            json!({ "symbol": "Ledger.transfer", "direction": "outgoing" }),
            4,
            &["find src/ledger/ledger.zig:38:8, called on line 31, 32", "withdraw src/account.zig:"],
        ),
    ]
}

#[test]
fn zls_is_shown_the_files_that_matter() {
    if !available("zls", &["zls", "zig"]) || !zls_fits() {
        return;
    }
    let (_folder, mut agent) = agent_on("zig");
    ask_early(&mut agent, &of_zig());
    ask_warm(&mut agent, &of_zig());
    // It has no notion of implementations, and says the declaration itself: that is not passed on.
    let reply = agent.call("implementations", json!({ "symbol": "Journal" }));
    assert_eq!(reply.structured["state"], "unsupported", "{}", reply.text);
}

/// A zls of another version than the Zig it reads cannot follow imports.
fn zls_fits() -> bool {
    let minor = |program: &str, argument: &str| {
        let output = Command::new(program).arg(argument).output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(version.trim().split('.').take(2).collect::<Vec<_>>().join("."))
    };
    let fits = minor("zls", "--version") == minor("zig", "version");
    if !fits {
        eprintln!("skipped: zls and zig are of different versions");
    }
    fits
}
