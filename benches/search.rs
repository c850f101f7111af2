//! `grep` and `glob` beside ripgrep's binary on the same tree: the same hits, and how long each takes.
//!
//! The tree is `LANDFALL_BENCH_TREE`, else one of 20,000 files that is made for it. Without `rg` on PATH only our own
//! times are told. Ripgrep's include the start of its process, about 3 ms.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use landfall::search::{Limits, Pattern, PatternOptions, Place, Wanted, find_files, find_lines};

const FILES: usize = 20_000;
const ROUNDS: usize = 7;

fn main() {
    let made = tempfile::tempdir().expect("a temporary folder");
    let root = match std::env::var_os("LANDFALL_BENCH_TREE") {
        Some(tree) => PathBuf::from(tree),
        None => {
            make_tree(made.path());
            made.path().to_owned()
        }
    };
    for pattern in ["needle", r"fn \w+\(x", "e", "nowhere-at-all"] {
        let ours = best(|| count(&root, pattern));
        let rg = best(|| rg(&root, &["-c", "-e", pattern], |line| line.rsplit(':').next()?.parse().ok()));
        report(&format!("count {pattern:?}"), ours, rg);
        report(&format!("lines {pattern:?}"), best(|| first_lines(&root, pattern)), None);
    }
    let ours = best(|| glob(&root, "**/*.rs"));
    report("glob **/*.rs", ours, best(|| rg(&root, &["--files", "-g", "**/*.rs"], |_| Some(1))));
}

/// Folders of a hundred files of about 60 lines, some of them ignored.
fn make_tree(root: &Path) {
    std::fs::create_dir(root.join(".git")).expect("a folder");
    std::fs::write(root.join(".gitignore"), "*.tmp\n").expect("writes");
    for number in 0..FILES {
        let folder = root.join(format!("d{:03}/s{}", number / 100, number % 3));
        std::fs::create_dir_all(&folder).expect("folders");
        let extension = ["rs", "go", "java", "tmp"][number % 4];
        let line = format!("    let value_{number} = call(first, second, {});\n", number * 7919 % 1000);
        let needle = if number % 50 == 0 { "// the needle\nfn f(x: i32) {}\n" } else { "" };
        std::fs::write(folder.join(format!("f{number}.{extension}")), line.repeat(60) + needle).expect("writes");
    }
}

fn count(root: &Path, pattern: &str) -> Option<usize> {
    search(root, pattern, Wanted::Counts)
}

fn first_lines(root: &Path, pattern: &str) -> Option<usize> {
    search(root, pattern, Wanted::Lines { context: 0 })
}

fn search(root: &Path, pattern: &str, wanted: Wanted) -> Option<usize> {
    let pattern = Pattern::new(pattern, PatternOptions::default()).expect("a pattern");
    let cancel = AtomicBool::new(false);
    Some(
        find_lines(&Place::new(root.to_owned()), &pattern, wanted, &Limits::new(100, &cancel)).expect("no globs").total,
    )
}

fn glob(root: &Path, glob: &str) -> Option<usize> {
    let place = Place { globs: vec![glob.to_owned()], ..Place::new(root.to_owned()) };
    let cancel = AtomicBool::new(false);
    Some(find_files(&place, &Limits::new(100, &cancel)).expect("a glob").total)
}

/// Runs ripgrep and adds up what its lines say; `None` without it.
fn rg(root: &Path, arguments: &[&str], value: impl Fn(&str) -> Option<usize>) -> Option<usize> {
    let output = Command::new("rg")
        .args(arguments)
        .arg("--no-config")
        .current_dir(root)
        .stdin(Stdio::null())
        .arg(".")
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().filter_map(value).sum())
}

/// The result and the shortest of several times.
fn best(work: impl Fn() -> Option<usize>) -> Option<(usize, Duration)> {
    let round = |_| {
        let began = Instant::now();
        work().map(|result| (result, began.elapsed()))
    };
    (0..ROUNDS).map(round).collect::<Option<Vec<_>>>()?.into_iter().min_by_key(|(_, took)| *took)
}

fn report(what: &str, ours: Option<(usize, Duration)>, rg: Option<(usize, Duration)>) {
    let (total, took) = ours.expect("ours gives a result");
    match rg {
        Some((same, rg_took)) => {
            assert_eq!(total, same, "{what}: other hits than ripgrep");
            let ratio = took.as_secs_f64() / rg_took.as_secs_f64();
            eprintln!("{what:28} {total:>9} hits  ours {took:>9.1?}  rg {rg_took:>9.1?}  ratio {ratio:.2}");
        }
        None => eprintln!("{what:28} {total:>9} hits  ours {took:>9.1?}"),
    }
}
