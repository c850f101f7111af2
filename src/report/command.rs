//! A command that has run: how it ended, what it says of edits, what it printed.
//!
//! Everything of ours stands above the line that begins with `output`, so that nothing a program prints can pass for it.

use std::time::Duration;

use serde_json::json;

use super::changes::{Open, outside_files, refused_and_open};
use super::{Reply, one_line};
use crate::shell::{Ending, Finished, HEAD_BYTES, Output, UNSPILLED};
use crate::workspace::ledger::{Entry, Outcome, OutsideEntry};

/// Most files named in a note.
const MOST_NAMED: usize = 5;

/// What is known of a run.
#[derive(Debug, Clone, Copy)]
pub struct RanCommand<'a> {
    /// What came of it.
    pub finished: &'a Finished,
    /// How long it might have taken.
    pub timeout: Duration,
    /// How many of its last lines are wanted; without it as much as makes a small result.
    pub limit: Option<usize>,
    /// Where it ran, relative to the workspace; `.` for its root.
    pub workdir: &'a str,
    /// The session's ledger when the command began.
    pub before: &'a [Entry],
    /// What it changed, if that is known.
    pub changed: Option<&'a OutsideEntry>,
    /// Paths in the command that are the workspace's mistyped, each with the right one.
    pub mistyped: &'a [(String, String)],
}

/// The result of `bash`.
pub fn command(ran: &RanCommand<'_>) -> Reply {
    let (finished, output) = (ran.finished, &ran.finished.output);
    let mut text = format!("{}\n", ending(ran));
    let refused = refused_note(ran.before);
    if let Some((_, note)) = &refused {
        text.push_str(&format!("{note}\n"));
    }
    for (typed, right) in ran.mistyped {
        let (typed, right) = (one_line(typed, 300), one_line(right, 300));
        text.push_str(&format!(
            "note: {typed} in the command does not exist; the workspace has {right} (relative paths avoid this)\n"
        ));
    }
    match ran.changed {
        Some(changed) if changed.total > 0 => {
            let files = if changed.total == 1 { "file" } else { "files" };
            text.push_str(&format!("changed {} {files}: {}\n", changed.total, outside_files(changed)));
        }
        _ => {}
    }
    if finished.left_running {
        text.push_str("note: a process that the command started still runs in the background\n");
    }
    let shown = ShownOutput::of(output, ran.limit);
    text.push_str(&printed(output, &shown, finished.left_running));
    let (first, last) = shown.lines();
    let (exit_code, signal) = match finished.ending {
        Ending::Exited(code) => (Some(code), None),
        Ending::Signalled(signal) => (None, Some(signal)),
        Ending::TimedOut | Ending::Cancelled => (None, None),
    };
    let structured = json!({
        "exit_code": exit_code,
        "signal": signal,
        "timed_out": finished.ending == Ending::TimedOut,
        "duration_ms": u64::try_from(finished.elapsed.as_millis()).unwrap_or(u64::MAX),
        "workdir": ran.workdir,
        "lines": { "total": output.lines, "shown": first + last },
        "bytes": output.bytes,
        "spill": output.spill,
        "left_running": finished.left_running,
        "changed": ran.changed.map(|changed| json!({ "total": changed.total, "files": changed.files })),
        "refused_edits": refused.map_or(0, |(count, _)| count),
        "path_notes": ran.mistyped.iter().map(|(typed, right)| json!({ "typed": typed, "nearest": right })).collect::<Vec<_>>(),
    });
    let mut reply = Reply::done(text.trim_end(), structured);
    reply.is_error = matches!(finished.ending, Ending::TimedOut | Ending::Cancelled);
    reply
}

fn ending(ran: &RanCommand<'_>) -> String {
    let after = seconds(ran.finished.elapsed);
    match ran.finished.ending {
        Ending::Exited(code) => format!("exit code {code}, {after}"),
        Ending::Signalled(signal) => format!("ended by signal {signal}, {after}"),
        Ending::TimedOut => format!(
            "ended after {}, because timeout_ms was {}: it did not finish, and all its processes were ended",
            after,
            ran.timeout.as_millis()
        ),
        Ending::Cancelled => format!("ended after {after}, because the call was cancelled"),
    }
}

fn seconds(elapsed: Duration) -> String {
    if elapsed < Duration::from_secs(1) {
        format!("{} ms", elapsed.as_millis())
    } else {
        format!("{:.1} s", elapsed.as_secs_f64())
    }
}

/// How many edits were refused that the tree therefore lacks, and the sentence that says so.
fn refused_note(entries: &[Entry]) -> Option<(usize, String)> {
    let last =
        entries.iter().rposition(|entry| matches!(entry.outcome, Outcome::Landed(_))).map_or(0, |index| index + 1);
    let since = refused_and_open(&entries[last..]);
    let (open, what) = if since.is_empty() {
        (refused_and_open(entries), "and not made good since")
    } else {
        (since, "since the last one that landed")
    };
    let count: usize = open.iter().map(Open::times).sum();
    if count == 0 {
        return None;
    }
    let mut files: Vec<String> = open.iter().take(MOST_NAMED).map(|open| open.shown()).collect();
    if open.len() > MOST_NAMED {
        files.push("…".to_owned());
    }
    let edits = if count == 1 { "1 edit was".to_owned() } else { format!("{count} edits were") };
    let without = if count == 1 { "it" } else { "them" };
    Some((
        count,
        format!("note: {edits} refused {what} ({}): this run checked a tree without {without}", files.join(", ")),
    ))
}

