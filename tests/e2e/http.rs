//! MCP over HTTP: both eras of the protocol, sessions and their ends, probes and metrics.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::http::Served;
use crate::support::{scripted_servers, wait_until};

fn edit(file: &str, old: &str, new: &str) -> Value {
    json!({ "file_path": file, "old_string": old, "new_string": new })
}

#[test]
fn both_eras_of_the_protocol_list_the_tools_and_edit() {
    let served = Served::with_files(&[("a.txt", "one\ntwo\n")]);
    let session = served.session(&[]);
    let earlier = session.ask("tools/list", json!({})).message()["result"]["tools"].clone();
    let later = served.raw(&served.later("tools/list", json!({}), &[])).message()["result"]["tools"].clone();
    assert!(earlier.as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "edit")), "{earlier}");
    assert_eq!(earlier, later);

    let reply = session.call("edit", edit("a.txt", "one", "uno"));
    assert_eq!(reply.first_line(), "edited a.txt: line 1, +1 -1, now 2 lines");
    assert!(reply.structured.is_null(), "only where it is asked for");
    let reply = served.call("edit", edit("a.txt", "two", "due"), &[("Landfall-Structured", "true")]).reply();
    assert_eq!(reply.structured["matched_via"], "exact", "{}", reply.text);
    assert_eq!(served.text("a.txt"), "uno\ndue\n");
    let discovered = served.raw(&served.later("server/discover", json!({}), &[])).message();
    assert!(
        discovered["result"]["instructions"].as_str().is_some_and(|text| text.contains("landfall")),
        "{discovered}"
    );
}

#[test]
fn each_agent_has_a_session_of_its_own_where_the_protocol_or_the_client_names_one() {
    let served = Served::with_files(&[("a.txt", "one\ntwo\nthree\n")]);
    let (first, second) = (served.session(&[]), served.session(&[]));
    assert!(!first.call("edit", edit("a.txt", "one", "uno")).is_error);
    assert!(!first.call("changes", json!({})).is_error);
    assert!(second.call("changes", json!({})).text.contains("nothing"), "{}", second.call("changes", json!({})).text);
    // Without sessions in the protocol: one for all, and one for each name.
    let named = [("Landfall-Session", "blue")];
    assert!(!served.call("edit", edit("a.txt", "two", "due"), &named).reply().is_error);
    let changes = |headers: &[(&str, &str)]| served.call("changes", json!({}), headers).reply().text;
    assert!(changes(&named).contains("a.txt"), "{}", changes(&named));
    assert!(changes(&[]).contains("nothing"), "{}", changes(&[]));
    assert_eq!(served.metric("landfall_sessions{face=\"http\"}"), Some(4.0));

    let deleted = served.raw(&first.request("DELETE", ""));
    assert_eq!(deleted.status, 202, "{deleted:?}");
    wait_until("its session ends", || served.metric("landfall_sessions{face=\"http\"}") == Some(3.0));
    let unknown = first.ask("tools/list", json!({}));
    assert_eq!(unknown.status, 404, "{unknown:?}");
    assert!(!second.call("read", json!({ "file_path": "a.txt" })).is_error);
}

#[test]
fn a_session_that_is_not_used_ends() {
    let served = Served::start(&[("a.txt", "one\n")], &["--no-lsp", "--session-idle", "1s"]);
    let session = served.session(&[]);
    assert!(!served.call("read", json!({ "file_path": "a.txt" }), &[]).reply().is_error);
    wait_until("both sessions end", || served.metric("landfall_sessions{face=\"http\"}").is_none());
    assert_eq!(session.ask("tools/list", json!({})).status, 404);
    assert!(!served.call("read", json!({ "file_path": "a.txt" }), &[]).reply().is_error, "another one begins");
}

