//! Clients of the daemon that go too early, come in numbers, are of another build, or talk nonsense; and folders that
//! are not ours.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::daemon::{agent, edit, files, folder_with, status, wait_for_daemon};
use crate::support::daemon::Seat;
use crate::support::{PATIENCE, wait_until};

/// A session of single calls, as a program has it that speaks to the socket itself.
pub(super) struct Calls(BufReader<UnixStream>);

impl Calls {
    pub(super) fn begin(socket: &Path, root: &Path) -> Calls {
        let mut calls = Calls(greeted(socket, "calls", root));
        let greeting = calls.answer();
        assert!(greeting["refused"].is_null(), "{greeting}");
        calls
    }

    pub(super) fn ask(&mut self, tool: &str, arguments: Value) {
        self.send(json!({ "tool": tool, "arguments": arguments }).to_string().as_bytes());
    }

    pub(super) fn send(&mut self, line: &[u8]) {
        let stream = self.0.get_mut();
        stream.write_all(line).and_then(|()| stream.write_all(b"\n")).expect("writes");
    }

    pub(super) fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }
}

/// A connection that has asked for a session.
fn greeted(socket: &Path, ask: &str, root: &Path) -> BufReader<UnixStream> {
    let mut stream = UnixStream::connect(socket).expect("connects");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    let hello = json!({ "landfall": env!("CARGO_PKG_VERSION"), "ask": ask, "face": "shell", "workspaces": [root] });
    writeln!(stream, "{hello}").expect("writes");
    BufReader::new(stream)
}

fn only_socket(seat: &Seat) -> std::path::PathBuf {
    files(seat, ".sock").pop().expect("a socket")
}

#[test]
fn a_client_that_goes_in_the_middle_of_a_write_leaves_it_landed_and_entered() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let _other = agent(&seat, folder.path());
    let mut calls = Calls::begin(&only_socket(&seat), folder.path());
    // Whoever writes there waits for this, as for another process of ours.
    let held = File::open(folder.path()).expect("opens");
    held.lock().expect("locks");
    calls.ask("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
    drop(calls);
    held.unlock().expect("unlocks");
    wait_until("it lands", || std::fs::read_to_string(folder.path().join("a.txt")).is_ok_and(|text| text == "uno\n"));
    wait_until("the ledger says so", || {
        let changes = seat.command(&["changes", "--json", "--workspace"]).arg(folder.path()).output().expect("runs");
        String::from_utf8_lossy(&changes.stdout).contains("a.txt")
    });
}

#[test]
fn two_hundred_sessions_are_served() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let _first = agent(&seat, folder.path());
    let socket = only_socket(&seat);
    let mut sessions: Vec<Calls> = (0..200).map(|_| Calls::begin(&socket, folder.path())).collect();
    assert_eq!(status(&seat)["sessions"].as_array().map(Vec::len), Some(201));
    for session in &mut sessions {
        session.ask("read", json!({ "file_path": "a.txt" }));
    }
    for session in &mut sessions {
        let answer = session.answer();
        assert!(answer["text"].as_str().is_some_and(|text| text.contains("one")), "{answer}");
    }
}

#[test]
fn nonsense_within_a_session_ends_no_other() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let mut good = agent(&seat, folder.path());
    let socket = only_socket(&seat);
    for ask in ["calls", "session", "editor"] {
        for junk in
            [&b"\xff\xfe\0\n"[..], b"{\"tool\":\n", b"Content-Length: -1\r\n\r\n{}\n", b"[]\n{\"jsonrpc\":\"2.0\"}\n"]
        {
            let mut session = greeted(&socket, ask, folder.path());
            session.get_mut().write_all(junk).expect("writes");
            session.get_mut().shutdown(std::net::Shutdown::Write).expect("shut");
            let mut said = Vec::new();
            session.read_to_end(&mut said).expect("an end");
        }
    }
    assert!(edit(&mut good, "one", "uno").starts_with("edited a.txt"));
    wait_until("their sessions end", || {
        status(&seat)["sessions"].as_array().is_some_and(|sessions| sessions.len() == 1)
    });
}

#[test]
fn a_daemon_of_an_earlier_build_serves_its_sessions_to_their_end_and_goes() {
    let (seat, folder, programs) = (Seat::new(), folder_with("one\ntwo\n"), tempfile::tempdir().expect("a folder"));
    let earlier = programs.path().join("landfall");
    std::fs::copy(env!("CARGO_BIN_EXE_landfall"), &earlier).expect("copied");
    let yesterday = SystemTime::now() - Duration::from_secs(24 * 3600);
    File::options().write(true).open(&earlier).and_then(|file| file.set_modified(yesterday)).expect("made older");
    let mut command = Command::new(&earlier);
    command.args(["serve", "--no-lsp"]).envs(seat.environment()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut old = command.spawn().expect("starts");
    wait_for_daemon(&seat);
    let mut calls = Calls::begin(&only_socket(&seat), folder.path());

    let mut newer = agent(&seat, folder.path());
    assert_eq!(files(&seat, ".sock").len(), 2, "each has a daemon of its build");
    assert!(edit(&mut newer, "one", "uno").starts_with("edited a.txt"));
    calls.ask("edit", json!({ "file_path": "a.txt", "old_string": "two", "new_string": "due" }));
    let answer = calls.answer();
    assert!(answer["text"].as_str().is_some_and(|text| text.starts_with("edited a.txt")), "{answer}");
    drop(calls);
    wait_until("the earlier one goes", || old.try_wait().is_ok_and(|ended| ended.is_some()));
    assert_eq!(files(&seat, ".sock").len(), 1);
    assert!(edit(&mut newer, "uno", "eins").starts_with("edited a.txt"));
    assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).expect("reads"), "eins\ndue\n");
}

#[test]
fn a_runtime_folder_of_somebody_else_is_not_used() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let runtime = Path::new(seat.environment()[0].1).join("landfall");
    std::fs::create_dir(&runtime).expect("made");
    if std::os::unix::fs::chown(&runtime, Some(1), None).is_err() {
        eprintln!("skipped: only root can give folders away");
        return;
    }
    let mut alone = agent(&seat, folder.path());
    let reply = alone.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
    assert!(reply.text.contains("belongs to user 1, not to you"), "{}", reply.text);
    assert!(reply.text.contains("edited a.txt"), "{}", reply.text);
    assert_eq!(files(&seat, ".sock"), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_session_outlives_its_daemon() {
    let (seat, folder) = (Seat::new(), folder_with("one\ntwo\n"));
    let mut agent = agent(&seat, folder.path());
    assert!(edit(&mut agent, "one", "uno").starts_with("edited a.txt"));
    let pid = status(&seat)["pid"].as_u64().expect("a process").to_string();
    assert!(Command::new("kill").args(["-9", &pid]).status().expect("runs").success());
    wait_until("it has ended", || !Path::new(&format!("/proc/{pid}/exe")).exists());

    let call = json!({ "file_path": "a.txt", "old_string": "two", "new_string": "due" });
    let mut reply = agent.call("edit", call.clone());
    // Sent before it was noticed that nobody is there, it is not known to have been done, and is not done twice.
    if reply.text.contains("whether anything was changed is not known") {
        assert!(reply.is_error, "{}", reply.text);
        reply = agent.call("edit", call);
    }
    assert!(
        reply.text.contains("the service was started again") && reply.text.contains("edited a.txt"),
        "{}",
        reply.text
    );
    assert_ne!(status(&seat)["pid"].to_string(), pid);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).expect("reads"), "uno\ndue\n");
    assert!(edit(&mut agent, "uno", "eins").starts_with("edited a.txt"), "told once");
}
