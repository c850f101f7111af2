//! Edits addressed by a declaration's name.

use serde_json::json;

use crate::support::Agent;

const STORE: &str = "package store\n\n// Store keeps.\ntype Store struct {\n\tsize int\n}\n\n// Put puts.\nfunc (s *Store) Put(k string) error {\n\treturn nil\n}\n\nfunc (s *Store) Len() int { return s.size }\n";
const DISK: &str = "package store\n\ntype Disk struct{}\n\nfunc (d *Disk) Put(k string) error { return nil }\n";

fn project() -> Agent {
    Agent::with_files(&[("store/store.go", STORE.as_bytes()), ("store/disk.go", DISK.as_bytes())])
}

#[test]
fn a_method_is_replaced_by_its_name_and_others_are_put_beside_it() {
    let mut agent = project();
    let body = "func (s *Store) Put(k string) error {\n    s.size++\n    return nil\n}\n";
    let reply = agent.call("replace_symbol", json!({ "symbol": "Store.Put", "new_text": body }));
    assert!(!reply.is_error, "{}", reply.text);
    let expected = "edited store/store.go: line 10, +1 -0, now 14 lines\nreplaced Store.Put: func (s *Store) Put(k string) error {\n";
    assert!(reply.text.starts_with(expected), "{}", reply.text);
    assert_eq!((&reply.structured["symbol"], &reply.structured["landed"]), (&json!("Store.Put"), &json!(true)));

    let more = "// Get gets.\nfunc (s *Store) Get(k string) int {\n\treturn s.size\n}";
    let reply =
        agent.call("insert_after_symbol", json!({ "name_path": "Put", "code": more, "path": "./store/store.go" }));
    assert!(reply.first_line().starts_with("edited store/store.go: lines "), "{}", reply.text);
    let reply = agent.call("insert_before_symbol", json!({ "symbol": "Store", "new_text": "const Most = 10" }));
    assert!(!reply.is_error, "{}", reply.text);
    let expected = "package store\n\nconst Most = 10\n\n// Store keeps.\ntype Store struct {\n\tsize int\n}\n\n// Put puts.\nfunc (s *Store) Put(k string) error {\n\ts.size++\n\treturn nil\n}\n\n// Get gets.\nfunc (s *Store) Get(k string) int {\n\treturn s.size\n}\n\nfunc (s *Store) Len() int { return s.size }\n";
    assert_eq!(agent.text("store/store.go"), expected);

    let undone = agent.call("undo", json!({}));
    assert!(!undone.is_error, "{}", undone.text);
    assert_eq!(agent.text("store/store.go"), expected.replace("const Most = 10\n\n", ""));
}

#[test]
fn what_is_meant_by_no_one_name_is_refused_and_nothing_is_written() {
    let mut agent = project();
    for (arguments, code, parts) in [
        (
            json!({ "symbol": "Put", "new_text": "x" }),
            "ambiguous_symbol",
            vec!["Nothing was written.", "Disk.Put", "Store.Put"],
        ),
        (
            json!({ "symbol": "Store.Pot", "new_text": "x" }),
            "no_such_symbol",
            vec!["Nothing was written.", "Store.Put"],
        ),
        (
            json!({ "symbol": "Put", "new_text": "x", "file_path": "store/stoer.go" }),
            "path_not_found",
            vec!["store/store.go"],
        ),
        (
            json!({ "symbol": "Put", "new_text": " ", "file_path": "store/disk.go" }),
            "empty",
            vec!["not edited store/disk.go: "],
        ),
        (json!({ "symbol": "Store.Put" }), "bad_arguments", vec!["`new_text` is missing"]),
        (
            json!({ "symbol": "Len", "new_text": "func (s *Store) Len() int { return s.size }" }),
            "already_applied",
            vec!["not edited store/store.go: "],
        ),
    ] {
        let reply = agent.call("replace_symbol", arguments.clone());
        assert!(reply.is_error, "{arguments}: {}", reply.text);
        assert_eq!(reply.structured["code"], code, "{arguments}: {}", reply.text);
        for part in parts {
            assert!(reply.text.contains(part), "{part} in {}", reply.text);
        }
    }
    assert_eq!((agent.text("store/store.go").as_str(), agent.text("store/disk.go").as_str()), (STORE, DISK));
}

#[test]
fn bytes_outside_the_declaration_stay_as_they_are() {
    let before = b"\xEF\xBB\xBFpackage p\r\n\r\n// caf\xE9\r\nfunc a() {\r\n}\r\n\r\nvar x = 1 \t\r\n";
    let mut agent = Agent::with_files(&[("a.go", before)]);
    let reply = agent.call("replace_symbol", json!({ "symbol": "a", "new_text": "func a() {\n\tb()\n}\n" }));
    assert!(!reply.is_error, "{}", reply.text);
    let after = b"\xEF\xBB\xBFpackage p\r\n\r\n// caf\xE9\r\nfunc a() {\r\n\tb()\r\n}\r\n\r\nvar x = 1 \t\r\n";
    assert_eq!(agent.bytes("a.go"), after);
}
