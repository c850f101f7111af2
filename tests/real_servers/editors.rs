//! The LSP face before gopls, as an editor sees it.

use serde_json::{Value, json};

use super::go::FILES;
use crate::support::daemon::Seat;
use crate::support::editor::Editor;
use crate::support::{Agent, available};

const STORE: &str = "store/store.go";

fn project() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("landfall-test-").tempdir().expect("a temporary folder");
    for (path, content) in FILES {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, content).expect("a file");
    }
    folder
}

fn text(folder: &tempfile::TempDir, file: &str) -> String {
    std::fs::read_to_string(folder.path().join(file)).expect("reads")
}

/// The files and lines (0-based) of a list of locations.
fn places(answer: &Value) -> Vec<String> {
    let all = answer["result"].as_array().unwrap_or_else(|| panic!("a list: {answer}"));
    let place = |one: &Value| {
        let uri = one["uri"].as_str().expect("a URI");
        format!("{}:{}", uri.rsplit('/').next().unwrap_or_default(), one["range"]["start"]["line"])
    };
    let mut places: Vec<String> = all.iter().map(place).collect();
    places.sort();
    places
}

#[test]
fn what_is_saved_is_judged_with_its_version_and_what_it_broke_elsewhere() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let folder = project();
    let mut editor = Editor::start(folder.path(), &["--no-daemon"], &[]);
    let right = text(&folder, STORE);
    editor.open(STORE, 1, &right);
    assert_eq!(editor.diagnostics(STORE, Some(1)), [""; 0]);

    let wrong = right.replace("Price(name string) int", "Price(name string, n int) int");
    std::fs::write(folder.path().join(STORE), &wrong).expect("writes");
    editor.change(STORE, 2, &wrong);
    assert_eq!(editor.diagnostics(STORE, Some(2)), [""; 0]);
    let elsewhere = editor.diagnostics("cart/cart.go", None);
    assert!(elsewhere.len() == 1 && elsewhere[0].starts_with("8:"), "{elsewhere:?}");

    std::fs::write(folder.path().join(STORE), &right).expect("writes");
    editor.change(STORE, 3, &right);
    assert_eq!(editor.diagnostics(STORE, Some(3)), [""; 0]);
    assert_eq!(editor.diagnostics("cart/cart.go", None), [""; 0], "mended");

    let pulled = editor.request("textDocument/diagnostic", json!({ "textDocument": { "uri": editor.uri(STORE) } }));
    assert_eq!(pulled["result"]["kind"], "full", "{pulled}");
}

#[test]
fn what_is_asked_is_answered_by_the_shared_language_server() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let folder = project();
    let mut editor = Editor::start(folder.path(), &["--no-daemon"], &[]);
    editor.open("cart/cart.go", 1, &text(&folder, "cart/cart.go"));
    editor.diagnostics("cart/cart.go", Some(1));
    // `s.Price(name)` in line 8.
    let definition = editor.at("textDocument/definition", "cart/cart.go", 8, 11, json!({}));
    assert_eq!(places(&definition), ["store.go:6"]);
    let references =
        editor.at("textDocument/references", STORE, 6, 17, json!({ "context": { "includeDeclaration": true } }));
    assert_eq!(places(&references), ["cart.go:8", "store.go:6"]);
    let hover = editor.at("textDocument/hover", "cart/cart.go", 8, 11, json!({}));
    assert!(
        hover["result"]["contents"]["value"].as_str().is_some_and(|text| text.contains("Price tells a price")),
        "{hover}"
    );
    let symbols =
        editor.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": editor.uri(STORE) } }));
    assert!(symbols.to_string().contains("\"Store\""), "{symbols}");
    let found = editor.request("workspace/symbol", json!({ "query": "Total" }));
    assert!(found.to_string().contains("cart.go"), "{found}");
    let items = editor.at("textDocument/prepareCallHierarchy", STORE, 6, 17, json!({}));
    let callers = editor.request("callHierarchy/incomingCalls", json!({ "item": items["result"][0] }));
    assert!(callers.to_string().contains("\"Total\""), "{callers}");
    let renamed = editor.at("textDocument/rename", STORE, 6, 17, json!({ "newName": "Cost" }));
    assert!(renamed.to_string().contains("cart.go"), "{renamed}");
    assert!(text(&folder, STORE).contains("Price"), "a rename is the client's to carry out");
}

#[test]
fn a_text_that_is_not_saved_is_its_clients_alone() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let folder = project();
    let mut editor = Editor::start(folder.path(), &["--no-daemon"], &[]);
    let saved = text(&folder, "cart/cart.go");
    editor.open("cart/cart.go", 1, &saved);
    editor.diagnostics("cart/cart.go", Some(1));
    let unsaved = saved.replace("\tsum := 0", "\t// three\n\t// more\n\t// lines\n\tsum := (");
    editor.change("cart/cart.go", 2, &unsaved);
    let syntax = editor.diagnostics("cart/cart.go", Some(2));
    assert!(!syntax.is_empty(), "its syntax is wrong");
    let definition = editor.at("textDocument/definition", "cart/cart.go", 11, 11, json!({}));
    assert_eq!(places(&definition), ["store.go:6"], "asked of the line that is on disk, too");
    let references =
        editor.at("textDocument/references", STORE, 6, 17, json!({ "context": { "includeDeclaration": false } }));
    assert_eq!(places(&references), ["cart.go:11"], "and led back");
    let renamed = editor.at("textDocument/rename", STORE, 6, 17, json!({ "newName": "Cost" }));
    assert!(renamed["error"]["message"].as_str().is_some_and(|text| text.contains("save it first")), "{renamed}");
    let mut other = Editor::start(folder.path(), &["--no-daemon"], &[]);
    other.open("cart/cart.go", 1, &saved);
    assert_eq!(other.diagnostics("cart/cart.go", Some(1)), [""; 0]);
}

#[test]
fn a_client_with_unsaved_text_hears_of_an_agents_edit() {
    let folder = project();
    let seat = Seat::new();
    let mut editor = Editor::start(folder.path(), &["--no-lsp"], &seat.environment());
    let saved = text(&folder, STORE);
    editor.open(STORE, 1, &saved);
    editor.change(STORE, 2, &saved.replace("keeps", "holds"));
    let mut agent = Agent::through_daemon(folder.path(), &["--no-lsp"], &seat.environment());
    let edited =
        agent.call("edit", json!({ "file_path": STORE, "old_string": "tells a price", "new_string": "names a price" }));
    assert!(edited.first_line().starts_with("edited"), "{}", edited.text);
    let warned = editor.wait("a warning", |message| message["method"] == "window/showMessage");
    assert!(warned["params"]["message"].as_str().is_some_and(|text| text.contains(STORE)), "{warned}");
}
