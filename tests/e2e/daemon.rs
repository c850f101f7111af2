//! The daemon and its clients: shared, raced for, missing, hung, and left.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::daemon::Seat;
use crate::support::{Agent, wait_until};

pub(super) fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("landfall-test-").tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.txt"), text).expect("a file");
    folder
}

pub(super) fn agent(seat: &Seat, root: &Path) -> Agent {
    Agent::through_daemon(root, &["--no-lsp"], &seat.environment())
}

pub(super) fn status(seat: &Seat) -> Value {
    let output = seat.command(&["status", "--json"]).output().expect("runs");
    let all: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    all["daemons"][0].clone()
}

/// Waits until a daemon answers there: its socket is there a moment before that.
pub(super) fn wait_for_daemon(seat: &Seat) {
    wait_until("it serves", || status(seat)["pid"].is_number());
}

/// Files of this kind in the seat's runtime folder.
pub(super) fn files(seat: &Seat, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(seat.environment()[0].1).join("landfall");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

pub(super) fn edit(agent: &mut Agent, old: &str, new: &str) -> String {
    let reply = agent.call("edit", json!({ "file_path": "a.txt", "old_string": old, "new_string": new }));
    reply.first_line().to_owned()
}

#[test]
fn two_sessions_share_one_daemon_and_each_has_its_own_ledger() {
    let (seat, folder) = (Seat::new(), folder_with("one\ntwo\n"));
    let (mut first, mut second) = (agent(&seat, folder.path()), agent(&seat, folder.path()));
    assert!(edit(&mut first, "one", "uno").starts_with("edited a.txt"));
    assert!(edit(&mut second, "two", "due").starts_with("edited a.txt"));
    assert!(edit(&mut second, "not there at all", "x").starts_with("not edited a.txt"));
    let mine = first.call("changes", json!({}));
    assert!(mine.text.contains("uno") || mine.text.contains("a.txt +1 -1"), "{}", mine.text);
    let told = status(&seat).to_string();
    assert_eq!(files(&seat, ".sock").len(), 1, "{told}");
    let sessions = status(&seat)["sessions"].as_array().cloned().unwrap_or_default();
    let mut counts: Vec<(u64, u64)> = sessions
        .iter()
        .map(|one| (one["landed"].as_u64().unwrap_or(9), one["refused"].as_u64().unwrap_or(9)))
        .collect();
    counts.sort_unstable();
    assert_eq!(counts, [(1, 0), (1, 1)], "{told}");
    let mode = std::fs::metadata(&files(&seat, ".sock")[0]).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    first.finish();
    wait_until("the session of a client that is gone ends", || {
        status(&seat)["sessions"].as_array().is_some_and(|sessions| sessions.len() == 1)
    });
}

#[test]
fn of_many_that_start_at_once_one_daemon_comes() {
    let (seat, folder) = (Seat::new(), folder_with("x\n"));
    let agents: Vec<Agent> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..10).map(|_| scope.spawn(|| agent(&seat, folder.path()))).collect();
        starts.into_iter().map(|start| start.join().expect("starts")).collect()
    });
    assert_eq!(agents.len(), 10);
    assert_eq!(status(&seat)["sessions"].as_array().map(Vec::len), Some(10), "{}", status(&seat));
    assert_eq!(files(&seat, ".sock").len(), 1);
}

#[test]
fn a_killed_bridge_leaves_its_edit_whole_and_its_session_ended() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let mut gone = agent(&seat, folder.path());
    gone.post("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
    gone.kill();
    wait_until("the session ends", || status(&seat)["sessions"].as_array().is_some_and(Vec::is_empty));
    let text = std::fs::read_to_string(folder.path().join("a.txt")).expect("reads");
    let changes = seat.command(&["changes", "--json", "--workspace"]).arg(folder.path()).output().expect("runs");
    let told = String::from_utf8_lossy(&changes.stdout).contains("a.txt");
    assert!(text == "uno\n" && told || text == "one\n" && !told, "{text:?} {changes:?}");
}

