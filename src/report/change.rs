//! A change that landed, with what the language servers say of it.

use serde_json::{Map, Value, json};

use super::{Reply, one_line, snippet, verdict_object, verdict_text};
use crate::landing::{Deed, Landed, Planned};
use crate::text::LineRange;
use crate::workspace::verdict::{DiagnosticsReport, Verdict};

/// The result of a change of one file.
#[tracing::instrument(level = "debug", name = "render", skip_all)]
pub fn change(landed: &Landed, report: Option<&DiagnosticsReport>) -> Reply {
    let planned = &landed.planned;
    let mut text = format!("{}\n", first_line(landed));
    for line in notes(landed) {
        text.push_str(&format!("{line}\n"));
    }
    let shown = snippet(planned.after.as_deref().unwrap_or_default(), &planned.lines);
    if worth_showing(planned, report) {
        text.push_str(&shown);
    }
    if let Some(report) = report {
        text.push_str(&verdict_text(report));
    }
    Reply { text: text.trim_end().to_owned(), structured: object(landed, report, &shown), is_error: false }
}

/// Most files named in the first line.
const MOST_NAMED: usize = 12;
/// Most bytes about several files, give or take the first.
const MOST_BYTES_TOGETHER: usize = 7_000;

/// The result of changes of several files by one call. `reports` are in the order of `landed`.
pub fn several(landed: &[Landed], reports: &[DiagnosticsReport]) -> Reply {
    // The old place of a moved file is told with the new one.
    let told: Vec<(usize, &Landed)> = landed.iter().enumerate().filter(|(_, one)| !is_old_place(one, landed)).collect();
    let each: Vec<Reply> = told.iter().map(|(index, landed)| change(landed, reports.get(*index))).collect();
    if let [only] = each.as_slice() {
        return only.clone();
    }
    let name = |landed: &Landed| match &landed.moved_from {
        Some(from) => format!("{} (moved from {})", one_line(&landed.file, 200), one_line(from, 200)),
        None => one_line(&landed.file, 200),
    };
    let mut names: Vec<String> = told.iter().take(MOST_NAMED).map(|(_, landed)| name(landed)).collect();
    if told.len() > MOST_NAMED {
        names.push("…".to_owned());
    }
    let mut text = format!("changed {} files, all of them on disk: {}", told.len(), names.join(", "));
    let fits = |text: &String, reply: &Reply| text.len() + reply.text.len() < MOST_BYTES_TOGETHER;
    let mut left_out = 0;
    for (place, reply) in each.iter().enumerate() {
        if place == 0 || fits(&text, reply) {
            text.push_str(&format!("\n{}", reply.text));
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let more = if left_out == 1 { "1 more file is".to_owned() } else { format!("{left_out} more files are") };
        text.push_str(&format!(
            "\n… {more} changed too, with a verdict that is not shown\nHint: call `diagnostics` for what is wrong now, `changes` for all files"
        ));
    }
    let files: Vec<Value> = each.into_iter().map(|reply| Value::Object(reply.structured)).collect();
    Reply::done(text, json!({ "landed": true, "files": files }))
}

pub(super) fn is_old_place(one: &Landed, landed: &[Landed]) -> bool {
    let is_its = |new: &Landed| new.moved_from.as_deref() == Some(one.file.as_str());
    one.planned.deed == Deed::Deleted && landed.iter().any(is_its)
}

/// `edited a.go: lines 41-46, +6 -2, now 212 lines`.
fn first_line(landed: &Landed) -> String {
    let planned = &landed.planned;
    let file = one_line(&landed.file, 500);
    let total = match planned.counts.total {
        1 => "1 line".to_owned(),
        total => format!("{total} lines"),
    };
    let size = format!("+{} -{}", planned.counts.added, planned.counts.removed);
    if let Some(from) = &landed.moved_from {
        let over = if planned.deed == Deed::Overwrote { ", over the file that was there" } else { "" };
        return format!("moved {} to {file}{over}: {size}, now {total}", one_line(from, 500));
    }
    match planned.deed {
        Deed::Edited if planned.occurrences > 1 => {
            format!("edited {file}: {} places, {}, {size}, now {total}", planned.occurrences, lines(&planned.lines))
        }
        Deed::Edited => format!("edited {file}: {}, {size}, now {total}", lines(&planned.lines)),
        Deed::Created => format!("created {file}: {total}"),
        Deed::Overwrote => format!("overwrote {file}: {size}, now {total}"),
        Deed::Deleted => format!("deleted {file}: -{}", planned.counts.removed),
        Deed::LeftAsIs => format!("left {file} as it is: it already has just this content, {total}"),
    }
}

pub(super) fn lines(ranges: &[LineRange]) -> String {
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return "no line changed".into() };
    let (start, end) = (first.one_based().0, last.one_based().1);
    if start == end { format!("line {start}") } else { format!("lines {start}-{end}") }
}

fn notes(landed: &Landed) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(landed.path_note.clone());
    if let Some(via) = landed.planned.matched_via.as_deref().filter(|via| *via != "exact") {
        notes.push(format!("matched by {} ({})", via.replace('_', " "), explained(via)));
    }
    notes.extend(landed.planned.form.iter().map(|note| one_line(note, 400)));
    notes.extend(folders_gone(&landed.folders_gone));
    if landed.changed_outside {
        notes.push("changed on disk since you read it: the edit was made on the present text".into());
    }
    notes
}

