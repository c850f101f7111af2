//! What a client is told of the tools outlives what clients do with it, and stays small.

use serde_json::{Map, Value, json};

use crate::support::Agent;

/// The longest prefix a client puts before a tool's name: Claude Code's, and Codex's namespace, with our usual name.
const PREFIX: &str = "mcp__landfall__";
/// The longest name that model APIs take. Gemini CLI cuts one of more than 63 in the middle.
const LONGEST_NAME: usize = 63;
/// The longest description of a function that model APIs take, characters. Ours stay far below.
const LONGEST_DESCRIPTION: usize = 600;
/// All that a model reads of the tools when nothing is hidden behind a search, bytes: with some four bytes a token 5,100
/// tokens, a sixth of the smallest context that an agent can be run with (32,768), and a quarter of what Claude Code
/// takes before it hides tools behind a search (a tenth of 200,000).
const MOST_BYTES: usize = 20_480;
/// Claude Code cuts instructions and descriptions at 2 KB.
const MOST_INSTRUCTIONS: usize = 2048;
/// Keywords that no client or model API takes away, refuses or rewrites: `$ref`, `anyOf`, `oneOf`, `additionalProperties`,
/// `format`, `pattern`, `default`, limits and lists of types are all lost or refused somewhere.
const KEYWORDS: &[&str] = &["type", "description", "properties", "required", "items", "enum"];

fn listed() -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(folder.path(), &["--no-lsp", "--allow", "bash"], &[]);
    agent.request("tools/list", json!({}))["result"]["tools"].as_array().expect("a list").clone()
}

/// What a model reads of a tool.
fn shown(tool: &Value) -> String {
    let mut shown = Map::new();
    for key in ["name", "description", "inputSchema"] {
        shown.insert(key.to_owned(), tool[key].clone());
    }
    Value::Object(shown).to_string()
}

#[test]
fn names_fit_with_any_prefix_and_descriptions_are_short() {
    for tool in listed() {
        let (name, about) =
            (tool["name"].as_str().expect("a name"), tool["description"].as_str().expect("a description"));
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        assert!(PREFIX.len() + name.len() <= LONGEST_NAME, "{name}");
        assert!((40..=LONGEST_DESCRIPTION).contains(&about.chars().count()), "{name}: {about}");
        assert!(about.ends_with('.') && !about.contains('\n'), "{name}: {about}");
    }
}

#[test]
fn schemas_use_what_every_client_passes_on() {
    for tool in listed() {
        let name = tool["name"].as_str().expect("a name");
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{name}");
        assert!(tool.get("outputSchema").is_none(), "{name}");
        check(name, schema);
    }
}

/// Checks a schema and all in it.
fn check(at: &str, schema: &Value) {
    let schema = schema.as_object().unwrap_or_else(|| panic!("{at} is no object"));
    for keyword in schema.keys() {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{at}: {keyword}");
    }
    let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    for choice in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
        let choice = choice.as_str().expect("only strings are chosen from");
        assert!(about.contains(choice), "{at}: where `enum` is lost nobody knows of {choice}: {about}");
    }
    match schema["type"].as_str().expect("one type, not several") {
        "object" => {
            let properties = schema["properties"].as_object().expect("properties");
            assert!(!properties.is_empty(), "{at}: an object without properties is refused by Gemini");
            let required = schema.get("required").map(|required| required.as_array().expect("a list"));
            assert!(required.is_none_or(|required| !required.is_empty()), "{at}");
            for name in required.into_iter().flatten() {
                assert!(properties.contains_key(name.as_str().expect("a name")), "{at}: {name}");
            }
            for (name, property) in properties {
                let at = format!("{at}.{name}");
                assert!(name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{at}");
                assert!(property["description"].as_str().is_some_and(|about| !about.is_empty()), "{at}");
                check(&at, property);
            }
        }
        "array" => check(&format!("{at}[]"), schema.get("items").unwrap_or_else(|| panic!("{at} has no items"))),
        scalar => assert!(["string", "integer", "boolean"].contains(&scalar), "{at}: {scalar}"),
    }
}

#[test]
fn a_call_is_understood_with_what_other_tools_call_its_arguments() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\ntwo\n")]);
    let reply =
        agent.call("edit", json!({ "filePath": "a.txt", "oldString": "one", "newString": "uno", "settle": null }));
    assert!(reply.text.starts_with("edited a.txt"), "{}", reply.text);
    for edits in [json!([]), json!("[]")] {
        let reply = agent.call("multi_edit", json!({ "file_path": "a.txt", "edits": edits }));
        assert!(reply.is_error && reply.text.contains("`edits` is empty"), "{}", reply.text);
    }
}

#[test]
fn all_of_it_is_small() {
    let tools = listed();
    let mut sizes: Vec<(usize, &str)> =
        tools.iter().map(|tool| (shown(tool).len(), tool["name"].as_str().unwrap_or_default())).collect();
    sizes.sort_unstable();
    let all: usize = sizes.iter().map(|(size, _)| size).sum();
    assert!(all <= MOST_BYTES, "{all} bytes: {sizes:?}");
    // Cursor takes 40 tools of all servers.
    assert!(tools.len() <= 24, "{}", tools.len());
}

#[test]
fn the_instructions_are_under_every_clients_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start_silent(folder.path(), &["--no-lsp"], &[]);
    let client = json!({ "name": "test", "version": "1" });
    let opening = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let answer = agent.request("initialize", opening);
    let instructions = answer["result"]["instructions"].as_str().expect("instructions");
    assert!((200..=MOST_INSTRUCTIONS).contains(&instructions.len()), "{}", instructions.len());
    for word in [
        "edited",
        "not edited",
        "Nothing was written",
        "clean",
        "introduced",
        "elsewhere",
        "Hint",
        "since your last call",
    ] {
        assert!(instructions.contains(word), "{word}: {instructions}");
    }
}
