//! Many calls at once, through two spellings and two sessions, with another program writing as well.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::support::Agent;

const LINES: usize = 8;

fn file(number: usize) -> String {
    format!("dir/file{number}.txt")
}

#[test]
fn no_update_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a real path");
    std::fs::create_dir(root.join("dir")).expect("a folder");
    for number in 0..8 {
        let text: String = (0..LINES).map(|line| format!("slot {line} of file {number} is empty\n")).collect();
        std::fs::write(root.join(file(number)), format!("{text}outside: 0\n")).expect("writes");
    }
    let (one, two) = (Agent::start(&root, &["--no-lsp"], &[]), Agent::start(&root, &["--no-lsp"], &[]));
    let stop = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        // An editor that rewrites the last line of the first file, as editors do: read, change, rename over.
        let outside = scope.spawn(|| write_outside(&root.join(file(0)), &stop));
        let callers: Vec<_> =
            [(one, 0), (two, 1)].map(|(agent, half)| scope.spawn(move || call_all(agent, half))).into_iter().collect();
        let outcomes: Vec<_> = callers.into_iter().map(|caller| caller.join()).collect();
        stop.store(true, Ordering::Relaxed);
        let written = outside.join().expect("the editor ends");
        outcomes.into_iter().for_each(|outcome| outcome.expect("all calls land"));
        written
    });
    for number in 1..8 {
        let text = std::fs::read_to_string(root.join(file(number))).expect("reads");
        let expected: String = (0..LINES).map(|line| format!("slot {line} of file {number} is FULL\n")).collect();
        assert_eq!(text, format!("{expected}outside: 0\n"));
    }
    assert!(written > 0, "the editor had its turn");
    assert_eq!(std::fs::read_dir(root.join("dir")).expect("reads").count(), 8, "nothing is left beside the files");
}

/// Fills every second slot of every file, 32 calls at once, half of them by absolute paths.
fn call_all(mut agent: Agent, half: usize) {
    let mut calls = Vec::new();
    for line in (half..LINES).step_by(2) {
        for number in 0..8 {
            let path = if line % 4 < 2 { file(number) } else { agent.root().join(file(number)).display().to_string() };
            let old = format!("slot {line} of file {number} is empty");
            calls.push(agent.post(
                "edit",
                json!({ "file_path": path, "old_string": old, "new_string": old.replace("empty", "FULL") }),
            ));
        }
    }
    for id in calls {
        let reply = agent.reply(id);
        // Another process may build on our text in the instant before the exchange is found to have crossed with its own:
        // then our change is in the file already, as the result says and the whole content below must show. Only the
        // editor, which takes no locks, may win every time.
        let code = reply.structured["code"].as_str();
        let there = code == Some("already_applied");
        let editor_won = code == Some("changed_meanwhile") && reply.text.contains("file0");
        assert!(!reply.is_error || there || editor_won, "{}", reply.text);
    }
}

/// Rewrites the last line of a file until told to stop; how often.
fn write_outside(path: &std::path::Path, stop: &AtomicBool) -> usize {
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        let text = std::fs::read_to_string(path).expect("never torn, never gone");
        let (slots, last) = text.split_at(text.find("outside: ").expect("the last line"));
        assert!(last.ends_with('\n') && slots.lines().count() == LINES, "a torn file: {text:?}");
        count += 1;
        let beside = path.with_extension("editor");
        std::fs::write(&beside, format!("{slots}outside: {count}\n")).expect("writes");
        std::fs::rename(&beside, path).expect("renames");
        std::thread::park_timeout(std::time::Duration::from_millis(3));
    }
    count
}
