//! A session's ledger as the agent reads it: what landed, what was refused and not made good, what it comes to.

use serde_json::json;

use super::{Reply, one_line};
use crate::workspace::ledger::{Entry, LandedEntry, Outcome, OutsideEntry, RefusedEntry};

/// Most changes listed; older ones are counted.
const MOST_LISTED: usize = 40;

/// Most files of one command listed.
const MOST_OUTSIDE: usize = 12;

/// The result of `changes`.
pub fn changes(entries: &[Entry]) -> Reply {
    let landed: Vec<(&Entry, &LandedEntry)> =
        entries.iter().filter_map(|entry| Some((entry, landed(entry)?))).collect();
    let open = refused_and_open(entries);
    let outside: Vec<(&Entry, &OutsideEntry)> =
        entries.iter().filter_map(|entry| Some((entry, outside(entry)?))).collect();
    let outside = &outside[outside.len().saturating_sub(MOST_LISTED)..];
    let mut text = match landed.len() {
        0 => "This session has changed nothing on disk.\n".to_owned(),
        count => format!("{count} changes landed on disk:\n"),
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
    if landed.len() > 1 {
        let files = files(&landed);
        text.push_str(&format!("altogether in {} files: {}\n", files.len(), totals(&files)));
    }
    for (entry, outside) in outside {
        text.push_str(&format!(
            "changed past these tools, by {} ({}): {}\n",
            entry.tool,
            entry.number,
            outside_files(outside)
        ));
    }
    for (refused, count) in open.iter().take(MOST_LISTED) {
        let times = if *count > 1 { format!(", {count} times") } else { String::new() };
        let place = one_line(place(refused), 300);
        text.push_str(&format!(
            "REFUSED and not made good since: {place} ({}{times}): {}\n",
            refused.code,
            one_line(&refused.message, 200)
        ));
    }
    if open.len() > MOST_LISTED {
        text.push_str(&format!("  … and {} more refused ones\n", open.len() - MOST_LISTED));
    }
    let structured = json!({
        "landed": landed.iter().map(|(entry, change)| json!({
            "number": entry.number, "at": entry.at, "tool": entry.tool, "action": change.action.name(), "file": change.file,
            "lines": { "added": change.added, "removed": change.removed, "total": change.total }, "undoes": change.undoes,
        })).collect::<Vec<_>>(),
        "refused": open.iter().map(|(refused, count)| json!({
            "code": refused.code, "path": refused.path, "file": refused.file, "message": refused.message, "times": count,
        })).collect::<Vec<_>>(),
        "outside": outside.iter().map(|(entry, outside)| json!({
            "number": entry.number, "at": entry.at, "tool": entry.tool, "files": outside.files, "total": outside.total,
        })).collect::<Vec<_>>(),
    });
    Reply::done(text.trim_end(), structured)
}

fn landed(entry: &Entry) -> Option<&LandedEntry> {
    match &entry.outcome {
        Outcome::Landed(landed) => Some(landed),
        Outcome::Refused(_) | Outcome::Outside(_) => None,
    }
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

pub(super) fn place(refused: &RefusedEntry) -> &str {
    refused.file.as_deref().unwrap_or(&refused.path)
}

/// The refused changes after which nothing landed on the same file, each file once with the number of its refusals.
pub(super) fn refused_and_open(entries: &[Entry]) -> Vec<(&RefusedEntry, usize)> {
    let mut open: Vec<(&RefusedEntry, usize)> = Vec::new();
    for entry in entries {
        match &entry.outcome {
            Outcome::Refused(refused) => match open.iter_mut().find(|(known, _)| place(known) == place(refused)) {
                Some(known) => *known = (refused, known.1 + 1),
                None => open.push((refused, 1)),
            },
            Outcome::Outside(_) => {}
            // What was refused under a mistyped path is made good by the file of the same name in the same place below.
            Outcome::Landed(landed) => open.retain(|(refused, _)| {
                place(refused) != landed.file && !place(refused).ends_with(&format!("/{}", landed.file))
            }),
        }
    }
    open
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
    use crate::workspace::ledger::{Action, OutsideFile};

    fn entry(number: u64, outcome: Outcome) -> Entry {
        Entry { number, at: "2026-01-01T00:00:00.000Z".into(), tool: "edit".into(), outcome }
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
        let text = changes(&entries).text;
        assert!(text.starts_with("1 changes landed on disk:\n  4. edited a.go +2 -1\n"), "{text}");
        assert_eq!(text.matches("REFUSED and not made good since").count(), 2, "{text}");
        assert!(text.contains("since: /wrong/root/src/b.go (not_found): no") && text.contains("since: c.go"), "{text}");
        let later = changes(&[entries.as_slice(), &[edited(6, "src/b.go")]].concat()).text;
        assert_eq!(later.matches("REFUSED").count(), 1, "{later}");
        assert!(later.contains("altogether in 2 files: a.go +2 -1, src/b.go +2 -1"), "{later}");
    }

    #[test]
    fn a_session_without_changes_says_so() {
        assert_eq!(changes(&[]).text, "This session has changed nothing on disk.");
    }

    #[test]
    fn what_a_command_changed_is_told_apart() {
        let file = |n: usize| OutsideFile { file: format!("f{n}"), action: Action::Created };
        let outside = Outcome::Outside(OutsideEntry { files: (0..20).map(file).collect(), total: 500 });
        let text = changes(&[entry(1, outside)]).text;
        assert!(
            text.starts_with(
                "This session has changed nothing on disk.\nchanged past these tools, by edit (1): created f0, "
            ),
            "{text}"
        );
        assert!(text.ends_with("created f11, … and 488 more"), "{text}");
    }
}
