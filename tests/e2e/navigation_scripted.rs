//! Answers of a language server in every form, odd ones, late ones and none.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Agent, Reply};

const TEXT: &str = "one\ntwo one\nthree one(two)\n";
const AT_TWO: &str = r#"{"start":{"line":1,"character":0},"end":{"line":1,"character":3}}"#;

/// The example is built with the tests, beside them.
fn scripted_language_server() -> PathBuf {
    let own = std::env::current_exe().expect("a path");
    let program =
        own.parent().and_then(Path::parent).expect("in target/*/deps").join("examples/scripted_language_server");
    assert!(program.exists(), "{} is missing: cargo build --examples", program.display());
    program
}

/// What `tool` says when the language server answers `method` with `given`.
fn asked(script: &str, tool: &str, further: Value) -> Reply {
    let folder = tempfile::Builder::new().prefix("landfall-test-").tempdir().expect("a folder");
    let root = folder.path().join("w");
    std::fs::create_dir(&root).expect("made");
    std::fs::write(root.join("a.scripted"), TEXT).expect("written");
    let (servers, path) = (folder.path().join("servers.toml"), folder.path().join("script.toml"));
    let real = root.canonicalize().expect("there");
    let script = script.replace("FOLDER_OF_WORKSPACE", &format!("file://{}", real.display()));
    std::fs::write(&path, format!("[script]\n{script}\n")).expect("written");
    let text = format!(
        "[servers.scripted]\ncommand = {:?}\nargs = [{path:?}]\nlanguages = [{{ id = \"scripted\", extensions = [\"scripted\"] }}]\nquiet_ms = 50\n",
        scripted_language_server()
    );
    std::fs::write(&servers, text).expect("written");
    let mut agent = Agent::start(&root, &["--servers", servers.to_str().expect("a path")], &[]);
    let mut arguments = json!({ "file_path": "a.scripted", "line": 3, "symbol": "one" });
    if let (Value::Object(arguments), Value::Object(further)) = (&mut arguments, further) {
        arguments.extend(further);
    }
    agent.call(tool, arguments)
}

fn answers(method: &str, given: &str) -> String {
    format!("answers = {{ {method:?} = [{given}] }}")
}

fn result(json: &str) -> String {
    format!("{{ result = {:?} }}", json.replace("AT_TWO", AT_TWO))
}

const DEFINITION: &str = "textDocument/definition";
const REFERENCES: &str = "textDocument/references";

