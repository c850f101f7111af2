//! Runs every case of `fixtures/replace` and `fixtures/bytes`. A new case is a new file.
//!
//! A case of `fixtures/replace` is prose that says why, then sections headed `-- name --`: `before`, `old`, `new`,
//! optionally `call` (JSON: `replace_all`, `near_line`), and `after` or `refused` (the code). `before` and `after` end in
//! a newline; of `old` and `new` the last newline is not part. A case of `fixtures/bytes` is a folder with `input`,
//! `call.json` and `expected` (or `refused`); those that name a `tool` are for the tools' own test. `UPDATE_EXPECT=1` rewrites what is expected.

use std::fs;
use std::path::{Path, PathBuf};

use landfall::replace::{Query, Replacement, replace};
use landfall::text::{Decoded, decode, encode};

#[test]
fn cases_as_text() {
    let files = entries("fixtures/replace");
    assert!(files.len() > 20, "the cases are gone");
    let failed: Vec<String> = files.iter().filter_map(|path| run_text_case(path).err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn cases_as_bytes() {
    let folders = entries("fixtures/bytes").into_iter().filter(|path| path.join("call.json").is_file());
    let outcomes: Vec<Result<(), String>> = folders.map(|path| run_bytes_case(&path)).collect();
    assert!(outcomes.len() > 5, "the cases are gone");
    let failed: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn entries(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("fixtures").map(|entry| entry.expect("entry").path()).collect();
    paths.retain(|path| path.is_dir() || path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    paths
}

/// What a call led to: the new text, or the code of the refusal.
type Outcome = Result<String, String>;

fn call(text: &str, old: &str, new: &str, options: &serde_json::Value) -> Outcome {
    let query = Query {
        old,
        new,
        replace_all: options["replace_all"].as_bool().unwrap_or(false),
        near_line: options["near_line"].as_u64().map(|line| line as usize),
    };
    let landed = replace(text, &query).map_err(|refused| refused.code.name().to_owned())?;
    assert_eq!(applied(text, &landed.edits), landed.text, "the edits make up the text");
    Ok(landed.text)
}

fn applied(text: &str, edits: &[Replacement]) -> String {
    let (mut out, mut from) = (String::new(), 0);
    for edit in edits {
        out += &text[from..edit.span.start];
        out += &edit.with;
        from = edit.span.end;
    }
    out + &text[from..]
}

fn run_text_case(path: &Path) -> Result<(), String> {
    let source = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let section = |name: &str| section(&source, name);
    let bare = |name: &str| section(name).map(|text| text.strip_suffix('\n').unwrap_or(text)).unwrap_or_default();
    let options = serde_json::from_str(section("call").unwrap_or("{}")).expect("call");
    let outcome = call(section("before").unwrap_or_default(), bare("old"), bare("new"), &options);
    let expected = match section("after") {
        Some(after) => Ok(after.to_owned()),
        None => Err(bare("refused").to_owned()),
    };
    if outcome == expected {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let head = source.split("\n-- after --\n").next().unwrap_or(&source);
        let head = head.split("\n-- refused --\n").next().unwrap_or(head);
        let tail = match &outcome {
            Ok(after) => format!("\n-- after --\n{after}"),
            Err(code) => format!("\n-- refused --\n{code}\n"),
        };
        return fs::write(path, head.to_owned() + &tail).map_err(|error| error.to_string());
    }
    Err(format!("{}:\nexpected {expected:?}\ngot      {outcome:?}", path.display()))
}

fn section<'s>(source: &'s str, name: &str) -> Option<&'s str> {
    let heading = format!("\n-- {name} --\n");
    let start = source.find(&heading)? + heading.len();
    // The heading of the next section may follow at once.
    let end = source[start - 1..].find("\n-- ").map_or(source.len(), |at| start + at);
    Some(&source[start..end])
}

fn run_bytes_case(folder: &Path) -> Result<(), String> {
    let read = |name: &str| fs::read(folder.join(name)).ok();
    let options: serde_json::Value = serde_json::from_slice(&read("call.json").unwrap_or_default()).expect("call.json");
    if options.get("tool").is_some() {
        // For a tool as a whole, not for the replacer alone.
        return Ok(());
    }
    let text_of = |name: &str| options[name].as_str().unwrap_or_default().to_owned();
    let Decoded { text, encoding } = decode(read("input").unwrap_or_default()).expect("input decodes");
    let outcome = call(&text, &text_of("old_string"), &text_of("new_string"), &options);
    let outcome = outcome.map(|text| encode(&text, encoding));
    let expected =
        read("expected").ok_or_else(|| String::from_utf8_lossy(&read("refused").unwrap_or_default()).trim().to_owned());
    if outcome == expected {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let (name, bytes) = match outcome {
            Ok(bytes) => ("expected", bytes),
            Err(code) => ("refused", code.into_bytes()),
        };
        return fs::write(folder.join(name), bytes).map_err(|error| error.to_string());
    }
    let shown = |outcome: &Result<Vec<u8>, String>| {
        outcome.as_ref().map(|bytes| bytes.escape_ascii().to_string()).map_err(Clone::clone)
    };
    Err(format!("{}:\nexpected {:?}\ngot      {:?}", folder.display(), shown(&expected), shown(&outcome)))
}
