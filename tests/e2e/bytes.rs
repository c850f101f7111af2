//! Bytes outside a change stay as they are, whatever they are: through every tool that changes files.
//!
//! A case is a folder of `fixtures/bytes` with `input`, `call.json` and `expected` or `refused` (a code). A call that names
//! no `tool` is made by `edit` and by `multi_edit`. `UPDATE_EXPECT=1` rewrites what is expected.

use std::path::{Path, PathBuf};

use landfall::config::Servers;
use landfall::dirs::Dirs;
use landfall::report::Reply;
use landfall::service::{Connecting, Service};
use landfall::session::{Allowed, Session};
use landfall::workspace::{Registry, WorkspaceOptions};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::Agent;

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bytes");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    assert!(cases.len() > 30, "the cases are gone");
    let mut agent = Agent::with_files(&[]);
    let failed: Vec<String> = cases.iter().filter_map(|case| run(&mut agent, case).err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn run(agent: &mut Agent, case: &Path) -> Result<(), String> {
    let read = |name: &str| std::fs::read(case.join(name)).ok();
    let input = read("input").expect("an input");
    let call: Value = serde_json::from_slice(&read("call.json").expect("a call")).expect("JSON");
    for (tool, mut arguments) in calls(&call) {
        std::fs::write(agent.root().join("file"), &input).expect("writes");
        if tool == "write" {
            agent.call("read", json!({ "file_path": "file" }));
        }
        if tool != "apply_patch" {
            arguments["file_path"] = "file".into();
        }
        let reply = agent.call(&tool, arguments);
        let found = agent.bytes("file");
        if !reply.is_error && reply.structured["action"] != "unchanged" {
            let undone = agent.call("undo", json!({}));
            assert!(!undone.is_error && agent.bytes("file") == input, "{}: {}", case.display(), undone.text);
        }
        let outcome = if reply.is_error {
            assert_eq!(found, input, "{}: a refusal leaves the file", case.display());
            Err(reply.structured["code"].as_str().unwrap_or_default().to_owned())
        } else {
            Ok(found)
        };
        let refused = || String::from_utf8_lossy(&read("refused").unwrap_or_default()).trim().to_owned();
        let expected = read("expected").ok_or_else(refused);
        if outcome == expected {
            continue;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            let (name, bytes) = match outcome {
                Ok(bytes) => ("expected", bytes),
                Err(code) => ("refused", format!("{code}\n").into_bytes()),
            };
            std::fs::write(case.join(name), bytes).map_err(|error| error.to_string())?;
            continue;
        }
        let shown = |outcome: &Result<Vec<u8>, String>| {
            outcome.as_ref().map(|bytes| bytes.escape_ascii().to_string()).map_err(Clone::clone)
        };
        let (expected, outcome) = (shown(&expected), shown(&outcome));
        return Err(format!(
            "{} ({tool}):\nexpected {expected:?}\ngot      {outcome:?}\n{}",
            case.display(),
            reply.text
        ));
    }
    Ok(())
}

/// The calls that a case makes.
fn calls(call: &Value) -> Vec<(String, Value)> {
    match call["tool"].as_str() {
        Some(tool) => {
            let mut arguments = call.clone();
            arguments.as_object_mut().expect("an object").remove("tool");
            vec![(tool.to_owned(), arguments)]
        }
        None => vec![("edit".into(), call.clone()), ("multi_edit".into(), json!({ "edits": [call] }))],
    }
}

#[test]
fn a_line_of_ten_megabytes_is_edited_in_its_middle() {
    let half = "0123456789abcdef ".repeat(310_000);
    let text = format!("first\r\n{half}the place that is meant{half}\nlast");
    let mut agent = Agent::with_files(&[("big.txt", text.as_bytes())]);
    let edit = json!({ "file_path": "big.txt", "old_string": "the place that is meant", "new_string": "THE PLACE" });
    let reply = agent.call("edit", edit);
    assert!(!reply.is_error && reply.text.len() < 10_000, "{:.500}", reply.text);
    let after = text.replace("the place that is meant", "THE PLACE");
    assert!(agent.bytes("big.txt") == after.as_bytes());
    let patch = "*** Begin Patch\n*** Update File: big.txt\n@@\n-first\n+1st\n*** End Patch";
    let reply = agent.call("apply_patch", json!({ "patch": patch }));
    assert!(!reply.is_error && reply.text.len() < 10_000, "{:.500}", reply.text);
    let edits =
        json!([{ "old_string": "THE PLACE", "new_string": "x" }, { "old_string": "\nlast", "new_string": "\nend" }]);
    let reply = agent.call("multi_edit", json!({ "file_path": "big.txt", "edits": edits }));
    assert!(!reply.is_error && reply.text.len() < 10_000, "{:.500}", reply.text);
    let after = after.replace("THE PLACE", "x").replace("first", "1st").replace("\nlast", "\nend");
    assert!(agent.bytes("big.txt") == after.as_bytes());
    let reply = agent.call("write", json!({ "file_path": "copy.txt", "content": after }));
    assert!(!reply.is_error && reply.text.len() < 10_000, "{:.500}", reply.text);
    assert!(agent.bytes("copy.txt") == after.as_bytes());
}

/// A session in this process, on a folder of its own.
struct InProcess {
    runtime: tokio::runtime::Runtime,
    session: Session,
    folder: tempfile::TempDir,
}

impl InProcess {
    fn new() -> InProcess {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        let session = runtime.block_on(async {
            let dirs = Dirs::from(|_| Some(folder.path().join("state").into())).expect("folders");
            let home = folder.path().join("root");
            std::fs::create_dir(&home).expect("a folder");
            let registry = Registry::new(WorkspaceOptions::new(Servers::built_in(), false, &dirs));
            let service = Service::new(registry, dirs.state());
            service.connect(Connecting { face: "shell", home, allowed: Allowed::default() }).expect("connects")
        });
        InProcess { runtime, session, folder }
    }

    /// What the file is after a call of `tool`, and what the call said.
    fn after(&self, bytes: &[u8], tool: &str, arguments: &Value) -> (Vec<u8>, Reply) {
        let path = self.folder.path().join("root/file");
        std::fs::write(&path, bytes).expect("writes");
        let arguments = arguments.as_object().expect("an object").clone();
        let reply = self.runtime.block_on(self.session.call(tool, arguments, CancellationToken::new()));
        (std::fs::read(path).expect("reads"), reply)
    }
}

/// A line that is like no other but by its number, with what editors and languages put into lines.
fn line(number: usize, kind: usize) -> Vec<u8> {
    let odd: [&[u8]; 10] = [
        b"",
        b"  ",
        b"\t",
        b"\x0c",
        b"\xe9",
        b"\xff\xfe",
        "\u{2028}".as_bytes(),
        "\u{feff}".as_bytes(),
        "e\u{301}".as_bytes(),
        b"\r",
    ];
    [format!("line number {number} of the file").as_bytes(), odd[kind]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]
    #[test]
    fn nothing_but_the_line_changes(
        files in proptest::collection::vec(
            (proptest::collection::vec((0usize..10, 0usize..3), 1..12), any::<proptest::sample::Index>(), any::<bool>(), any::<bool>()),
            24,
        ),
    ) {
        let place = InProcess::new();
        for (lines, index, marked, ends) in files {
            let at = index.index(lines.len());
            let end = |number: usize, kind: usize| -> &[u8] {
                if number + 1 == lines.len() && !ends { b"" } else { [&b"\n"[..], b"\r\n", b"\n"][kind] }
            };
            let mark: &[u8] = if marked { b"\xef\xbb\xbf" } else { b"" };
            let part = |range: std::ops::Range<usize>| -> Vec<u8> {
                range.flat_map(|number| [line(number, lines[number].0), end(number, lines[number].1).to_vec()].concat()).collect()
            };
            // The line that changes has no oddities of its own; its end is the file's.
            let (before, after) = ([mark, &part(0..at)].concat(), [end(at, lines[at].1), &part(at + 1..lines.len())].concat());
            let old = format!("line number {at} of the file");
            let bytes = [&before[..], old.as_bytes(), &after].concat();
            let expected = [&before[..], b"changed", &after].concat();
            let patch = format!("*** Begin Patch\n*** Update File: file\n@@\n-{old}\n+changed\n*** End Patch");
            for (tool, arguments) in [
                ("edit", json!({ "file_path": "file", "old_string": old, "new_string": "changed" })),
                ("multi_edit", json!({ "file_path": "file", "edits": [{ "old_string": old, "new_string": "changed" }] })),
                ("apply_patch", json!({ "patch": patch })),
            ] {
                if tool == "apply_patch" && after.is_empty() {
                    // A line typed into a patch ends in a newline.
                    continue;
                }
                let (found, reply) = place.after(&bytes, tool, &arguments);
                prop_assert!(!reply.is_error, "{tool}: {}", reply.text);
                prop_assert_eq!(found.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{}", tool);
            }
            // Taken back, every byte is what it was.
            let path = place.folder.path().join("root/file");
            let undo = place.runtime.block_on(place.session.call("undo", Default::default(), CancellationToken::new()));
            prop_assert!(!undo.is_error, "{}", undo.text);
            prop_assert_eq!(std::fs::read(path).expect("reads"), bytes);
        }
    }
}
