//! Hooks with a daemon that is down, hung or another: the harness hears nothing, goes on, and nothing is changed.
//!
//! How long that takes is measured by `tests/load/hooks.py`; here it only must end.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::daemon::Seat;
use crate::support::wait_until;

/// What the harnesses call their events, before and after, and the tool that edits.
const HARNESSES: &[(&str, &str, &str, &str)] = &[
    ("claude", "PreToolUse", "PostToolUse", "Edit"),
    ("codex", "PreToolUse", "PostToolUse", "apply_patch"),
    ("gemini", "BeforeTool", "AfterTool", "replace"),
];

struct Play {
    seat: Seat,
    folder: tempfile::TempDir,
}

impl Play {
    fn new() -> Play {
        let folder = tempfile::Builder::new().prefix("landfall-hooked-").tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(".git")).expect("a folder");
        std::fs::write(folder.path().join("a.txt"), "one\n").expect("writes");
        Play { seat: Seat::new(), folder }
    }

    /// What `landfall hook` says to a message; it must go well whatever happens.
    fn hook(&self, harness: &str, message: &Value) -> String {
        let mut command = self.seat.command(&["hook", harness, "--no-lsp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).current_dir(self.folder.path());
        let mut child = command.spawn().expect("starts");
        child.stdin.take().expect("its input").write_all(message.to_string().as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("ends");
        assert_eq!(output.status.code(), Some(0), "{harness} {message}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// A message about an edit of a mistyped path: with a daemon there is something to say to it.
    fn message(&self, event: &str, tool: &str) -> Value {
        let root = self.folder.path().canonicalize().expect("there");
        let path = root.join("a.txt").display().to_string().replace("landfall-hooked", "landfall_hooked");
        let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-one\n+uno\n*** End Patch");
        let input = json!({ "file_path": path, "old_string": "one", "new_string": "uno", "command": patch });
        json!({ "session_id": "s", "cwd": root, "hook_event_name": event, "tool_name": tool, "tool_input": input })
    }

    /// Every harness hears nothing, before and after, and the file stays.
    fn nothing_is_said(&self, why: &str) {
        for (harness, before, after, tool) in HARNESSES {
            for event in [before, after] {
                assert_eq!(self.hook(harness, &self.message(event, tool)), "", "{why}: {harness} {event}");
            }
        }
        let names: Vec<_> = std::fs::read_dir(self.folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| name != ".git")
            .collect();
        assert_eq!(names, ["a.txt"], "{why}");
        assert_eq!(std::fs::read_to_string(self.folder.path().join("a.txt")).expect("reads"), "one\n", "{why}");
    }

    fn status(&self) -> Value {
        let output = self.seat.command(&["status", "--json"]).output().expect("runs");
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        told["daemons"][0].clone()
    }

    /// The socket of the daemon that a hook has started for later.
    fn started(&self) -> PathBuf {
        wait_until("the daemon that was started for later answers", || self.status()["socket"].is_string());
        PathBuf::from(self.status()["socket"].as_str().expect("a path"))
    }

    /// Once more a daemon sits there, with which the seat ends.
    fn revive(&self) {
        self.hook("claude", &self.message("PreToolUse", "Edit"));
        self.started();
    }

    fn stop(&self, socket: &Path) {
        assert!(self.seat.command(&["stop", "--force"]).status().expect("runs").success());
        wait_until("it is gone", || !socket.exists());
    }
}

/// A process that does nothing until this is dropped.
struct Stopped(String);

impl Stopped {
    fn new(pid: String) -> Stopped {
        assert!(Command::new("kill").args(["-STOP", &pid]).status().expect("runs").success());
        Stopped(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-CONT", &self.0]).status();
    }
}

#[test]
fn a_daemon_that_is_down_is_started_for_later() {
    let play = Play::new();
    assert_eq!(play.hook("claude", &play.message("PreToolUse", "Edit")), "");
    play.started();
    for (harness, before, _, tool) in HARNESSES {
        let said = play.hook(harness, &play.message(before, tool));
        assert!(said.contains("path put right"), "{harness}: {said}");
    }
}

#[test]
fn one_that_hangs_is_passed_by() {
    let play = Play::new();
    play.revive();
    let socket = play.started();
    let stopped = Stopped::new(play.status()["pid"].as_i64().expect("a number").to_string());
    play.nothing_is_said("a stopped process");
    drop(stopped);
    wait_until("it goes on", || play.status()["socket"].is_string());
    play.stop(&socket);

    // Nobody takes the connection.
    let listener = UnixListener::bind(&socket).expect("binds");
    play.nothing_is_said("nobody at the door");
    drop(listener);
    std::fs::remove_file(&socket).expect("removed");
    play.revive();
}

#[test]
fn one_of_another_version_or_that_talks_nonsense_is_left_alone() {
    let play = Play::new();
    play.revive();
    let socket = play.started();
    play.stop(&socket);
    for greeting in [
        "{\"landfall\":\"9.9.9\",\"pid\":1}\n{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}\n".to_owned(),
        format!("{{\"landfall\":{:?},\"pid\":1,\"refused\":\"no\"}}\n", env!("CARGO_PKG_VERSION")),
        format!("{{\"landfall\":{:?},\"pid\":1}}\nnonsense\n", env!("CARGO_PKG_VERSION")),
        "HTTP/1.1 400 Bad Request\r\n\r\n".to_owned(),
        "\n".to_owned(),
    ] {
        let listener = UnixListener::bind(&socket).expect("binds");
        let said = greeting.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut hello = String::new();
                let _ = BufReader::new(&stream).read_line(&mut hello);
                if hello == "the end\n" {
                    return;
                }
                let _ = stream.write_all(said.as_bytes());
            }
        });
        play.nothing_is_said(&greeting);
        let mut last = UnixStream::connect(&socket).expect("connects");
        last.write_all(b"the end\n").expect("writes");
        std::fs::remove_file(&socket).expect("removed");
    }
    play.revive();
}
