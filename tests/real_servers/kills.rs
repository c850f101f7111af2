//! Language servers killed at random moments while an agent edits: no edit is lost, no verdict is false, nothing is left.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::{Agent, PATIENCE, available, wait_until, working_in};

/// How often each project is edited.
const EDITS: usize = 200;

/// A project with a line to change in each of some files, and its language server.
struct Victim {
    /// What the program is called in a command line.
    program: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Those with a `= 0; // step` or `= 0 // step` in them.
    edited: &'static [&'static str],
    /// In the first of them: right, and wrong.
    right: &'static str,
    wrong: &'static str,
    kills: usize,
}

const GO: Victim = Victim {
    program: "gopls",
    files: &[
        ("go.mod", "module example.com/kills\n\ngo 1.21\n"),
        (
            "a/a.go",
            "package a\n\n// Step counts.\nconst Step = 0 // step\n\n// F gives it.\nfunc F() int { return Step }\n",
        ),
        (
            "b/b.go",
            "package b\n\nimport \"example.com/kills/a\"\n\nvar own = 0 // step\n\n// G uses it.\nfunc G() int { return a.F() + own }\n",
        ),
    ],
    edited: &["a/a.go", "b/b.go"],
    right: "return Step",
    wrong: "return step",
    kills: 3,
};

const JAVA: Victim = Victim {
    program: "jdt",
    files: &[
        (
            "src/k/A.java",
            "package k;\n\npublic class A {\n    static final int STEP = 0; // step\n\n    int f() {\n        return STEP;\n    }\n}\n",
        ),
        (
            "src/k/B.java",
            "package k;\n\npublic class B {\n    int own = 0; // step\n\n    int g(A a) {\n        return a.f() + own;\n    }\n}\n",
        ),
    ],
    edited: &["src/k/A.java", "src/k/B.java"],
    right: "return STEP",
    wrong: "return step",
    kills: 1,
};

const ZIG: Victim = Victim {
    program: "zls",
    files: &[
        (
            "build.zig",
            "const std = @import(\"std\");\n\npub fn build(b: *std.Build) void {\n    const target = b.standardTargetOptions(.{});\n    const module = b.createModule(.{ .root_source_file = b.path(\"src/main.zig\"), .target = target });\n    const exe = b.addExecutable(.{ .name = \"kills\", .root_module = module });\n    b.step(\"check\", \"Compile\").dependOn(&exe.step);\n}\n",
        ),
        (
            "src/main.zig",
            "const other = @import(\"other.zig\");\n\nconst step: u32 = 0; // step\n\npub fn main() void {\n    _ = other.price(step);\n}\n",
        ),
        (
            "src/other.zig",
            "const own: u32 = 0; // step\n\npub fn price(amount: u32) u32 {\n    return amount + own;\n}\n",
        ),
    ],
    edited: &["src/main.zig", "src/other.zig"],
    right: "price(step)",
    wrong: "price(\"step\")",
    kills: 3,
};

#[test]
fn gopls() {
    if available("go", &["gopls", "go"]) {
        play(&GO);
    }
}

#[test]
fn jdtls() {
    if available("java", &["jdtls"]) {
        play(&JAVA);
    }
}

#[test]
fn zls() {
    if available("zls", &["zls", "zig"]) {
        play(&ZIG);
    }
}

fn play(victim: &Victim) {
    let mut random = Random::new();
    eprintln!("{}: LANDFALL_SEED={}", victim.program, random.0);
    let mut agent = Agent::on_project(victim.files);
    agent.call("read", json!({ "file_path": victim.edited[0] }));
    settled(&mut agent, victim.edited[0]);
    let mut moments: Vec<usize> = (0..victim.kills).map(|_| random.below(EDITS)).collect();
    let mut expected: Vec<(&str, String, usize)> = Vec::new();
    for path in victim.edited {
        expected.push((path, agent.text(path), 0));
    }
    let mut killed = 0;
    for number in 0..EDITS {
        let which = random.below(expected.len());
        let (path, text, step) = &mut expected[which];
        let (old, new) = (at_step(text, *step), at_step(text, *step + 1));
        *text = text.replace(&old, &new);
        *step += 1;
        // Waiting for every verdict while nobody is there to give one would be long, and no better.
        let settle = if random.below(4) == 0 { "now" } else { "later" };
        let call = json!({ "file_path": path, "old_string": old, "new_string": new, "settle": settle });
        let id = agent.post("edit", call);
        if moments.contains(&number) {
            // The moment is random; nothing is waited for here.
            std::thread::park_timeout(Duration::from_micros(random.below(40_000) as u64));
            if kill(agent.root(), agent.pid(), victim.program) {
                killed += 1;
            } else {
                // It was down already: later, then.
                moments.push(number + 1 + random.below(20));
            }
        }
        let reply = agent.reply(id);
        // What was owed may stand above.
        assert!(reply.text.contains(&format!("edited {path}: ")), "edit {number}: {}", reply.text);
    }
    assert!(killed > 0, "none was killed");
    for (path, text, _) in &expected {
        assert_eq!(agent.text(path), *text, "{path}");
    }
    assert_eq!(settled(&mut agent, victim.edited[0]), "clean");
    // Its successor has the present text, or it would not see this.
    let first = victim.edited[0];
    agent.call("edit", json!({ "file_path": first, "old_string": victim.right, "new_string": victim.wrong }));
    assert_eq!(settled(&mut agent, first), "problems");
    agent.call("edit", json!({ "file_path": first, "old_string": victim.wrong, "new_string": victim.right }));
    assert_eq!(settled(&mut agent, first), "clean");
    let (root, pid) = (agent.root().to_owned(), agent.pid());
    assert_eq!(agent.finish(), 0);
    wait_until("all processes end", || working_in(&root, pid).is_empty());
}

/// The line to change, as it is after so many changes.
fn at_step(text: &str, step: usize) -> String {
    let end = if text.contains("; // step") { "; // step" } else { " // step" };
    format!("= {step}{end}")
}

/// The verdict once there is one.
fn settled(agent: &mut Agent, file: &str) -> String {
    let deadline = Instant::now() + 3 * PATIENCE;
    loop {
        let reply = agent.call("diagnostics", json!({ "file_path": file }));
        match reply.verdict() {
            "clean" | "problems" => return reply.verdict().to_owned(),
            _ => assert!(Instant::now() < deadline, "not settled in time: {}", reply.text),
        }
    }
}

/// Kills the language server (of jdtls only the Java, or only its launcher, as chance has it: the first that is found).
fn kill(root: &Path, service: u32, program: &str) -> bool {
    let is_meant = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(program)
    };
    let Some(pid) = working_in(root, service).into_iter().find(is_meant) else { return false };
    Pid::from_raw(pid.cast_signed()).is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}

/// Numbers from a seed that is printed; `LANDFALL_SEED` gives it.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let given = std::env::var("LANDFALL_SEED").ok().and_then(|seed| seed.parse().ok());
        let now = || std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_nanos() as u64);
        Random(given.unwrap_or_else(now))
    }

    /// SplitMix64.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}