#[test]
fn a_socket_that_is_left_over_is_replaced_and_a_hung_one_passed_by() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    // Where it sits is known once it has been there.
    agent(&seat, folder.path()).finish();
    let socket = files(&seat, ".sock").pop().expect("a socket");
    assert!(seat.command(&["stop", "--force"]).status().expect("runs").success());
    wait_until("it is gone", || !socket.exists());

    drop(UnixListener::bind(&socket).expect("binds"));
    assert!(edit(&mut agent(&seat, folder.path()), "one", "uno").starts_with("edited"), "a left-over socket");
    assert!(seat.command(&["stop", "--force"]).status().expect("runs").success());
    wait_until("it is gone", || !socket.exists());

    let _hung = UnixListener::bind(&socket).expect("binds");
    let mut alone = agent(&seat, folder.path());
    let reply = alone.call("edit", json!({ "file_path": "a.txt", "old_string": "uno", "new_string": "one" }));
    assert!(reply.text.contains("without the shared daemon") && reply.text.contains("edited a.txt"), "{}", reply.text);
    std::fs::remove_file(&socket).expect("removed");
}

#[test]
fn nonsense_on_the_socket_harms_nobody() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let mut agent = agent(&seat, folder.path());
    let socket = files(&seat, ".sock").pop().expect("a socket");
    for junk in [
        &b"\n"[..],
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xfe\0\0\n",
        b"{\"landfall\":\"0.0.1\",\"ask\":\"session\"}\n",
        b"{",
    ] {
        let mut stream = UnixStream::connect(&socket).expect("connects");
        stream.write_all(junk).expect("writes");
        stream.shutdown(std::net::Shutdown::Write).expect("shut");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an end");
        assert!(answer.contains("refused"), "{junk:?}: {answer}");
    }
    let idle: Vec<UnixStream> = (0..200).map(|_| UnixStream::connect(&socket).expect("connects")).collect();
    assert!(edit(&mut agent, "one", "uno").starts_with("edited a.txt"));
    drop(idle);
}

#[test]
fn a_path_too_long_for_a_socket_is_no_obstacle() {
    let folder = folder_with("one\n");
    let long = folder.path().join("r".repeat(120));
    std::fs::create_dir(&long).expect("a folder");
    let long = long.to_str().expect("UTF-8");
    let environment = [("XDG_RUNTIME_DIR", long), ("XDG_STATE_HOME", long), ("LANDFALL_IDLE", "1s")];
    let mut agent = Agent::through_daemon(folder.path(), &["--no-lsp"], &environment);
    let reply = agent.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
    assert!(reply.text.contains("edited a.txt"), "{}", reply.text);
}

#[test]
fn worktrees_of_one_repository_are_never_mixed_up() {
    let (seat, folder) = (Seat::new(), tempfile::tempdir().expect("a folder"));
    let git = |directory: &Path, arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(directory).args(["-c", "user.name=n", "-c", "user.email=e@example.org"]).args(arguments);
        assert!(
            command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("git runs").success(),
            "{arguments:?}"
        );
    };
    let (main, side) = (folder.path().join("main"), folder.path().join("main-side"));
    std::fs::create_dir(&main).expect("a folder");
    git(&main, &["init", "-q"]);
    std::fs::write(main.join("a.txt"), "one\n").expect("writes");
    git(&main, &["add", "."]);
    git(&main, &["commit", "-qm", "first"]);
    git(&main, &["worktree", "add", "-q", "../main-side"]);
    let mut both =
        Agent::through_daemon(&main, &["--no-lsp", "--workspace", side.to_str().expect("UTF-8")], &seat.environment());
    let by_path =
        both.call("edit", json!({ "file_path": side.join("a.txt"), "old_string": "one", "new_string": "side" }));
    assert!(by_path.first_line().starts_with("edited a.txt"), "{}", by_path.text);
    assert!(edit(&mut both, "one", "main").starts_with("edited a.txt"));
    let text = |root: &Path| std::fs::read_to_string(root.join("a.txt")).expect("reads");
    assert_eq!((text(&main).as_str(), text(&side).as_str()), ("main\n", "side\n"));
}

