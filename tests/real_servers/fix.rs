//! Quick fixes of real language servers, by the number of a problem and by its line.

use serde_json::json;

use crate::support::{Agent, available};

const GO: &[(&str, &str)] = &[
    ("go.mod", "module example.com/shop\n\ngo 1.21\n"),
    (
        "a.go",
        "package shop\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\ntype Reader interface{ Read(p []byte) (int, error) }\n\ntype T struct{}\n\nvar _ Reader = T{}\n\nfunc Total() int {\n\tunused := 1\n\tfmt.Println(\"é\")\n\treturn 2\n}\n",
    ),
];

#[test]
fn gopls_fixes_by_number_and_by_line() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let mut agent = Agent::on_project(GO);
    let told = agent.wait_until_settled("a.go");
    let number = |message: &str| {
        let problems = told.structured["diagnostics"]["problems"].as_array().expect("problems");
        let problem = problems.iter().find(|one| one["message"].as_str().is_some_and(|text| text.contains(message)));
        problem.unwrap_or_else(|| panic!("{message} in {}", told.text))["number"].clone()
    };
    let (unused, imported, missing) = (number("unused"), number("\"os\""), number("missing method Read"));
    let reply = agent.call("fix", json!({ "number": unused }));
    assert!(reply.text.starts_with("edited a.go: fixed by \"Remove variable unused\" (1 place)\n"), "{}", reply.text);
    assert_eq!(reply.problems("fixed").len(), 1, "{}", reply.text);
    // It has moved up by a line since it was shown.
    let reply = agent.call("fix", json!({ "number": missing, "settle": "later" }));
    assert!(!reply.is_error && agent.text("a.go").contains("func (t T) Read(p []byte)"), "{}", reply.text);
    let reply = agent.call("fix", json!({ "file_path": "a.go", "line": 5 }));
    assert!(!reply.is_error && !agent.text("a.go").contains("\"os\""), "{}", reply.text);
    assert_eq!(reply.verdict(), "clean", "{}", reply.text);
    let before = agent.text("a.go");
    for (call, code) in [
        (json!({ "number": imported }), "no_fix"),
        (json!({ "number": 99_999 }), "no_such_problem"),
        (json!({ "file_path": "a.go", "line": 1 }), "no_fix"),
        (json!({ "file_path": "a.go" }), "bad_arguments"),
        (json!({ "file_path": "b.go", "line": 1 }), "path_not_found"),
    ] {
        let reply = agent.call("fix", call.clone());
        assert_eq!((reply.is_error, &reply.structured["code"]), (true, &json!(code)), "{call}: {}", reply.text);
    }
    assert_eq!(agent.text("a.go"), before);
    let undone = agent.call("undo", json!({}));
    assert!(!undone.is_error && agent.text("a.go").contains("\"os\""), "{}", undone.text);
}

const JAVA: &[(&str, &str)] = &[(
    "src/shop/Store.java",
    "package shop;\n\npublic class Store {\n    public int price(String name) {\n        List<String> all = null;\n        return name.length();\n    }\n}\n",
)];

#[test]
fn jdtls_offers_several_imports_to_choose_from() {
    if !available("java", &["jdtls"]) {
        return;
    }
    let mut agent = Agent::on_project(JAVA);
    let told = agent.wait_until_settled("src/shop/Store.java");
    assert_eq!(told.verdict(), "problems", "{}", told.text);
    let mut call = json!({ "file_path": "src/shop/Store.java", "line": 5 });
    let listed = agent.call("fix", call.clone());
    assert_eq!(listed.structured["code"], "choose", "{}", listed.text);
    let line = listed.text.lines().find(|line| line.contains("Import 'List' (java.util)"));
    let line = line.unwrap_or_else(|| panic!("no import in {}", listed.text));
    let choice: usize = line.trim().split('.').next().and_then(|number| number.parse().ok()).expect("a number");
    call["choice"] = json!(choice);
    let reply = agent.call("fix", call);
    assert!(!reply.is_error, "{}", reply.text);
    assert!(agent.text("src/shop/Store.java").contains("import java.util.List;\n"), "{}", reply.text);
}
