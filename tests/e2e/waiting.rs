//! How long a result waits, what is heard meanwhile, and what ends it.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Agent, scripted_servers};

/// A language server that answers nothing to a change.
const SILENT: &str = "[script]\nchange = [[]]\n";

fn silent(folder: &std::path::Path) -> Agent {
    let servers = scripted_servers(folder, SILENT, "");
    let workspace = folder.join("w");
    std::fs::create_dir(&workspace).expect("made");
    std::fs::write(workspace.join("a.scripted"), "one\ntwo\n").expect("written");
    let mut agent = Agent::start(&workspace, &["--servers", &servers.to_string_lossy()], &[]);
    agent.call("read", json!({ "file_path": "a.scripted" }));
    assert_eq!(agent.wait_until_settled("a.scripted").verdict(), "clean");
    agent
}

#[test]
fn a_call_says_how_long_it_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = silent(folder.path());
    let call = json!({ "file_path": "a.scripted", "old_string": "two", "new_string": "BAD", "settle_ms": 300 });
    let reply = agent.call("edit", call);
    assert_eq!(reply.verdict(), "timed_out", "{}", reply.text);
    let waited = reply.structured["diagnostics"]["waited_ms"].as_u64().expect("a number");
    // Not the five seconds that it would be without.
    assert!((300..5_000).contains(&waited), "{}", reply.text);
    assert_eq!(agent.text("a.scripted"), "one\nBAD\n");
}

#[test]
fn whoever_asks_for_progress_hears_what_is_waited_for_and_nobody_else_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = silent(folder.path());
    let arguments =
        |new, wait| json!({ "file_path": "a.scripted", "old_string": "one", "new_string": new, "settle_ms": wait });
    agent.call("edit", arguments("one BAD", 1_500));
    assert!(agent.notifications().is_empty(), "{:?}", agent.notifications());
    let arguments = arguments("one more", 600_000);
    let params = json!({ "name": "edit", "arguments": arguments, "_meta": { "progressToken": "t1" } });
    agent.send_raw(&json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": params }).to_string());
    let told = agent.notification();
    assert_eq!(told["method"], "notifications/progress");
    assert_eq!(told["params"]["progressToken"], "t1");
    let message = told["params"]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("waiting for scripted"), "{told}");
}

#[test]
fn a_cancelled_call_stops_waiting_and_has_landed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = silent(folder.path());
    let id = agent.post(
        "edit",
        json!({ "file_path": "a.scripted", "old_string": "two", "new_string": "BAD", "settle_ms": 600_000 }),
    );
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    crate::support::wait_until("the edit is on disk", || agent.text("a.scripted") == "one\nBAD\n");
    agent.send_raw(&cancel.to_string());
    assert!(agent.call("read", json!({ "file_path": "a.scripted" })).text.contains("BAD"));
    assert_eq!(agent.finish(), 0);
}

#[test]
fn a_service_with_a_running_command_ends_when_its_client_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(folder.path(), &["--no-lsp", "--allow", "bash"], &[]);
    agent.post("bash", json!({ "command": "touch begun; sleep 30; touch ended" }));
    crate::support::wait_until("the command runs", || folder.path().join("begun").exists());
    let began = Instant::now();
    agent.finish();
    assert!(began.elapsed() < Duration::from_secs(4), "it took {:?}", began.elapsed());
    assert!(!folder.path().join("ended").exists());
}
