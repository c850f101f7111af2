use super::super::disk::fake::FakeDisk;
use super::*;

const ROOT: &str = "/home/user/work/acme-harnesses/runs-hb11/t14-ledger-go";

fn rules() -> PathRules {
    PathRules {
        root: ROOT.into(),
        spellings: vec!["/alias/work/acme-harnesses/runs-hb11/t14-ledger-go".into()],
        recovery: Recovery::Correct,
        allow: Vec::new(),
    }
}

fn disk(more: &[&str]) -> FakeDisk {
    let mut paths: Vec<String> =
        ["errors.go", "internal/store/store.go", "README.md"].iter().map(|file| format!("{ROOT}/{file}")).collect();
    paths.extend(more.iter().map(|path| path.replace("{root}", ROOT)));
    FakeDisk::new(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

fn check(disk: &FakeDisk, purpose: Purpose, typed: &str) -> String {
    match resolve_on(disk, &rules(), &typed.replace("{root}", ROOT), purpose) {
        Ok(resolved) => format!("{}{}", resolved.relative, if resolved.note.is_some() { " (put right)" } else { "" }),
        Err(refused) => format!("{:?} {}", refused.code, refused.suggestion.unwrap_or_default()),
    }
}

#[test]
fn a_file_is_found_by_every_spelling() {
    for typed in [
        "internal/store/store.go",
        "{root}/internal/store/store.go",
        "/internal/store/store.go",
        "t14-ledger-go/internal/store/store.go",
        "{root}/x/../internal//store/store.go",
        "a/internal/store/store.go:12",
        "`internal\\store\\store.go`\n",
    ] {
        assert_eq!(check(&disk(&[]), Purpose::EditFile, typed), "internal/store/store.go", "{typed}");
    }
}
