//! What stands in logs and what does not, and logs that cannot be written.

use std::fs::File;
use std::process::Stdio;

use serde_json::json;

use super::daemon::folder_with;
use crate::support::http::Served;
use crate::support::landfall;

#[test]
fn a_log_that_cannot_be_written_is_no_obstacle() {
    let folder = folder_with("one\n");
    let (reader, closed) = std::io::pipe().expect("a pipe");
    drop(reader);
    let full = File::options().write(true).open("/dev/full").expect("a full device");
    for (old, new, errors) in [("one", "two", Stdio::from(full)), ("two", "three", Stdio::from(closed))] {
        let arguments = json!({ "file_path": "a.txt", "old_string": old, "new_string": new }).to_string();
        let mut command = landfall(folder.path(), &["call", "edit", &arguments, "--no-lsp"]);
        let output = command.env("LANDFALL_LOG", "trace").stderr(errors).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.starts_with("edited a.txt"), "{output:?}");
        assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).expect("reads"), format!("{new}\n"));
    }
    // What it ends with is said by the exit code all the same.
    let full = File::options().write(true).open("/dev/full").expect("a full device");
    let refused = landfall(folder.path(), &["serve", "--http", "0", "--root", "nowhere"]).stderr(full).status();
    assert_eq!(refused.expect("runs").code(), Some(2));
}

#[test]
fn logs_hold_neither_the_token_nor_what_files_hold() {
    let folder = Served::folder(&[("a.txt", "kept-secret one\n")]);
    let log = folder.path().join("log");
    let served =
        Served::logging(folder, &["--no-lsp"], &[("LANDFALL_LOG", "trace")], File::create(&log).expect("made"));
    let session = served.session(&[]);
    assert!(session.call("read", json!({ "file_path": "a.txt" })).text.contains("kept-secret"));
    let edit = json!({ "file_path": "a.txt", "old_string": "one", "new_string": "new-secret" });
    assert!(session.call("edit", edit).first_line().starts_with("edited a.txt"));
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let login = served.send("POST", "/login", &form, &format!("token={}", served.token));
    let cookie = login.header("set-cookie").and_then(|set| set.split([';', '=']).nth(1)).expect("a cookie").to_owned();
    // Over the socket too, and what cannot be read.
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "typed-secret": [] } });
    let mut agent = served.agent(&["--no-lsp"]);
    agent.send_raw(&call.to_string());
    agent.send_raw(r#"{"id":2,"typed-secret":["#);
    let edit = json!({ "file_path": "a.txt", "old_string": "new-secret", "new_string": "last-secret" });
    assert!(agent.call("edit", edit).first_line().starts_with("edited a.txt"));
    agent.finish();

    let logged = std::fs::read_to_string(&log).expect("reads");
    assert!(logged.contains("serving"), "it is the log: {logged}");
    for secret in ["-secret", served.token.as_str(), cookie.as_str()] {
        let lines: Vec<&str> = logged.lines().filter(|line| line.contains(secret)).collect();
        assert_eq!(lines, Vec::<&str>::new());
    }
}
