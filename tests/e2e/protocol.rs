//! The protocol itself: its opening, its faults, its end.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::Agent;

#[test]
fn the_tools_are_listed_with_schemas_and_hints() {
    let mut agent = Agent::with_files(&[]);
    let tools = agent.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "read",
            "glob",
            "grep",
            "edit",
            "multi_edit",
            "apply_patch",
            "replace_symbol",
            "insert_after_symbol",
            "insert_before_symbol",
            "write",
            "diagnostics",
            "definition",
            "references",
            "hover",
            "symbols",
            "implementations",
            "calls",
            "rename",
            "fix",
            "changes",
            "undo"
        ]
    );
    let edit = &tools[3];
    assert_eq!(edit["inputSchema"]["required"], json!(["file_path", "old_string", "new_string"]));
    assert_eq!(edit["annotations"]["readOnlyHint"], false);
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    assert!(edit.get("outputSchema").is_none());
}

#[test]
fn a_line_too_long_is_answered_with_an_error() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\n")]);
    let body = "x".repeat(17 << 20);
    agent.send_raw(&format!("{{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"tools/call\",\"params\":{{\"name\":\"write\",\"arguments\":{{\"content\":\"{body}\"}}}}}}"));
    let answer = agent.answer(900);
    assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains("16 MiB")), "{answer}");
    assert!(!agent.call("read", json!({ "file_path": "a.txt" })).is_error);
}

#[test]
fn junk_and_stale_cancels_do_not_disturb() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\n")]);
    agent.send_raw("this is no JSON");
    agent.send_raw("");
    agent.send_raw("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77,\"reason\":\"late\"}}");
    agent.send_raw("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nobody_knows\"}");
    assert_eq!(agent.call("read", json!({ "file_path": "a.txt" })).text, "    1 | one\n(a.txt: end of file, 1 lines)");
}

#[test]
fn the_newer_protocol_needs_no_opening() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "one\n").expect("writes");
    let mut agent = Agent::start_silent(folder.path(), &["--no-lsp"], &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer =
        agent.request("tools/call", json!({ "name": "read", "arguments": { "file_path": "a.txt" }, "_meta": meta }));
    assert!(answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("| one")), "{answer}");
}

#[test]
fn the_service_ends_with_its_client() {
    let agent = Agent::with_files(&[]);
    let start = Instant::now();
    assert_eq!(agent.finish(), 0);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn without_structured_the_result_is_text_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "one\n").expect("writes");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["mcp", "--no-daemon", "--no-lsp"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .and_then(|mut child| {
            use std::io::Write;
            let mut input = child.stdin.take().expect("input");
            for message in [
                json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } }),
                json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
                json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "read", "arguments": { "path": "a.txt" } } }),
            ] {
                writeln!(input, "{message}")?;
            }
            drop(input);
            child.wait_with_output()
        })
        .expect("runs");
    let last: serde_json::Value =
        serde_json::from_str(String::from_utf8_lossy(&output.stdout).lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["id"], 2);
    assert!(last["result"].get("structuredContent").is_none(), "{last}");
}
