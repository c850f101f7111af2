//! Where a path of a native call points, and what is to be done about it.

use std::path::Path;

use super::event::Use;
use crate::report::{self, Reply, ToolError};
use crate::workspace::paths::{self, PathCode, PathRules, Purpose, Resolved};

/// What is to be done about a path.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// Nothing; the file of the workspace that it names, if it names one.
    AsTyped(Option<Resolved>),
    /// It is put right; why, for the model.
    PutRight(Resolved, String),
    /// It is refused: what was meant cannot be told for certain.
    Refused(ToolError),
}

/// Looks at `typed`, which the harness takes as relative to `directory`.
///
/// The harness has rules of its own about where it may work: what exists as typed is left to them.
pub(super) fn place(rules: &PathRules, directory: &Path, typed: &str, what_for: Use) -> Place {
    let plain = directory.join(typed);
    let purpose = match what_for {
        Use::Look => Purpose::ReadAny,
        Use::Directory => Purpose::Directory,
        Use::Edit => Purpose::EditFile,
        Use::Write => Purpose::WriteFile,
    };
    let stands = plain.symlink_metadata().is_ok();
    let parent_stands = plain.parent().is_some_and(Path::is_dir);
    if stands || what_for == Use::Write && parent_stands {
        let resolved = plain.to_str().and_then(|plain| paths::resolve(rules, plain, purpose).ok());
        return Place::AsTyped(resolved);
    }
    match paths::resolve(rules, typed, purpose) {
        Ok(resolved) if resolved.absolute == plain => Place::AsTyped(Some(resolved)),
        Ok(resolved) if resolved.exists || resolved.note.is_some() => {
            let note = resolved.note.clone().unwrap_or_else(|| {
                let (typed, absolute) = (report::one_line(typed, 300), resolved.absolute.display());
                format!("path put right: you typed {typed}; used {absolute}")
            });
            Place::PutRight(resolved, note)
        }
        Ok(resolved) => Place::AsTyped(Some(resolved)),
        Err(refused) => {
            let near = refused.suggestion.is_some() && matches!(refused.code, PathCode::NotFound | PathCode::Outside);
            if near || refused.code == PathCode::NearDuplicate {
                Place::Refused(report::path_refused(&refused))
            } else {
                Place::AsTyped(None)
            }
        }
    }
}

/// A refusal in words; those of a call that `changes` begin with the state of the disk.
pub(super) fn words(error: &ToolError, changes: bool) -> String {
    Reply::refused(error, changes).text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_mistyped_is_touched() {
        let base = tempfile::tempdir().expect("a folder");
        let root = base.path().join("runs-hb11-2024");
        std::fs::create_dir_all(root.join("src/store")).expect("folders");
        std::fs::write(root.join("src/store/a.go"), "").expect("writes");
        std::fs::write(base.path().join("outside.go"), "").expect("writes");
        let rules = PathRules::for_root(&root).expect("a directory");
        let typo = base.path().join("runs_hb11-2024");
        let inside = root.display().to_string();
        let cases = [
            (format!("{inside}/src/store/a.go"), Use::Edit, "as typed, ours"),
            ("src/store/a.go".to_owned(), Use::Edit, "as typed, ours"),
            (format!("{}/src/store/a.go", typo.display()), Use::Edit, "put right"),
            (format!("{}/src/store/a.go", typo.display()), Use::Look, "put right"),
            (format!("{}/src/store/new.go", typo.display()), Use::Write, "put right"),
            (format!("{}/src", typo.display()), Use::Directory, "put right"),
            (format!("{inside}/src/store/new.go"), Use::Write, "as typed, ours"),
            (format!("{inside}/src/stores/new.go"), Use::Write, "refused"),
            (format!("{inside}/src/store/b.go"), Use::Edit, "refused"),
            (base.path().join("outside.go").display().to_string(), Use::Edit, "as typed"),
            (base.path().join("elsewhere.go").display().to_string(), Use::Write, "as typed"),
            ("/nowhere/at/all.go".to_owned(), Use::Look, "as typed"),
        ];
        for (typed, what_for, expected) in cases {
            let found = place(&rules, &rules.root, &typed, what_for);
            let name = match &found {
                Place::AsTyped(None) => "as typed",
                Place::AsTyped(Some(_)) => "as typed, ours",
                Place::PutRight(resolved, note) => {
                    assert!(resolved.absolute.starts_with(&rules.root) && note.contains("put right"), "{found:?}");
                    "put right"
                }
                Place::Refused(_) => "refused",
            };
            assert_eq!(name, expected, "{typed} {what_for:?} {found:?}");
        }
    }
}
