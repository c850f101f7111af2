//! `landfall config`, driven as a person would, in nobody's home.
//!
//! A case in `fixtures/config/*.txt` is prose (why), then sections headed `-- NAME --`: `arguments`; `in/PATH` for each
//! file of the home before; `out/PATH` for each file that is another one after; `said` for what stood on the terminal.
//! `@PROGRAM@` is the program's own path, `@HOME@` the home, `␍` a carriage return, `␄` no newline at the end.
//! `UPDATE_EXPECT=1` rewrites what is expected.

#![allow(clippy::unwrap_used)] // A test may fail by it.

#[path = "support/sections.rs"]
mod sections;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

type Files = BTreeMap<String, String>;

const PROGRAM: &str = env!("CARGO_BIN_EXE_landfall");

#[derive(Debug, Default, PartialEq)]
struct Case {
    why: String,
    arguments: String,
    before: Files,
    after: Files,
    said: String,
}

/// A home folder of a test.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::Builder::new().prefix("home").tempdir().unwrap())
    }

    fn with(files: &Files) -> Home {
        let home = Home::new();
        for (path, text) in files {
            home.put(path, &home.filled_in(text));
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs `landfall config` in the folder `project` of this home; whether it went well, and all it said.
    fn config(&self, arguments: &str) -> (bool, String) {
        let project = self.path("project");
        fs::create_dir_all(&project).unwrap();
        let output = Command::new(PROGRAM)
            .arg("config")
            .args(arguments.split_whitespace())
            .current_dir(project)
            .env_clear()
            .env("HOME", self.0.path())
            .env("PATH", "/usr/bin")
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), self.masked(&String::from_utf8(said).unwrap()))
    }

    fn masked(&self, text: &str) -> String {
        let real = self.0.path().canonicalize().unwrap();
        let text = text.replace(PROGRAM, "@PROGRAM@").replace(real.to_str().unwrap(), "@HOME@");
        text.replace(self.0.path().to_str().unwrap(), "@HOME@")
    }

    fn filled_in(&self, text: &str) -> String {
        text.replace("@PROGRAM@", PROGRAM).replace("@HOME@", self.0.path().to_str().unwrap())
    }

    /// All files below the home, masked.
    fn files(&self) -> Files {
        let mut files = Files::new();
        let mut folders = vec![self.0.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(self.0.path()).unwrap().to_str().unwrap().to_owned();
                files.insert(name, self.masked(&fs::read_to_string(&path).unwrap()));
            }
        }
        files
    }
}

#[test]
fn clients_get_what_their_fixtures_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/config");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut failures = String::new();
    for path in &paths {
        let written = fs::read_to_string(path).unwrap();
        let case = read(&written);
        let found = write(&run(case));
        if found == written {
            continue;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(path, found).unwrap();
        } else {
            let _ = writeln!(failures, "== {}\n{found}", path.display());
        }
    }
    assert!(!paths.is_empty());
    assert!(failures.is_empty(), "{failures}");
}

/// Carries out the case; what was there is in the copy, and doing it again changes nothing.
fn run(case: Case) -> Case {
    let home = Home::with(&case.before);
    let (well, said) = home.config(&case.arguments);
    let files = home.files();
    let is_copy = |name: &str| name.contains(".before-landfall-");
    for (name, text) in files.iter().filter(|(name, _)| is_copy(name)) {
        let original = name.split(".before-landfall-").next().unwrap();
        assert_eq!(Some(text), case.before.get(original), "{name}");
    }
    if well && case.arguments.contains("--write") {
        let (well, again) = home.config(&case.arguments);
        assert!(well && again.contains("has it already") && !again.contains("to undo"), "{again}");
        assert_eq!(home.files(), files, "done again");
    }
    let after: Files = files.into_iter().filter(|(name, _)| !is_copy(name)).collect();
    let before: Files = case.before.iter().map(|(name, text)| (name.clone(), text.clone())).collect();
    Case { after: after.into_iter().filter(|(name, text)| before.get(name) != Some(text)).collect(), said, ..case }
}

fn read(written: &str) -> Case {
    let (why, sections) = sections::sections(written);
    let mut case = Case { why, ..Case::default() };
    for (name, body) in sections {
        match name.split_once('/') {
            Some(("in", path)) => drop(case.before.insert(path.to_owned(), body)),
            Some(("out", path)) => drop(case.after.insert(path.to_owned(), body)),
            _ if name == "arguments" => case.arguments = body,
            _ => case.said = body,
        }
    }
    case
}

fn write(case: &Case) -> String {
    let mut out = case.why.clone();
    let mut section = |name: &str, text: &str| {
        let _ = writeln!(out, "-- {name} --");
        out.push_str(&text.replace('\r', "␍"));
        if !text.is_empty() && !text.ends_with('\n') {
            out.push_str("␄\n");
        }
    };
    section("arguments", &case.arguments);
    case.before.iter().for_each(|(path, text)| section(&format!("in/{path}"), text));
    case.after.iter().for_each(|(path, text)| section(&format!("out/{path}"), text));
    section("said", &case.said);
    out
}

