use serde_json::json;

use super::*;
use crate::config::Servers;
use crate::dirs::Dirs;
use crate::workspace::ledger::Outcome;
use crate::workspace::{Registry, WorkspaceOptions};

struct Play {
    _folder: tempfile::TempDir,
    root: PathBuf,
    hooks: Hooks,
}

impl Play {
    fn new() -> Play {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("there");
        let root = base.join("runs-hb11-2024");
        for folder in ["src", "handlers"] {
            std::fs::create_dir_all(root.join(folder)).expect("folders");
        }
        std::fs::create_dir(root.join(".git")).expect("a folder");
        std::fs::write(root.join("src/a.go"), "package a\n\nfunc f() {\n\tone()\n\ttwo()\n}\n").expect("writes");
        let dirs = Dirs::from(|_| Some(base.join("own").into())).expect("folders");
        let registry = Registry::new(WorkspaceOptions::new(Servers::built_in(), false, &dirs));
        Play { _folder: folder, root, hooks: Hooks::new(Service::new(registry, dirs.state())) }
    }

    /// The path of a file as it is, and with one token of the workspace mistyped.
    fn paths(&self, file: &str) -> (String, String) {
        let right = self.root.join(file).display().to_string();
        let wrong = right.replace("runs-hb11", "runs_hb11");
        (right, wrong)
    }

    async fn tell(&self, harness: Harness, event: &str, tool: &str, input: &Value, response: Value) -> Option<Value> {
        let message = json!({"session_id": "s", "cwd": self.root.join("src"), "hook_event_name": event, "tool_name": tool,
            "tool_input": input, "tool_response": response});
        self.hooks.answer(harness, &message, None).await
    }

    async fn claude(&self, event: &str, tool: &str, input: &Value) -> Value {
        let answer = self.tell(Harness::Claude, event, tool, input, Value::Null).await;
        answer.map_or(Value::Null, |answer| answer["hookSpecificOutput"].clone())
    }

    fn ledger(&self) -> Vec<String> {
        let open = self.hooks.open.lock().expect("not poisoned");
        let entries = open.values().flat_map(|open| open.session.ledger().entries());
        entries
            .map(|entry| match entry.outcome {
                Outcome::Landed(landed) => {
                    format!(
                        "{} {} {} +{} -{}",
                        entry.tool,
                        landed.action.name(),
                        landed.file,
                        landed.added,
                        landed.removed
                    )
                }
                Outcome::Refused(refused) => format!("{} refused {}", entry.tool, refused.code),
                Outcome::Outside(_) => "outside".to_owned(),
            })
            .collect()
    }
}

#[tokio::test]
async fn a_mistyped_path_is_put_right_before_and_the_change_told_after() {
    let play = Play::new();
    let (right, wrong) = play.paths("src/a.go");
    let read = play.claude("PreToolUse", "Read", &json!({"file_path": wrong, "limit": 5})).await;
    assert_eq!(read["updatedInput"], json!({"file_path": right, "limit": 5}), "{read}");
    assert_eq!(read["permissionDecision"], Value::Null, "permission stays the user's");

    let input = json!({"file_path": wrong, "old_string": "\tone()", "new_string": "\tuno()\n\tdue("});
    let before = play.claude("PreToolUse", "Edit", &input).await;
    assert_eq!(before["updatedInput"]["file_path"], right);
    assert!(before["additionalContext"].as_str().expect("a note").contains("path put right"), "{before}");

    let text = std::fs::read_to_string(&right).expect("reads").replace("\tone()", "\tuno()\n\tdue(");
    std::fs::write(&right, text).expect("writes");
    let after = play.claude("PostToolUse", "Edit", &before["updatedInput"]).await;
    let context = after["additionalContext"].as_str().expect("a report");
    assert!(context.starts_with("edited src/a.go: lines 4-5, +2 -1, now 7 lines"), "{context}");
    assert!(context.contains("syntax"), "the floor speaks: {context}");
    assert_eq!(play.ledger(), ["claude:Edit edited src/a.go +2 -1"]);
}

