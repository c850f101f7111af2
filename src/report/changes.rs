//! A session's ledger as the agent reads it: what landed, what was refused and not made good, what it comes to.

mod open;

use serde_json::{Value, json};

pub(super) use open::{Open, refused_and_open};

use super::{Reply, one_line};
use crate::workspace::ledger::{Entry, LandedEntry, Net, NetChange, Outcome, OutsideEntry};

/// Most changes listed; older ones are counted.
const MOST_LISTED: usize = 40;

/// Most files of one command listed.
const MOST_OUTSIDE: usize = 12;

/// What is told of a session.
#[derive(Debug, Clone, Copy)]
pub struct SessionChanges<'a> {
    /// Its name.
    pub session: &'a str,
    /// Its entries of one workspace.
    pub entries: &'a [Entry],
    /// What they come to, if that was asked for.
    pub since_start: Option<&'a [Net]>,
}

/// The result of `changes`.
pub fn changes(session: &SessionChanges<'_>) -> Reply {
    let landed: Vec<(&Entry, &LandedEntry)> =
        session.entries.iter().filter_map(|entry| Some((entry, entry.landed()?))).collect();
    let open = refused_and_open(session.entries);
    let outside: Vec<(&Entry, &OutsideEntry)> =
        session.entries.iter().filter_map(|entry| Some((entry, outside(entry)?))).collect();
    let outside = &outside[outside.len().saturating_sub(MOST_LISTED)..];
    let mut text = landed_text(&landed);
    if let Some(nets) = session.since_start {
        text.push_str(&net_text(nets));
    } else if landed.len() > 1 {
        let files = files(&landed);
        text.push_str(&format!("altogether in {}: {}\n", counted(files.len(), "file"), totals(&files)));
    }
    for (entry, outside) in outside {
        text.push_str(&format!(
            "changed past these tools, by {} ({}): {}\n",
            entry.tool,
            entry.number,
            outside_files(outside)
        ));
    }
    text.push_str(&open_text(&open));
    let mut structured = json!({
        "session": session.session,
        "landed": landed.iter().map(|(entry, change)| json!({
            "number": entry.number, "at": entry.at, "tool": entry.tool, "action": change.action.name(), "file": change.file,
            "lines": { "added": change.added, "removed": change.removed, "total": change.total }, "undoes": change.undoes,
        })).collect::<Vec<_>>(),
        "refused": open.iter().map(|open| json!({
            "code": open.refused.code, "path": open.refused.path, "file": open.place, "tool": open.tool,
            "message": open.refused.message, "times": open.times(),
            "kinds": open.kinds.iter().map(|(code, times)| json!({ "code": code, "times": times })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "outside": outside.iter().map(|(entry, outside)| json!({
            "number": entry.number, "at": entry.at, "tool": entry.tool, "files": outside.files, "total": outside.total,
        })).collect::<Vec<_>>(),
    });
    if let Some(nets) = session.since_start {
        structured["since_start"] = nets.iter().map(net_object).collect::<Vec<_>>().into();
    }
    Reply::done(text.trim_end(), structured)
}

fn landed_text(landed: &[(&Entry, &LandedEntry)]) -> String {
    let mut text = match landed.len() {
        0 => "This session has changed nothing on disk.\n".to_owned(),
        count => format!("{} landed on disk:\n", counted(count, "change")),
    };
    if landed.len() > MOST_LISTED {
        text.push_str(&format!("  … {} earlier ones\n", landed.len() - MOST_LISTED));
    }
    for (entry, change) in &landed[landed.len().saturating_sub(MOST_LISTED)..] {
        let undoes = change.undoes.map(|number| format!(" (undid {number})")).unwrap_or_default();
        let (added, removed) = (change.added, change.removed);
        text.push_str(&format!(
            "  {}. {} {} +{added} -{removed}{undoes}\n",
            entry.number,
            change.action.name(),
            one_line(&change.file, 300)
        ));
    }
    text
}

/// Each file against what it was when the session began.
fn net_text(nets: &[Net]) -> String {
    let changed = nets.iter().filter(|net| net.change != NetChange::None).count();
    let (added, removed) = nets.iter().fold((0, 0), |sum, net| (sum.0 + net.added, sum.1 + net.removed));
    let mut text = format!("against the start of this session: {}, +{added} -{removed}\n", counted(changed, "file"));
    for net in nets.iter().take(MOST_LISTED) {
        let file = one_line(&net.file, 300);
        let line = match (net.change, net.exact) {
            (NetChange::None, _) => format!("  as at the start: {file}\n"),
            (change, true) => format!("  {} {file} +{} -{}\n", change.name(), net.added, net.removed),
            (_, false) => format!(
                "  changed {file} +{} -{} (only this session's own lines: another program has changed it too)\n",
                net.added, net.removed
            ),
        };
        text.push_str(&line);
    }
    if nets.len() > MOST_LISTED {
        text.push_str(&format!("  … and {} more files\n", nets.len() - MOST_LISTED));
    }
    text
}

fn net_object(net: &Net) -> Value {
    json!({
        "file": net.file, "action": net.change.name(), "exact": net.exact,
        "lines": { "added": net.added, "removed": net.removed },
    })
}

fn open_text(open: &[Open<'_>]) -> String {
    let mut text = String::new();
    for open in open.iter().take(MOST_LISTED) {
        let (place, reasons, message) = (open.shown(), open.reasons(), one_line(&open.refused.message, 200));
        text.push_str(&format!("REFUSED and not made good since: {place} ({reasons}): {message}\n"));
    }
    if open.len() > MOST_LISTED {
        text.push_str(&format!("  … and {} more refused ones\n", open.len() - MOST_LISTED));
    }
    text
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn outside(entry: &Entry) -> Option<&OutsideEntry> {
    match &entry.outcome {
        Outcome::Outside(outside) => Some(outside),
        Outcome::Landed(_) | Outcome::Refused(_) => None,
    }
}

/// `created a.txt, edited b.go, … and 7 more`.
pub(super) fn outside_files(outside: &OutsideEntry) -> String {
    let shown = outside
        .files
        .iter()
        .take(MOST_OUTSIDE)
        .map(|file| format!("{} {}", file.action.name(), one_line(&file.file, 200)));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if outside.total > MOST_OUTSIDE {
        text.push_str(&format!(", … and {} more", outside.total - MOST_OUTSIDE));
    }
    text
}

fn files(landed: &[(&Entry, &LandedEntry)]) -> Vec<(String, usize, usize)> {
    let mut files: Vec<(String, usize, usize)> = Vec::new();
    for (_, change) in landed {
        match files.iter_mut().find(|(file, ..)| *file == change.file) {
            Some((_, added, removed)) => {
                *added += change.added;
                *removed += change.removed;
            }
            None => files.push((change.file.clone(), change.added, change.removed)),
        }
    }
    files
}

fn totals(files: &[(String, usize, usize)]) -> String {
    let shown: Vec<String> = files
        .iter()
        .take(MOST_LISTED)
        .map(|(file, added, removed)| format!("{} +{added} -{removed}", one_line(file, 200)))
        .collect();
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{LineCounts, hunks};
    use crate::workspace::ledger::{Action, OutsideFile, RefusedEntry};

    fn entry(number: u64, outcome: Outcome) -> Entry {
        let (at, tool, workspace) = ("2026-01-01T00:00:00.000Z".into(), "edit".into(), "/w".into());
        Entry { number, at, tool, workspace, call: number, outcome }
    }

    fn told(entries: &[Entry]) -> String {
        changes(&SessionChanges { session: "s", entries, since_start: None }).text
    }

    fn edited(number: u64, file: &str) -> Entry {
        let hunks = hunks("a\n", "b\nc\n");
        let landed = LandedEntry::new(
            file,
            Action::Edited,
            Some("a\n"),
            Some("b\nc\n"),
            &hunks,
            LineCounts::of(&hunks, "b\nc\n"),
        );
        entry(number, Outcome::Landed(landed))
    }

    fn refused(number: u64, path: &str, file: Option<&str>) -> Entry {
        let refused = RefusedEntry {
            code: "not_found".into(),
            path: path.into(),
            file: file.map(str::to_owned),
            message: "no".into(),
            with: Vec::new(),
        };
        entry(number, Outcome::Refused(refused))
    }

    #[test]
    fn what_was_refused_stays_open_until_the_file_changes() {
        let entries = [
            refused(1, "a.go", Some("a.go")),
            refused(2, "./a.go", Some("a.go")),
            refused(3, "/wrong/root/src/b.go", None),
            edited(4, "a.go"),
            refused(5, "c.go", Some("c.go")),
        ];
        let text = told(&entries);
        assert!(text.starts_with("1 change landed on disk:\n  4. edited a.go +2 -1\n"), "{text}");
        assert_eq!(text.matches("REFUSED and not made good since").count(), 2, "{text}");
        assert!(text.contains("since: /wrong/root/src/b.go (not_found): no") && text.contains("since: c.go"), "{text}");
        let later = told(&[entries.as_slice(), &[edited(6, "src/b.go")]].concat());
        assert_eq!(later.matches("REFUSED").count(), 1, "{later}");
        assert!(later.contains("altogether in 2 files: a.go +2 -1, src/b.go +2 -1"), "{later}");
    }

    #[test]
    fn of_several_files_refused_together_each_is_missing_until_it_changes() {
        let patch = |code: &str, with: &[&str]| {
            let Outcome::Refused(refused) = refused(1, "", Some("b.go")).outcome else { unreachable!() };
            let with = with.iter().map(|file| (*file).to_owned()).collect();
            entry(1, Outcome::Refused(RefusedEntry { code: code.into(), with, ..refused }))
        };
        let text = told(&[patch("not_found", &["a.go", "b.go", "c.go"]), edited(2, "b.go")]);
        assert!(
            !text.contains("since: b.go") && text.contains("since: a.go") && text.contains("since: c.go"),
            "{text}"
        );
        for code in ["already_applied", "identical", "repeated"] {
            assert!(!told(&[patch(code, &[])]).contains("REFUSED"), "{code}: the tree lacks nothing");
        }
        let nameless = refused(1, "", None);
        assert!(told(std::slice::from_ref(&nameless)).contains("since: edit (no path given) (not_found)"));
        assert!(!told(&[nameless, edited(2, "x.go")]).contains("REFUSED"));
    }

    #[test]
    fn refusals_of_one_file_are_told_by_kind() {
        let of_kind = |number: u64, code: &str| {
            let Outcome::Refused(refused) = refused(number, "a.go", Some("a.go")).outcome else { unreachable!() };
            entry(number, Outcome::Refused(RefusedEntry { code: code.into(), message: code.to_uppercase(), ..refused }))
        };
        let entries: Vec<Entry> = ["not_found", "ambiguous", "identical", "not_found", "repeated"]
            .iter()
            .zip(1..)
            .map(|(code, number)| of_kind(number, code))
            .collect();
        let reply = changes(&SessionChanges { session: "s", entries: &entries, since_start: None });
        let expected = "since: a.go (not_found, 2 times; ambiguous; repeated): REPEATED";
        assert!(reply.text.ends_with(expected), "{}", reply.text);
        let told = &reply.structured["refused"][0];
        assert_eq!((&told["code"], &told["times"]), (&json!("repeated"), &json!(4)));
        assert_eq!(told["kinds"][0], json!({ "code": "not_found", "times": 2 }));
    }

    #[test]
    fn against_the_start_each_file_stands_once() {
        let net = |file: &str, change, exact| Net { file: file.into(), change, added: 2, removed: 1, exact };
        let nets = [
            net("a", NetChange::Edited, true),
            Net { added: 0, removed: 0, ..net("b", NetChange::None, true) },
            net("c", NetChange::Edited, false),
        ];
        let entries = [edited(1, "a")];
        let reply = changes(&SessionChanges { session: "s", entries: &entries, since_start: Some(&nets) });
        let expected = "1 change landed on disk:\n  1. edited a +2 -1\nagainst the start of this session: 2 files, +4 -2\n  \
                        edited a +2 -1\n  as at the start: b\n  changed c +2 -1 (only this session's own lines: another \
                        program has changed it too)";
        assert_eq!(reply.text, expected);
        assert_eq!(reply.structured["since_start"][1]["action"], "unchanged");
    }

    #[test]
    fn a_session_without_changes_says_so() {
        assert_eq!(told(&[]), "This session has changed nothing on disk.");
    }

    #[test]
    fn what_a_command_changed_is_told_apart() {
        let file = |n: usize| OutsideFile { file: format!("f{n}"), action: Action::Created };
        let outside = Outcome::Outside(OutsideEntry { files: (0..20).map(file).collect(), total: 500 });
        let text = told(&[entry(1, outside)]);
        assert!(
            text.starts_with(
                "This session has changed nothing on disk.\nchanged past these tools, by edit (1): created f0, "
            ),
            "{text}"
        );
        assert!(text.ends_with("created f11, … and 488 more"), "{text}");
    }
}
