//! The daemon's language servers, as a person looks at them, stops them, and asks them from a shell.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::go::FILES;
use crate::support::daemon::Seat;
use crate::support::{Agent, available, wait_until};

fn project() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("landfall-shared-").tempdir().expect("a temporary folder");
    for (path, content) in FILES {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, content).expect("a file");
    }
    folder
}

fn run(seat: &Seat, root: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = seat.command(arguments).current_dir(root).output().expect("runs");
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    (status.code(), text)
}

/// The processes of the daemon's language servers.
fn processes(seat: &Seat, root: &Path) -> Vec<u64> {
    let (_, text) = run(seat, root, &["status", "--json"]);
    let all: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let workspaces = all["daemons"][0]["workspaces"].as_array().cloned().unwrap_or_default();
    let servers = workspaces.iter().filter_map(|workspace| workspace["language_servers"].as_array()).flatten();
    servers.filter_map(|server| server["pid"].as_u64()).collect()
}

#[test]
fn language_servers_are_shown_and_stopped_and_start_again() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let (seat, folder) = (Seat::new(), project());
    let root = folder.path();
    let file = FILES.iter().map(|(path, _)| *path).find(|path| path.ends_with(".go")).expect("a Go file");
    let mut first = Agent::through_daemon(root, &[], &seat.environment());
    let mut second = Agent::through_daemon(root, &[], &seat.environment());
    first.wait_until_settled(file);
    second.wait_until_settled(file);
    let running = processes(&seat, root);
    assert_eq!(running.len(), 1, "two sessions share one");
    let (code, text) = run(&seat, root, &["servers", "status"]);
    assert!(code == Some(0) && text.contains(&format!("process {}", running[0])), "{text}");

    let (code, text) = run(&seat, root, &["servers", "stop", "zls"]);
    assert!(code == Some(0) && text.starts_with("no such language server"), "{text}");
    assert_eq!(processes(&seat, root), running, "of another name");
    let (code, text) = run(&seat, root, &["servers", "stop", "gopls", "--workspace", "."]);
    assert!(code == Some(0) && text.starts_with("stopped gopls"), "{text}");
    assert!(!Path::new(&format!("/proc/{}", running[0])).exists(), "it has ended");
    wait_until("it is said to be stopped", || run(&seat, root, &["servers", "status"]).1.contains("gopls stopped"));
    assert_eq!(first.wait_until_settled(file).verdict(), "clean");
    wait_until("it starts again", || processes(&seat, root).len() == 1);
    assert_ne!(processes(&seat, root), running);
}

#[test]
fn a_call_from_a_shell_finds_the_language_server_warm() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let (seat, folder) = (Seat::new(), project());
    let root = folder.path();
    let file = FILES.iter().map(|(path, _)| *path).find(|path| path.ends_with(".go")).expect("a Go file");
    let arguments = json!({ "file_path": file }).to_string();
    let ask = || run(&seat, root, &["call", "diagnostics", &arguments, "--json"]);
    // The first starts the daemon.
    wait_until("a verdict", || {
        let (_, text) = ask();
        assert!(text.contains("\"verdict\""), "{text}");
        text.contains("\"clean\"")
    });
    let running = processes(&seat, root);
    assert_eq!(running.len(), 1);
    assert!(ask().1.contains("\"clean\""));
    assert_eq!(processes(&seat, root), running, "the same one");
}