#[test]
fn workspaces_are_named_by_header_or_in_the_address() {
    let files = [("a/x.txt", "one\n"), ("b/x.txt", "two\n")];
    let served = Served::start(&files, &["--no-lsp", "--root", "{folder}/root/a", "--root", "{folder}/root/b"]);
    let nothing = served.initialize("/mcp", &[]);
    assert_eq!(nothing.status, 400, "{nothing:?}");
    assert!(nothing.body.contains("Landfall-Workspace") && nothing.body.contains("/root/b"), "{nothing:?}");
    let a = served.root().join("a").display().to_string();
    let session = served.session(&[("Landfall-Workspace", &a)]);
    assert!(session.call("read", json!({ "file_path": "x.txt" })).text.contains("one"));
    // An absolute path selects a workspace only once it is one of the session's.
    let other = served.root().join("b/x.txt").display().to_string();
    assert!(session.call("read", json!({ "file_path": other })).is_error);
    let b = served.root().join("b").display().to_string();
    assert!(session.call("read", json!({ "file_path": "x.txt", "workspace": b })).text.contains("two"));
    let both = served.session(&[("Landfall-Workspace", &a), ("Landfall-Workspace", &b)]);
    assert!(both.call("read", json!({ "file_path": other })).text.contains("two"));
    let answer = served.initialize(&format!("/mcp?workspace={b}"), &[]);
    assert_eq!(answer.message()["result"]["serverInfo"]["name"], "landfall", "{answer:?}");
}

#[test]
fn probes_need_no_token_and_metrics_tell_what_was_done() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    for (target, body) in [("/healthz", "alive\n"), ("/readyz", "ready\n")] {
        let told = served.send("GET", target, &[("Authorization", ""), ("Host", "10.1.2.3:80")], "");
        assert_eq!((told.status, told.body.as_str()), (200, body));
    }
    let session = served.session(&[]);
    session.call("edit", edit("a.txt", "one", "uno"));
    session.call("edit", edit("a.txt", "nowhere to be found", "x"));
    session.call("no such tool\"} 1\nlandfall_forged 1", json!({}));
    for (name, value) in [
        ("landfall_edits_landed_total{tool=\"edit\",matched_via=\"exact\"}", 1.0),
        ("landfall_edits_refused_total{code=\"not_found\"}", 1.0),
        ("landfall_calls_total{tool=\"edit\",outcome=\"done\"}", 1.0),
        ("landfall_calls_total{tool=\"edit\",outcome=\"error\"}", 1.0),
        ("landfall_calls_total{tool=\"unknown\",outcome=\"error\"}", 1.0),
        ("landfall_calls_under_way", 0.0),
        ("landfall_calls_waiting", 0.0),
        ("landfall_workspaces", 1.0),
    ] {
        assert_eq!(served.metric(name), Some(value), "{name}\n{}", served.get("/metrics").body);
    }
    assert!(served.metric("landfall_memory_bytes").is_some_and(|bytes| bytes > 1e6));
    let told = served.get("/metrics");
    assert!(!told.body.contains("forged") && told.body.ends_with("# EOF\n"), "{}", told.body);
    assert!(told.header("content-type").is_some_and(|kind| kind.starts_with("application/openmetrics-text")));
}

/// A service with a language server that says nothing to a change, and its file `a.scripted`, warm.
fn silent() -> Served {
    let folder = Served::folder(&[("a.scripted", "one\ntwo\n")]);
    let servers = scripted_servers(folder.path(), "[script]\nchange = [[]]\n", "");
    let served = Served::in_folder(folder, &["--servers", &servers.to_string_lossy()]);
    let settled = || served.call("diagnostics", json!({ "file_path": "a.scripted" }), &[]).reply();
    wait_until("the language server is ready", || settled().text.contains("clean"));
    served
}

#[test]
fn calls_under_way_are_finished_when_the_service_ends() {
    let mut served = silent();
    assert!(served.metric("landfall_language_servers{language_server=\"scripted\",state=\"ready\"}").is_some());
    let mut stream = served.connect();
    let mut wanted = edit("a.scripted", "two", "BAD");
    wanted["settle_ms"] = json!(2_000);
    let call = json!({ "name": "edit", "arguments": wanted });
    stream.write_all(&served.later("tools/call", call, &[])).expect("sends");
    wait_until("the call waits", || served.metric("landfall_calls_waiting") == Some(1.0));
    served.terminate();
    let told: String = BufReader::new(stream).lines().map_while(Result::ok).collect();
    assert!(told.contains("edited a.scripted: line 2"), "{told}");
    assert_eq!(served.ended(), Some(0));
}

