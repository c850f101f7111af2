//! Runs `fixtures/patch/*.txt`: a patch, the files it meets, the files it leaves, what is told of it.
//!
//! A case is prose (why), then sections headed `-- NAME --`: `patch`; `in/PATH` for each file before; `out/PATH` for each
//! file after (left out: as before); `report` for how each hunk found its place, or `refused` for why nothing was done.
//! In a section `␍` stands for a carriage return, `␠` for a blank, `␄` at the end for no newline there.
//! `UPDATE_EXPECT=1` rewrites what is expected.

#[path = "support/sections.rs"]
mod sections;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use landfall::patch::{Change, FilePatch, HunkLanded, apply, parse};

type Files = BTreeMap<String, String>;

#[derive(Debug, Default)]
struct Case {
    why: String,
    patch: String,
    before: Files,
    after: Option<Files>,
    told: String,
}

#[test]
fn patches_do_what_their_fixtures_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/patch");
    let mut paths: Vec<_> =
        std::fs::read_dir(&folder).expect("fixtures").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut failures = String::new();
    for path in &paths {
        let written = std::fs::read_to_string(path).expect("a text");
        let case = read(&written);
        let (after, told) = run(&case);
        let found = write(&case, after, &told);
        if found == written {
            continue;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, found).expect("written");
        } else {
            let _ = writeln!(failures, "== {}\n{}\n{found}", path.display(), case.why.trim());
        }
    }
    assert!(!paths.is_empty(), "no fixtures in {}", folder.display());
    assert!(failures.is_empty(), "{failures}");
}

/// Carries out the patch on the files of the case: all of it or nothing.
fn run(case: &Case) -> (Files, String) {
    let patch = match parse(&case.patch) {
        Ok(patch) => patch,
        Err(error) => return (case.before.clone(), format!("{error}\nHint: {}\n", error.hint())),
    };
    let mut files = case.before.clone();
    let mut told = String::new();
    for file in &patch.files {
        match change(&mut files, file) {
            Ok(done) => told.push_str(&done),
            Err(why) => return (case.before.clone(), format!("{}: {why}\n", file.path)),
        }
    }
    for ignored in &patch.ignored {
        let _ = writeln!(told, "ignored: {ignored}");
    }
    (files, told)
}

fn change(files: &mut Files, file: &FilePatch) -> Result<String, String> {
    match &file.what {
        Change::Add { content, replaces } => {
            files.insert(file.path.clone(), content.clone());
            Ok(format!("{}: {}\n", file.path, if *replaces { "replaced" } else { "added" }))
        }
        Change::Delete => {
            files.remove(&file.path).ok_or("no such file")?;
            Ok(format!("{}: deleted\n", file.path))
        }
        Change::Update { hunks, move_to } => {
            let text = files.remove(&file.path).ok_or("no such file")?;
            let applied = apply(&text, hunks).map_err(|refused| format!("{refused}\nHint: {}", refused.why.hint()))?;
            let to = move_to.as_ref().unwrap_or(&file.path);
            files.insert(to.clone(), applied.text);
            let mut told: Vec<String> = applied.each.iter().map(landed).collect();
            told.extend(move_to.as_ref().map(|to| format!("moved to {to}")));
            Ok(format!("{}: {}\n", file.path, told.join("; ")))
        }
    }
}

fn landed(hunk: &HunkLanded) -> String {
    let (first, last) = hunk.lines.one_based();
    let place = match hunk.lines.len() {
        0 => format!("before {first}"),
        1 => format!("{first}"),
        _ => format!("{first}-{last}"),
    };
    format!("{} {place}", hunk.matched_via)
}

fn read(written: &str) -> Case {
    let (why, sections) = sections::sections(written);
    let mut case = Case { why, ..Case::default() };
    for (name, body) in sections {
        match name.split_once('/') {
            Some(("in", path)) => drop(case.before.insert(path.to_owned(), body)),
            Some(("out", path)) => drop(case.after.get_or_insert_default().insert(path.to_owned(), body)),
            _ if name == "patch" => case.patch = body,
            _ => case.told = body,
        }
    }
    case
}

/// The case as it should be written: what is given as it stands, what is expected as `after` and `told` say.
fn write(case: &Case, after: Files, told: &str) -> String {
    let mut out = case.why.clone();
    section(&mut out, "patch", &case.patch);
    for (path, text) in &case.before {
        section(&mut out, &format!("in/{path}"), text);
    }
    let as_before = after == case.before;
    for (path, text) in after.iter().filter(|_| !as_before) {
        section(&mut out, &format!("out/{path}"), text);
    }
    section(&mut out, if as_before { "refused" } else { "report" }, told);
    out
}

fn section(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "-- {name} --");
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let blanks = bare.len() - bare.trim_end_matches(' ').len();
        out.push_str(&bare[..bare.len() - blanks].replace('\r', "␍"));
        out.push_str(&"␠".repeat(blanks));
        out.push_str(if line.ends_with('\n') { "\n" } else { "␄\n" });
    }
}
