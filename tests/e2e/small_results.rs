//! Every tool's result stays small by itself, and where that leaves something out it says how to get the rest.

use serde_json::{Value, json};

use crate::support::Agent;

/// Clients cut at 10 KB and more. Bytes.
const MOST: usize = 10_000;

/// A project of many files with many long declarations, in a workspace of its own.
fn project() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("landfall-large-").tempdir().expect("a folder");
    std::fs::write(folder.path().join("go.mod"), "module example.com/large\n\ngo 1.21\n").expect("writes");
    for file in 0..150 {
        let mut text = "package large\n".to_owned();
        for function in 0..60 {
            let name = format!("A{}Function{file}Number{function}", "Long".repeat(12));
            text.push_str(&format!("\n// {name} calls the needle.\nfunc {name}(argument string) string {{\n\treturn needle(argument + \"{}\")\n}}\n", "x".repeat(150)));
        }
        std::fs::write(folder.path().join(format!("a_file_with_quite_a_long_name_{file}.go")), text).expect("writes");
    }
    std::fs::write(folder.path().join("needle.go"), "package large\n\nfunc needle(a string) string { return a }\n")
        .expect("writes");
    folder
}

/// An edit of each of many files, as a patch.
fn patch() -> String {
    let one = |file: usize| {
        format!(
            "*** Update File: a_file_with_quite_a_long_name_{file}.go\n@@\n-package large\n+package large // {file}\n"
        )
    };
    format!("*** Begin Patch\n{}*** End Patch", (0..150).map(one).collect::<String>())
}

#[test]
fn no_result_is_large_and_each_cut_says_how_to_get_the_rest() {
    let folder = project();
    let mut agent = Agent::start(folder.path(), &["--no-lsp", "--allow", "bash"], &[]);
    let first = "a_file_with_quite_a_long_name_1.go";
    let whole = std::fs::read_to_string(folder.path().join(first)).expect("reads");
    let many: Vec<Value> =
        (0..40).map(|n| json!({ "old_string": format!("Function1Number{n}(argument string)"), "new_string": format!("Function1Number{n}(argument string, more int)") })).collect();
    let long = "x".repeat(30_000);
    let (mut faults, mut called) = (Vec::new(), std::collections::BTreeSet::new());
    for (tool, arguments, rest) in [
        ("read", json!({ "file_path": first, "limit": 20 }), "offset"),
        ("read", json!({ "file_path": "." }), ""),
        ("glob", json!({ "pattern": "**/*.go" }), "100 shown"),
        ("grep", json!({ "pattern": "needle" }), "Hint: narrow it"),
        ("grep", json!({ "pattern": "needle", "context": 3 }), "Hint: narrow it"),
        ("grep", json!({ "pattern": "needle", "output": "count" }), "Hint: narrow it"),
        ("grep", json!({ "pattern": "needle", "output": "files" }), "Hint: narrow it"),
        ("symbols", json!({ "file_path": first }), ""),
        ("symbols", json!({ "query": "Long" }), ""),
        ("references", json!({ "symbol": "needle" }), "limit"),
        ("calls", json!({ "symbol": "needle" }), ""),
        ("definition", json!({ "symbol": "needle" }), ""),
        ("hover", json!({ "symbol": "needle" }), ""),
        ("implementations", json!({ "symbol": "needle" }), ""),
        ("rename", json!({ "symbol": "needle", "new_name": "pin" }), "Hint: "),
        ("fix", json!({ "file_path": first, "line": 4 }), "Hint: "),
        (
            "edit",
            json!({ "file_path": first, "old_string": "return needle(", "new_string": "return needle (", "replace_all": true }),
            "",
        ),
        ("edit", json!({ "file_path": first, "old_string": "argument", "new_string": "x" }), "Hint: "),
        ("edit", json!({ "file_path": first, "old_string": whole, "new_string": long }), ""),
        ("undo", json!({}), ""),
        ("multi_edit", json!({ "file_path": first, "edits": many }), ""),
        ("apply_patch", json!({ "patch": patch() }), "more files are changed too"),
        ("undo", json!({}), ""),
        ("write", json!({ "file_path": "new.go", "content": long }), ""),
        (
            "replace_symbol",
            json!({ "symbol": "needle", "new_text": format!("func needle(a string) string {{ return a + \"{long}\" }}") }),
            "",
        ),
        ("insert_after_symbol", json!({ "symbol": "Long", "new_text": "x" }), "Hint: "),
        ("insert_before_symbol", json!({ "symbol": "needle", "new_text": format!("const Long = \"{long}\"") }), ""),
        ("bash", json!({ "command": "cat *.go" }), "all of it is in /"),
        ("bash", json!({ "command": "for n in $(seq 200); do echo > with_a_rather_long_name_$n.txt; done" }), ""),
        ("diagnostics", json!({}), ""),
        ("changes", json!({}), ""),
    ] {
        called.insert(tool);
        let reply = agent.call(tool, arguments.clone());
        let shown: String = arguments.to_string().chars().take(200).collect();
        let start: String = reply.text.chars().take(600).collect();
        if reply.text.len() >= MOST {
            faults.push(format!("{tool} {shown}: {} bytes\n{start}", reply.text.len()));
        }
        if !reply.text.contains(rest) {
            faults.push(format!("{tool} {shown}: nothing of {rest:?} in\n{start}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    let listed = agent.request("tools/list", json!({}));
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().expect("tools").iter().filter_map(|t| t["name"].as_str()).collect();
    for name in names {
        assert!(called.contains(name), "{name} is not in the table");
    }
}
