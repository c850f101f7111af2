//! The Zig compiler as the checker, with zls beside it where there is one.

use serde_json::json;

use crate::support::{Agent, available, installed};

const BUILD: &str = r#"const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const module = b.createModule(.{ .root_source_file = b.path("src/main.zig"), .target = target });
    const exe = b.addExecutable(.{ .name = "shop", .root_module = module });
    b.installArtifact(exe);
    const check = b.step("check", "Compile without installing");
    check.dependOn(&exe.step);
}
"#;

const FILES: &[(&str, &str)] = &[
    ("build.zig", BUILD),
    ("src/main.zig", "const store = @import(\"store.zig\");\n\npub fn main() void {\n    _ = store.price(2);\n}\n"),
    ("src/store.zig", "pub fn price(amount: u32) u32 {\n    return amount * 3;\n}\n"),
];

#[test]
fn type_errors_appear_clear_and_are_named_in_other_files() {
    if !available("zig-check", &["zig"]) {
        return;
    }
    let mut agent = Agent::on_project(FILES);
    agent.call("read", json!({ "file_path": "src/store.zig" }));
    let state = agent.wait_until_settled("src/store.zig");
    assert_eq!(state.verdict(), "clean", "{}", state.text);
    assert!(state.text.contains("zig build check"), "the verdict says how far it sees: {}", state.text);

    // The compiler is slow, and a machine may stand still for seconds.
    let mut edit = |old: &str, new: &str| {
        let edit = json!({ "file_path": "src/store.zig", "old_string": old, "new_string": new, "settle_ms": 9000 });
        agent.call("edit", edit)
    };
    let broken = edit("    return amount * 3;", "    return \"three\";");
    assert_eq!(broken.verdict(), "problems", "{}", broken.text);
    assert!(broken.text.contains("src/store.zig:2:"), "{}", broken.text);

    let fixed = edit("return \"three\";", "return amount * 4;");
    assert_eq!(fixed.verdict(), "clean", "{}", fixed.text);

    let signature = edit(
        "price(amount: u32) u32 {\n    return amount * 4;",
        "price(amount: u32, rate: u32) u32 {\n    return amount * rate;",
    );
    assert!(
        signature.problems("elsewhere").iter().any(|problem| problem.starts_with("src/main.zig:4 ")),
        "{}",
        signature.text
    );
    assert!(!agent.root().join("zig-out").exists(), "the check leaves no output behind");
    // zls itself runs the build script in the workspace when it loads the build configuration.
    assert!(installed("zls") || !agent.root().join(".zig-cache").exists(), "the check leaves no cache behind");
}
