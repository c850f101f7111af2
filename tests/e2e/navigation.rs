//! The tools that ask about a name, without any language server: what the texts say, marked as such; and bad input.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Agent, landfall};

const STORE: &str = "package store\n\n// Store keeps prices.\ntype Store struct{ prices map[string]int }\n\n// Put notes a price.\nfunc (s *Store) Put(name string, price int) {\n\ts.prices[name] = check(price)\n}\n\nfunc check(price int) int { return price }\n";
const MAIN: &str = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\ts := open()\n\ts.Put(\"a\", 1)\n\ts.Put(\"b\", 2)\n\tfmt.Println(s)\n}\n";
const SHAPE: &str = "package geo;\n\ninterface Shape { double area(); }\n\nclass Square implements Shape {\n    public double area() { return 1; }\n}\n";
const CAT: &str = "class Animal { void put(int a) {} }\nclass Cat extends Animal {\n    void put(int a) {}\n    void put(String b) {}\n}\n";

fn project() -> Agent {
    Agent::with_files(&[
        ("store/store.go", STORE.as_bytes()),
        ("main.go", MAIN.as_bytes()),
        ("geo/Shape.java", SHAPE.as_bytes()),
        ("Cat.java", CAT.as_bytes()),
        ("notes.txt", b"Put\n"),
    ])
}

#[test]
fn without_a_language_server_the_texts_answer_and_the_result_says_so() {
    let mut agent = project();
    for (tool, arguments, parts, total) in [
        (
            "definition",
            json!({ "symbol": "Store.Put" }),
            vec![
                "there is no language server for this; by its name alone Store.Put is declared at store/store.go:7:17",
                "    7 | func (s *Store) Put(name string, price int) {",
                "    9 | }",
            ],
            1,
        ),
        ("definition", json!({ "file_path": "main.go", "line": 7, "symbol": "Put" }), vec!["store/store.go:7:17"], 1),
        ("definition", json!({ "file_path": "main.go:8:4" }), vec!["store/store.go:7:17"], 1),
        (
            "references",
            json!({ "symbol": "Store.Put" }),
            vec![
                "by the text alone: 3 lines that hold the word `Put` in 2 files",
                "declared at store/store.go:7: func (s *Store) Put(name string, price int) {",
                "main.go\n  in: func main()\n    7 | \ts.Put(\"a\", 1)\n    8 | ",
            ],
            3,
        ),
        (
            "hover",
            json!({ "symbol": "Put", "file_path": "store/store.go" }),
            vec![
                "what stands at its declaration:\n  // Put notes a price.\n  func (s *Store) Put(",
                "declared at store/store.go:7",
            ],
            1,
        ),
        ("symbols", json!({ "query": "put" }), vec!["4 declarations with `put` in the name"], 4),
        (
            "symbols",
            json!({ "file_path": "store/store.go" }),
            vec!["4 declarations", "        7-9  method Store.Put"],
            4,
        ),
        ("symbols", json!({ "query": "xyzzy" }), vec!["no declaration has `xyzzy` in its name"], 0),
        (
            "implementations",
            json!({ "symbol": "Shape" }),
            vec!["1 place that may implement `Shape`", "    5 | class Square implements Shape {"],
            1,
        ),
        ("implementations", json!({ "symbol": "Shape.area" }), vec!["    6 |     public double area()"], 1),
        ("calls", json!({ "symbol": "check" }), vec!["1 line that looks like a call", "in: func (s *Store) Put"], 1),
        (
            "calls",
            json!({ "symbol": "main", "direction": "outgoing" }),
            vec!["calls 3 functions", "open", "Println"],
            3,
        ),
    ] {
        let reply = agent.call(tool, arguments.clone());
        assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
        assert_eq!(reply.structured["total"], total, "{tool} {arguments}: {}", reply.text);
        assert_eq!(reply.structured["source"], "text", "{tool} {arguments}: {}", reply.structured);
        for part in parts {
            assert!(reply.text.contains(part), "{tool} {arguments}: {part}\nin {}", reply.text);
        }
        if tool != "symbols" {
            assert_eq!(reply.structured["known"], false, "{tool} {arguments}");
            assert_eq!(reply.structured["state"], "no_language_server", "{tool} {arguments}");
        }
    }
}

#[test]
fn what_cannot_be_meant_is_refused_with_one_next_call() {
    let mut agent = project();
    let root = agent.root().to_owned();
    let fifo = root.join("pipe.go");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("runs").success());
    std::os::unix::fs::symlink("loop.go", root.join("loop.go")).expect("a link");
    for (arguments, code, parts) in [
        (
            json!({ "symbol": "Store.Pot" }),
            "no_such_symbol",
            vec!["store/store.go:7 Store.Put", "Hint: call again with `Store.Put`"],
        ),
        (
            json!({ "symbol": "Cat.put" }),
            "ambiguous_symbol",
            vec!["declared 2 times", "Cat.java:3", "Cat.java:4", "line: 3"],
        ),
        (json!({ "symbol": "" }), "bad_arguments", vec!["Hint: give symbol"]),
        (json!({ "symbol": "()" }), "bad_symbol", vec!["`()` is no name"]),
        (json!({ "file_path": "main.go" }), "bad_arguments", vec!["Hint: give symbol"]),
        (json!({ "file_path": "main.go", "line": 99 }), "no_such_line", vec!["main.go has 10 lines"]),
        (json!({ "file_path": "main.go", "line": 0 }), "no_such_line", vec!["main.go has 10 lines"]),
        (json!({ "file_path": "main.go", "line": 7, "column": 99 }), "no_such_column", vec!["has 14 characters"]),
        (json!({ "file_path": "main.go", "line": 7 }), "several_names", vec!["s (column 2), Put (column 4)"]),
        (json!({ "file_path": "main.go", "line": 7, "symbol": "xyzzy" }), "not_on_line", vec!["that line is: s.Put"]),
        (json!({ "file_path": "../other.go", "line": 1 }), "path_outside", vec!["other.go"]),
        (json!({ "file_path": "pipe.go", "line": 1 }), "path_not_a_file", vec!["pipe.go"]),
        (json!({ "file_path": "/dev/zero", "line": 1 }), "path_outside", vec!["/dev/zero"]),
        (json!({ "file_path": "loop.go", "line": 1 }), "path_link_circle", vec!["loop.go"]),
        (json!({ "file_path": "nope.go", "line": 1 }), "path_not_found", vec!["nope.go"]),
        (json!({ "file_path": "store", "line": 1 }), "path_is_directory", vec!["store"]),
    ] {
        for tool in ["definition", "references", "hover", "implementations", "calls"] {
            let reply = agent.call(tool, arguments.clone());
            assert_eq!(reply.structured["code"], code, "{tool} {arguments}: {}", reply.text);
            assert!(reply.is_error && reply.text.matches("Hint: ").count() <= 1, "{tool} {arguments}: {}", reply.text);
            for part in &parts {
                assert!(reply.text.contains(part), "{tool} {arguments}: {part}\nin {}", reply.text);
            }
        }
    }
}