#[test]
fn places_come_in_every_form() {
    let far = r#"[{"uri":"HERE","range":{"start":{"line":98,"character":7},"end":{"line":99,"character":0}}}]"#;
    let wide = r#"[{"uri":"HERE","range":{"start":{"line":1,"character":900},"end":{"line":1,"character":900}}}]"#;
    for (given, starts, part) in [
        (r#"{"uri":"HERE","range":AT_TWO}"#, "one is defined at a.scripted:2:1 (scripted, ", "    2 | two one"),
        (r#"[{"uri":"HERE","range":AT_TWO},7,{}]"#, "one is defined at a.scripted:2:1 (scripted, ", "    2 | two one"),
        (
            r#"[{"targetUri":"HERE","targetRange":AT_TWO,"targetSelectionRange":AT_TWO}]"#,
            "one is defined at a.scripted:2:1 (scripted, ",
            "    2 | two one",
        ),
        ("null", "no definition of one is known (scripted, ", ""),
        ("[]", "no definition of one is known (scripted, ", ""),
        (
            "7",
            "not known: scripted answered with an error (its answer cannot be understood (0)), ",
            "nothing is declared",
        ),
        (
            r#"[{"x":1}]"#,
            "not known: scripted answered with an error (its answer cannot be understood (0)), ",
            "nothing is declared",
        ),
        (far, "one is defined at a.scripted:99:8 (the file has only 3 lines) (scripted, ", ""),
        (wide, "one is defined at a.scripted:2:8 (scripted, ", "    2 | two one"),
        (
            r#"[{"uri":"zip:/a!b","range":AT_TWO}]"#,
            "one is defined at zip:/a!b:2:1, outside the workspace (scripted, ",
            "",
        ),
        (
            r#"[{"uri":"file:///etc/passwd","range":AT_TWO}]"#,
            "one is defined at /etc/passwd:2:1, outside the workspace (scripted, ",
            "",
        ),
    ] {
        let reply = asked(&answers(DEFINITION, &result(given)), "definition", json!({}));
        assert!(reply.text.starts_with(starts) && reply.text.contains(part), "{given}: {}", reply.text);
        assert!(!reply.text.contains("root:"), "what is no source is not opened: {}", reply.text);
    }
}

#[test]
fn errors_silence_and_death_are_not_nothing() {
    let here = result(r#"[{"uri":"HERE","range":AT_TWO}]"#);
    for (given, state, total) in [
        (format!("{{ error = -32801 }}, {here}"), "ready", 1),
        ("{ error = -32801 }".to_owned(), "error", 3),
        ("{ error = -32601 }".to_owned(), "unsupported", 3),
        ("{ error = -32603 }".to_owned(), "error", 3),
        ("{}".to_owned(), "timed_out", 3),
        (format!("{{ pause_ms = 200, {}", here.trim_start_matches('{')), "ready", 1),
        ("{ exit = true }".to_owned(), "crashed", 3),
        (result("[]"), "ready", 0),
    ] {
        let reply = asked(&answers(REFERENCES, &given), "references", json!({ "settle_ms": 4000 }));
        assert_eq!(reply.structured["state"], state, "{given}: {}", reply.text);
        assert_eq!(reply.structured["total"], total, "{given}: {}", reply.text);
        assert_eq!(reply.text.starts_with("no references to one"), total == 0, "{given}: {}", reply.text);
    }
}

#[test]
fn what_is_not_loaded_does_not_say_none() {
    // It has begun to load, and never says that it is done.
    let told =
        r#"{"jsonrpc":"2.0","method":"$/progress","params":{"token":"t","value":{"kind":"begin","title":"Indexing"}}}"#;
    let begun = format!("start = [{{ do = \"frame\", length = \"{}\", body = '{told}' }}]\nopen = []\n", told.len());
    for (given, words) in [
        (result("[]"), "scripted is still loading"),
        (result(r#"[{"uri":"HERE","range":AT_TWO}]"#), "1 reference to one in 1 file (scripted, "),
    ] {
        let script = format!("{begun}{}", answers(REFERENCES, &given));
        let reply = asked(&script, "references", json!({ "settle_ms": 600 }));
        assert!(reply.text.starts_with(words), "{}", reply.text);
        assert_eq!(reply.structured["state"], "loading", "{}", reply.text);
        assert!(reply.text.contains("Hint: call again in a few seconds"), "{}", reply.text);
    }
}

#[test]
fn hover_comes_in_three_forms() {
    for (given, part) in [
        (r#"{"contents":{"kind":"markdown","value":"**one**"}}"#, "  **one**"),
        (r#"{"contents":"plain"}"#, "  plain"),
        (r#"{"contents":[{"language":"x","value":"one()"},"Doc."]}"#, "  ```x\n  one()\n  ```\n\n  Doc."),
        (r#"{"contents":"a\nedited b.go: lines 1-2\u001b[2J"}"#, "  a\n  edited b.go: lines 1-2 [2J"),
        ("null", "nothing is known of one at a.scripted:3:7"),
    ] {
        let reply = asked(&answers("textDocument/hover", &result(given)), "hover", json!({}));
        assert!(reply.text.contains(part), "{given}: {}", reply.text);
    }
}

#[test]
fn declarations_come_nested_or_flat() {
    let nested = r#"[{"name":"One","kind":5,"range":AT_TWO,"selectionRange":AT_TWO,"children":[{"name":"two(int)","kind":6,"range":AT_TWO}]}]"#;
    let flat = r#"[{"name":"One","kind":5,"location":{"uri":"HERE","range":AT_TWO}},{"name":"two","kind":6,"containerName":"One","location":{"uri":"HERE","range":AT_TWO}}]"#;
    for given in [nested, flat] {
        let script = answers("textDocument/documentSymbol", &result(given));
        let reply = asked(&script, "symbols", json!({ "symbol": null }));
        assert!(reply.text.starts_with("a.scripted: 2 declarations (scripted, "), "{}", reply.text);
        assert!(reply.text.contains("          2  class One\n          2  method One.two"), "{}", reply.text);
        let found = asked(&script, "definition", json!({ "line": null, "symbol": "One.two" }));
        assert_eq!(found.structured["asked"]["line"], 2, "{}", found.text);
    }
}

#[test]
fn a_name_without_a_file_is_looked_up_by_the_language_server() {
    let told = r#"[{"name":"other","kind":12,"location":{"uri":"file:///x","range":AT_TWO}},{"name":"two(int)","kind":12,"location":{"uri":"FILE","range":AT_TWO}}]"#;
    let file = "FOLDER_OF_WORKSPACE/a.scripted";
    let script = format!(
        "answers = {{ \"workspace/symbol\" = [{}], {DEFINITION:?} = [{}] }}",
        result(&told.replace("FILE", file)),
        result(r#"{"uri":"HERE","range":AT_TWO}"#)
    );
    let reply = asked(&script, "definition", json!({ "file_path": null, "line": null, "symbol": "two" }));
    assert_eq!(reply.structured["asked"]["line"], 2, "{}", reply.text);
    assert!(reply.text.starts_with("two is defined at a.scripted:2:1 (scripted, "), "{}", reply.text);
}

#[test]
fn without_a_call_hierarchy_the_references_tell_who_calls() {
    let range = r#"{"start":{"line":2,"character":6},"end":{"line":2,"character":9}}"#;
    let places = format!(r#"[{{"uri":"HERE","range":AT_TWO}},{{"uri":"HERE","range":{range}}}]"#);
    for prepared in ["null", "[]"] {
        let script = format!(
            "answers = {{ \"textDocument/prepareCallHierarchy\" = [{}], {REFERENCES:?} = [{}] }}",
            result(prepared),
            result(&places)
        );
        let reply = asked(&script, "calls", json!({ "line": 1 }));
        assert!(reply.text.starts_with("1 call of one in 1 file (scripted, "), "{}", reply.text);
        assert!(reply.text.contains("    3 | three one(two)"), "{}", reply.text);
    }
}
