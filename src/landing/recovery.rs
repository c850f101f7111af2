//! What a crash left half done is carried through at the next start.

use std::path::Path;
use std::time::Duration;

use crate::temporaries::is_temporary;
use crate::text;
use crate::workspace::ledger::{Hash, IntentFile, Ledger, Outcome, RefusedEntry, Unfinished};
use crate::workspace::paths::contained::{self, Expected, Like};
use crate::workspace::paths::{self, AllowRule, PathRules, Purpose, Resolved};

/// Finishes the changes that processes now dead had begun, by the intents in `state` (the state folder).
///
/// A change of one file either is on disk or is not; the ledger is made to agree. Of several files those that are still
/// as they were are changed now, so that the change is whole. A file that somebody else has changed meanwhile is left
/// alone, and the ledger says so. Outside of its workspace a change may reach what its session was allowed to use.
pub fn recover(state: &Path) {
    for unfinished in Ledger::unfinished(state) {
        let rules = PathRules::for_root(&unfinished.intent().root);
        let allow = unfinished.intent().allow.iter().filter_map(|written| AllowRule::parse(written).ok()).collect();
        let rules = rules.map(|rules| PathRules { allow, ..rules });
        let standing: Vec<Standing> = match &rules {
            Ok(rules) => unfinished.intent().files.iter().map(|file| standing(rules, file)).collect(),
            Err(_) => unfinished.intent().files.iter().map(|_| Standing::Otherwise).collect(),
        };
        let begun = standing.contains(&Standing::Done);
        let outcomes = unfinished.intent().files.iter().zip(standing).map(|(file, standing)| {
            let done = match (standing, &rules) {
                (Standing::Done, _) => true,
                (Standing::Waiting, Ok(rules)) if begun => carry_through(rules, file),
                _ => false,
            };
            if let (true, Ok(rules)) = (done, &rules) {
                remove_folders(rules, file);
            }
            if done { Outcome::Landed(file.entry.clone()) } else { interrupted(file, begun) }
        });
        let outcomes: Vec<Outcome> = outcomes.collect();
        sweep(&unfinished);
        unfinished.finish(outcomes);
    }
}

/// Where a file of an unfinished change stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It is as the change makes it.
    Done,
    /// It is as it was before.
    Waiting,
    /// It is neither.
    Otherwise,
}

fn standing(rules: &PathRules, file: &IntentFile) -> Standing {
    let Some((_, now)) = present(rules, file) else { return Standing::Otherwise };
    let now = now.as_deref().map(Hash::of);
    if now == file.entry.after {
        Standing::Done
    } else if now == file.entry.before {
        Standing::Waiting
    } else {
        Standing::Otherwise
    }
}

/// The file and its text now (`None`: it does not exist); `None` if it cannot be told.
fn present(rules: &PathRules, file: &IntentFile) -> Option<(Resolved, Option<String>)> {
    let target = paths::resolve(rules, file.absolute.to_str()?, Purpose::WriteFile).ok()?;
    match contained::read_file(rules, &target, super::LARGEST_FILE).ok()? {
        Some(found) => Some((target, Some(text::decode(found.bytes).ok()?.text))),
        None => Some((target, None)),
    }
}

fn carry_through(rules: &PathRules, file: &IntentFile) -> bool {
    let Some((target, _)) = present(rules, file) else { return false };
    let expected: Option<Expected> = match contained::read_file(rules, &target, super::LARGEST_FILE) {
        Ok(found) => found.map(|found| found.expected),
        Err(_) => return false,
    };
    let outcome = match (&file.bytes, &expected) {
        (Some(bytes), expected) => {
            let like =
                file.like.as_ref().and_then(|like| paths::resolve(rules, like.to_str()?, Purpose::ReadFile).ok());
            let like = like.as_ref().map(Like::File).or(file.mode.map(Like::Mode));
            contained::replace_file_like(rules, &target, bytes, expected.as_ref(), like).map(drop)
        }
        (None, Some(expected)) if file.entry.after.is_none() => contained::remove_file(rules, &target, expected),
        _ => return false,
    };
    outcome
        .inspect_err(
            |error| tracing::warn!(file = file.entry.file, %error, "an interrupted change could not be finished"),
        )
        .is_ok()
}

/// Removes the folders that were to go with a file, if it is gone.
fn remove_folders(rules: &PathRules, file: &IntentFile) {
    if let (1.., Some((target, None))) = (file.folders, present(rules, file)) {
        contained::remove_folders(rules, &target, file.folders);
    }
}

