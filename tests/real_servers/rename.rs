//! A rename over many files is what the language server itself says, byte for byte, and is made whole or not at all.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::peer::Peer;
use crate::support::{Agent, Reply, available};

/// Uses of the name, each in a file of its own.
const USES: usize = 12;

type Files = BTreeMap<String, String>;

fn go() -> Files {
    let mut files = Files::new();
    let mut put = |path: &str, text: String| files.insert(path.to_owned(), text);
    put("go.mod", "module example.com/shop\n\ngo 1.21\n".into());
    put(
        "store/store.go",
        "package store\n\n// Store keeps prices; Price tells one.\ntype Store struct{ prices map[string]int }\n\n// Price tells a price.\nfunc (s *Store) Price(name string) int {\n\treturn s.prices[name]\n}\n\n// Price of another thing keeps its name.\ntype Other struct{ Price int }\n".into(),
    );
    for n in 0..USES {
        let line = if n % 3 == 0 { "\r\n" } else { "\n" };
        let text = format!(
            "package use{n}\n\nimport \"example.com/shop/store\"\n\n// Total calls Price twice.\nfunc Total(s *store.Store) int {{\n\tnamé, o := \"𝄞é Price\", store.Other{{Price: {n}}}; return o.Price + s.Price(namé) + /* 𝄞 */ s.Price(\"é\")\n}}\n"
        );
        put(&format!("use{n}/use.go"), text.replace('\n', line));
    }
    files
}

fn java() -> Files {
    let mut files = Files::new();
    let mut put = |path: &str, text: String| files.insert(path.to_owned(), text);
    put(
        "src/shop/Store.java",
        "package shop;\n\npublic class Store {\n    /** A price. */\n    public int price(String name) {\n        return name.length();\n    }\n\n    public int price(int number) {\n        return number;\n    }\n}\n".into(),
    );
    for n in 0..USES {
        let line = if n % 3 == 0 { "\r\n" } else { "\n" };
        let text = format!(
            "package shop;\n\npublic class Use{n} {{\n    Store store = new Store();\n\n    int total() {{\n        return /* 𝄞é price */ store.price(\"é\") + store.price(\"price\") + store.price({n});\n    }}\n}}\n"
        );
        put(&format!("src/shop/Use{n}.java"), text.replace('\n', line));
    }
    files
}

fn zig() -> Files {
    let mut files = Files::new();
    let mut put = |path: &str, text: String| files.insert(path.to_owned(), text);
    put("src/store.zig", "/// A price.\npub fn price(amount: u32) u32 {\n    return amount * 3;\n}\n".into());
    for n in 0..USES {
        put(
            &format!("src/use{n}.zig"),
            format!(
                "const store = @import(\"store.zig\");\n\n// price twice\npub fn total() u32 {{\n    return \"é𝄞\".len + store.price({n}) + store.price(1);\n}}\n"
            ),
        );
    }
    files
}

fn laid_out(files: &Files) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("landfall-rename-").tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("writes");
    }
    folder
}

/// What lies in the folder now, of the kinds of files that `files` has.
fn on_disk(root: &Path, files: &Files) -> Files {
    let extensions: Vec<&str> = files.keys().filter_map(|path| path.rsplit('.').next()).collect();
    let (mut open, mut found) = (vec![root.to_owned()], Files::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("reads").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
            if path.is_dir() && !name.contains(".zig-cache") {
                open.push(path);
            } else if path.extension().is_some_and(|own| extensions.iter().any(|known| own == *known)) {
                found.insert(name, std::fs::read_to_string(&path).expect("UTF-8"));
            }
        }
    }
    found
}

/// Calls `rename` until the language server has loaded.
fn rename(agent: &mut Agent, arguments: &Value) -> Reply {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(180);
    loop {
        let reply = agent.call("rename", arguments.clone());
        if !matches!(reply.structured["code"].as_str(), Some("loading" | "timed_out")) {
            return reply;
        }
        assert!(std::time::Instant::now() < deadline, "not loaded in time: {}", reply.text);
        agent.call("diagnostics", json!({}));
    }
}

