//! The daemon at its bounds: other users, few descriptors, signals, garbage between calls, and an end under way.

use std::fs::{File, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{Uid, set_thread_res_uid};
use serde_json::{Value, json};

use super::daemon::{agent, edit, files, folder_with, status, wait_for_daemon};
use super::daemon_faults::Calls;
use crate::support::daemon::Seat;
use crate::support::wait_until;

/// A user who is not us.
const OTHER: u32 = 65_534;

/// Does something as another user, which only root can; whether it was done.
fn as_another_user(done: impl FnOnce()) -> bool {
    let (root, other) = (Uid::ROOT, Uid::from_raw(OTHER));
    // Of this thread alone.
    if set_thread_res_uid(root, other, root).is_err() {
        eprintln!("skipped: only root can be somebody else");
        return false;
    }
    done();
    set_thread_res_uid(root, root, root).expect("is root again");
    true
}

/// Lets everybody reach into a seat's folders, as if their modes did not hold.
fn open_to_all(seat: &Seat) -> PathBuf {
    let folder = PathBuf::from(seat.environment()[0].1);
    for path in [folder.clone(), folder.join("landfall")] {
        std::fs::set_permissions(path, Permissions::from_mode(0o777)).expect("set");
    }
    folder.join("landfall")
}

#[test]
fn another_users_process_is_not_answered() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let mut ours = agent(&seat, folder.path());
    open_to_all(&seat);
    let socket = files(&seat, ".sock").pop().expect("a socket");
    std::fs::set_permissions(&socket, Permissions::from_mode(0o666)).expect("set");
    as_another_user(|| {
        let mut stream = UnixStream::connect(&socket).expect("connects");
        let _ = writeln!(stream, "{}", json!({ "landfall": env!("CARGO_PKG_VERSION"), "ask": "status" }));
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        assert_eq!(String::from_utf8_lossy(&said), "", "nothing is said to others");
    });
    assert!(edit(&mut ours, "one", "uno").starts_with("edited a.txt"));
}

#[test]
fn what_another_user_serves_is_not_asked() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    // Where it sits is known once it has been there.
    agent(&seat, folder.path()).finish();
    let socket = files(&seat, ".sock").pop().expect("a socket");
    assert!(seat.command(&["stop", "--force"]).status().expect("runs").success());
    wait_until("it is gone", || !socket.exists());
    open_to_all(&seat);
    let mut theirs = None;
    if !as_another_user(|| theirs = Some(UnixListener::bind(&socket).expect("binds"))) {
        return;
    }
    let mut alone = agent(&seat, folder.path());
    let reply = alone.call("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
    assert!(reply.text.contains(&format!("belongs to user {OTHER}")), "{}", reply.text);
    assert!(reply.text.contains("set XDG_RUNTIME_DIR"), "what to do: {}", reply.text);
    assert!(reply.text.contains("edited a.txt"), "{}", reply.text);
    drop(theirs);
    std::fs::remove_file(&socket).expect("removed");
}

#[test]
fn a_runtime_folder_that_others_can_use_is_closed_to_them() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let runtime = Path::new(seat.environment()[0].1).join("landfall");
    std::fs::create_dir(&runtime).expect("made");
    std::fs::set_permissions(&runtime, Permissions::from_mode(0o777)).expect("set");
    assert!(edit(&mut agent(&seat, folder.path()), "one", "uno").starts_with("edited a.txt"));
    assert_eq!(std::fs::metadata(&runtime).expect("there").permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_runtime_folder_that_cannot_be_is_named_with_what_to_do() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let file = Path::new(seat.environment()[0].1).join("file");
    std::fs::write(&file, "").expect("written");
    for (runtime, words) in [(file.join("below"), "below"), (file.clone(), "file")] {
        let mut environment = seat.environment();
        let runtime = runtime.to_str().expect("UTF-8").to_owned();
        environment[0].1 = &runtime;
        let mut alone = crate::support::Agent::through_daemon(folder.path(), &["--no-lsp"], &environment);
        let reply = alone.call("read", json!({ "file_path": "a.txt" }));
        let note = reply.text.lines().next().unwrap_or_default();
        assert!(note.contains("without the shared daemon") && note.contains(words), "{}", reply.text);
        assert!(note.contains("set XDG_RUNTIME_DIR"), "what to do: {}", reply.text);
    }
}

/// `landfall serve` in this seat, by way of a shell that does `first`.
fn serve_after(seat: &Seat, first: &str) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{first} exec \"$0\" serve --no-lsp"), env!("CARGO_BIN_EXE_landfall")]);
    command.envs(seat.environment()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.process_group(0).spawn().expect("starts");
    wait_for_daemon(seat);
    child
}

#[test]
fn sessions_in_numbers_need_no_more_descriptors_than_there_may_be() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    // Of the usual kind: few at first, more where they are needed.
    let mut daemon = serve_after(&seat, "ulimit -Sn 64;");
    let socket = files(&seat, ".sock").pop().expect("a socket");
    let mut sessions: Vec<Calls> = (0..100).map(|_| Calls::begin(&socket, folder.path())).collect();
    for (number, session) in sessions.iter_mut().enumerate() {
        let file = format!("new{number}.txt");
        session.ask("write", json!({ "file_path": file, "content": "x\n" }));
        assert_eq!(session.answer()["is_error"], false);
        assert!(folder.path().join(file).exists());
    }
    drop(sessions);
    assert!(seat.command(&["stop", "--force"]).status().expect("runs").success());
    daemon.wait().expect("a child");
}

