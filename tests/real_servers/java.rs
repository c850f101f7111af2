//! jdtls on a plain source tree. One test for all: a start takes it ten seconds and more.

use serde_json::json;

use crate::support::{Agent, available};

const FILES: &[(&str, &str)] = &[
    (
        "src/shop/Store.java",
        "package shop;\n\nimport java.util.Map;\n\npublic class Store {\n    private final Map<String, Integer> prices = Map.of();\n\n    public int price(String name) {\n        return prices.get(name);\n    }\n}\n",
    ),
    (
        "src/shop/Cart.java",
        "package shop;\n\nimport java.util.List;\n\npublic class Cart {\n    public int total(Store store, List<String> names) {\n        int sum = 0;\n        for (String name : names) {\n            sum += store.price(name);\n        }\n        return sum;\n    }\n}\n",
    ),
];

#[test]
fn errors_appear_clear_and_are_named_in_other_files() {
    if !available("java", &["jdtls"]) {
        return;
    }
    let mut agent = Agent::on_project(FILES);
    let cold = agent.call("edit", json!({ "file_path": "src/shop/Store.java", "old_string": "        return prices.get(name);", "new_string": "        return prices.get(name).missing();" }));
    assert_eq!(cold.verdict(), "loading", "a cold jdtls loads for seconds: {}", cold.text);
    let state = agent.wait_until_settled("src/shop/Store.java");
    assert_eq!(state.verdict(), "problems", "{}", state.text);
    assert!(state.text.contains("src/shop/Store.java:9:"), "{}", state.text);

    let fixed = agent.call("edit", json!({ "file_path": "src/shop/Store.java", "old_string": "prices.get(name).missing()", "new_string": "prices.get(name)" }));
    assert_eq!(fixed.verdict(), "clean", "{}", fixed.text);

    let signature = agent.call("edit", json!({ "file_path": "src/shop/Store.java", "old_string": "price(String name)", "new_string": "price(String name, int amount)" }));
    assert_eq!(signature.verdict(), "problems", "{}", signature.text);
    assert!(
        signature.problems("elsewhere").iter().any(|problem| problem.starts_with("src/shop/Cart.java:9 ")),
        "{}",
        signature.text
    );
    // A tree of packages that was not there when it started.
    let other = "package gen;\n\npublic class Gen {\n    int count = \"many\";\n}\n";
    let made = agent.call("write", json!({ "file_path": "tools/gen/Gen.java", "content": other }));
    assert!(matches!(made.verdict(), "problems" | "timed_out"), "{}", made.text);
    let state = agent.wait_until_settled("tools/gen/Gen.java");
    assert!(state.text.contains("tools/gen/Gen.java:4:"), "{}", state.text);
    assert_eq!(state.problems("introduced").len(), 1, "{}", state.text);
    let mended =
        agent.call("edit", json!({ "file_path": "tools/gen/Gen.java", "old_string": "\"many\"", "new_string": "7" }));
    assert_eq!(mended.problems("introduced"), [""; 0], "{}", mended.text);
    assert_eq!(mended.verdict(), "clean", "{}", mended.text);

    for left in [".project", ".classpath", ".settings", "bin"] {
        assert!(!agent.root().join(left).exists(), "jdtls left {left} in the workspace");
    }
}