#[tokio::test]
async fn text_that_is_not_in_the_file_is_put_right_or_refused_in_our_words() {
    let play = Play::new();
    let (right, _) = play.paths("src/a.go");
    let drifted = json!({"file_path": right, "old_string": "func f() {\n    one()\n    two()\n}",
        "new_string": "func f() {\n    one()\n    three()\n}"});
    let before = play.claude("PreToolUse", "Edit", &drifted).await;
    let old = before["updatedInput"]["old_string"].as_str().expect("an old string");
    let text = std::fs::read_to_string(&right).expect("reads");
    assert_eq!(text.matches(old).count(), 1, "{before}");
    assert!(before["updatedInput"]["new_string"].as_str().expect("a new string").contains("\tthree()"), "{before}");

    let missing =
        json!({"file_path": right, "old_string": "nothing of this\nis in the file\nat all", "new_string": "x"});
    let before = play.claude("PreToolUse", "Edit", &missing).await;
    assert_eq!(before["permissionDecision"], "deny");
    let reason = before["permissionDecisionReason"].as_str().expect("a reason");
    assert!(reason.starts_with("not edited src/a.go: "), "{reason}");
    assert_eq!(play.ledger(), ["Edit refused not_found"]);
}

#[tokio::test]
async fn new_files_are_told_and_never_made_beside_a_near_duplicate() {
    let play = Play::new();
    let (beside, _) = play.paths("handlrs/b.go");
    let denied = play.claude("PreToolUse", "Write", &json!({"file_path": beside, "content": "x"})).await;
    assert_eq!(denied["permissionDecision"], "deny", "{denied}");
    assert!(denied["permissionDecisionReason"].as_str().is_some_and(|text| text.starts_with("Nothing was written.")));

    let (right, _) = play.paths("src/b.go");
    let input = json!({"file_path": right, "content": "package a\n"});
    assert_eq!(play.claude("PreToolUse", "Write", &input).await, Value::Null);
    std::fs::write(&right, "package a\n").expect("writes");
    let after = play.claude("PostToolUse", "Write", &input).await;
    assert!(after["additionalContext"].as_str().is_some_and(|text| text.starts_with("created src/b.go")), "{after}");
}

#[tokio::test]
async fn a_patch_is_read_and_its_paths_put_right() {
    let play = Play::new();
    let (right, wrong) = play.paths("src/a.go");
    let patch = |path: &str| {
        format!(
            "*** Begin Patch\n*** Update File: {path}\n@@\n-\tone()\n+\tuno()\n*** Add File: c.go\n+package a\n*** End Patch"
        )
    };
    let input = json!({"command": patch(&wrong)});
    let before = play.tell(Harness::Codex, "PreToolUse", "apply_patch", &input, Value::Null);
    let before = before.await.expect("an answer")["hookSpecificOutput"].clone();
    assert_eq!(before["updatedInput"]["command"], patch(&right));
    assert_eq!(before["permissionDecision"], "allow");

    std::fs::write(&right, std::fs::read_to_string(&right).expect("reads").replace("one", "uno")).expect("writes");
    std::fs::write(play.root.join("src/c.go"), "package a\n").expect("writes");
    let after = play.tell(Harness::Codex, "PostToolUse", "apply_patch", &before["updatedInput"], json!("Success"));
    let after = after.await.expect("an answer");
    let context = after.pointer("/hookSpecificOutput/additionalContext").and_then(Value::as_str).expect("a report");
    assert!(context.starts_with("changed 2 files, all of them on disk: src/a.go, src/c.go"), "{context}");
}

#[tokio::test]
async fn gemini_hears_it_in_its_own_words_and_others_are_left_alone() {
    let play = Play::new();
    let (right, wrong) = play.paths("src/a.go");
    let input = json!({"file_path": wrong, "old_string": "one", "new_string": "uno"});
    let before = play.tell(Harness::Gemini, "BeforeTool", "replace", &input, Value::Null).await.expect("an answer");
    assert_eq!(before.pointer("/hookSpecificOutput/tool_input/file_path"), Some(&json!(right)));

    for (event, tool, input) in [
        ("BeforeTool", "google_web_search", json!({"query": "x"})),
        ("SessionStart", "replace", json!({})),
        ("BeforeTool", "read_file", json!({"file_path": right})),
        ("AfterTool", "read_file", json!({"file_path": right})),
        ("BeforeTool", "read_file", json!({"file_path": 7})),
    ] {
        let answer = play.tell(Harness::Gemini, event, tool, &input, Value::Null).await;
        assert_eq!(answer, None, "{event} {tool}");
    }
    let error = json!({"error": {"message": "no"}});
    assert_eq!(play.tell(Harness::Gemini, "AfterTool", "replace", &input, error).await, None);
    assert_eq!(play.hooks.answer(Harness::Claude, &json!([1, "x"]), None).await, None);
}

