//! Sessions of the past, by the names of their ledgers.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::workspace::ledger::{Ledger, Record};

/// Sessions named when the one that was asked for is not there.
const MOST_NAMED: usize = 5;

/// The session called `name`, a ledger file, or the one whose name begins so: its name, and what its ledger holds.
///
/// # Errors
/// When there is none, or several; the nearest and the last ones are named. When its ledger cannot be read.
pub(super) fn named(state: &Path, name: &str) -> anyhow::Result<(String, Record)> {
    let sessions = Ledger::sessions(state);
    let beginning: Vec<&PathBuf> = sessions.iter().filter(|path| name_of(path).starts_with(name)).collect();
    let file = PathBuf::from(name);
    let known = sessions.iter().find(|path| name_of(path) == name);
    let path = match (known, beginning.as_slice()) {
        (Some(path), _) => path.clone(),
        _ if file.is_file() => file.clone(),
        (None, [only]) if !name.is_empty() => (*only).clone(),
        (None, [_, _, ..]) if !name.is_empty() => {
            bail!("{} sessions begin with {name}: {}", beginning.len(), names(beginning.iter().copied()))
        }
        _ => bail!("{}", unknown(&sessions, name)),
    };
    let record = Ledger::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let is_foreign = path == file && record == Record::default() && file.metadata().is_ok_and(|data| data.len() > 0);
    anyhow::ensure!(!is_foreign, "{name} is no ledger: no line of it is an entry");
    Ok((name_of(&path), record))
}

/// The last session of which `wanted` makes something: its name, and that.
pub(super) fn latest<T>(state: &Path, wanted: impl Fn(Record) -> Option<T>) -> Option<(String, T)> {
    let mut of_it = Ledger::sessions(state)
        .into_iter()
        .filter_map(|path| Some((name_of(&path), wanted(Ledger::read(&path).ok()?)?)));
    of_it.next()
}

fn unknown(sessions: &[PathBuf], name: &str) -> String {
    if sessions.is_empty() {
        return format!("there is no session {name}; no session has changed anything yet");
    }
    let mut text = format!("there is no session {name}; the last ones are {}", names(sessions.iter()));
    let distance = |path: &&PathBuf| strsim::levenshtein(&name_of(path), name);
    let near = sessions.iter().skip(MOST_NAMED).min_by_key(distance);
    // Farther than a third of it and it is no slip.
    if let Some(near) = near.filter(|near| distance(near) * 3 <= name.chars().count()) {
        text.push_str(&format!("; the nearest is {}", name_of(near)));
    }
    text
}

fn names<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> String {
    paths.take(MOST_NAMED).map(|path| name_of(path)).collect::<Vec<_>>().join(", ")
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_by_its_name_or_a_part_that_only_it_has() {
        let state = tempfile::tempdir().expect("a folder");
        let told = |name: &str| match named(state.path(), name) {
            Ok((found, _)) => found,
            Err(error) => error.to_string(),
        };
        assert_eq!(told("x"), "there is no session x; no session has changed anything yet");
        let sessions = state.path().join("sessions");
        std::fs::create_dir(&sessions).expect("made");
        let names: Vec<String> = (1..=7).map(|n| format!("2026110{n}-10000{n}-1-aaaa{n}")).collect();
        for (name, age) in names.iter().zip((1..=7).rev()) {
            let file = std::fs::File::create(sessions.join(format!("{name}.jsonl"))).expect("made");
            let written = std::time::SystemTime::now() - std::time::Duration::from_secs(age * 60);
            file.set_modified(written).expect("dated");
        }
        assert_eq!(told(&names[2]), names[2]);
        assert_eq!(told("20261104"), names[3]);
        assert!(told("2026110").starts_with("7 sessions begin with 2026110: 20261107-"), "{}", told("2026110"));
        let slip = told("20261101-100001-1-aaab1");
        assert!(
            slip.contains("; the last ones are 20261107-") && slip.ends_with(&format!("; the nearest is {}", names[0])),
            "{slip}"
        );
        assert!(!told("nonesuch").contains("nearest"));
        let file = sessions.join(format!("{}.jsonl", names[5]));
        assert_eq!(told(file.to_str().expect("UTF-8")), names[5]);
        let foreign = state.path().join("passwd");
        std::fs::write(&foreign, "root:x:0:0\n").expect("written");
        assert!(told(foreign.to_str().expect("UTF-8")).ends_with("passwd is no ledger: no line of it is an entry"));
    }
}
