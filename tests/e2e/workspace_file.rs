//! A workspace's own `.landfall.toml`: what it may do, what it may not, and what is said of it.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::{Agent, scripted_servers};

/// A workspace with one file, and the configuration that its own file is to have.
fn workspace(folder: &Path, own: &str) -> std::path::PathBuf {
    let workspace = folder.join("w");
    std::fs::create_dir(&workspace).expect("made");
    std::fs::write(workspace.join("a.scripted"), "one\ntwo\n").expect("written");
    std::fs::write(workspace.join(".landfall.toml"), own).expect("written");
    workspace
}

fn edit(agent: &mut Agent) -> crate::support::Reply {
    agent.call("edit", json!({ "file_path": "a.scripted", "old_string": "two", "new_string": "BAD" }))
}

#[test]
fn it_switches_a_language_server_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = scripted_servers(folder.path(), "", "");
    let workspace = workspace(folder.path(), "[servers.scripted]\nenabled = false\n");
    let mut agent = Agent::start(&workspace, &["--servers", &servers.to_string_lossy()], &[]);
    let reply = edit(&mut agent);
    assert_eq!(reply.verdict(), "no_language_server", "{}", reply.text);
    assert!(!reply.text.contains(".landfall.toml"), "{}", reply.text);
}

#[test]
fn a_broken_one_is_told_once_and_the_work_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = scripted_servers(folder.path(), "", "");
    let workspace = workspace(folder.path(), "[servers.scripted]\ntimeouts = 7\n");
    let mut agent = Agent::start(&workspace, &["--servers", &servers.to_string_lossy()], &[]);
    agent.wait_until_settled("a.scripted");
    let reply = edit(&mut agent);
    assert_eq!(reply.verdict(), "problems", "{}", reply.text);
    let mut agent = Agent::start(&workspace, &["--no-lsp"], &[]);
    let told = agent.call("read", json!({ "file_path": "a.scripted" }));
    assert!(told.text.contains(".landfall.toml:2: `servers.scripted.timeouts`"), "{}", told.text);
    let again = agent.call("read", json!({ "file_path": "a.scripted" }));
    assert!(!again.text.contains(".landfall.toml"), "{}", again.text);
}

#[test]
fn a_change_counts_from_the_next_call_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = scripted_servers(folder.path(), "", "");
    let workspace = workspace(folder.path(), "");
    let own = workspace.join(".landfall.toml");
    let mut agent = Agent::start(&workspace, &["--servers", &servers.to_string_lossy()], &[]);
    assert_eq!(agent.wait_until_settled("a.scripted").verdict(), "clean");
    std::fs::write(&own, "[servers.scripted]\nenabled = false\n").expect("written");
    let reply = edit(&mut agent);
    assert_eq!(reply.verdict(), "no_language_server", "{}", reply.text);
    std::fs::write(&own, "[servers.scripted]\nenabled = maybe\n").expect("written");
    let told = agent.wait_until_settled("a.scripted");
    assert!(told.verdict() == "problems", "{}", told.text);
    let told = agent.call("read", json!({ "file_path": "a.scripted" }));
    assert!(!told.text.contains(".landfall.toml"), "told once: {}", told.text);
    std::fs::write(&own, "[servers.scripted]\nidle_minutes = 3\n").expect("written");
    let told = agent.wait_until_settled("a.scripted");
    assert_eq!(told.verdict(), "problems", "it has started again: {}", told.text);
}

#[test]
fn only_a_trusted_one_names_a_program_and_only_as_it_was_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = std::fs::read_to_string(scripted_servers(folder.path(), "", "")).expect("there");
    let workspace = workspace(folder.path(), &servers);
    let state = folder.path().join("state");
    let state: &[(&str, &str)] = &[("XDG_STATE_HOME", &state.to_string_lossy())];
    let trust = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        let output = command.arg("trust").args(arguments).arg(&workspace).envs(state.iter().copied()).output();
        let output = output.expect("runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let verdict = || {
        let mut agent = Agent::start(&workspace, &[], state);
        let reply = agent.wait_until_settled("a.scripted");
        (reply.verdict().to_owned(), reply.text)
    };
    let (before, text) = verdict();
    assert!(before == "no_language_server" && text.contains("landfall trust"), "{text}");
    let said = trust(&[]);
    assert!(said.contains("scripted runs /") && said.contains("scripted_language_server"), "{said}");
    assert_eq!(verdict().0, "clean");
    trust(&["--forget"]);
    assert_eq!(verdict().0, "no_language_server");
    trust(&[]);
    std::fs::write(workspace.join(".landfall.toml"), format!("{servers}# changed\n")).expect("written");
    let (after, text) = verdict();
    assert!(after == "no_language_server" && text.contains("landfall trust"), "{text}");
}