/// The part of an output that is shown.
struct ShownOutput {
    /// The beginning, where it is shown apart from the end.
    head: String,
    tail: String,
    /// Whether that is not all.
    is_cut: bool,
}

impl ShownOutput {
    /// Its beginning and its end, as much as makes a small result; with `limit`, so many of its last lines.
    fn of(output: &Output, limit: Option<usize>) -> ShownOutput {
        let all = plain(&output.tail);
        match limit {
            Some(limit) => {
                let tail = last_lines(&all, limit, usize::MAX);
                let is_cut = tail.len() < all.len() || output.bytes > output.tail.len() as u64;
                ShownOutput { head: String::new(), tail: tail.to_owned(), is_cut }
            }
            None if output.bytes <= UNSPILLED as u64 && all.len() <= UNSPILLED => {
                ShownOutput { head: String::new(), tail: all, is_cut: false }
            }
            None => {
                let mut head = plain(&output.head);
                head.truncate(head.floor_char_boundary(HEAD_BYTES));
                let tail = last_lines(&all, usize::MAX, UNSPILLED - HEAD_BYTES).to_owned();
                ShownOutput { head, tail, is_cut: true }
            }
        }
    }

    fn lines(&self) -> (usize, usize) {
        (self.head.lines().count(), self.tail.lines().count())
    }
}

fn printed(output: &Output, shown: &ShownOutput, left_running: bool) -> String {
    let spill = output.spill.as_ref().map(|path| path.display().to_string());
    let which = match shown.lines() {
        (0, last) => format!("output, the last {last} of {} lines", output.lines),
        (first, last) => format!("output, the first {first} and the last {last} of {} lines", output.lines),
    };
    let mut title = match (shown.is_cut, &spill) {
        (true, Some(spill)) => {
            format!("{which}; all of it is in {spill} (`read` and `grep` accept that path)")
        }
        (true, None) => format!("{which}; the rest is lost"),
        (false, Some(spill)) if left_running => {
            format!("output so far; what follows goes to {spill} (`read` accepts that path)")
        }
        (false, _) if output.tail.trim().is_empty() => return "(no output)".to_owned(),
        (false, _) => "output".to_owned(),
    };
    if let Some(lost) = &output.lost {
        title.push_str(&format!("; not all was kept: {}", one_line(lost, 200)));
    }
    if shown.head.is_empty() {
        return format!("{title}:\n{}", shown.tail);
    }
    format!("{title}:\n{}\n…\n{}", shown.head.trim_end_matches('\n'), shown.tail)
}

/// The last lines of `text`, at most so many and so many bytes; of a line that is longer by itself its end.
fn last_lines(text: &str, most: usize, bytes: usize) -> &str {
    let mut start = text.len();
    for line in text.split_inclusive('\n').rev().take(most) {
        if text.len() - start + line.len() > bytes {
            break;
        }
        start -= line.len();
    }
    if start == text.len() && most > 0 {
        start = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    }
    &text[start..]
}

/// Text as a terminal would leave it on paper: no escape sequences, and of a line that was written over its last state.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let last = bare.rsplit('\r').find(|state| !state.is_empty()).unwrap_or_default();
        let mut characters = last.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\u{1b}' => skip_escape(&mut characters),
                '\t' => out.push('\t'),
                character if character.is_control() => {}
                character => out.push(character),
            }
        }
        out.push('\n');
    }
    out
}

