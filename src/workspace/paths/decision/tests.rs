use proptest::strategy::Strategy;

use super::super::disk::fake::FakeDisk;
use super::super::{Access, AllowRule};
use super::*;

const ROOT: &str = "/home/user/work/acme-harnesses/runs-hb11/t14-ledger-go";
const TYPO: &str = "/home/user/work/acme_harness/runs_hb11/t14-ledger-go";

fn rules() -> PathRules {
    PathRules {
        root: ROOT.into(),
        spellings: vec!["/elsewhere/ledger".into()],
        recovery: Recovery::Correct,
        allow: Vec::new(),
        durability: Default::default(),
    }
}

/// A workspace of four files, and more.
fn disk(more: &[&str]) -> FakeDisk {
    let files =
        ["{root}/errors.go", "{root}/internal/store/store.go", "{root}/internal/http/handler.go", "{root}/README.md"];
    let paths: Vec<String> = files.iter().chain(more).map(|path| path.replace("{root}", ROOT)).collect();
    FakeDisk::new(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What becomes of a path: where it leads (`!` when it was put right), or the code and the suggestion.
fn outcome(disk: &FakeDisk, rules: &PathRules, purpose: Purpose, typed: &str) -> String {
    let typed = typed.replace("{root}", ROOT).replace("{typo}", TYPO);
    match resolve_on(disk, rules, &typed, purpose) {
        Ok(resolved) => format!("{}{}", resolved.relative, if resolved.note.is_some() { " !" } else { "" }),
        Err(refused) => {
            assert!(refused.message.chars().count() < 600, "{}", refused.message);
            assert!(
                typed.chars().count() > 300 || refused.message.contains(shown(&typed).as_str()),
                "{}",
                refused.message
            );
            format!("{}: {}", refused.code.name(), refused.suggestion.as_deref().unwrap_or("-"))
        }
    }
}

#[track_caller]
fn check(more: &[&str], purpose: Purpose, cases: &[(&str, &str)]) {
    let disk = disk(more);
    for (typed, expected) in cases {
        assert_eq!(outcome(&disk, &rules(), purpose, typed), *expected, "{typed}");
    }
}

#[test]
fn a_file_is_found_by_every_harmless_spelling() {
    let file = "internal/store/store.go";
    for typed in [
        "internal/store/store.go",
        "{root}/internal/store/store.go",
        "/internal/store/store.go",
        "t14-ledger-go/internal/store/store.go",
        "runs-hb11/t14-ledger-go/internal/store/store.go",
        "{root}/x/../internal//store/store.go",
        "a/internal/store/store.go:12",
        "`internal\\store\\store.go`\n",
        "file://{root}/internal/store/store.go",
        "~/work/acme-harnesses/runs-hb11/t14-ledger-go/internal/store/store.go",
        "{root}{root}/internal/store/store.go",
        "/elsewhere/ledger/internal/store/store.go",
        "@internal/store/store.go",
    ] {
        check(&[], Purpose::EditFile, &[(typed, file)]);
    }
}

#[test]
fn a_mistyped_root_is_put_right() {
    check(
        &[],
        Purpose::EditFile,
        &[
            ("{typo}/errors.go", "errors.go !"),
            ("{typo}/internal/store/store.go:7", "internal/store/store.go !"),
            ("/home/user/work/acme/harnesses/runs/hb11/t14-ledger-go/errors.go", "errors.go !"),
            ("home/user/work/acme_harnesses/runs-hb11/t14-ledger-go/errors.go", "errors.go !"),
            ("t14_ledger_go/internal/http/handler.go", "internal/http/handler.go !"),
            ("{root}/home/user/work/acme_harnesses/runs-hb11/t14-ledger-go/errors.go", "errors.go !"),
            ("{typo}/t14-ledger-go/errors.go", "errors.go !"),
            ("{typo}/error.go", "path_outside: errors.go"),
            ("{typo}", "path_outside: -"),
        ],
    );
    check(
        &[],
        Purpose::WriteFile,
        &[
            ("{typo}/internal/store/new.go", "internal/store/new.go !"),
            ("{typo}/new.go", "new.go !"),
            ("{typo}/errors.go", "errors.go !"),
            ("{typo}/internal/new/new.go", "path_outside: -"),
        ],
    );
    check(
        &[],
        Purpose::Directory,
        &[
            ("{typo}", " !"),
            ("{typo}/internal", "internal !"),
            ("t14-ledger-go", ""),
            (".", ""),
            ("{typo}/internl", "path_outside: internal"),
        ],
    );
}

#[test]
fn what_is_there_is_never_taken_for_the_workspace() {
    let other = "/home/user/work/acme_harness/runs_hb11/t14-ledger-go/errors.go";
    check(
        &[other],
        Purpose::EditFile,
        &[("{typo}/errors.go", "path_outside: errors.go"), ("{typo}/README.md", "path_outside: README.md")],
    );
    check(
        &[other],
        Purpose::WriteFile,
        &[("{typo}/new.go", "path_outside: new.go"), ("{typo}/internal/new.go", "path_outside: internal/new.go")],
    );
    check(
        &[],
        Purpose::WriteFile,
        &[
            ("/home/user/new.go", "path_outside: -"),
            ("/new.go", "path_outside: new.go"),
            ("/internal/store/new.go", "internal/store/new.go !"),
        ],
    );
}

#[test]
fn a_neighbour_as_near_as_the_workspace_is_a_reason_to_ask() {
    let typed = "/home/user/work/acme-harnesses/runs-hb13/t14-ledger-go/errors.go";
    check(&[], Purpose::EditFile, &[(typed, "errors.go !")]);
    // As near, but what was typed is not in it.
    let near = "/home/user/work/acme-harnesses/runs-hb12/t14-ledger-go/other.go";
    check(&[near], Purpose::EditFile, &[(typed, "errors.go !")]);
    let holds_it = "/home/user/work/acme-harnesses/runs-hb12/t14-ledger-go/errors.go";
    check(&[holds_it], Purpose::EditFile, &[(typed, "path_outside: errors.go")]);
    let nearer = "/home/user/work/acme-harnesses/runs_hb13/t14-ledger-go/other.go";
    check(&[nearer], Purpose::EditFile, &[(typed, "path_outside: errors.go")]);
    // Farther: a separator tells the workspace apart, a digit the neighbour.
    let typed = "/home/user/work/acme-harnesses/runs_hb11/t14-ledger-go/errors.go";
    check(&[holds_it], Purpose::EditFile, &[(typed, "errors.go !")]);
}

#[test]
fn another_project_is_not_the_workspace() {
    check(
        &[],
        Purpose::EditFile,
        &[
            ("/home/user/work/acme-harnesses/runs-hb11/t21-ledger-zig/errors.go", "path_outside: -"),
            ("/home/user/work/other-project/errors.go", "path_outside: -"),
            ("/workspace/internal/store/store.go", "path_outside: internal/store/store.go"),
            ("/etc/passwd", "path_outside: -"),
            ("~/.ssh/id_rsa", "path_outside: -"),
            ("../../../../../../etc/passwd", "path_outside: -"),
            ("/home/user/work/acme-harnesses/runs-hb11/errors.go", "path_outside: -"),
        ],
    );
}

#[test]
fn a_misspelt_file_is_named_and_not_guessed() {
    check(
        &[],
        Purpose::EditFile,
        &[
            ("error.go", "path_not_found: errors.go"),
            ("store.go", "path_not_found: internal/store/store.go"),
            ("internal/stor/store.go", "path_not_found: internal/store/store.go"),
            ("readme.md", "path_not_found: README.md"),
            ("errors.go/x", "path_not_found: -"),
            ("wholly/else.txt", "path_not_found: -"),
        ],
    );
}

#[test]
fn no_directory_is_made_beside_its_near_duplicate() {
    check(
        &["{root}/v1/a.go"],
        Purpose::WriteFile,
        &[
            ("internal/stores/new.go", "path_near_duplicate: internal/store/new.go"),
            ("intrenal/store/new.go", "path_near_duplicate: internal/store/new.go"),
            ("./Internal/http/new.go", "path_near_duplicate: internal/http/new.go"),
            ("t14-ledger-go/new.go", "path_near_duplicate: new.go"),
            ("t14_ledger-go/sub/new.go", "path_not_found: -"),
            ("v2/a.go", "v2/a.go"),
            ("cmd/ledger/main.go", "cmd/ledger/main.go"),
            ("b/internal/store/new.go", "internal/store/new.go !"),
            ("b/new.go", "b/new.go"),
            ("error.go", "error.go"),
            ("home/user/work/acme-harnesses/runs-hb11/t14-ledger-go/sub/new.go", "sub/new.go"),
        ],
    );
    check(&["{root}/t14-ledger-go/a.go"], Purpose::WriteFile, &[("t14-ledger-go/new.go", "t14-ledger-go/new.go")]);
}

#[test]
fn links_are_followed_and_not_out_of_the_workspace() {
    let links = [
        "{root}/in -> internal",
        "{root}/out -> /etc",
        "{root}/leak -> /etc/hosts",
        "{root}/loop -> loop",
        "/home/me -> user",
        "/etc/hosts",
        "{root}/new -> /etc/new",
    ];
    check(
        &links,
        Purpose::WriteFile,
        &[
            ("in/store/store.go", "internal/store/store.go"),
            ("in/store/new.go", "internal/store/new.go"),
            ("/home/me/work/acme-harnesses/runs-hb11/t14-ledger-go/errors.go", "errors.go"),
            ("/home/me/work/acme-harnesses/runs_hb11/t14-ledger-go/errors.go", "errors.go !"),
            ("out/hosts", "path_link_outside: -"),
            ("out/new", "path_link_outside: -"),
            ("leak", "path_link_outside: -"),
            ("new", "path_link_outside: -"),
            ("in/../../x", "path_outside: -"),
            ("loop", "path_link_circle: -"),
        ],
    );
}

#[test]
fn hostile_paths_are_answered() {
    let long = format!("src/{}", "x".repeat(100_000));
    let long_name = "y".repeat(300);
    check(
        &["{root}/pipe|"],
        Purpose::EditFile,
        &[
            ("", "path_empty: -"),
            (" \t\n", "path_empty: -"),
            ("\0", "path_malformed: -"),
            ("a\u{1b}[2Jb", "path_malformed: -"),
            (&long, "path_malformed: -"),
            (&long_name, "path_not_found: -"),
            (".", "path_is_directory: -"),
            ("..", "path_outside: -"),
            ("...", "path_not_found: -"),
            ("/", "path_outside: -"),
            ("//", "path_outside: -"),
            ("~", "path_outside: -"),
            ("\"\"", "path_not_found: -"),
            ("internal", "path_is_directory: -"),
            ("internal/", "path_is_directory: -"),
            ("pipe", "path_not_a_file: -"),
            ("errors.go/", "errors.go"),
        ],
    );
    check(
        &[],
        Purpose::WriteFile,
        &[("new/", "path_not_found: -"), ("..", "path_outside: -"), ("internal/../..", "path_outside: -")],
    );
    check(&[], Purpose::Directory, &[("errors.go", "path_not_a_directory: -")]);
}

#[test]
fn recovery_can_be_turned_down_and_off() {
    let disk = disk(&[]);
    for (recovery, expected) in [(Recovery::Suggest, "path_outside: errors.go"), (Recovery::Off, "path_outside: -")] {
        let rules = PathRules { recovery, ..rules() };
        assert_eq!(outcome(&disk, &rules, Purpose::EditFile, "{typo}/errors.go"), expected);
    }
}

#[test]
fn rules_widen_the_workspace() {
    let disk = disk(&["/data/a.txt", "/notes/b.txt", "/data/out -> /notes"]);
    let allow = vec![
        AllowRule::new("/data/**", Access::ReadWrite).unwrap(),
        AllowRule::new("/home/**", Access::ReadOnly).unwrap(),
    ];
    let rules = PathRules { allow, ..rules() };
    for (purpose, typed, expected) in [
        (Purpose::EditFile, "/data/a.txt", "/data/a.txt"),
        (Purpose::WriteFile, "/data/x/y/new.txt", "/data/x/y/new.txt"),
        (Purpose::EditFile, "/notes/b.txt", "path_outside: -"),
        (Purpose::EditFile, "/data/out/b.txt", "path_outside: -"),
        (Purpose::WriteFile, "/home/user/new.txt", "path_read_only: -"),
        // What is allowed does not keep a mistyped root from being put right.
        (Purpose::EditFile, "{typo}/errors.go", "errors.go !"),
        (Purpose::WriteFile, "{typo}/internal/new.go", "internal/new.go !"),
        (Purpose::WriteFile, "{typo}/sub/new.go", "path_outside: -"),
    ] {
        assert_eq!(outcome(&disk, &rules, purpose, typed), expected, "{typed}");
    }
}

#[test]
fn a_refusal_says_what_was_typed_where_it_leads_and_what_is_near() {
    let refused = resolve_on(&disk(&[]), &rules(), "internal/stor/store.go", Purpose::EditFile).unwrap_err();
    assert_eq!(
        refused.message,
        format!(
            "there is no file `internal/stor/store.go` in the workspace\nnearest in the workspace: `internal/store/store.go`\n\
             first difference: there is no `stor` in `internal`\nit points to {ROOT}/internal/stor/store.go"
        )
    );
    assert_eq!(refused.hint.as_deref(), Some("use `internal/store/store.go`"));
    let resolved = resolve_on(&disk(&[]), &rules(), &format!("{TYPO}/errors.go"), Purpose::EditFile).unwrap();
    let note = "path put right: you typed …/acme_harness/runs_hb11/… ; the workspace is …/acme-harnesses/runs-hb11/… — relative paths avoid this";
    assert_eq!(resolved.note.as_deref(), Some(note));
}

proptest::proptest! {
    /// Whatever is typed, what comes out is in the workspace, and a refusal stays short and on its lines.
    #[test]
    fn nothing_leads_out(pieces in proptest::collection::vec(
        proptest::prop_oneof![
            proptest::sample::select(vec![
                "/", "..", ".", "home", "user", "work", "acme-harnesses", "acme_harness", "runs-hb11", "runs_hb11", "t14-ledger-go", "out", "in",
                "errors.go", "internal", "store", "~", "file://", "\\", " ", "\"", "`", ":12", "a", "b", "%2e", "@", "é", "\u{202e}", "etc", "hosts",
            ]).prop_map(str::to_owned),
            "\\PC{0,3}",
        ], 0..14), purpose in proptest::sample::select(vec![Purpose::EditFile, Purpose::WriteFile, Purpose::Directory, Purpose::ReadAny])) {
        let disk = disk(&["{root}/out -> /etc", "{root}/in -> internal", "/etc/hosts"]);
        match resolve_on(&disk, &rules(), &pieces.concat(), purpose) {
            Ok(resolved) => assert!(resolved.absolute.starts_with(ROOT), "{resolved:?}"),
            Err(refused) => {
                assert!(refused.message.chars().count() < 600, "{refused:?}");
                assert!(!refused.message.chars().any(|character| character.is_control() && character != '\n'));
            }
        }
    }
}
