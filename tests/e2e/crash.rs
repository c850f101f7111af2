//! The service is killed at random moments: every file is old or new, changes of several files are whole after the next
//! start, and the ledger agrees with the disk.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::Agent;

/// Rounds of the ordinary test run; `LANDFALL_CRASH_ROUNDS` asks for more.
const ROUNDS: usize = 40;
/// Files that change together. The last one moves each time.
const TOGETHER: [&str; 3] = ["a.txt", "sub/b.txt", "c.txt"];
const ALONE: &str = "alone.txt";

fn content(version: usize) -> String {
    (0..200).map(|line| format!("line {line} of version {version}\n")).collect()
}

fn version(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let version = text.lines().next().and_then(|line| line.rsplit(' ').next()).and_then(|number| number.parse().ok());
    let version = version.unwrap_or_else(|| panic!("no version in {:?}", text.lines().next()));
    assert_eq!(text, content(version), "a torn file: {}", path.display());
    version
}

fn moving(version: usize) -> String {
    format!("moved/{version}.txt")
}

/// What is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    together: [usize; 3],
    /// The versions at which the moving file stands: one, or in the middle of a change two.
    moved: (usize, usize),
    alone: usize,
}

impl Standing {
    fn of(root: &Path) -> Standing {
        let mut moved: Vec<usize> = std::fs::read_dir(root.join("moved"))
            .expect("is there")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".landfall-")))
            .map(|path| {
                let version = version(&path);
                assert_eq!(path, root.join(moving(version)), "the content goes with the name");
                version
            })
            .collect();
        moved.sort_unstable();
        let moved = (*moved.first().expect("never gone"), *moved.last().expect("never gone"));
        let together = TOGETHER.map(|file| version(&root.join(file)));
        Standing { together, moved, alone: version(&root.join(ALONE)) }
    }

    fn is_whole(&self) -> bool {
        let first = self.together[0];
        self.together.iter().all(|version| *version == first) && self.moved == (first, first)
    }
}

/// A patch that takes all files but one from one version to the next, and moves one of them.
fn patch(from: usize) -> String {
    let hunk = |from: usize| {
        let minus: String = content(from).lines().map(|line| format!("-{line}\n")).collect();
        let plus: String = content(from + 1).lines().map(|line| format!("+{line}\n")).collect();
        format!("@@\n{minus}{plus}")
    };
    let update = |file: &str| format!("*** Update File: {file}\n{}", hunk(from));
    let moves = format!("*** Update File: {}\n*** Move to: {}\n{}", moving(from), moving(from + 1), hunk(from));
    format!("*** Begin Patch\n{}{moves}*** End Patch", TOGETHER.map(update).concat())
}

/// A call that takes what is on disk one version on: several files, or one of three ways to change one.
fn call(standing: Standing, kind: u64) -> (&'static str, Value) {
    let (from, to) = (content(standing.alone), content(standing.alone + 1));
    match kind % 5 {
        0 => ("edit", json!({ "file_path": ALONE, "old_string": from, "new_string": to })),
        1 => {
            let edits: Vec<Value> = from
                .lines()
                .zip(to.lines())
                .map(|(old, new)| json!({ "old_string": old, "new_string": new }))
                .collect();
            ("multi_edit", json!({ "file_path": ALONE, "edits": edits }))
        }
        _ => ("apply_patch", json!({ "patch": patch(standing.together[0]) })),
    }
}

