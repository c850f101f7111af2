//! What must not get through over HTTP, and must not harm those who do.

use std::io::{Read, Write};
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::PATIENCE;
use crate::support::http::Served;

const LISTING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[test]
fn without_the_right_token_nothing_is_answered() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let token = served.token.clone();
    let shorter = format!("Bearer {}", &token[1..]);
    let longer = format!("Bearer {token}0");
    let louder = format!("Bearer {}", token.to_uppercase());
    let basic = format!("Basic {token}");
    let cookie = format!("landfall_session={token}");
    for headers in [
        vec![("Authorization", "")],
        vec![("Authorization", "Bearer")],
        vec![("Authorization", "Bearer 0123456789abcdef")],
        vec![("Authorization", shorter.as_str())],
        vec![("Authorization", longer.as_str())],
        vec![("Authorization", louder.as_str())],
        vec![("Authorization", basic.as_str())],
        vec![("Authorization", ""), ("Cookie", cookie.as_str())],
    ] {
        for (method, target) in [("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/metrics")] {
            let refused = served.send(method, target, &headers, if method == "POST" { LISTING } else { "" });
            assert_eq!(refused.status, 401, "{method} {target} {headers:?}");
            assert!(refused.header("www-authenticate").is_some_and(|how| how.starts_with("Bearer")), "{refused:?}");
            assert!(refused.body.contains("Authorization: Bearer TOKEN") && !refused.body.contains(&token));
        }
        let page = served.send("GET", "/", &headers, "");
        assert_eq!((page.status, page.body.contains("Log out")), (200, false), "the form alone: {headers:?}");
        assert_ne!(served.send("GET", "/events", &headers, "").status, 200, "{headers:?}");
    }
    assert_eq!(served.metric("landfall_calls_under_way"), Some(0.0), "with it, it is");
}

#[test]
fn names_and_pages_that_are_not_its_own_get_nothing() {
    let served = Served::start(&[], &["--no-lsp", "--allow-host", "box.example"]);
    let own = served.address.to_string();
    let page = format!("http://{own}");
    let other_port = format!("http://127.0.0.1:{}", served.address.port().wrapping_add(1).max(1));
    for (host, origin, expected) in [
        (own.as_str(), "", 200),
        ("localhost", "", 200),
        ("box.example:8443", "https://box.example:8443", 200),
        (own.as_str(), page.as_str(), 200),
        ("evil.example", "", 403),
        ("evil.example:7420", "http://evil.example:7420", 403),
        ("127.0.0.1.evil.example", "", 403),
        (own.as_str(), "https://evil.example", 403),
        (own.as_str(), other_port.as_str(), 403),
        (own.as_str(), "null", 403),
    ] {
        for (method, target) in [("GET", "/metrics"), ("GET", "/nothing/here")] {
            let answer = served.send(method, target, &[("Host", host), ("Origin", origin)], "");
            let expected = if target == "/metrics" || expected == 403 { expected } else { 404 };
            assert_eq!(answer.status, expected, "{target} {host} {origin}: {answer:?}");
        }
        let headers = [("Host", host), ("Origin", origin)];
        let answer = served.initialize("/mcp", &headers);
        assert_eq!(answer.status, expected, "{host} {origin}: {answer:?}");
    }
    let bare = served.raw(b"GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(bare.status, 403, "without any Host: {bare:?}");
}

#[test]
fn a_body_that_is_too_long_is_refused_and_nonsense_is_no_harm() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let announced = [("Content-Length", "17825792"), ("Expect", "100-continue")];
    let refused = served.send("POST", "/mcp", &announced, "");
    assert_eq!(refused.status, 413, "{refused:?}");
    assert!(refused.body.contains("send less at once"), "{refused:?}");

    let chunked = [("Content-Length", ""), ("Transfer-Encoding", "chunked")];
    let mut request = served.request("POST", "/mcp", &chunked, "");
    let size = (16 << 20) + 1;
    request.extend(format!("{size:x}\r\n").bytes());
    request.extend(std::iter::repeat_n(b'[', size));
    assert_eq!(served.raw(&request).status, 413);

    for (body, expected) in [
        ("this is no JSON", 400),
        ("", 400),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":", 400),
        ("\u{0}\u{1}\u{2}", 400),
        ("[]", 400),
        ("42", 400),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 400),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, 400),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, 400),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, 400),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"\ud800"}"#, 400),
    ] {
        let refused = served.send("POST", "/mcp", &[], body);
        assert_eq!(refused.status, expected, "{body:?}: {refused:?}");
        assert!(refused.body.contains("nothing was done"), "{refused:?}");
    }
    let deep = "[".repeat(200_000);
    assert_eq!(served.send("POST", "/mcp", &[], &deep).status, 400);
    assert_eq!(served.send("POST", "/mcp", &[("Content-Type", "text/plain")], LISTING).status, 415, "a form's");
    assert_eq!(served.send("PUT", "/mcp", &[], "{}").status, 405);
    for target in ["/mcp/", "/mcp/../metrics", "//metrics", "/.token", "/%2e%2e/token", "/mcp%00"] {
        let status = served.get(target).status;
        assert!((400..500).contains(&status), "{target}: {status}");
    }
    let stray = served.send("POST", "/mcp", &[("Mcp-Session-Id", "14f93352-0000-4000-8000-c857b7a81ddc")], LISTING);
    assert_eq!(stray.status, 404, "{stray:?}");
    assert!(served.session(&[]).call("read", json!({ "file_path": "a.txt" })).text.contains("one"));
}

