//! The service is killed at random moments: every file is old or new, changes of several files are whole after the next
//! start, and the ledger agrees with the disk.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::Agent;

/// Rounds of the ordinary test run; `LANDFALL_CRASH_ROUNDS` asks for more.
const ROUNDS: usize = 40;
const FILES: [&str; 3] = ["a.txt", "sub/b.txt", "c.txt"];

fn content(version: usize) -> String {
    (0..200).map(|line| format!("line {line} of version {version}\n")).collect()
}

fn version(text: &str) -> usize {
    let version = text.lines().next().and_then(|line| line.rsplit(' ').next()).and_then(|number| number.parse().ok());
    let version = version.unwrap_or_else(|| panic!("no version in {:?}", text.lines().next()));
    assert_eq!(text, content(version), "a torn file");
    version
}

fn versions(root: &Path) -> [usize; 3] {
    FILES.map(|file| version(&std::fs::read_to_string(root.join(file)).expect("is there")))
}

/// A patch that takes all files from one version to the next.
fn patch(from: usize) -> String {
    let one = |file: &str| {
        let minus: String = content(from).lines().map(|line| format!("-{line}\n")).collect();
        let plus: String = content(from + 1).lines().map(|line| format!("+{line}\n")).collect();
        format!("*** Update File: {file}\n@@\n{minus}{plus}")
    };
    format!("*** Begin Patch\n{}*** End Patch", FILES.map(one).concat())
}

#[test]
fn a_kill_at_any_moment_tears_nothing() {
    let rounds = std::env::var("LANDFALL_CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let (folder, state) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let root = folder.path();
    std::fs::create_dir(root.join("sub")).expect("a folder");
    for file in FILES {
        std::fs::write(root.join(file), content(0)).expect("writes");
    }
    let environment = [("XDG_STATE_HOME", state.path().to_str().expect("UTF-8"))];
    let whole = {
        let mut agent = Agent::start(root, &["--no-lsp"], &environment);
        let start = Instant::now();
        let reply = agent.call("apply_patch", json!({ "patch": patch(0) }));
        assert!(!reply.is_error, "{}", reply.text);
        start.elapsed()
    };
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let (mut moved, mut stayed) = (0, 0);
    for _ in 0..rounds {
        let mut agent = Agent::start(root, &["--no-lsp"], &environment);
        let before = versions(root);
        assert!(before.iter().all(|version| *version == before[0]), "whole after a start: {before:?}");
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        agent.post("apply_patch", json!({ "patch": patch(before[0]) }));
        let moment = Instant::now() + whole.mul_f64((random % 1000) as f64 / 1000.0 * 1.3);
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        agent.kill();
        if versions(root)[0] == before[0] { stayed += 1 } else { moved += 1 }
    }
    drop(Agent::start(root, &["--no-lsp"], &environment));
    let last = versions(root);
    assert!(last.iter().all(|version| *version == last[0]), "whole after the last start: {last:?}");
    assert_eq!(
        ledger_says(state.path()),
        HashMap::from(FILES.map(|file| (file.to_owned(), last[0]))),
        "the ledger agrees"
    );
    assert!(
        std::fs::read_dir(state.path().join("landfall/journal")).expect("is there").next().is_none(),
        "nothing is left to do"
    );
    eprintln!("{moved} changes landed, {stayed} did not");
    assert!(moved > 0 && stayed > 0, "the kills came at different moments: {moved}, {stayed}");
}

/// How often each file landed, by all ledgers together.
fn ledger_says(state: &Path) -> HashMap<String, usize> {
    let mut landed = HashMap::new();
    for entry in std::fs::read_dir(state.join("landfall/sessions")).expect("is there").flatten() {
        for line in std::fs::read_to_string(entry.path()).expect("reads").lines() {
            let entry: Value = serde_json::from_str(line).expect("a whole line");
            if entry["outcome"] == "landed" {
                *landed.entry(entry["file"].as_str().expect("a file").to_owned()).or_insert(0) += 1;
            }
        }
    }
    landed
}