#[test]
fn a_client_that_goes_away_ends_its_waiting_and_not_its_edit() {
    let served = silent();
    let mut wanted = edit("a.scripted", "two", "BAD");
    wanted["settle_ms"] = json!(600_000);
    let call = json!({ "name": "edit", "arguments": wanted, "_meta": { "progressToken": 1 } });
    let mut stream = served.connect();
    stream.write_all(&served.later("tools/call", call, &[])).expect("sends");
    wait_until("the call waits", || served.metric("landfall_calls_waiting") == Some(1.0));
    drop(stream);
    wait_until("nobody waits any more", || served.metric("landfall_calls_under_way") == Some(0.0));
    assert_eq!(served.text("a.scripted"), "one\nBAD\n");
    let changes = served.call("changes", json!({}), &[]).reply().text;
    assert!(changes.contains("a.scripted +1 -1"), "{changes}");
}

#[test]
fn an_edit_whose_client_goes_at_once_is_whole_and_in_the_ledger_or_not_there_at_all() {
    let names: Vec<String> = (0..30).map(|number| format!("f{number:02}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "one\n")).collect();
    let served = Served::with_files(&files);
    let session = served.session(&[]);
    for (number, name) in names.iter().enumerate() {
        let call = json!({ "name": "edit", "arguments": edit(name, "one", "uno") });
        let message = json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call });
        let mut stream = served.connect();
        stream.write_all(&session.request("POST", &message.to_string())).expect("sends");
        drop(stream);
    }
    // Whatever was begun is finished by then: calls of one session come back in the order of their writes.
    let settled = || {
        let landed = served.metric("landfall_edits_landed_total{tool=\"edit\",matched_via=\"exact\"}").unwrap_or(0.0);
        (landed, names.iter().filter(|name| served.text(name) == "uno\n").count())
    };
    wait_until("the calls are over", || {
        served.metric("landfall_calls_under_way") == Some(0.0) && {
            let (counted, written) = settled();
            counted as usize == written && written > 0
        }
    });
    let text = session.call("changes", json!({})).text;
    for name in &names {
        match served.text(name).as_str() {
            "uno\n" => assert!(text.contains(&format!("{name} +1 -1")) || text.contains("more"), "{name} in {text}"),
            other => assert_eq!(other, "one\n", "{name}"),
        }
    }
}

#[test]
fn the_socket_is_served_as_well_and_by_one_only() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let _session = served.session(&[]);
    let status = served.command(&["status", "--json"]).output().expect("runs");
    let status: Value = serde_json::from_slice(&status.stdout).expect("JSON");
    let faces: Vec<&Value> = status["daemons"][0]["sessions"].as_array().expect("sessions").iter().collect();
    assert!(faces.len() == 1 && faces[0]["face"] == "http", "{status}");

    let mut second = served.command(&["serve", "--no-lsp", "--http", "127.0.0.1:0", "--root", "root"]);
    let mut second = second.stdout(std::process::Stdio::piped()).spawn().expect("starts");
    let line =
        BufReader::new(second.stdout.take().expect("its output")).lines().next().expect("a line").expect("UTF-8");
    assert!(line.starts_with("serving http on http://127.0.0.1:"), "HTTP alone: {line}");
    second.kill().expect("is killed");
    second.wait().expect("a child");
}

#[test]
fn the_token_file_must_be_its_owners_alone() {
    let folder = Served::folder(&[]);
    let token = folder.path().join("token");
    let start = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.env("XDG_RUNTIME_DIR", folder.path()).env("XDG_STATE_HOME", folder.path());
        command.args(["serve", "--no-lsp", "--http", "127.0.0.1:0", "--token-file"]).arg(&token);
        command.arg("--root").arg(folder.path().join("root")).output().expect("runs")
    };
    std::fs::write(&token, "0123456789abcdef0123456789abcdef\n").expect("written");
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).expect("set");
    let refused = start();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("chmod 600 '{}'", token.display())) && !said.contains("0123456789"), "{said}");

    std::fs::remove_file(&token).expect("removed");
    let served = Served::in_folder(folder, &["--no-lsp"]);
    let mode = std::fs::metadata(served.around().join("token")).expect("was made").permissions().mode();
    assert_eq!((mode & 0o777, served.token.len()), (0o600, 64));
}
