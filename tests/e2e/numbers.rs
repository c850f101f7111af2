//! The numbers beside problems: the same in text and structure, and the same problem keeps its own.

use serde_json::json;

use crate::support::{Agent, scripted_servers};

#[test]
fn a_problem_shown_twice_has_the_same_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = scripted_servers(folder.path(), "", "");
    let workspace = folder.path().join("w");
    std::fs::create_dir(&workspace).expect("made");
    std::fs::write(workspace.join("a.scripted"), "one\ntwo\nthree\n").expect("written");
    let mut agent = Agent::start(&workspace, &["--servers", &servers.to_string_lossy()], &[]);
    agent.wait_until_settled("a.scripted");
    let mut edit = |old: &str, new: &str| {
        agent.call("edit", json!({ "file_path": "a.scripted", "old_string": old, "new_string": new }))
    };
    let first = edit("two", "BAD two");
    assert!(first.text.contains("  [1] a.scripted:2:1 error bad: BAD two"), "{}", first.text);
    assert_eq!(first.structured["diagnostics"]["introduced"][0]["number"], 1);
    let second = edit("three", "BAD three");
    assert!(second.text.contains("  [2] a.scripted:3:1 error bad: BAD three"), "{}", second.text);
    let state = agent.call("diagnostics", json!({ "file_path": "a.scripted" }));
    assert!(
        state.text.contains("  [1] a.scripted:2:1 ") && state.text.contains("  [2] a.scripted:3:1 "),
        "{}",
        state.text
    );
}