/// The Java that the language server of the workspace at `root` was started with.
fn java_of(root: &Path) -> Vec<(String, String)> {
    let processes = std::fs::read_dir("/proc").expect("a /proc").flatten().map(|entry| entry.path());
    let of_root = processes.filter(|path| std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == root));
    let environments = of_root.filter_map(|path| std::fs::read(path.join("environ")).ok());
    let homes = environments.flat_map(|environment| {
        let words: Vec<String> =
            environment.split(|b| *b == 0).map(|w| String::from_utf8_lossy(w).into_owned()).collect();
        words.into_iter().filter(|word| word.starts_with("JAVA_HOME=") || word.starts_with("PATH="))
    });
    let mut found: Vec<(String, String)> =
        homes.filter_map(|word| word.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned()))).collect();
    // That of the language server, not that of the service.
    let java = found.iter().rev().find(|(name, _)| name == "JAVA_HOME").map(|(_, home)| format!("{home}/bin"));
    found.retain(|(name, value)| name == "JAVA_HOME" || java.as_ref().is_some_and(|java| value.starts_with(java)));
    found
}

fn changed(before: &Files, after: &Files) -> usize {
    after.iter().filter(|(path, text)| before.get(*path) != Some(text)).count()
}

#[test]
fn gopls_renames_over_many_files() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let files = go();
    let theirs = {
        let folder = laid_out(&files);
        let mut peer = Peer::start(&["gopls"], folder.path(), &json!({}), &[]);
        peer.open("store/store.go", "go");
        peer.renamed(&files, ("store/store.go", 6, 16), "Cost")
    };
    assert!(changed(&files, &theirs) > USES, "{theirs:?}");
    let folder = laid_out(&files);
    let mut agent = Agent::start(folder.path(), &[], &[]);
    let reply = rename(&mut agent, &json!({ "symbol": "Store.Price", "new_name": "Cost" }));
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(on_disk(folder.path(), &files), theirs, "{}", reply.text);
    assert!(
        reply.text.starts_with("edited 13 files: Price is now Cost (26 places, all of them on disk)\n"),
        "{}",
        reply.text
    );
    assert!(
        reply.text.contains("\n  store/store.go: 2 places, lines 6-7, +2 -2") && reply.text.len() < 10_000,
        "{}",
        reply.text
    );
    assert_eq!(reply.structured["files"].as_array().map(Vec::len), Some(13));

    let undone = agent.call("undo", json!({}));
    assert_eq!(on_disk(folder.path(), &files), files, "{}", undone.text);
}

#[test]
fn a_rename_in_the_first_second_is_whole_or_refused() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let files = go();
    let folder = laid_out(&files);
    let mut agent = Agent::start(folder.path(), &[], &[]);
    let call =
        json!({ "file_path": "use1/use.go", "line": 7, "symbol": "s.Price", "new_name": "Cost", "settle": "later" });
    let reply = agent.call("rename", call);
    let after = on_disk(folder.path(), &files);
    let count = changed(&files, &after);
    assert!(if reply.is_error { count == 0 } else { count == USES + 1 }, "{count} files: {}", reply.text);
}

#[test]
fn jdtls_renames_methods_and_moves_the_files_of_types() {
    if !available("java", &["jdtls"]) {
        return;
    }
    let files = java();
    let folder = laid_out(&files);
    let mut agent = Agent::start(folder.path(), &[], &[]);
    agent.wait_until_settled("src/shop/Store.java");
    let (method, class) = {
        let (theirs, data) = (laid_out(&files), tempfile::tempdir().expect("a folder"));
        let settings = json!({ "java": { "project": { "sourcePaths": ["src"] } } });
        let command = ["jdtls", "-data", data.path().to_str().expect("UTF-8")];
        let environment = java_of(agent.root());
        let mut peer = Peer::start(&command, theirs.path(), &json!({ "settings": settings }), &environment);
        peer.open("src/shop/Store.java", "java");
        peer.wait_for("ServiceReady");
        let method = peer.renamed(&files, ("src/shop/Store.java", 4, 15), "cost");
        (method, peer.renamed(&files, ("src/shop/Store.java", 2, 13), "Shelf"))
    };
    assert!(changed(&files, &method) > USES && class.contains_key("src/shop/Shelf.java"), "{method:?} {class:?}");
    let call = json!({ "file_path": "src/shop/Store.java", "line": 5, "symbol": "price", "new_name": "cost" });
    let reply = rename(&mut agent, &call);
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(on_disk(folder.path(), &files), method, "{}", reply.text);
    let undone = agent.call("undo", json!({}));
    assert_eq!(on_disk(folder.path(), &files), files, "{}", undone.text);

    let reply = rename(&mut agent, &json!({ "symbol": "Store", "new_name": "Shelf" }));
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(on_disk(folder.path(), &files), class, "{}", reply.text);
    assert!(reply.text.contains("\n  moved src/shop/Store.java to src/shop/Shelf.java: "), "{}", reply.text);
}

