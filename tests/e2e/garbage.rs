//! Frames that are garbage: each request among them is answered under its own id, and what comes after is served.

use serde_json::{Value, json};

use super::daemon::{agent, folder_with};
use crate::support::Agent;
use crate::support::daemon::Seat;

/// Checks an agent that serves a file `a.txt` with the line `one`.
fn withstands(mut agent: Agent) {
    let deep = format!(r#""params":{{"name":"read","arguments":{{"x":{}{}}}}}"#, "[".repeat(5000), "]".repeat(5000));
    let long = "y".repeat(17 << 20);
    // Who asks like this gets no answer that could be told from another's; it harms nobody.
    for line in [
        &b"this is no JSON"[..],
        b"",
        b"\0\0\0",
        b"\xff\xfe\xfd",
        b"[]",
        br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
        br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/nobody_knows"}"#,
        br#"{"jsonrpc":"2.0"}"#,
        format!("\"{long}\"").as_bytes(),
    ] {
        agent.send_bytes(line);
    }
    for (rest, code, words) in [
        (r#""method":"tools/call","params":{]"#, -32700, "no JSON that can be read"),
        (r#""method":"tools/call","params":{"name":"read","arguments":{"file_path":"\ud800"}}"#, -32700, "no JSON"),
        (&format!(r#""method":"tools/call",{deep}"#), -32700, "recursion limit"),
        (r#""method":"tools/call","params":[1]"#, -32600, "`params` an object"),
        (r#""method":["tools/call"]"#, -32600, "`method` a string"),
        (r#""method":"tools/call","params":{"name":"read","arguments":"{}"}"#, -32602, "`arguments`, an object"),
        (r#""method":"tools/call","params":{}"#, -32602, "`name`, a string"),
        (r#""method":"tools/call""#, -32602, "`name`, a string"),
        (r#""method":"no/such\u001b""#, -32601, "there is no method `no/such"),
        (&format!(r#""method":"tools/call","params":{{"text":"{long}"}}"#), -32600, "16 MiB"),
    ] {
        for (id, line) in [
            (900, format!(r#"{{"jsonrpc":"2.0","id":900,{rest}}}"#)),
            // As the official TypeScript SDK writes it.
            (901, format!(r#"{{{rest},"jsonrpc":"2.0","id":901}}"#)),
        ] {
            // What is broken in the middle hides what comes after it.
            if id == 901 && rest.ends_with('[') {
                continue;
            }
            agent.send_raw(&line);
            let error = agent.answer(id)["error"].clone();
            let shown = &line[..line.len().min(100)];
            assert_eq!(error["code"], code, "{shown}: {error}");
            assert!(error["message"].as_str().is_some_and(|said| said.contains(words)), "{shown}: {error}");
        }
    }
    let mut invalid = br#"{"jsonrpc":"2.0","id":902,"method":"tools/call","params":{"name":""#.to_vec();
    invalid.extend(b"\xff\"}}");
    agent.send_bytes(&invalid);
    assert_eq!(agent.answer(902)["error"]["code"], -32700);

    // Ids that came before: twice at once, and of a call that is over.
    agent.send_raw(r#"{"jsonrpc":"2.0","id":903,"method":"ping"}"#);
    agent.send_raw(r#"{"jsonrpc":"2.0","id":903,"method":"ping"}"#);
    assert_eq!(agent.answer(903)["result"], json!({}));
    assert!(agent.call("read", json!({ "file_path": "a.txt" })).text.contains("| one"));
    let edited = agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
    assert!(edited.first_line().starts_with("edited a.txt"), "{}", edited.text);
    agent.send_raw(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":900}}"#);
    let refused = agent.notifications().iter().filter(|said| said["error"]["code"] == -32600).count();
    assert!(refused >= 8, "{:?}", agent.notifications());
    assert!(agent.notifications().iter().all(|said| said["id"] == Value::Null));
    assert_eq!(agent.finish(), 0);
}

#[test]
fn a_service_of_its_own_withstands_garbage() {
    withstands(Agent::with_files(&[("a.txt", b"one\n")]));
}

#[test]
fn the_daemon_withstands_garbage() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    withstands(agent(&seat, folder.path()));
}

#[test]
fn a_line_of_a_hundred_megabytes_is_answered() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let mut agent = agent(&seat, folder.path());
    let long = "x".repeat(100 << 20);
    agent.send_raw(&format!(r#"{{"method":"tools/call","params":{{"name":"{long}"}},"jsonrpc":"2.0","id":900}}"#));
    let error = agent.answer(900)["error"].clone();
    assert!(error["message"].as_str().is_some_and(|said| said.contains("16 MiB")), "{error}");
    assert!(!agent.call("read", json!({ "file_path": "a.txt" })).is_error);
}

#[test]
fn garbage_before_the_opening_is_survived() {
    let folder = folder_with("one\n");
    let mut agent = Agent::start_silent(folder.path(), &["--no-lsp"], &[]);
    for line in ["nonsense", "[]", r#"{"id":7,"method":"initialize","params":{]"#] {
        agent.send_raw(line);
    }
    let hello =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    assert_eq!(agent.request("initialize", hello)["result"]["serverInfo"]["name"], "landfall");
}
