//! Many calls at once, through several spellings and two sessions, of one process and of two, with another program
//! writing as well.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use landfall::config::Servers;
use landfall::dirs::Dirs;
use landfall::service::{Connecting, Service};
use landfall::session::{Allowed, Session};
use landfall::workspace::{Registry, WorkspaceOptions};
use serde_json::{Value, json};

use crate::support::{Agent, PATIENCE};

const LINES: usize = 8;
const FILES: usize = 8;
/// The file that the other program writes as well.
const CONTESTED: usize = 0;

fn file(number: usize) -> String {
    format!("dir/file{number}.txt")
}

fn slot(line: usize, number: usize) -> String {
    format!("slot {line} of file {number} is empty")
}

fn filled(lines: usize, number: usize) -> String {
    (0..lines).map(|line| slot(line, number).replace("empty", "FULL") + "\n").collect()
}

/// Files of `lines` empty slots, and a link to their folder.
fn prepare(root: &Path, lines: usize, end: &str) {
    std::fs::create_dir(root.join("dir")).expect("a folder");
    std::os::unix::fs::symlink("dir", root.join("link")).expect("a link");
    for number in 0..FILES {
        let text: String = (0..lines).map(|line| slot(line, number) + "\n").collect();
        std::fs::write(root.join(file(number)), text + end).expect("writes");
    }
}

/// The three spellings of a file, by turns.
fn spelt(root: &Path, number: usize, turn: usize) -> String {
    match turn % 3 {
        0 => file(number),
        1 => root.join(file(number)).display().to_string(),
        _ => file(number).replacen("dir", "link", 1),
    }
}

fn assert_nothing_left(root: &Path) {
    assert_eq!(std::fs::read_dir(root.join("dir")).expect("reads").count(), FILES, "nothing is left beside the files");
}

#[test]
fn two_processes_and_an_editor_lose_no_update() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a real path");
    prepare(&root, LINES, "outside: 0\n");
    let (one, two) = (Agent::start(&root, &["--no-lsp"], &[]), Agent::start(&root, &["--no-lsp"], &[]));
    let stop = AtomicBool::new(false);
    let (written, mut agents) = std::thread::scope(|scope| {
        let outside = scope.spawn(|| write_outside(&root.join(file(CONTESTED)), &stop));
        let callers = [(one, 0), (two, 1)].map(|(agent, half)| scope.spawn(move || call_all(agent, half)));
        let outcomes = callers.map(|caller| caller.join());
        stop.store(true, Ordering::Relaxed);
        (outside.join().expect("the editor ends"), outcomes.map(|outcome| outcome.expect("all calls do as they say")))
    });
    assert!(written > 0, "the editor had its turn");
    for number in (0..FILES).filter(|number| *number != CONTESTED) {
        let text = std::fs::read_to_string(root.join(file(number))).expect("reads");
        assert_eq!(text, filled(LINES, number) + "outside: 0\n");
    }
    // What the editor, which takes no locks, wrote over or got in the way of can be done once it is gone.
    for line in 0..LINES {
        let reply = agents[line % 2].call("edit", edit(&file(CONTESTED), line, CONTESTED));
        assert!(!reply.is_error || reply.structured["code"] == "already_applied", "{}", reply.text);
    }
    let text = std::fs::read_to_string(root.join(file(CONTESTED))).expect("reads");
    assert_eq!(text, filled(LINES, CONTESTED) + &format!("outside: {written}\n"));
    assert_nothing_left(&root);
}

fn edit(path: &str, line: usize, number: usize) -> Value {
    let old = slot(line, number);
    json!({ "file_path": path, "old_string": old, "new_string": old.replace("empty", "FULL") })
}