#[test]
fn a_link_stays_a_link_and_a_private_file_private() {
    let home = Home::new();
    home.put("dotfiles/gemini.json", "{}\n");
    fs::set_permissions(home.path("dotfiles/gemini.json"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir_all(home.path(".gemini")).unwrap();
    symlink("../dotfiles/gemini.json", home.path(".gemini/settings.json")).unwrap();
    let (well, said) = home.config("gemini --write");
    assert!(well, "{said}");
    assert!(home.path(".gemini/settings.json").is_symlink());
    assert!(home.text("dotfiles/gemini.json").contains("landfall"));
    for name in ["dotfiles/gemini.json", ".gemini/settings.json.before-landfall-1"] {
        let mode = home.path(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_link_to_nowhere_is_left_alone() {
    let home = Home::new();
    fs::create_dir_all(home.path(".cursor")).unwrap();
    symlink("/nowhere/mcp.json", home.path(".cursor/mcp.json")).unwrap();
    let (well, said) = home.config("cursor --write");
    assert!(!well && said.contains("a link that leads nowhere"), "{said}");
    assert!(home.path(".cursor/mcp.json").is_symlink());
}

#[test]
fn of_two_files_none_is_written_when_one_is_broken() {
    let home = Home::new();
    home.put(".claude.json", "{}");
    home.put(".claude/settings.json", "{\n  \"permissions\": {,}\n}\n");
    let (well, said) = home.config("claude-code --replace --write");
    assert!(!well && said.contains(".claude/settings.json:2:19:"), "{said}");
    assert_eq!(home.text(".claude.json"), "{}");
}

#[test]
fn what_is_told_for_undoing_undoes() {
    let home = Home::new();
    home.put(".cursor/mcp.json", "{ \"mcpServers\": {} } // mine\n");
    for (arguments, file, before) in [
        ("cursor --write", ".cursor/mcp.json", Some("{ \"mcpServers\": {} } // mine\n")),
        ("zed --write", ".config/zed/settings.json", None),
    ] {
        let (_, said) = home.config(arguments);
        let undo = said.lines().find_map(|line| line.strip_prefix("to undo: ")).expect(&said);
        assert!(Command::new("sh").arg("-c").arg(home.filled_in(undo)).status().unwrap().success(), "{undo}");
        assert_eq!(fs::read_to_string(home.path(file)).ok().as_deref(), before);
    }
}

/// A client: its arguments, its file, and what a user's own entry stands under there.
struct Target {
    arguments: &'static str,
    file: &'static str,
    under: &'static [&'static str],
}

const TARGETS: &[Target] = &[
    Target { arguments: "claude-code", file: ".claude.json", under: &["mcpServers"] },
    Target { arguments: "claude-code --hooks", file: ".claude/settings.json", under: &[] },
    Target { arguments: "claude-code --project", file: "project/.mcp.json", under: &["mcpServers"] },
    Target { arguments: "opencode", file: ".config/opencode/opencode.json", under: &["mcp"] },
    Target { arguments: "opencode --v2", file: ".config/opencode/opencode.json", under: &["mcp", "servers"] },
    Target { arguments: "codex", file: ".codex/config.toml", under: &["mcp_servers"] },
    Target { arguments: "gemini", file: ".gemini/settings.json", under: &["mcpServers"] },
    Target { arguments: "zed", file: ".config/zed/settings.json", under: &["context_servers"] },
    Target { arguments: "vscode", file: ".config/Code/User/mcp.json", under: &["servers"] },
    Target { arguments: "cursor", file: ".cursor/mcp.json", under: &["mcpServers"] },
    Target { arguments: "crush", file: ".config/crush/crush.json", under: &["mcp"] },
];

impl Target {
    fn is_toml(&self) -> bool {
        self.file.ends_with(".toml")
    }

    /// A file of a user's, with comments, keys that are not ours, an entry of their own, and a comma behind the last item.
    fn users_file(&self, own: bool) -> String {
        if self.is_toml() {
            let entry = "[mcp_servers.landfall] # mine\nenabled = false\nenv = { \"A\" = \"b\" }\n";
            let own = if own { entry } else { "" };
            return format!("# \u{e9}t\u{e9}\nmodel = 'x' # a model\n\n{own}\n[tui]\n  theme = \"dark\"\n# the end\n");
        }
        let entry = "\"landfall\": { /* mine */ \"enabled\": false, \"env\": { \"A\": \"b\" } },";
        let inner = if own { entry } else { "" };
        let open: String = self.under.iter().map(|key| format!("\"{key}\": {{ ")).collect();
        let close = "}".repeat(self.under.len());
        let servers = if own && !self.under.is_empty() { format!("  {open}{inner} {close},\n") } else { String::new() };
        format!(
            "{{\n  // \u{e9}t\u{e9}\n{servers}  \"theme\" : \"dark\", /* dark */\n  \"list\": [1,\n 2,],\n}}\n// the end\n"
        )
    }

    /// The same, broken, and the line on which that is seen.
    fn broken(&self) -> (&'static str, &'static str) {
        if self.is_toml() { ("a = 1\n\n[b\nc = 2\n", ":3:") } else { ("{\n  \"a\": 1,\n  \"b\" 2\n}\n", ":3:") }
    }
}

fn write_arguments(target: &Target) -> String {
    format!("{} --write", target.arguments)
}

/// Carries out what is said to undo it.
fn undo(home: &Home, said: &str) {
    let undo = said.lines().find_map(|line| line.strip_prefix("to undo: ")).expect(said);
    assert!(Command::new("sh").arg("-c").arg(home.filled_in(undo)).status().unwrap().success(), "{undo}");
}

#[test]
fn every_kind_of_file_keeps_what_is_in_it_and_comes_back_byte_for_byte() {
    for target in TARGETS {
        for own in [false, true] {
            let plain = target.users_file(own);
            let windows = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
            let unended = plain.trim_end().to_owned();
            for before in [plain, windows, unended, String::new(), "\u{feff}".to_owned()] {
                let (home, context) = (Home::new(), format!("{} {before:?}", target.arguments));
                home.put(target.file, &before);
                let (well, said) = home.config(&write_arguments(target));
                assert!(well, "{context}: {said}");
                let after = home.text(target.file);
                assert!(after.contains("landfall") && after != before, "{context}: {after}");
                assert_eq!(after.starts_with('\u{feff}'), before.starts_with('\u{feff}'), "{context}");
                if before.contains("\r\n") {
                    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{context}: {after:?}");
                }
                kept(&before, &after, &context);
                let (well, again) = home.config(&write_arguments(target));
                assert!(well && again.contains("has it already"), "{context}: {again}");
                assert_eq!(home.text(target.file), after, "{context}: done again");
                undo(&home, &said);
                assert_eq!(home.text(target.file), before, "{context}: undone");
            }
        }
    }
}

/// All words of the file before are there still, in their order.
fn kept(before: &str, after: &str, context: &str) {
    let mut rest = after;
    for word in before.split([' ', '\r', '\n', ',']).filter(|word| !word.is_empty()) {
        let at = rest.find(word).unwrap_or_else(|| panic!("{context}: {word:?} is gone: {after}"));
        rest = &rest[at + word.len()..];
    }
}

#[test]
fn without_a_file_one_is_made_and_undoing_takes_it_away() {
    for target in TARGETS {
        let home = Home::new();
        let (well, said) = home.config(&write_arguments(target));
        assert!(well && home.text(target.file).contains("landfall"), "{}: {said}", target.arguments);
        undo(&home, &said);
        assert_eq!(home.files(), Files::new(), "{}", target.arguments);
    }
}

#[test]
fn what_is_broken_or_read_only_is_refused_and_left_alone() {
    for target in TARGETS {
        let (broken, line) = target.broken();
        let read_only = target.users_file(false);
        for (text, mode, expected) in [(broken, 0o644, line), (&read_only, 0o444, "is read-only. Nothing was written")]
        {
            let home = Home::new();
            home.put(target.file, text);
            fs::set_permissions(home.path(target.file), fs::Permissions::from_mode(mode)).unwrap();
            let before = home.files();
            let (well, said) = home.config(&write_arguments(target));
            assert!(!well && said.contains(expected) && said.contains(target.file), "{}: {said}", target.arguments);
            assert!(said.contains("Nothing was written"), "{said}");
            assert_eq!(home.files(), before, "{}", target.arguments);
        }
    }
}

#[test]
fn a_link_is_followed_and_stays_and_undoing_goes_through_it() {
    for target in TARGETS {
        let home = Home::new();
        let before = target.users_file(true);
        home.put("dotfiles/settings", &before);
        fs::create_dir_all(home.path(target.file).parent().unwrap()).unwrap();
        symlink(home.path("dotfiles/settings"), home.path(target.file)).unwrap();
        let (well, said) = home.config(&write_arguments(target));
        assert!(well && home.text("dotfiles/settings") != before, "{}: {said}", target.arguments);
        assert!(home.path(target.file).is_symlink(), "{}", target.arguments);
        undo(&home, &said);
        assert!(home.path(target.file).is_symlink(), "{}", target.arguments);
        assert_eq!(home.text("dotfiles/settings"), before, "{}", target.arguments);
    }
}
