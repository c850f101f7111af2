//! MCP over HTTP at its bounds: shapes of requests that are read in two ways, ids and versions that are odd, sessions
//! that are shared, guessed, deleted, left and counted.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::http::Served;
use crate::support::{PATIENCE, scripted_servers, wait_until};

const LISTING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

/// All that comes back over one connection for these bytes.
fn all(served: &Served, bytes: &[u8]) -> String {
    let mut stream = served.connect();
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    // It may close before it has read all.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut said = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut said);
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn a_request_that_can_be_read_in_two_ways_carries_no_second_one() {
    let served = Served::with_files(&[]);
    let smuggled = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let usual = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n", served.address, served.token);
    for (lengths, body) in [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"),
        ("Content-Length: 0\r\nContent-Length: 7", ""),
        ("Content-Length: 0, 7", ""),
        ("Content-Length: +0", ""),
        ("Content-Length: -1", ""),
        ("Content-Length: 0x0", ""),
        ("Content-Length: 99999999999999999999999", ""),
        ("Transfer-Encoding: xchunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked, gzip", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n"),
        ("Transfer-Encoding : chunked", "0\r\n\r\n"),
        ("Transfer-Encoding:\r\n chunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked", "-1\r\n"),
        ("Transfer-Encoding: chunked", "fffffffffffffffff\r\n"),
        ("Transfer-Encoding: chunked", "0x0\r\n\r\n"),
        ("X: a\rTransfer-Encoding: chunked", "0\r\n\r\n"),
        ("X: a\0b", ""),
    ] {
        let said = all(&served, format!("{usual}{lengths}\r\n\r\n{body}{smuggled}").as_bytes());
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{lengths:?}: {said}");
        assert!(!said.contains("alive"), "{lengths:?}: {said}");
    }
    let old = usual.replace("HTTP/1.1", "HTTP/1.0");
    let said = all(&served, format!("{old}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}").as_bytes());
    assert!(!said.contains("alive"), "{said}");
    assert_eq!(served.get("/healthz").status, 200);
}

#[test]
fn a_method_of_another_kind_or_a_proxys_request_gets_nothing() {
    let served = Served::with_files(&[]);
    for (method, target, expected) in [
        ("TRACE", "/mcp", 405),
        ("CONNECT", "evil.example:80", 403),
        ("GET", "http://evil.example/metrics", 403),
        ("OPTIONS", "*", 404),
        ("PATCH", "/metrics", 405),
    ] {
        let refused = served.send(method, target, &[], "");
        assert_eq!(refused.status, expected, "{method} {target}: {refused:?}");
        assert!(!refused.body.contains(&served.token), "{refused:?}");
    }
    let twice = format!("Bearer wrong\r\nAuthorization: Bearer {}", served.token);
    assert_eq!(served.send("GET", "/metrics", &[("Authorization", &twice)], "").status, 401, "the first counts");
}

#[test]
fn an_odd_protocol_version_is_refused_by_name() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let id = served.session(&[]).id.clone();
    for version in ["banana", "2099-01-01", "2025-06-18, 2025-03-26", "\u{7f}"] {
        let headers = [("Mcp-Session-Id", id.as_str()), ("MCP-Protocol-Version", version)];
        let refused = served.send("POST", "/mcp", &headers, LISTING);
        assert_eq!(refused.status, 400, "{version}: {refused:?}");
    }
    let banana = served.send("POST", "/mcp", &[("MCP-Protocol-Version", "banana")], LISTING);
    assert!(banana.status == 400 && banana.body.contains("banana"), "{banana:?}");
    let headers = [("Mcp-Session-Id", id.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    assert_eq!(served.send("POST", "/mcp", &headers, LISTING).status, 200, "and the session goes on");
}

#[test]
fn a_session_that_is_guessed_or_over_is_none() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let (first, second) = (served.session(&[]), served.session(&[]));
    let long = "a".repeat(5000);
    let (longer, louder) = (format!("{}0", first.id), first.id.to_uppercase());
    let both = format!("{},{}", first.id, second.id);
    for id in ["x", "00000000-0000-4000-8000-000000000000", "../../etc", &longer, &louder, &both, &long] {
        for (method, body) in [("POST", LISTING), ("GET", "")] {
            let refused = served.send(method, "/mcp", &[("Mcp-Session-Id", id)], body);
            assert_eq!(refused.status, 404, "{method} {id}: {refused:?}");
        }
        served.send("DELETE", "/mcp", &[("Mcp-Session-Id", id)], "");
    }
    assert_eq!(first.ask("tools/list", json!({})).status, 200, "nobody else's is deleted");
    served.raw(&first.request("DELETE", ""));
    wait_until("it ends", || served.metric("landfall_sessions{face=\"http\"}") == Some(1.0));
    for (method, body) in [("POST", LISTING), ("GET", "")] {
        assert_eq!(served.raw(&first.request(method, body)).status, 404, "{method} after its end");
    }
    assert_eq!(second.ask("tools/list", json!({})).status, 200);
}

#[test]
fn two_clients_may_use_one_session_at_once() {
    let served = Served::with_files(&[("a.txt", "one\ntwo\n"), ("b.txt", "one\n")]);
    let session = served.session(&[]);
    // Of the same number at the same time: each is answered over its own connection.
    let calls = [("a.txt", "one"), ("a.txt", "two"), ("b.txt", "one")].map(|(file, old)| {
        let arguments = json!({ "file_path": file, "old_string": old, "new_string": format!("{old}!") });
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": { "name": "edit", "arguments": arguments } });
        let mut stream = served.connect();
        stream.write_all(&session.request("POST", &call.to_string())).expect("sends");
        (file, stream)
    });
    for (file, stream) in calls {
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        let told: String = BufReader::new(stream).lines().map_while(Result::ok).collect();
        assert!(told.contains(&format!("edited {file}: ")), "{told}");
    }
    assert_eq!((served.text("a.txt").as_str(), served.text("b.txt").as_str()), ("one!\ntwo!\n", "one!\n"));
    let text = session.call("changes", json!({})).text;
    assert!(text.contains("3 changes landed"), "{text}");
}

/// The head of the answer to a request for a stream of what may come.
fn stream(served: &Served, request: &[u8]) -> (String, BufReader<TcpStream>) {
    let mut stream = served.connect();
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream.write_all(request).expect("sends");
    let mut lines = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(lines.read_line(&mut head).expect("a line") > 0, "{head}");
    }
    (head, lines)
}

#[test]
fn a_stream_may_be_opened_again_from_wherever_it_is_said_to_have_ended() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let session = served.session(&[]);
    for last in ["", "0", "0/0", "999/999", "-1/-1", "99999999999999999999/1", "/", "x\u{7f}"] {
        let request = served.request(
            "GET",
            "/mcp",
            &[("Mcp-Session-Id", &session.id), ("Last-Event-ID", last), ("Accept", "text/event-stream")],
            "",
        );
        let said = String::from_utf8_lossy(&request).contains("\u{7f}");
        let (head, _open) = stream(&served, &request);
        assert!(head.starts_with("HTTP/1.1 200 ") || said && head.starts_with("HTTP/1.1 400 "), "{last:?}: {head}");
        assert!(session.call("read", json!({ "file_path": "a.txt" })).text.contains("one"), "{last:?}");
    }
    let (_head, mut open) = stream(&served, &session.request("GET", ""));
    served.raw(&session.request("DELETE", ""));
    let mut rest = String::new();
    let _ = std::io::Read::read_to_string(&mut open, &mut rest);
    assert!(!rest.contains("error"), "it ends with its session: {rest}");
}