#[test]
fn a_session_is_told_of_what_another_has_changed_since() {
    let (seat, folder) = (Seat::new(), folder_with("one\ntwo\n"));
    let (mut first, mut second) = (agent(&seat, folder.path()), agent(&seat, folder.path()));
    first.call("read", json!({ "file_path": "a.txt" }));
    assert!(edit(&mut second, "two", "due").starts_with("edited a.txt"));
    let told = first.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
    assert!(told.text.contains("changed on disk since you read it"), "{}", told.text);
    let own = first.call("edit", json!({ "file_path": "a.txt", "old_string": "uno", "new_string": "eins" }));
    assert!(!own.text.contains("changed on disk"), "{}", own.text);
    let over = second.call("write", json!({ "file_path": "a.txt", "content": "mine\n" }));
    assert!(over.is_error, "it has not seen the present content: {}", over.text);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).expect("reads"), "eins\ndue\n");
}

#[test]
fn a_session_reaches_no_workspace_that_only_another_has_open() {
    let (seat, mine, others) = (Seat::new(), folder_with("one\n"), folder_with("one\n"));
    let (mut first, _second) = (agent(&seat, mine.path()), agent(&seat, others.path()));
    let target = others.path().join("a.txt");
    let reply = first.call("edit", json!({ "file_path": target, "old_string": "one", "new_string": "uno" }));
    assert!(reply.is_error && reply.text.contains("Nothing was written"), "{}", reply.text);
    assert_eq!(std::fs::read_to_string(&target).expect("reads"), "one\n");
    // It may name one, as it may without a daemon.
    let named = json!({ "workspace": others.path(), "file_path": "a.txt", "old_string": "one", "new_string": "uno" });
    assert!(first.call("edit", named).first_line().starts_with("edited a.txt"));
}

#[test]
fn whoever_does_not_read_its_answers_holds_up_nobody() {
    let text: String = (0..1000).map(|line| format!("line {line} of a file that fills pipes and buffers\n")).collect();
    let (seat, folder) = (Seat::new(), folder_with(&text));
    let mut quick = agent(&seat, folder.path());
    let socket = files(&seat, ".sock").pop().expect("a socket");
    let mut slow = UnixStream::connect(&socket).expect("connects");
    let version = env!("CARGO_PKG_VERSION");
    let hello = json!({ "landfall": version, "ask": "calls", "face": "shell", "workspaces": [folder.path()] });
    writeln!(slow, "{hello}").expect("writes");
    let call = json!({ "tool": "read", "arguments": { "file_path": "a.txt" } });
    slow.set_nonblocking(true).expect("set");
    // Until neither side takes any more.
    while writeln!(slow, "{call}").is_ok() {}
    assert!(edit(&mut quick, "line 1 of", "line one of").starts_with("edited a.txt"));
    assert_eq!(status(&seat)["sessions"].as_array().map(Vec::len), Some(2));
    drop(slow);
    wait_until("the slow one's session ends", || {
        status(&seat)["sessions"].as_array().is_some_and(|sessions| sessions.len() == 1)
    });
}

#[test]
fn a_daemon_ends_when_nobody_needs_it() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let mut environment = seat.environment().to_vec();
    environment.push(("LANDFALL_IDLE", "1s"));
    let alone = Agent::through_daemon(folder.path(), &["--no-lsp"], &environment);
    let pid = status(&seat)["pid"].as_u64().expect("a process");
    assert_eq!(seat.command(&["stop"]).status().expect("runs").code(), Some(1), "a session is open");
    alone.finish();
    wait_until("it ends", || !Path::new(&format!("/proc/{pid}/exe")).exists());
    assert_eq!(files(&seat, ".sock"), Vec::<PathBuf>::new());
}
