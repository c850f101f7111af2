//! Absolute paths in a command that are the workspace's own, mistyped. The command is run as it is; they are only told.

use std::path::Path;

use crate::workspace::paths::{self, PathRules, Purpose};

/// Most words of a command that are looked at.
const MOST_WORDS: usize = 200;
/// Most paths that are told.
const MOST_TOLD: usize = 3;

/// Each such path as typed, and the one that is near.
pub(super) fn paths_in(command: &str, rules: &PathRules) -> Vec<(String, String)> {
    let ends = |character: char| character.is_whitespace() || "'\"`=;|&()<>,:".contains(character);
    let words = command.split(ends).filter(|word| word.starts_with('/') && word.len() > 3).take(MOST_WORDS);
    let mut found: Vec<(String, String)> = Vec::new();
    for word in words {
        if found.len() < MOST_TOLD && !found.iter().any(|(typed, _)| typed == word) && !Path::new(word).exists() {
            found.extend(near(word, rules).map(|right| (word.to_owned(), right)));
        }
    }
    found
}

/// What `word` is near to in the workspace; nothing for a path that lies in it already.
fn near(word: &str, rules: &PathRules) -> Option<String> {
    let roots = std::iter::once(&rules.root).chain(&rules.spellings);
    if roots.into_iter().any(|root| Path::new(word).starts_with(root)) {
        return None;
    }
    match paths::resolve(rules, word, Purpose::ReadAny) {
        Ok(resolved) => resolved.note.map(|_| resolved.absolute.display().to_string()),
        // A new file below a mistyped root.
        Err(_) => {
            let parent = Path::new(word).parent()?.to_str()?;
            let resolved = paths::resolve(rules, parent, Purpose::Directory).ok()?;
            resolved
                .note
                .map(|_| resolved.absolute.join(Path::new(word).file_name().unwrap_or_default()).display().to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_near_miss_of_the_workspace_is_told() {
        let base = tempfile::tempdir().expect("a folder");
        let root = base.path().join("runs-hb11-2024");
        std::fs::create_dir_all(root.join("src")).expect("folders");
        std::fs::write(root.join("src/a.zig"), "").expect("writes");
        let rules = PathRules::for_root(&root).expect("a directory");
        let typo = base.path().join("runs_hb11-2024");
        for (command, expected) in [
            (format!("cd {0}/src && zig build", typo.display()), Some(("src", "src"))),
            (format!("cat '{0}/src/a.zig'", typo.display()), Some(("src/a.zig", "src/a.zig"))),
            (format!("echo x > {0}/src/new.zig", typo.display()), Some(("src/new.zig", "src/new.zig"))),
            (format!("cat {0}/src/a.zig", root.display()), None),
            (format!("cat {0}/src/none.zig", root.display()), None),
            ("ls /nowhere/at/all /usr/bin //".to_owned(), None),
        ] {
            let expected: Vec<_> = expected
                .map(|(wrong, right)| {
                    (typo.join(wrong).display().to_string(), rules.root.join(right).display().to_string())
                })
                .into_iter()
                .collect();
            assert_eq!(paths_in(&command, &rules), expected, "{command}");
        }
    }
}
