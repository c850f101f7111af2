//! `landfall report`: a session as one HTML file.

use std::path::Path;

use serde_json::json;

use crate::support::{Agent, landfall, scripted_servers, wait_until};

/// A language server that says nothing to the first change, and something to each later one.
const LATE: &str = "[script]\nchange = [[], [{ do = \"publish\" }]]\n";

/// The exit code of `landfall report` with `arguments`, and what it printed.
fn report(home: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = landfall(home, &[&["report"], arguments].concat());
    command.env("XDG_STATE_HOME", home.join("state")).env("XDG_RUNTIME_DIR", home.join("run"));
    let output = command.output().expect("runs");
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code().expect("ends by itself"), String::from_utf8(text).expect("UTF-8"))
}

#[test]
fn a_session_is_drawn_with_what_landed_what_was_refused_and_every_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let (home, root) = (folder.path(), folder.path().join("w"));
    std::fs::create_dir(&root).expect("made");
    std::fs::write(root.join("a.scripted"), "one\ntwo\n").expect("written");
    let (code, text) = report(home, &["--html"]);
    assert!(code == 2 && text.contains("no session has changed anything yet"), "{text}");

    let servers = scripted_servers(home, LATE, "");
    let state = home.join("state");
    let environment = [("XDG_STATE_HOME", state.to_str().expect("UTF-8"))];
    let mut agent = Agent::start(&root, &["--servers", &servers.to_string_lossy()], &environment);
    assert_eq!(agent.wait_until_settled("a.scripted").verdict(), "clean");
    agent.call("edit", json!({ "file_path": "a.scripted", "old_string": "nowhere at all", "new_string": "x" }));
    agent.call("edit", json!({ "file_path": "</script><b>.go", "old_string": "a", "new_string": "b" }));
    let edit = |old: &str, new: &str| json!({ "file_path": "a.scripted", "old_string": old, "new_string": new, "settle": "later" });
    agent.call("edit", edit("two", "BAD"));
    agent.call("edit", edit("one", "1"));
    let session = agent.call("changes", json!({})).structured["session"].as_str().expect("a name").to_owned();

    // The verdict comes when the language server has spoken, and amends the first one.
    let page = || report(home, &["--html"]).1;
    wait_until("the verdict is entered", || page().contains("before that: timed out, scripted after "));
    let page = page();
    for expected in [
        "2 changes landed, 2 refused, <em>1 of them not made good</em></h1>",
        "<code class=\"path\">a.scripted</code><span class=\"lines\">:2</span>",
        "problems, scripted after ",
        ": 1 introduced</p>",
        "<code class=\"path\">&lt;/script&gt;&lt;b&gt;.go</code>",
        "not made good: the tree lacks it",
        "made good by <a href=\"#e-",
    ] {
        assert!(page.contains(expected), "{expected} is not in {page}");
    }
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains(&session));
    for forbidden in ["<script", "http:", "https:", " style=", " src=", "<b>.go"] {
        assert!(!page.contains(forbidden), "{forbidden} is in {page}");
    }

    let file = home.join("out.html");
    let (code, text) = report(home, &[&session[..20], "--html", "--output", file.to_str().expect("UTF-8")]);
    assert_eq!((code, text), (0, format!("wrote {}\n", file.display())));
    assert!(std::fs::read_to_string(&file).expect("written").contains(&session));
    let (code, text) = report(home, &["20990101-x", "--html"]);
    assert!(
        code == 2 && text.contains(&format!("there is no session 20990101-x; the last ones are {session}")),
        "{text}"
    );
    let (code, text) = report(home, &[&session]);
    assert!(code == 2 && text.contains("--html"), "{text}");
    let (code, text) = report(home, &["--html", "--workspace", home.to_str().expect("UTF-8")]);
    assert!(code == 2 && text.contains("no session has changed anything in"), "{text}");
}