/// That folders went with the file for which they had been made.
fn folders_gone(folders: &[String]) -> Option<String> {
    let named: Vec<String> = folders.iter().map(|folder| one_line(folder, 200)).collect();
    let what = if folders.len() == 1 { "the folder" } else { "the folders" };
    let was =
        if folders.len() == 1 { "which had been made for it and was" } else { "which had been made for it and were" };
    (!folders.is_empty()).then(|| format!("with it {what} {}, {was} empty", named.join(", ")))
}

/// What a strategy's name means, for the first of several.
fn explained(via: &str) -> &'static str {
    match via.split('+').next().unwrap_or_default() {
        "line_trimmed" | "whitespace_normalized" | "trimmed_boundary" => {
            "your old_string differed in white space; the file's own was kept"
        }
        "indentation_flexible" => "your old_string was indented otherwise; the file's own indentation was kept",
        "escape_normalized" | "entities_decoded" => "your old_string was escaped otherwise than the file",
        "line_numbers_stripped" => "your old_string held line numbers, which the file has not",
        "diff_markers_stripped" => "your old_string held diff markers, which the file has not",
        "quotes_normalized" | "unicode_normalized" => {
            "your old_string had other characters for the same signs; the file's own were kept"
        }
        "elided" => "your old_string left lines out; they were kept",
        "multi_occurrence" => "it stood in several places",
        _ => "your old_string was not quite what the file has; lines you did not change were kept as they are",
    }
}

/// A clean exact edit is told in two lines; what surprised the agent is shown.
fn worth_showing(planned: &Planned, report: Option<&DiagnosticsReport>) -> bool {
    let inexact = planned.matched_via.as_deref().is_some_and(|via| via != "exact");
    let broken = report.is_some_and(|report| {
        report.verdict == Verdict::Problems && !report.introduced.is_empty() || !report.floor.is_empty()
    });
    matches!(planned.deed, Deed::Edited) && (inexact || broken)
}

pub(super) fn object(landed: &Landed, report: Option<&DiagnosticsReport>, shown: &str) -> Map<String, Value> {
    let planned = &landed.planned;
    let mut object = Map::new();
    object.insert("landed".into(), true.into());
    object.insert("file".into(), landed.file.as_str().into());
    object.insert("action".into(), deed_name(landed).into());
    if let Some(from) = &landed.moved_from {
        object.insert("moved_from".into(), from.as_str().into());
    }
    if let Some(via) = &planned.matched_via {
        object.insert("matched_via".into(), via.as_str().into());
        object.insert("similarity".into(), json!(planned.similarity));
        object.insert("replacements".into(), planned.occurrences.into());
    }
    if let (Some(first), Some(last)) = (planned.lines.first(), planned.lines.last()) {
        object.insert("range".into(), json!({ "start": first.one_based().0, "end": last.one_based().1 }));
    }
    let counts = planned.counts;
    object.insert("lines".into(), json!({ "added": counts.added, "removed": counts.removed, "total": counts.total }));
    object.insert("snippet".into(), shown.into());
    if let Some(note) = &landed.path_note {
        object.insert("path_note".into(), note.as_str().into());
    }
    if landed.changed_outside {
        object.insert("changed_outside".into(), true.into());
    }
    if !landed.folders_gone.is_empty() {
        object.insert("folders_gone".into(), json!(landed.folders_gone));
    }
    if let Some(report) = report {
        object.insert("diagnostics".into(), verdict_object(report));
    }
    object
}

fn deed_name(landed: &Landed) -> &'static str {
    match landed.planned.deed {
        _ if landed.moved_from.is_some() => "moved",
        Deed::Edited => "edited",
        Deed::Created => "created",
        Deed::Overwrote => "overwrote",
        Deed::Deleted => "deleted",
        Deed::LeftAsIs => "unchanged",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::text::{LineCounts, hunks};
    use crate::workspace::paths::contained::Expected;

    fn landed(before: &str, after: &str, via: &str) -> Landed {
        let hunks = hunks(before, after);
        let planned = Planned {
            deed: Deed::Edited,
            after: Some(Arc::from(after)),
            counts: LineCounts::of(&hunks, after),
            lines: hunks.iter().map(|hunk| hunk.new).collect(),
            hunks,
            matched_via: Some(via.into()),
            similarity: 1.0,
            occurrences: 1,
            form: Vec::new(),
        };
        Landed {
            file: "a.go".into(),
            moved_from: None,
            path_note: None,
            planned,
            before: Some(Arc::from(before)),
            changed_outside: false,
            folders_gone: Vec::new(),
            content: Some(Expected::of(after.as_bytes())),
        }
    }

    #[test]
    fn an_exact_edit_is_one_line_and_an_inexact_one_says_how_it_matched() {
        assert_eq!(
            change(&landed("a\nb\n", "a\nB\nC\n", "exact"), None).text,
            "edited a.go: lines 2-3, +2 -1, now 3 lines"
        );
        let text = change(&landed("a\nb\n", "a\nB\n", "line_trimmed"), None).text;
        let expected = "edited a.go: line 2, +1 -1, now 2 lines\nmatched by line trimmed (your old_string differed in white space; the file's own was kept)\n    1 | a\n    2 | B";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_structured_form_has_the_same_facts() {
        let object = change(&landed("a\nb\n", "a\n", "exact"), None).structured;
        assert_eq!(object["lines"], json!({ "added": 0, "removed": 1, "total": 1 }));
        assert_eq!(object["range"], json!({ "start": 2, "end": 2 }));
        assert_eq!(object["matched_via"], "exact");
    }
}
