//! The loop gate: the same failing call is not carried out for ever.

use serde_json::json;

use crate::support::Agent;

#[test]
fn the_same_failing_call_is_blocked_until_the_file_is_read_or_changed() {
    let mut agent = Agent::with_files(&[("a.txt", b"one\ntwo\n")]);
    let call = json!({ "file_path": "a.txt", "old_string": "three hundred lines of it", "new_string": "x" });
    for _ in 0..3 {
        assert_eq!(agent.call("edit", call.clone()).structured["code"], "not_found");
    }
    let blocked = agent.call("edit", call.clone());
    assert_eq!(blocked.structured["code"], "repeated", "{}", blocked.text);
    assert!(
        blocked.first_line().starts_with("not edited a.txt: this same call has failed 3 times (not_found)"),
        "{}",
        blocked.text
    );
    assert!(blocked.text.contains("\nHint: call `read` with file_path a.txt"), "{}", blocked.text);

    agent.call("read", json!({ "file_path": "a.txt" }));
    assert_eq!(agent.call("edit", call.clone()).structured["code"], "not_found");
    for _ in 0..3 {
        agent.call("edit", call.clone());
    }
    assert_eq!(agent.call("edit", call.clone()).structured["code"], "repeated");
    std::fs::write(agent.root().join("a.txt"), "three hundred lines of it\n").expect("writes");
    let landed = agent.call("edit", call);
    assert!(!landed.is_error, "a changed file opens the gate: {}", landed.text);
}