fn interrupted(file: &IntentFile, begun: bool) -> Outcome {
    let message = match begun {
        false => "the service was killed before it wrote anything",
        true => {
            "the service was killed in the middle of this change, and the file has been changed by somebody else since"
        }
    };
    Outcome::Refused(RefusedEntry {
        code: "interrupted".into(),
        path: file.entry.file.clone(),
        file: Some(file.entry.file.clone()),
        message: message.into(),
        with: Vec::new(),
    })
}

/// Removes the temporary files that the dead process left beside its targets.
fn sweep(unfinished: &Unfinished) {
    let mut directories: Vec<&Path> =
        unfinished.intent().files.iter().filter_map(|file| file.absolute.parent()).collect();
    directories.dedup();
    for entry in directories.into_iter().filter_map(|directory| std::fs::read_dir(directory).ok()).flatten().flatten() {
        if is_temporary(&entry.file_name()) && unfinished.is_older(&entry) {
            let path = entry.path();
            contained::remove_abandoned(path.parent().unwrap_or(&path), &path, Duration::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::text::{LineCounts, hunks};
    use crate::workspace::ledger::{Action, Intent, LandedEntry};

    fn entry(file: &str, action: Action, before: Option<&str>, after: Option<&str>) -> LandedEntry {
        let hunks = hunks(before.unwrap_or_default(), after.unwrap_or_default());
        let counts = LineCounts::of(&hunks, after.unwrap_or_default());
        LandedEntry::new(file, action, before, after, &hunks, counts)
    }

    #[test]
    fn an_interrupted_undo_makes_a_file_as_it_was_and_leaves_no_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        let (state, work) = (root.join("state"), root.join("w"));
        std::fs::create_dir_all(work.join("made/for")).expect("made");
        let file = |file: &str, entry, bytes: Option<&[u8]>| IntentFile {
            absolute: work.join(file),
            entry,
            bytes: bytes.map(<[u8]>::to_vec),
            like: None,
            mode: None,
            folders: 0,
        };
        // The moved script is gone from its new place, and not yet back in its old one.
        let gone = file("made/for/x.sh", entry("made/for/x.sh", Action::Deleted, Some("x\n"), None), None);
        let again = file("x.sh", entry("x.sh", Action::Created, None, Some("x\n")), Some(b"x\n"));
        let files = vec![IntentFile { folders: 2, ..gone }, IntentFile { mode: Some(0o750), ..again }];
        let ledger = Ledger::create(&state);
        drop(ledger.begin(Intent { root: work.clone(), tool: "undo".into(), allow: Vec::new(), files }));
        drop(ledger);
        recover(&state);
        let mode = std::fs::metadata(work.join("x.sh")).expect("made again").permissions().mode();
        assert_eq!(mode & 0o7777, 0o750);
        assert!(!work.join("made").exists());
    }

    #[test]
    fn an_interrupted_change_reaches_as_far_as_its_session_might() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        let (work, other) = (root.join("w"), root.join("other"));
        std::fs::create_dir_all(&work).expect("made");
        std::fs::create_dir_all(&other).expect("made");
        for (state, allow, whole) in
            [("may", vec![format!("{}:rw", other.display())], true), ("not", Vec::new(), false)]
        {
            let state = root.join(state);
            // One of two files is written, and both lie outside.
            std::fs::write(other.join("a"), "new\n").expect("written");
            std::fs::write(other.join("b"), "old\n").expect("written");
            let file = |name: &str| IntentFile {
                absolute: other.join(name),
                entry: entry(name, Action::Edited, Some("old\n"), Some("new\n")),
                bytes: Some(b"new\n".to_vec()),
                like: None,
                mode: None,
                folders: 0,
            };
            let files = vec![file("a"), file("b")];
            let ledger = Ledger::create(&state);
            drop(ledger.begin(Intent { root: work.clone(), tool: "apply_patch".into(), allow, files }));
            let path = ledger.path().expect("made");
            drop(ledger);
            recover(&state);
            let landed = Ledger::read(&path).expect("reads").entries;
            assert_eq!(landed.iter().all(|entry| entry.landed().is_some()), whole, "{landed:?}");
            let text = std::fs::read_to_string(other.join("b")).expect("reads");
            assert_eq!(text, if whole { "new\n" } else { "old\n" });
        }
    }
}