#[test]
fn a_session_that_is_deleted_during_a_call_ends_the_waiting_and_not_the_edit() {
    let folder = Served::folder(&[("a.scripted", "one\ntwo\n")]);
    let servers = scripted_servers(folder.path(), "[script]\nchange = [[]]\n", "");
    let served = Served::in_folder(folder, &["--servers", &servers.to_string_lossy()]);
    wait_until("the language server is ready", || {
        served.call("diagnostics", json!({ "file_path": "a.scripted" }), &[]).reply().text.contains("clean")
    });
    let session = served.session(&[]);
    let arguments =
        json!({ "file_path": "a.scripted", "old_string": "two", "new_string": "due", "settle_ms": 600_000 });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": { "name": "edit", "arguments": arguments } });
    let mut waiting = served.connect();
    waiting.write_all(&session.request("POST", &call.to_string())).expect("sends");
    wait_until("the call waits", || served.metric("landfall_calls_waiting") == Some(1.0));
    assert_eq!(served.raw(&session.request("DELETE", "")).status, 202);
    wait_until("nobody waits any more", || served.metric("landfall_calls_under_way") == Some(0.0));
    assert_eq!(served.text("a.scripted"), "one\ndue\n");
    let mut changes = served.command(&["changes", "--json", "--workspace"]);
    let changes = changes.arg(served.root()).output().expect("runs");
    assert!(String::from_utf8_lossy(&changes.stdout).contains("a.scripted"), "{changes:?}");
}

