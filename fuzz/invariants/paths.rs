//! What holds of any typed path: it leads nowhere but into the workspace, the same way each time, and what is said of it
//! is bounded and stays on its lines.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use landfall::workspace::paths::{PathRules, Purpose, resolve};

const PURPOSES: [Purpose; 5] =
    [Purpose::ReadFile, Purpose::EditFile, Purpose::WriteFile, Purpose::Directory, Purpose::ReadAny];

/// The longest message, characters.
const LONGEST: usize = 600;

/// A workspace with links out of it and in it, and a neighbour nearly of its name.
static WORKSPACE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("landfall-paths-{}", std::process::id()));
    let root = folder.join("runs-hb11/flint-40b/t14-ledger-go");
    for file in ["src/main.go", "src/store/store.go", "src/store/store_test.go", "README.md", "a/b.go", "docs/x y.md"] {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, "x").expect("writes");
    }
    let neighbour = folder.join("runs-hb12/flint-40b/t14-ledger-go");
    std::fs::create_dir_all(&neighbour).expect("folders");
    std::fs::write(neighbour.join("README.md"), "theirs").expect("writes");
    for (target, link) in
        [("src", "inside"), ("/etc", "outside"), ("loop", "loop"), ("src/new.go", "dangling"), ("../..", "up")]
    {
        let _ = std::os::unix::fs::symlink(target, root.join(link));
    }
    root.canonicalize().expect("a real path")
});

/// Checks it for one input: a byte that chooses the purpose, then the path. `{root}` in it stands for the workspace.
pub(crate) fn hold(data: &[u8]) {
    let Some((choice, typed)) = data.split_first() else { return };
    let Ok(typed) = std::str::from_utf8(typed) else { return };
    let root: &Path = &WORKSPACE;
    let typed = typed.replace("{root}", &root.display().to_string());
    let purpose = PURPOSES[usize::from(*choice) % PURPOSES.len()];
    let rules = PathRules::for_root(root).expect("is there");
    let answer = resolve(&rules, &typed, purpose);
    assert_eq!(answer, resolve(&rules, &typed, purpose), "the same answer twice");
    match answer {
        Ok(resolved) => {
            assert!(resolved.absolute.starts_with(root), "{typed:?} leads to {}", resolved.absolute.display());
            assert_eq!(resolved.absolute, root.join(&resolved.relative).components().collect::<PathBuf>());
            assert_eq!(resolved.exists, resolved.absolute.exists(), "{typed:?}");
            assert!(resolved.exists || purpose == Purpose::WriteFile, "{typed:?}");
            // What exists of it is real: no link is left in it.
            let there = resolved.absolute.ancestors().find(|path| path.symlink_metadata().is_ok()).expect("the root");
            assert_eq!(there, there.canonicalize().expect("is there"), "{typed:?}");
            bounded(resolved.note.as_deref().unwrap_or_default());
        }
        Err(refused) => {
            bounded(&refused.message);
            bounded(refused.hint.as_deref().unwrap_or_default());
        }
    }
}

fn bounded(words: &str) {
    assert!(words.chars().count() <= LONGEST, "{} characters: {words}", words.chars().count());
    assert!(!words.chars().any(|character| character.is_control() && character != '\n'), "{words:?}");
}