/// Fills every second slot of every file, 32 calls at once, in all spellings.
fn call_all(mut agent: Agent, half: usize) -> Agent {
    let root = agent.root().to_owned();
    let mut calls = Vec::new();
    for line in (half..LINES).step_by(2) {
        for number in 0..FILES {
            calls.push((number, agent.post("edit", edit(&spelt(&root, number, line + number), line, number))));
        }
    }
    for (number, id) in calls {
        let reply = agent.reply(id);
        let code = reply.structured["code"].as_str().unwrap_or_default();
        // An editor that takes no locks may read our text in the instant before an exchange is found to have crossed with
        // its own and is put back. What it then writes holds our change already.
        let editor_won = number == CONTESTED && matches!(code, "changed_meanwhile" | "already_applied");
        assert!(!reply.is_error || editor_won, "{}", reply.text);
    }
    agent
}

/// Rewrites the last line of a file as editors do (read, change, rename over) until told to stop; how often. What it
/// wrote must never be lost, but for the instant in which an exchange that crossed with it is put back.
fn write_outside(path: &Path, stop: &AtomicBool) -> usize {
    let mut count = 0;
    loop {
        let own = format!("outside: {count}\n");
        let end = Instant::now() + PATIENCE;
        let slots = loop {
            let text = std::fs::read_to_string(path).expect("never torn, never gone");
            let (slots, last) = text.split_at(text.find("outside: ").expect("the last line"));
            assert!(last.ends_with('\n') && slots.lines().count() == LINES, "a torn file: {text:?}");
            if last == own {
                break slots.to_owned();
            }
            assert!(Instant::now() < end, "what the editor wrote is lost: {last} stands where {own} was written");
        };
        if stop.load(Ordering::Relaxed) {
            return count;
        }
        count += 1;
        let beside = path.with_extension("editor");
        std::fs::write(&beside, format!("{slots}outside: {count}\n")).expect("writes");
        std::fs::rename(&beside, path).expect("renames");
        std::thread::park_timeout(std::time::Duration::from_millis(3));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_sessions_of_one_process_lose_no_update_and_never_wait_for_each_other() {
    let (folder, state) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let root = folder.path().canonicalize().expect("a real path");
    prepare(&root, 2 * LINES, "");
    let dirs = Dirs::from(|_| Some(state.path().into())).expect("folders");
    let service = Service::new(Registry::new(WorkspaceOptions::new(Servers::built_in(), false, &dirs)), dirs.state());
    let connecting = || Connecting { face: "shell", home: root.clone(), allowed: Allowed::default() };
    let sessions = [(); 2].map(|()| service.connect(connecting()).expect("connects"));
    let calls: Vec<_> =
        (0..FILES * LINES).map(|turn| tokio::spawn(fill(sessions[turn % 2].clone(), root.clone(), turn))).collect();
    let all = futures::future::join_all(calls);
    for outcome in tokio::time::timeout(PATIENCE, all).await.expect("no call waits for another for ever") {
        outcome.expect("lands");
    }
    let landed: usize = sessions.iter().map(|session| session.ledger().counts().landed).sum();
    assert_eq!(landed, 2 * FILES * LINES, "the ledgers know of each change");
    for number in 0..FILES {
        assert_eq!(std::fs::read_to_string(root.join(file(number))).expect("reads"), filled(2 * LINES, number));
    }
    assert_nothing_left(&root);
}

/// Fills one slot of each of two files, both at once; every second time in the other order.
async fn fill(session: Session, root: std::path::PathBuf, turn: usize) {
    let (line, one, other) = (turn / FILES, turn % FILES, (turn + 3) % FILES);
    let part = |number: usize, line: usize| {
        let old = slot(line, number);
        let new = old.replace("empty", "FULL");
        format!("*** Update File: {}\n@@\n-{old}\n+{new}\n", spelt(&root, number, turn))
    };
    let mut parts = [part(one, line), part(other, LINES + line)];
    if turn % 2 == 1 {
        parts.reverse();
    }
    let arguments = json!({ "patch": format!("*** Begin Patch\n{}*** End Patch", parts.concat()) });
    let arguments = arguments.as_object().expect("an object").clone();
    let reply = session.call("apply_patch", arguments, tokio_util::sync::CancellationToken::new()).await;
    assert!(!reply.is_error, "{}", reply.text);
}
