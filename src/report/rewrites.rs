//! Changes of several files that a language server worked out: a rename, a fix.

use serde_json::{Map, Value, json};

use super::{Reply, change, one_line, verdict_object, verdict_text};
use crate::landing::{Deed, Landed};
use crate::workspace::verdict::{DiagnosticsReport, Verdict};

/// Most files named.
const MOST_FILES: usize = 20;
/// Most files named that hold a name and were not changed.
const MOST_UNMENTIONED: usize = 5;

/// What was done to files, and by whose word.
#[derive(Debug)]
pub struct Rewritten<'a> {
    /// What it amounts to: `Price is now Cost`.
    pub what: &'a str,
    /// The language server that worked it out.
    pub language_server: &'a str,
    /// What landed.
    pub landed: &'a [Landed],
    /// How many places of each were replaced.
    pub places: &'a [usize],
    /// Files that hold the name but were not changed by a language server that sees only what is opened.
    pub unmentioned: &'a [String],
}

/// The result of `rename` and `fix`. `reports` are in the order of what landed.
pub fn rewritten(done: &Rewritten<'_>, reports: &[DiagnosticsReport]) -> Reply {
    // A file that was moved is told at its new place.
    let each = done.landed.iter().zip(done.places.iter().copied());
    let told: Vec<(&Landed, usize)> = each.filter(|(landed, _)| !change::is_old_place(landed, done.landed)).collect();
    let places: usize = told.iter().map(|(_, places)| places).sum();
    let files = if told.len() == 1 { one_line(&told[0].0.file, 500) } else { format!("{} files", told.len()) };
    let all = if told.len() == 1 { "" } else { ", all of them on disk" };
    let mut text = format!("edited {files}: {} ({}{all})\n", one_line(done.what, 300), counted(places, "place"));
    for (landed, places) in told.iter().take(MOST_FILES) {
        text.push_str(&format!("  {}\n", file_line(landed, *places)));
        for note in &landed.planned.form {
            text.push_str(&format!("    {}\n", one_line(note, 400)));
        }
    }
    if told.len() > MOST_FILES {
        text.push_str(&format!("  … and {} more files (`changes` lists them all)\n", told.len() - MOST_FILES));
    }
    if let [first, ..] = done.unmentioned {
        let more = done.unmentioned.len().min(MOST_UNMENTIONED);
        let named: Vec<String> = done.unmentioned[..more].iter().map(|file| one_line(file, 200)).collect();
        let cut = if done.unmentioned.len() > more { ", …" } else { "" };
        let hold = if done.unmentioned.len() == 1 { "file holds" } else { "files hold" };
        text.push_str(&format!(
            "note: {} more {hold} the name and {} did not change it there: {}{cut}\nHint: call `grep` for the name in {}\n",
            done.unmentioned.len(),
            one_line(done.language_server, 60),
            named.join(", "),
            one_line(first, 200),
        ));
    }
    let together = together(reports);
    for report in &together {
        text.push_str(&verdict_text(report));
    }
    let mut structured = object(done, &told, places);
    if let Some(first) = together.first() {
        structured.insert("diagnostics".into(), verdict_object(first));
    }
    if together.len() > 1 {
        structured.insert("reports".into(), together.iter().map(verdict_object).collect());
    }
    Reply { text: text.trim_end().to_owned(), structured, is_error: false }
}