#[test]
fn zls_renames_what_it_was_shown_all_of() {
    if !available("zls", &["zls"]) {
        return;
    }
    let files = zig();
    let theirs = {
        let folder = laid_out(&files);
        let mut peer = Peer::start(&["zls"], folder.path(), &json!({}), &[]);
        for file in files.keys() {
            peer.open(file, "zig");
        }
        peer.renamed(&files, ("src/store.zig", 1, 7), "cost")
    };
    assert!(changed(&files, &theirs) > USES, "{theirs:?}");
    let folder = laid_out(&files);
    let mut agent = Agent::start(folder.path(), &[], &[]);
    let reply = rename(&mut agent, &json!({ "symbol": "price", "new_name": "cost" }));
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(on_disk(folder.path(), &files), theirs, "{}", reply.text);
}

#[test]
fn what_cannot_be_renamed_leaves_every_file_as_it_was() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let files = go();
    let folder = laid_out(&files);
    let mut agent = Agent::start(folder.path(), &[], &[]);
    for (call, code) in [
        (json!({ "symbol": "Store.Price", "new_name": "prices" }), "refused"),
        (json!({ "symbol": "Store.Price", "new_name": "a b" }), "bad_name"),
        (json!({ "symbol": "Store.Price", "new_name": "Price" }), "already_applied"),
        (json!({ "symbol": "Store.Pricey", "new_name": "Cost" }), "no_such_symbol"),
        (json!({ "file_path": "use1/use.go", "line": 3, "symbol": "store", "new_name": "" }), "bad_name"),
        (json!({ "file_path": "use1/use.go", "line": 6, "symbol": "int", "new_name": "Cost" }), "not_renamable"),
    ] {
        let reply = rename(&mut agent, &call);
        assert!(reply.is_error, "{call}: {}", reply.text);
        assert_eq!(reply.structured["code"], code, "{call}: {}", reply.text);
        assert!(
            reply.text.starts_with("not edited ") || reply.text.starts_with("Nothing was written. "),
            "{}",
            reply.text
        );
        assert_eq!(on_disk(folder.path(), &files), files, "{call}: {}", reply.text);
    }
}

/// A file in the middle of those that are written lies on a full disk.
#[test]
fn one_write_that_fails_leaves_every_file_as_it_was() {
    if !available("go", &["gopls", "go"]) {
        return;
    }
    let files = go();
    let folder = laid_out(&files);
    let small = folder.path().join("use5");
    let run = |program: &str, arguments: &[&str]| {
        let ran = std::process::Command::new(program).args(arguments).arg(&small).output();
        ran.is_ok_and(|output| output.status.success())
    };
    if !run("mount", &["-t", "tmpfs", "-o", "size=64k", "tmpfs"]) {
        eprintln!("skipped: no tmpfs can be mounted here");
        return;
    }
    std::fs::write(small.join("use.go"), &files["use5/use.go"]).expect("writes");
    let mut rest = std::fs::File::create(small.join("rest.txt")).expect("creates");
    // Until it is full.
    while std::io::Write::write_all(&mut rest, &[b'x'; 1024]).is_ok() {}
    let outcome = std::panic::catch_unwind(|| {
        let mut agent = Agent::start(folder.path(), &[], &[]);
        let reply = rename(&mut agent, &json!({ "symbol": "Store.Price", "new_name": "Cost" }));
        assert!(reply.is_error, "{}", reply.text);
        assert_eq!(reply.structured["code"], "no_space", "{}", reply.text);
        assert!(reply.text.contains("none of the 13 files of this call was changed"), "{}", reply.text);
        assert_eq!(on_disk(folder.path(), &files), files, "{}", reply.text);
        std::fs::write(small.join("rest.txt"), "").expect("empties");
        let reply = rename(&mut agent, &json!({ "symbol": "Store.Price", "new_name": "Cost", "settle": "later" }));
        assert!(!reply.is_error, "{}", reply.text);
    });
    assert!(run("umount", &["-l"]));
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}