#[test]
fn more_sessions_than_there_may_be_are_refused_and_leave_nothing_behind() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let first = served.session(&[]);
    let refused = (0..600).map(|_| served.initialize("/mcp", &[])).find(|answer| answer.body.contains("\"error\""));
    let refused = refused.expect("there is an end of them");
    assert!(refused.body.contains("500 sessions are open already; end one first"), "{refused:?}");
    let id = refused.header("mcp-session-id").unwrap_or("none").to_owned();
    wait_until("what was refused is no session", || {
        served.send("POST", "/mcp", &[("Mcp-Session-Id", &id)], LISTING).status == 404
    });
    assert!(first.call("read", json!({ "file_path": "a.txt" })).text.contains("one"), "who is there is served");
    served.raw(&first.request("DELETE", ""));
    wait_until("there is a place again", || !served.initialize("/mcp", &[]).body.contains("\"error\""));
}

#[test]
fn sessions_without_an_end_of_their_own_are_told_apart_by_the_whole_of_their_names() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let long = "n".repeat(200);
    let edit = json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" });
    assert!(!served.call("edit", edit, &[("Landfall-Session", &long)]).reply().is_error);
    let other = format!("{long}2");
    let refused = served.call("changes", json!({}), &[("Landfall-Session", &other)]);
    assert!(refused.status == 400 && refused.body.contains("Landfall-Session"), "{refused:?}");
    assert!(served.call("changes", json!({}), &[("Landfall-Session", &long)]).reply().text.contains("a.txt"));
}

#[test]
fn a_token_file_of_any_odd_kind_is_refused_or_read_and_never_waited_for() {
    let folder = Served::folder(&[]);
    let at = |name: &str| folder.path().join(name);
    let written = |name: &str, text: &str, mode: u32| {
        std::fs::write(at(name), text).expect("written");
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).expect("set");
    };
    let good = "0123456789abcdef0123456789abcdef";
    written("open", good, 0o644);
    written("empty", "", 0o600);
    written("short", "secret", 0o600);
    written("good", good, 0o600);
    std::fs::create_dir(at("folder")).expect("made");
    assert!(Command::new("mkfifo").arg(at("pipe")).status().expect("runs").success());
    for (link, target) in [("to-good", "good"), ("to-open", "open"), ("to-nowhere", "nowhere/at/all"), ("loop", "loop")]
    {
        symlink(at(target), at(link)).expect("a link");
    }
    let start = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.env("XDG_RUNTIME_DIR", folder.path()).env("XDG_STATE_HOME", folder.path()).stdin(Stdio::null());
        command.args(["serve", "--no-lsp", "--http", "127.0.0.1:0", "--root"]).arg(folder.path()).arg("--token-file");
        command.arg(at(name)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
    };
    for (name, words) in [
        ("open", "chmod 600"),
        ("empty", "holds nothing"),
        ("short", "so short"),
        ("folder", "it is no file"),
        ("pipe", "it is no file"),
        ("to-open", "chmod 600"),
        ("to-nowhere", "to-nowhere"),
        ("loop", "loop"),
        ("good/below", "good/below"),
    ] {
        let output = start(name).wait_with_output().expect("ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(words) && said.contains(name), "{name}: {said}");
        assert!(!said.contains(good) && !said.contains("secret"), "{said}");
    }
    // As secrets are put into a pod: a link to a file that is ours alone.
    let mut child = start("to-good");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("serving http on ")), "it is read");
    child.kill().expect("is killed");
    child.wait().expect("a child");
}