#[test]
fn nothing_outside_the_roots_is_opened_read_or_written() {
    let served = Served::with_files(&[("project/a.txt", "one\n")]);
    let (around, root) = (served.around(), served.root());
    std::fs::create_dir(around.join("rootless")).expect("made");
    std::fs::write(around.join("rootless/secret.txt"), "secret\n").expect("written");
    symlink(around.join("rootless"), root.join("way-out")).expect("a link");
    let at = |path: &str| around.join(path).display().to_string();
    let outside = [
        at("rootless"),
        at("root/way-out"),
        at("root/../rootless"),
        at("root/project/../../rootless"),
        at("nothing/there"),
        "/".to_owned(),
        "/etc".to_owned(),
        "../rootless".to_owned(),
        "way-out".to_owned(),
    ];
    for workspace in &outside {
        let refused = served.initialize("/mcp", &[("Landfall-Workspace", workspace)]);
        assert_eq!(refused.status, 403, "{workspace}: {refused:?}");
        assert!(refused.body.contains(workspace.as_str()) && refused.body.contains(&at("root")), "{refused:?}");
        let refused = served.call("read", json!({ "file_path": "secret.txt" }), &[("Landfall-Workspace", workspace)]);
        assert_eq!(refused.status, 403, "{workspace}: {refused:?}");
    }
    let session = served.session(&[("Landfall-Workspace", "project")]);
    let secret = at("rootless/secret.txt");
    for workspace in outside.iter().filter(|workspace| workspace.starts_with('/')) {
        for (tool, arguments) in [
            ("read", json!({ "file_path": "secret.txt", "workspace": workspace })),
            ("glob", json!({ "pattern": "**/*", "workspace": workspace })),
            ("write", json!({ "file_path": "new.txt", "content": "x", "workspace": workspace })),
        ] {
            let reply = session.call(tool, arguments);
            assert!(reply.is_error && reply.text.contains("outside"), "{tool} {workspace}: {}", reply.text);
            assert!(reply.text.contains(&at("root")), "the root is named: {}", reply.text);
        }
    }
    for path in [secret.as_str(), "../../rootless/secret.txt", "../way-out/secret.txt", "/etc/passwd", "~/.bashrc"] {
        for (tool, arguments) in [
            ("read", json!({ "file_path": path })),
            ("edit", json!({ "file_path": path, "old_string": "secret", "new_string": "known" })),
            ("write", json!({ "file_path": path, "content": "x" })),
        ] {
            let reply = session.call(tool, arguments);
            assert!(reply.is_error && !reply.text.contains("secret\n"), "{tool} {path}: {}", reply.text);
        }
    }
    assert_eq!(std::fs::read_to_string(around.join("rootless/secret.txt")).expect("is there"), "secret\n");
    assert!(!around.join("rootless/new.txt").exists() && !around.join("nothing").exists());
    assert!(!session.call("read", json!({ "file_path": "a.txt" })).is_error);
    let inside = at("root/project");
    assert!(!session.call("read", json!({ "file_path": "a.txt", "workspace": inside })).is_error);
}

#[test]
fn a_link_that_is_turned_outwards_later_leads_nowhere() {
    let served = Served::with_files(&[("project/a.txt", "one\n")]);
    let (around, root) = (served.around(), served.root());
    std::fs::create_dir(around.join("rootless")).expect("made");
    std::fs::write(around.join("rootless/a.txt"), "secret\n").expect("written");
    symlink(root.join("project"), root.join("current")).expect("a link");
    let session = served.session(&[("Landfall-Workspace", "current")]);
    assert!(session.call("read", json!({ "file_path": "a.txt" })).text.contains("one"));
    std::fs::remove_file(root.join("current")).expect("removed");
    symlink(around.join("rootless"), root.join("current")).expect("a link");
    let reply = session.naming_nothing().call("read", json!({ "file_path": "a.txt" }));
    assert!(reply.is_error && reply.text.contains("outside"), "{}", reply.text);
    let again = served.initialize("/mcp", &[("Landfall-Workspace", "current")]);
    assert_eq!(again.status, 403, "{again:?}");
}

#[test]
fn two_hundred_slow_connections_hold_nobody_up_and_are_served_in_the_end() {
    let served = Served::with_files(&[("a.txt", "one\n")]);
    let mut slow: Vec<_> = (0..200).map(|_| served.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: local").expect("sends");
    }
    let session = served.session(&[]);
    let reply = session.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
    assert!(reply.first_line().starts_with("edited a.txt"), "{}", reply.text);
    for stream in &mut slow {
        stream.write_all(b"host\r\nConnection: close\r\n\r\n").expect("sends");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        let mut told = String::new();
        stream.read_to_string(&mut told).expect("an answer");
        assert!(told.starts_with("HTTP/1.1 200 "), "{told}");
    }
}

#[test]
fn two_hundred_clients_at_once_each_land_their_edit() {
    let names: Vec<String> = (0..200).map(|number| format!("f{number}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "one\n")).collect();
    let served = Served::with_files(&files);
    let mut open: Vec<_> = names
        .iter()
        .map(|name| {
            let arguments = json!({ "file_path": name, "old_string": "one", "new_string": "uno" });
            let mut stream = served.connect();
            let call = json!({ "name": "edit", "arguments": arguments });
            stream.write_all(&served.later("tools/call", call, &[])).expect("sends");
            stream
        })
        .collect();
    for (stream, name) in open.iter_mut().zip(&names) {
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        let mut told = String::new();
        stream.read_to_string(&mut told).expect("an answer");
        assert!(told.contains(&format!("edited {name}:")), "{told}");
        assert_eq!(served.text(name), "uno\n");
    }
}