#[test]
fn closed_connections_leave_no_descriptor_behind() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let _first = agent(&seat, folder.path());
    let socket = files(&seat, ".sock").pop().expect("a socket");
    let pid = status(&seat)["pid"].as_u64().expect("a process");
    let open = || std::fs::read_dir(format!("/proc/{pid}/fd")).expect("a process").count();
    let round = |times: usize| {
        for _ in 0..times {
            let mut session = Calls::begin(&socket, folder.path());
            session.ask("edit", json!({ "file_path": "a.txt", "old_string": "nowhere at all", "new_string": "x" }));
            assert_eq!(session.answer()["is_error"], true);
        }
    };
    round(5);
    wait_until("their sessions end", || status(&seat)["sessions"].as_array().map(Vec::len) == Some(1));
    let before = open();
    round(100);
    // A few more may be open for a moment, but not one for each.
    wait_until("what they used is closed", || open() < before + 10);
}

#[test]
fn a_daemon_ends_well_when_its_terminal_does_unless_that_is_not_wanted() {
    for (first, ends) in [("", true), ("trap '' HUP;", false)] {
        let (seat, folder) = (Seat::new(), folder_with("one\n"));
        let mut daemon = serve_after(&seat, first);
        let mut session = Calls::begin(&files(&seat, ".sock")[0], folder.path());
        let process = Pid::from_child(&daemon);
        kill_process(process, Signal::HUP).expect("a running process");
        if ends {
            wait_until("it ends", || daemon.try_wait().expect("a child").is_some());
            assert_eq!(daemon.wait().expect("a child").code(), Some(0));
            assert_eq!(files(&seat, ".sock"), Vec::<PathBuf>::new());
        } else {
            session.ask("edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "uno" }));
            assert_eq!(session.answer()["is_error"], false);
            kill_process(process, Signal::TERM).expect("a running process");
            daemon.wait().expect("a child");
        }
    }
}

#[test]
fn garbage_between_calls_is_answered() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let _first = agent(&seat, folder.path());
    let mut calls = Calls::begin(&files(&seat, ".sock")[0], folder.path());
    let long = vec![b'x'; 17 << 20];
    for (line, words) in [
        (&b"nonsense"[..], "not understood"),
        (b"", "not understood"),
        (b"\0\xff", "not understood"),
        (b"[]", "not understood"),
        (b"{\"tool\":7}", "not understood"),
        (b"{\"tool\":\"read\",\"arguments\":[]}", "not understood"),
        (b"{\"tool\":\"dance\"}", "there is no tool `dance`"),
        (&long, "16 MiB"),
    ] {
        calls.send(line);
        let answer = calls.answer();
        let shown = String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned();
        assert_eq!(answer["is_error"], true, "{shown}: {answer}");
        assert!(answer["text"].as_str().is_some_and(|text| text.contains(words)), "{shown}: {answer}");
    }
    calls.ask("read", json!({ "file_path": "a.txt" }));
    assert_eq!(calls.answer()["is_error"], false);
}

#[test]
fn a_daemon_that_is_stopped_finishes_the_edits_under_way_and_says_so() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let mut other = agent(&seat, folder.path());
    let mut calls = Calls::begin(&files(&seat, ".sock")[0], folder.path());
    std::fs::write(folder.path().join("b.txt"), "one\n").expect("written");
    // Whoever writes there waits for this, as for another process of ours.
    let held = File::open(folder.path()).expect("opens");
    held.lock().expect("locks");
    let wanted = |file: &str| json!({ "file_path": file, "old_string": "one", "new_string": "uno" });
    calls.ask("edit", wanted("a.txt"));
    let call = other.post("edit", wanted("b.txt"));
    wait_until("both are at it", || {
        let under_way = seat.command(&["status", "--json"]).output().expect("runs");
        let told: Value = serde_json::from_slice(&under_way.stdout).unwrap_or_default();
        told["daemons"][0]["calls_under_way"] == 2
    });
    let mut stop = seat.command(&["stop", "--force"]).stdout(Stdio::piped()).spawn().expect("starts");
    wait_until("its door is closed", || files(&seat, ".sock").is_empty());
    held.unlock().expect("unlocks");
    assert!(calls.answer()["text"].as_str().is_some_and(|text| text.starts_with("edited a.txt")));
    let reply = other.reply(call);
    assert!(reply.first_line().starts_with("edited b.txt"), "{}", reply.text);
    for file in ["a.txt", "b.txt"] {
        assert_eq!(std::fs::read_to_string(folder.path().join(file)).expect("reads"), "uno\n");
    }
    let mut said = String::new();
    BufReader::new(stop.stdout.take().expect("its output")).read_line(&mut said).expect("a line");
    assert!(stop.wait().expect("a child").success() && said.starts_with("stopped the daemon"), "{said}");
}

#[test]
fn a_hung_daemon_is_named_with_what_ends_it() {
    let (seat, folder) = (Seat::new(), folder_with("one\n"));
    let mut daemon = serve_after(&seat, "");
    let process = Pid::from_child(&daemon);
    kill_process(process, Signal::STOP).expect("a running process");
    let stop = seat.command(&["stop"]).output().expect("runs");
    let said = String::from_utf8_lossy(&stop.stdout).into_owned();
    assert!(said.contains("did not answer") && said.contains(&format!("kill -9 {}", daemon.id())), "{said}");
    assert_eq!(stop.status.code(), Some(1));
    kill_process(process, Signal::CONT).expect("a running process");
    assert!(edit(&mut agent(&seat, folder.path()), "one", "uno").starts_with("edited a.txt"));
    kill_process(process, Signal::TERM).expect("a running process");
    daemon.wait().expect("a child");
}