fn file_line(landed: &Landed, places: usize) -> String {
    let file = one_line(&landed.file, 200);
    let size = format!("+{} -{}", landed.planned.counts.added, landed.planned.counts.removed);
    match (&landed.moved_from, landed.planned.deed) {
        (Some(from), _) => format!("moved {} to {file}: {}", one_line(from, 200), counted(places, "place")),
        (None, Deed::Created) => format!("created {file}: {}", counted(landed.planned.counts.total, "line")),
        (None, Deed::Deleted) => format!("deleted {file}: {size}"),
        _ => format!("{file}: {}, {}, {size}", counted(places, "place"), change::lines(&landed.planned.lines)),
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn object(done: &Rewritten<'_>, told: &[(&Landed, usize)], places: usize) -> Map<String, Value> {
    let file = |(landed, places): &(&Landed, usize)| {
        let mut object = change::object(landed, None, "");
        object.shift_remove("snippet");
        object.insert("replacements".into(), (*places).into());
        Value::Object(object)
    };
    let mut object = Map::new();
    object.insert("landed".into(), true.into());
    object.insert("what".into(), done.what.into());
    object.insert("language_server".into(), done.language_server.into());
    if let [(landed, _)] = told {
        object.insert("file".into(), landed.file.as_str().into());
    }
    object.insert("replacements".into(), places.into());
    object.insert("files".into(), told.iter().map(file).collect());
    if !done.unmentioned.is_empty() {
        object.insert("unmentioned".into(), json!(done.unmentioned));
    }
    object
}

/// One report a language server instead of one a file: the least certain verdict, and all problems.
fn together(reports: &[DiagnosticsReport]) -> Vec<DiagnosticsReport> {
    let mut all: Vec<DiagnosticsReport> = Vec::new();
    for report in reports {
        let Some(known) = all.iter_mut().find(|known| known.language_server == report.language_server) else {
            all.push(report.clone());
            continue;
        };
        if certainty(report.verdict) < certainty(known.verdict) {
            (known.verdict, known.detail, known.scope) = (report.verdict, report.detail.clone(), report.scope.clone());
        }
        known.waited = known.waited.max(report.waited);
        known.baseline &= report.baseline;
        known.introduced.extend(report.introduced.iter().cloned());
        known.fixed.extend(report.fixed.iter().cloned());
        known.unchanged.extend(report.unchanged.iter().cloned());
        known.elsewhere.extend(report.elsewhere.iter().cloned());
        known.uncovered.extend(report.uncovered.iter().cloned());
        known.meanwhile.extend(report.meanwhile.iter().cloned());
        known.alongside.extend(report.alongside.iter().cloned());
        known.floor.extend(report.floor.iter().cloned());
    }
    all
}

/// How much a verdict says; what is wrong goes before what is right.
fn certainty(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Crashed => 0,
        Verdict::Loading => 1,
        Verdict::TimedOut => 2,
        Verdict::Later => 3,
        Verdict::NoProject => 4,
        Verdict::NoLanguageServer => 5,
        Verdict::Problems => 6,
        Verdict::Clean => 7,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::landing::Planned;
    use crate::text::{LineCounts, hunks};
    use crate::workspace::paths::contained::Expected;

    fn landed(file: &str, before: Option<&str>, after: Option<&str>) -> Landed {
        let hunks = hunks(before.unwrap_or_default(), after.unwrap_or_default());
        let deed = match (before, after) {
            (None, _) => Deed::Created,
            (_, None) => Deed::Deleted,
            _ => Deed::Edited,
        };
        let planned = Planned {
            deed,
            after: after.map(Arc::from),
            counts: LineCounts::of(&hunks, after.unwrap_or_default()),
            lines: hunks.iter().map(|hunk| hunk.new).collect(),
            hunks,
            matched_via: None,
            similarity: 1.0,
            occurrences: 1,
            form: Vec::new(),
        };
        Landed {
            file: file.into(),
            path_note: None,
            planned,
            before: before.map(Arc::from),
            changed_outside: false,
            folders_gone: Vec::new(),
            content: after.map(|after| Expected::of(after.as_bytes())),
            moved_from: None,
        }
    }

    fn report(server: &str, verdict: Verdict) -> DiagnosticsReport {
        DiagnosticsReport {
            language_server: Some(server.into()),
            waited: Duration::from_millis(84),
            ..DiagnosticsReport::unsettled(verdict)
        }
    }

    #[test]
    fn the_first_line_says_what_is_on_disk_and_each_file_is_counted() {
        let all = [
            landed("a.go", Some("x\ny\n"), Some("z\ny\n")),
            Landed { moved_from: Some("Old.java".into()), ..landed("New.java", None, Some("z\n")) },
            landed("Old.java", Some("x\n"), None),
        ];
        let done = Rewritten {
            what: "x is now z",
            language_server: "gopls",
            landed: &all,
            places: &[2, 1, 0],
            unmentioned: &[],
        };
        let reply = rewritten(&done, &[report("gopls", Verdict::Clean), report("gopls", Verdict::Clean)]);
        let expected = "edited 2 files: x is now z (3 places, all of them on disk)\n  a.go: 2 places, line 1, +1 -1\n  moved Old.java to New.java: 1 place\ngopls, 84 ms: clean";
        assert_eq!(reply.text, expected);
        assert_eq!(reply.structured["files"][1]["moved_from"], "Old.java");
        assert_eq!(reply.structured["diagnostics"]["verdict"], "clean");
    }

    #[test]
    fn many_files_stay_small() {
        let name = |n: usize| format!("{}/f{n}.go", "some/folder/with/a/name".repeat(4));
        let all: Vec<Landed> = (0..500).map(|n| landed(&name(n), Some("x\n"), Some("z\n"))).collect();
        let unmentioned: Vec<String> = (0..100).map(name).collect();
        let done = Rewritten {
            what: "x is now z",
            language_server: "zls",
            landed: &all,
            places: &[1; 500],
            unmentioned: &unmentioned,
        };
        let reply = rewritten(&done, &[]);
        assert!(reply.text.contains("  … and 480 more files"), "{}", reply.text);
        assert!(reply.text.len() < 8_000, "{}", reply.text.len());
    }

    #[test]
    fn the_least_certain_verdict_counts_for_all_files_of_a_language_server() {
        let reports =
            [report("gopls", Verdict::Clean), report("zls", Verdict::Clean), report("gopls", Verdict::TimedOut)];
        let verdicts: Vec<(Option<String>, Verdict)> =
            together(&reports).into_iter().map(|report| (report.language_server, report.verdict)).collect();
        assert_eq!(verdicts, [(Some("gopls".into()), Verdict::TimedOut), (Some("zls".into()), Verdict::Clean)]);
    }
}