#[tokio::test]
async fn without_a_before_the_response_or_the_present_state_is_told() {
    let play = Play::new();
    let (right, _) = play.paths("src/a.go");
    let input = json!({"file_path": right, "old_string": "one", "new_string": "uno"});
    let original = std::fs::read_to_string(&right).expect("reads");
    std::fs::write(&right, original.replace("one", "uno")).expect("writes");
    let told = play.tell(Harness::Claude, "PostToolUse", "Edit", &input, json!({"originalFile": original})).await;
    let told = told.expect("an answer").to_string();
    assert!(told.contains("edited src/a.go: line 4, +1 -1"), "{told}");
    let told =
        play.tell(Harness::Claude, "PostToolUse", "Edit", &input, Value::Null).await.expect("an answer").to_string();
    assert!(told.contains("src/a.go: no language server"), "{told}");
}

#[tokio::test]
async fn a_call_that_fails_takes_nothing_from_another_that_is_under_way() {
    let play = Play::new();
    let ((a, _), (b, _)) = (play.paths("src/a.go"), play.paths("src/b.go"));
    let original = std::fs::read_to_string(&a).expect("reads");
    std::fs::write(&b, "package a\n").expect("writes");
    let change = |path: &str, old: &str, new: &str| json!({"file_path": path, "old_string": old, "new_string": new});
    let (one, other, same) = (change(&a, "one", "uno"), change(&b, "a", "b"), change(&a, "two", "due"));
    for input in [&one, &other, &same] {
        assert_eq!(play.claude("PreToolUse", "Edit", input).await, Value::Null);
    }
    // What fails is a change of another file, then another change of the same one.
    for failed in [&other, &same] {
        assert_eq!(play.claude("PostToolUseFailure", "Edit", failed).await, Value::Null);
    }
    std::fs::write(&a, original.replace("one", "uno")).expect("writes");
    let after = play.claude("PostToolUse", "Edit", &one).await;
    let context = after["additionalContext"].as_str().expect("a report");
    assert!(context.starts_with("edited src/a.go: line 4, +1 -1"), "{context}");
}

#[tokio::test]
async fn two_changes_of_one_file_are_told_one_after_another() {
    let play = Play::new();
    let (right, _) = play.paths("src/a.go");
    let original = std::fs::read_to_string(&right).expect("reads");
    let change = |old: &str, new: &str| json!({"file_path": right, "old_string": old, "new_string": new});
    let (one, two) = (change("one", "uno"), change("two", "due"));
    for input in [&one, &two] {
        assert_eq!(play.claude("PreToolUse", "Edit", input).await, Value::Null);
    }
    std::fs::write(&right, original.replace("one", "uno")).expect("writes");
    let first = play.claude("PostToolUse", "Edit", &one).await["additionalContext"].to_string();
    std::fs::write(&right, original.replace("one", "uno").replace("two", "due")).expect("writes");
    let second = play.claude("PostToolUse", "Edit", &two).await["additionalContext"].to_string();
    assert!(first.contains("edited src/a.go: line 4, +1 -1"), "{first}");
    assert!(second.contains("edited src/a.go: line 5, +1 -1"), "{second}");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_not_heard_of_again_ends() {
    let play = Play::new();
    let (right, _) = play.paths("src/a.go");
    let input = json!({"file_path": right});
    play.claude("PreToolUse", "Read", &input).await;
    tokio::time::sleep(IDLE / 2).await;
    play.claude("PreToolUse", "Read", &input).await;
    tokio::time::sleep(IDLE / 2 + Duration::from_secs(1)).await;
    assert_eq!(play.hooks.service.sessions().len(), 1, "it was heard of");
    tokio::time::sleep(IDLE).await;
    assert_eq!(play.hooks.service.sessions(), []);
}