#[test]
fn a_file_of_an_unknown_language_is_still_searched() {
    let mut agent = project();
    let reply = agent.call("references", json!({ "file_path": "notes.txt", "line": 1 }));
    assert_eq!(reply.structured["state"], "no_language_server", "{}", reply.text);
    assert!(reply.text.contains("1 line that holds the word `Put`"), "{}", reply.text);
    let outline = agent.call("symbols", json!({ "file_path": "notes.txt" }));
    assert!(outline.text.starts_with("not known: there is no language server for this"), "{}", outline.text);
}

#[test]
fn results_stay_under_ten_kilobytes_and_say_how_to_get_the_rest() {
    let calls =
        "\tPut(\"a long argument to fill the line, and more of it, and still more of it, and more\")\n".repeat(800);
    let many: String = (0..800).map(|n| format!("func Put{n}() {{}}\n")).collect();
    let text = format!("package p\n\nfunc Put(s string) {{}}\n\nfunc all() {{\n{calls}}}\n\n{many}");
    let mut agent = Agent::with_files(&[("a.go", text.as_bytes())]);
    for (tool, arguments) in [
        ("references", json!({ "symbol": "Put" })),
        ("calls", json!({ "symbol": "Put" })),
        ("symbols", json!({ "query": "Put" })),
        ("symbols", json!({ "file_path": "a.go" })),
    ] {
        let reply = agent.call(tool, arguments.clone());
        assert!(reply.text.len() < 10_000, "{tool} {arguments}: {}", reply.text.len());
        let (shown, total) = (reply.structured["shown"].as_u64(), reply.structured["total"].as_u64());
        assert!(shown < total && total >= Some(800), "{tool}: {shown:?} of {total:?}");
        assert!(reply.text.contains("Hint: call again with a l"), "{tool}: {}", reply.text);
    }
    let more = agent.call("references", json!({ "symbol": "Put", "limit": 400 }));
    assert!(more.structured["shown"].as_u64() > Some(100), "{}", more.structured["shown"]);
}

#[test]
fn the_same_from_a_shell() {
    let agent = project();
    let root = agent.root();
    for (arguments, code, part) in [
        (vec!["definition", "Store.Put"], 0, "store/store.go:7:17"),
        (vec!["definition", "main.go:7:4"], 0, "store/store.go:7:17"),
        (vec!["definition", "Put", "--in", "store/store.go"], 0, "store/store.go:7:17"),
        (vec!["definition", "Xyzzy"], 1, "no symbol `Xyzzy`"),
        (vec!["definition", "main.go:99"], 2, "main.go has 10 lines"),
        (vec!["references", "Store.Put", "--limit", "1"], 0, "the first 1 shown"),
        (vec!["references", "Square"], 2, "not known: there is no language server"),
        (vec!["hover", "check"], 0, "func check(price int) int"),
        (vec!["symbols", "put"], 0, "4 declarations"),
        (vec!["symbols", "xyzzy"], 2, "no declaration has `xyzzy`"),
        (vec!["symbols", "--in", "main.go"], 0, "main.go: 1 declaration"),
        (vec!["symbols"], 2, "required arguments"),
        (vec!["implementations", "Shape"], 0, "class Square implements Shape"),
        (vec!["calls", "check"], 0, "in: func (s *Store) Put"),
        (vec!["calls", "main", "--outgoing"], 0, "Println"),
        (vec!["diagnostics", "main.go"], 2, "no language server"),
    ] {
        let arguments: Vec<&str> = arguments.into_iter().chain(["--no-lsp", "--wait", "0"]).collect();
        let output = landfall(root, &arguments).output().expect("runs");
        let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(part), "{arguments:?}: {told}");
    }
    let output = landfall(root, &["references", "Store.Put", "--json", "--no-lsp"]).output().expect("runs");
    let object: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(object["hits"][0]["file"], "main.go", "{object}");
    assert_eq!(object["asked"], json!({ "symbol": "Store.Put", "file": "store/store.go", "line": 7, "column": 17 }));
}
