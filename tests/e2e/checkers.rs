//! A language that has nothing but a compiler, by configuration alone.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{Agent, wait_until};

/// Calls every `use X` without a `def X` in any file an error, on standard output, and `warn` a warning. Notes in the
/// folder it is given when it begins and when it ends.
const COMPILER: &str = r#"
echo begin >> "$1/runs"
sleep "${SLOW:-0}"
failed=0
for file in *.toy; do
  number=0
  while IFS= read -r line; do
    number=$((number + 1))
    case $line in
      "use "*) name=${line#use }; grep -qx "def $name" *.toy || { echo "./$file:$number:5: unknown name $name"; failed=1; } ;;
      warn*) echo "$file:$number:1: warning: as you wish" ;;
    esac
  done < "$file"
done
echo end >> "$1/runs"
exit $failed
"#;

fn workspace(folder: &Path, slow: &str) -> (PathBuf, PathBuf) {
    let workspace = folder.join("w");
    std::fs::create_dir(&workspace).expect("made");
    for (name, text) in [("a.toy", "def one\ndef two\n"), ("b.toy", "use one\nuse two\n"), ("check.sh", COMPILER)] {
        std::fs::write(workspace.join(name), text).expect("written");
    }
    let servers = folder.join("servers.toml");
    let text = format!(
        "[servers.toy]\nlanguages = [{{ id = \"toy\", extensions = [\"toy\"] }}]\n[servers.toy.check]\n\
         command = [\"env\", \"SLOW={slow}\", \"sh\", \"check.sh\", \"{{cache_dir}}\"]\nformat = \"plain\"\n"
    );
    std::fs::write(&servers, text).expect("written");
    (workspace, servers)
}

fn start(folder: &Path, slow: &str, cache: &Path) -> Agent {
    let (workspace, servers) = workspace(folder, slow);
    let cache = cache.to_string_lossy();
    Agent::start(&workspace, &["--servers", &servers.to_string_lossy()], &[("XDG_CACHE_HOME", &cache)])
}

#[test]
fn its_errors_appear_clear_and_are_named_in_other_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = start(folder.path(), "0", &folder.path().join("cache"));
    assert_eq!(agent.wait_until_settled("a.toy").verdict(), "clean");
    let edit = |agent: &mut Agent, old: &str, new: &str| {
        agent.call("edit", json!({ "file_path": "a.toy", "old_string": old, "new_string": new }))
    };
    let broken = edit(&mut agent, "def two", "def three");
    assert_eq!(broken.verdict(), "problems", "{}", broken.text);
    assert_eq!(broken.problems("elsewhere"), ["b.toy:2 unknown name two"], "{}", broken.text);
    let own = edit(&mut agent, "def three", "use four");
    assert_eq!(own.problems("introduced"), ["a.toy:2 unknown name four"], "{}", own.text);
    assert!(own.text.contains("1 introduced"), "{}", own.text);
    let warned = edit(&mut agent, "use four", "def two\nwarn");
    assert_eq!(warned.verdict(), "problems", "{}", warned.text);
    assert!(warned.text.contains("a.toy:3:1 warning as you wish"), "{}", warned.text);
    let mended = edit(&mut agent, "\nwarn", "");
    assert_eq!(mended.verdict(), "clean", "{}", mended.text);
}

#[test]
fn one_that_fails_without_a_word_is_not_believed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = start(folder.path(), "0", &folder.path().join("cache"));
    assert_eq!(agent.wait_until_settled("a.toy").verdict(), "clean");
    agent.call("write", json!({ "file_path": "notes.txt", "content": "x" }));
    let script = agent.root().join("check.sh");
    std::fs::write(script, "echo out of memory >&2\nexit 3\n").expect("written");
    let reply = agent.call("edit", json!({ "file_path": "a.toy", "old_string": "def two", "new_string": "def 2" }));
    assert_eq!(reply.verdict(), "timed_out", "{}", reply.text);
    assert!(reply.text.contains("out of memory"), "{}", reply.text);
}

#[test]
fn one_that_takes_too_long_is_called_by_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = start(folder.path(), "0", &folder.path().join("cache"));
    assert_eq!(agent.wait_until_settled("a.toy").verdict(), "clean");
    std::fs::write(agent.root().join("check.sh"), "exec sleep 1000\n").expect("written");
    let edit = json!({ "file_path": "a.toy", "old_string": "def two", "new_string": "def 2", "settle_ms": 50 });
    let reply = agent.call("edit", edit);
    assert_eq!(reply.verdict(), "timed_out", "{}", reply.text);
    assert!(reply.text.contains("\nenv SLOW=0 sh check.sh has not answered within "), "{}", reply.text);
}

#[test]
fn the_newest_run_wins_and_none_runs_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    let mut agent = start(folder.path(), "0.7", &cache);
    assert_eq!(agent.wait_until_settled("a.toy").verdict(), "clean");
    let runs = || {
        let folders = std::fs::read_dir(cache.join("landfall/check")).expect("there").flatten();
        folders
            .map(|folder| std::fs::read_to_string(folder.path().join("runs")).unwrap_or_default())
            .collect::<String>()
    };
    let before = runs();
    let call = |old: &str, new: &str, settle: &str| json!({ "file_path": "a.toy", "old_string": old, "new_string": new, "settle": settle });
    agent.call("edit", call("def two", "def three", "later"));
    wait_until("a run begins", || runs().len() > before.len());
    let reply = agent.call("edit", call("def three", "def two", "now"));
    assert_eq!(reply.verdict(), "clean", "{}", reply.text);
    // The first was cancelled: it never ended.
    assert_eq!(runs()[before.len()..], *"begin\nbegin\nend\n");
}
