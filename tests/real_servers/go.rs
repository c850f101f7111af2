//! gopls.

use serde_json::json;

use crate::support::{Agent, available, wait_until, working_in};

pub(crate) const FILES: &[(&str, &str)] = &[
    ("go.mod", "module example.com/shop\n\ngo 1.21\n"),
    (
        "store/store.go",
        "package store\n\n// Store keeps prices.\ntype Store struct{ prices map[string]int }\n\n// Price tells a price.\nfunc (s *Store) Price(name string) int {\n\treturn s.prices[name]\n}\n",
    ),
    (
        "cart/cart.go",
        "package cart\n\nimport \"example.com/shop/store\"\n\n// Total adds prices up.\nfunc Total(s *store.Store, names []string) int {\n\tsum := 0\n\tfor _, name := range names {\n\t\tsum += s.Price(name)\n\t}\n\treturn sum\n}\n",
    ),
];

fn ready() -> Option<Agent> {
    if !available("go", &["gopls", "go"]) {
        return None;
    }
    let mut agent = Agent::on_project(FILES);
    agent.call("read", json!({ "file_path": "store/store.go" }));
    let state = agent.wait_until_settled("store/store.go");
    assert_eq!(state.verdict(), "clean", "{}", state.text);
    Some(agent)
}

#[test]
fn a_type_error_appears_and_its_fix_clears_it() {
    let Some(mut agent) = ready() else { return };
    let broken = agent.call("edit", json!({ "file_path": "store/store.go", "old_string": "\treturn s.prices[name]", "new_string": "\treturn s.price[name]" }));
    assert_eq!(broken.verdict(), "problems", "{}", broken.text);
    assert!(broken.text.contains("store/store.go:8:11 error "), "{}", broken.text);
    let fixed = agent.call(
        "edit",
        json!({ "file_path": "store/store.go", "old_string": "s.price[name]", "new_string": "s.prices[name]" }),
    );
    assert_eq!(fixed.verdict(), "clean", "{}", fixed.text);
    assert_eq!(fixed.problems("fixed").len(), 1, "{}", fixed.text);
}

#[test]
fn another_file_broken_by_a_signature_change_is_named() {
    let Some(mut agent) = ready() else { return };
    let reply = agent.call("edit", json!({ "file_path": "store/store.go", "old_string": "Price(name string) int", "new_string": "Price(name string, amount int) int" }));
    assert_eq!(reply.verdict(), "problems", "{}", reply.text);
    assert!(reply.problems("elsewhere").iter().any(|problem| problem.starts_with("cart/cart.go:9 ")), "{}", reply.text);
    assert!(reply.problems("introduced").is_empty(), "{}", reply.text);
}

#[test]
fn a_cold_start_is_told_or_settled_and_the_real_report_arrives_once() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let mut agent = Agent::on_project(FILES);
    let call = json!({ "file_path": "store/store.go", "old_string": "\treturn s.prices[name]", "new_string": "\treturn s.price[name]", "settle": "later" });
    let first = agent.call("edit", call);
    assert!(matches!(first.verdict(), "later" | "loading"), "{}", first.text);
    let mut told = Vec::new();
    wait_until("the report that was owed arrives", || {
        let reply = agent.call("read", json!({ "file_path": "go.mod" }));
        if reply.text.starts_with("since your last call: store/store.go: ") {
            told.push(reply);
        }
        !told.is_empty()
    });
    assert!(told[0].text.contains("store/store.go:8:11 error"), "{}", told[0].text);
    let next = agent.call("read", json!({ "file_path": "go.mod" }));
    assert!(!next.text.contains("since your last call"), "{}", next.text);
}

#[test]
fn a_change_from_outside_counts() {
    let Some(mut agent) = ready() else { return };
    let path = agent.root().join("store/store.go");
    let broken = std::fs::read_to_string(&path).expect("reads").replace("prices[name]", "price[name]");
    std::fs::write(&path, broken).expect("writes");
    wait_until("the change is seen", || {
        agent.call("diagnostics", json!({ "file_path": "store/store.go" })).verdict() == "problems"
    });
}

#[test]
fn a_root_that_go_itself_leaves_out_is_never_called_clean() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let folder = tempfile::Builder::new().prefix(".hidden-").tempdir().expect("a folder");
    for (path, text) in FILES {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("writes");
    }
    let mut agent = Agent::start(folder.path(), &[], &[]);
    agent.wait_until_settled("store/store.go");
    let broken = json!({ "file_path": "store/store.go", "old_string": "\treturn s.prices[name]", "new_string": "\treturn s.price[name]" });
    let reply = agent.call("edit", broken);
    assert_eq!(reply.verdict(), "no_project", "{}", reply.text);
}

#[test]
fn nothing_outlives_the_service() {
    let Some(agent) = ready() else { return };
    let root = agent.root().to_owned();
    let pid = agent.pid();
    assert!(!working_in(&root, pid).is_empty(), "gopls runs in the workspace");
    agent.finish();
    wait_until("all processes end", || working_in(&root, pid).is_empty());
}