/// A small random generator (xorshift): the moments must differ, not be secret.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn a_kill_at_any_moment_tears_nothing() {
    let rounds = std::env::var("LANDFALL_CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let (folder, state) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let root = folder.path();
    for file in TOGETHER.map(str::to_owned).into_iter().chain([ALONE.to_owned(), moving(0)]) {
        std::fs::create_dir_all(root.join(&file).parent().expect("a parent")).expect("folders");
        std::fs::write(root.join(file), content(0)).expect("writes");
    }
    let environment = [("XDG_STATE_HOME", state.path().to_str().expect("UTF-8"))];
    let start = || Agent::start(root, &["--no-lsp"], &environment);
    let mut times = HashMap::new();
    for kind in 0..3 {
        // As in the rounds, the first call of its process.
        let mut agent = start();
        let (tool, arguments) = call(Standing::of(root), kind);
        let began = Instant::now();
        let reply = agent.call(tool, arguments);
        assert!(!reply.is_error, "{}", reply.text);
        times.insert(tool, began.elapsed());
    }
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut ledgers = Ledgers::default();
    let mut outcomes: HashMap<&str, [usize; 3]> = HashMap::new();
    for round in 0..rounds {
        let mut agent = start();
        let before = Standing::of(root);
        assert!(before.is_whole(), "round {round}: whole after a start: {before:?}");
        ledgers.agree(state.path(), root, &before);
        let (tool, arguments) = call(before, random.next());
        agent.post(tool, arguments);
        let moment = Instant::now() + times[tool].mul_f64(0.5 + (random.next() % 1000) as f64 / 1000.0);
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        agent.kill();
        let after = Standing::of(root);
        let outcome = if after == before { 0 } else { 1 + usize::from(!after.is_whole()) };
        outcomes.entry(tool).or_default()[outcome] += 1;
    }
    drop(start());
    let last = Standing::of(root);
    assert!(last.is_whole(), "whole after the last start: {last:?}");
    ledgers.agree(state.path(), root, &last);
    let journal = std::fs::read_dir(state.path().join("landfall/journal")).expect("is there").count();
    assert_eq!(journal, 0, "nothing is left to do");
    eprintln!(
        "of {rounds} killed calls by tool [not begun, done, half done and finished at the next start]: {outcomes:?}"
    );
    let sum = |outcome: usize| outcomes.values().map(|counts| counts[outcome]).sum::<usize>();
    assert!(sum(0) > 0 && sum(1) + sum(2) > 0, "the kills came at different moments: {outcomes:?}");
    assert_eq!(temporaries(root, Duration::from_secs(30)), Vec::<PathBuf>::new(), "nothing is left beside the files");
}

/// The temporary files that are still there after `patience`; starting sweeps them, in the background.
fn temporaries(root: &Path, patience: Duration) -> Vec<PathBuf> {
    let folders = ["", "sub", "moved"].map(|folder| root.join(folder));
    let left = || -> Vec<PathBuf> {
        let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("is there").flatten());
        entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains("/.landfall-")).collect()
    };
    let end = Instant::now() + patience;
    while !left().is_empty() && Instant::now() < end {
        std::thread::park_timeout(Duration::from_millis(5));
    }
    left()
}

/// What all ledgers say so far. A ledger whose process is dead does not change any more once the next start is over.
#[derive(Default)]
struct Ledgers {
    read: HashMap<OsString, ()>,
    /// How often each file landed, and the hash that it was left with.
    landed: HashMap<String, (usize, Option<String>)>,
}

impl Ledgers {
    /// Reads the ledgers written since, and compares what they say with the disk.
    fn agree(&mut self, state: &Path, root: &Path, standing: &Standing) {
        let mut new: Vec<PathBuf> = std::fs::read_dir(state.join("landfall/sessions"))
            .expect("is there")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| self.read.insert(path.file_name().expect("a name").to_owned(), ()).is_none())
            .collect();
        new.sort();
        for path in new {
            for line in std::fs::read_to_string(path).expect("reads").lines() {
                let entry: Value = serde_json::from_str(line).expect("a whole line");
                if entry["outcome"] == "landed" {
                    let landed = self.landed.entry(entry["file"].as_str().expect("a file").to_owned()).or_default();
                    *landed = (landed.0 + 1, entry["after"].as_str().map(str::to_owned));
                }
            }
        }
        let hash = |file: &str| {
            let bytes = std::fs::read(root.join(file)).ok()?;
            Some(Sha256::digest(bytes)[..16].iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        };
        for (file, (_, left)) in &self.landed {
            assert_eq!(*left, hash(file), "the ledger says how {file} was left");
        }
        let versions = TOGETHER.map(|file| (file.to_owned(), standing.together[0])).into_iter();
        let moved =
            (1..=standing.moved.0).map(|version| (moving(version), if version == standing.moved.0 { 1 } else { 2 }));
        for (file, times) in versions.chain(moved).chain([(ALONE.to_owned(), standing.alone)]) {
            assert_eq!(self.landed.get(&file).map_or(0, |landed| landed.0), times, "how often {file} landed");
        }
    }
}