/// Skips what belongs to an escape that has begun: `[ … letter`, `] … BEL`, or one character.
fn skip_escape(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match characters.next() {
        Some('[') => {
            characters.find(|character| ('@'..='~').contains(character));
        }
        Some(']') => {
            let mut escaped = false;
            characters.find(|character| {
                let ends = *character == '\u{7}' || (escaped && *character == '\\');
                escaped = *character == '\u{1b}';
                ends
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{LineCounts, hunks};
    use crate::workspace::ledger::{Action, LandedEntry, OutsideFile, RefusedEntry};

    fn finished(ending: Ending, tail: &str) -> Finished {
        let lines = tail.lines().count() as u64;
        let output =
            Output { tail: tail.into(), bytes: tail.len() as u64, lines, lines_kept: lines, ..Output::default() };
        Finished { ending, elapsed: Duration::from_millis(1500), output, left_running: false }
    }

    fn ran<'a>(finished: &'a Finished, before: &'a [Entry], changed: Option<&'a OutsideEntry>) -> RanCommand<'a> {
        RanCommand {
            finished,
            timeout: Duration::from_secs(120),
            limit: None,
            workdir: ".",
            before,
            changed,
            mistyped: &[],
        }
    }

    fn entry(outcome: Outcome) -> Entry {
        Entry { number: 1, at: String::new(), tool: "edit".into(), workspace: String::new(), call: 1, outcome }
    }

    fn refused(file: &str) -> Entry {
        let refused = RefusedEntry {
            code: "not_found".into(),
            path: file.into(),
            file: Some(file.into()),
            message: "no".into(),
            with: Vec::new(),
        };
        entry(Outcome::Refused(refused))
    }

    fn landed(file: &str) -> Entry {
        let hunks = hunks("a\n", "b\n");
        entry(Outcome::Landed(LandedEntry::new(
            file,
            Action::Edited,
            Some("a\n"),
            Some("b\n"),
            &hunks,
            LineCounts::of(&hunks, "b\n"),
        )))
    }

    #[test]
    fn the_ending_comes_first_and_the_output_last() {
        for (ending, tail, expected) in [
            (Ending::Exited(0), "", "exit code 0, 1.5 s\n(no output)"),
            (Ending::Exited(3), "a\nb", "exit code 3, 1.5 s\noutput:\na\nb"),
            (Ending::Signalled(9), "x\n", "ended by signal 9, 1.5 s\noutput:\nx"),
        ] {
            let reply = command(&ran(&finished(ending, tail), &[], None));
            assert_eq!((reply.text.as_str(), reply.is_error), (expected, false));
        }
        let timed_out = command(&ran(&finished(Ending::TimedOut, ""), &[], None));
        assert!(
            timed_out.is_error && timed_out.text.starts_with("ended after 1.5 s, because timeout_ms was 120000"),
            "{}",
            timed_out.text
        );
    }

    #[test]
    fn edits_that_are_missing_are_told() {
        let done = finished(Ending::Exited(0), "");
        let note =
            |entries: &[Entry]| command(&ran(&done, entries, None)).text.lines().nth(1).unwrap_or_default().to_owned();
        let two = [landed("x"), refused("a.zig"), refused("b.zig"), refused("a.zig")];
        let expected = "note: 3 edits were refused since the last one that landed (a.zig, b.zig): this run checked a tree without them";
        assert_eq!(note(&two), expected);
        let earlier = [refused("a.zig"), landed("b.zig")];
        assert_eq!(
            note(&earlier),
            "note: 1 edit was refused and not made good since (a.zig): this run checked a tree without it"
        );
        assert_eq!(note(&[refused("a.zig"), landed("a.zig")]), "(no output)");
    }

    #[test]
    fn what_it_changed_and_mistyped_paths_are_told() {
        let changed =
            OutsideEntry { files: vec![OutsideFile { file: "a.go".into(), action: Action::Edited }], total: 1 };
        let done = finished(Ending::Exited(0), "");
        let mistyped = [("/w-x/a".to_owned(), "/w/a".to_owned())];
        let reply = command(&RanCommand { mistyped: &mistyped, ..ran(&done, &[], Some(&changed)) });
        let expected = "exit code 0, 1.5 s\nnote: /w-x/a in the command does not exist; the workspace has /w/a (relative paths avoid this)\n\
                        changed 1 file: edited a.go\n(no output)";
        assert_eq!(reply.text, expected);
    }

    #[test]
    fn a_long_output_is_shown_by_its_ends_or_as_far_as_was_asked() {
        let tail: String = (0..2000).map(|n| format!("line {n}\n")).collect();
        let head = "line -2\nline -1\n".to_owned();
        let output = Output {
            head,
            bytes: 40_000,
            lines: 2002,
            spill: Some("/s".into()),
            ..finished(Ending::Exited(0), &tail).output
        };
        let done = Finished { output, ..finished(Ending::Exited(1), "") };
        let reply = command(&ran(&done, &[], None));
        let lines: Vec<&str> = reply.text.lines().collect();
        assert!(lines[1].starts_with("output, the first 2 and the last "), "{}", lines[1]);
        assert!(
            lines[1].ends_with(" of 2002 lines; all of it is in /s (`read` and `grep` accept that path):"),
            "{}",
            lines[1]
        );
        assert_eq!((&lines[2..6], lines.last()), (&["line -2", "line -1", "…", lines[5]][..], Some(&"line 1999")));
        assert!(reply.text.len() < 8_000, "{}", reply.text.len());
        let asked = command(&RanCommand { limit: Some(1500), ..ran(&done, &[], None) });
        assert!(
            asked.text.contains("output, the last 1500 of 2002 lines; all") && asked.text.contains("\nline 500\n"),
            "{}",
            asked.text
        );
        let endless = Output { tail: "é".repeat(20_000), bytes: 40_000, lines: 1, ..Output::default() };
        let done = Finished { output: endless, ..finished(Ending::Exited(0), "") };
        assert!(command(&ran(&done, &[], None)).text.len() < 8_000);
    }

    #[test]
    fn output_is_shown_as_a_terminal_would_leave_it() {
        for (text, expected) in [
            ("\u{1b}[31mred\u{1b}[0m\tx\r\n", "red\tx\n"),
            ("10%\r50%\r100%\ndone", "100%\ndone\n"),
            ("\u{1b}]0;title\u{7}a\u{8}b", "ab\n"),
            ("é\u{1b}[", "é\n"),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }
}
