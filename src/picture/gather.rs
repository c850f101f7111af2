//! A session's ledger as a picture.

use std::collections::{BTreeMap, HashMap};

use super::figures::middle;
use super::{Figures, Judge, LandedLine, Mark, Moment, OutsideLine, RefusedLine, SessionPicture, Source, VerdictLine};
use crate::workspace::ledger::{Entry, Fate, LandedEntry, Outcome, Record, RefusedEntry, VerdictEntry, fates};

/// What is known of a session beside its ledger.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// Its name.
    pub name: String,
    /// How it is connected, while it is.
    pub face: Option<String>,
    /// The root of calls that name none, where it is known.
    pub home: Option<String>,
    /// When it began, where that is known.
    pub began: Option<Moment>,
}

/// The picture of a session with the ledger `record`. Of each kind the last `most` lines are told, and all are counted.
pub fn session(origin: Origin, record: &Record, most: usize) -> SessionPicture {
    let mut verdicts: HashMap<u64, Vec<VerdictLine>> = HashMap::new();
    for entry in &record.verdicts {
        verdicts.entry(entry.about).or_default().push(verdict(entry));
    }
    let fates: HashMap<u64, Fate> = fates(&record.entries).into_iter().collect();
    let (mut landed, mut refused, mut outside) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = Moment::parse(record.entries.first().map_or("", |entry| &entry.at)).unwrap_or(Moment(0));
    for entry in &record.entries {
        // One that does not read is taken for that of the entry before.
        at = Moment::parse(&entry.at).unwrap_or(at);
        let source = source(entry, at);
        match &entry.outcome {
            Outcome::Landed(change) => {
                landed.push(landed_line(source, change, verdicts.remove(&entry.number).unwrap_or_default()));
            }
            Outcome::Refused(refusal) => {
                let fate = fates.get(&entry.number).copied().unwrap_or(Fate::Open);
                refused.push(refused_line(source, refusal, fate));
            }
            Outcome::Outside(changed) => {
                let files = changed.files.iter().map(|file| (file.action.name(), file.file.clone())).collect();
                outside.push(OutsideLine { source, files, total: changed.total });
            }
        }
    }
    let moments = || record.entries.iter().filter_map(|entry| Moment::parse(&entry.at));
    let began = origin.began.or_else(|| moments().min()).unwrap_or(Moment(0));
    let (figures, judges) = (Figures::of(&landed, &refused), judges(&landed));
    let mut picture = SessionPicture {
        name: origin.name,
        face: origin.face,
        roots: roots(origin.home, &record.entries),
        began,
        last: moments().max().unwrap_or(began).max(began),
        figures,
        landed,
        refused,
        outside,
        judges,
    };
    keep_last(&mut picture.landed, most);
    keep_last(&mut picture.refused, most);
    keep_last(&mut picture.outside, most);
    picture
}

fn keep_last<T>(lines: &mut Vec<T>, most: usize) {
    lines.drain(..lines.len().saturating_sub(most));
}

fn roots(home: Option<String>, entries: &[Entry]) -> Vec<String> {
    let mut roots: Vec<String> = home.into_iter().collect();
    for root in entries.iter().map(|entry| &entry.workspace) {
        if !root.is_empty() && !roots.contains(root) {
            roots.push(root.clone());
        }
    }
    roots
}

fn source(entry: &Entry, at: Moment) -> Source {
    Source { number: entry.number, at, tool: entry.tool.clone(), root: entry.workspace.clone() }
}

fn landed_line(source: Source, landed: &LandedEntry, verdicts: Vec<VerdictLine>) -> LandedLine {
    // A stretch that only removed lines is told by the line that is there now.
    let range = |line: usize, length: usize| (line + 1, line + length.max(1));
    LandedLine {
        source,
        file: landed.file.clone(),
        action: landed.action.name(),
        lines: landed.reversal.iter().map(|stretch| range(stretch.line, stretch.length)).collect(),
        added: landed.added,
        removed: landed.removed,
        matched_via: landed.matched_via.clone(),
        path_note: landed.path_note.clone(),
        undoes: landed.undoes,
        verdicts,
    }
}

fn refused_line(source: Source, refused: &RefusedEntry, fate: Fate) -> RefusedLine {
    let meant = refused.file.iter().chain(&refused.with);
    let mut files: Vec<String> = meant.filter(|file| **file != refused.path).cloned().collect();
    files.dedup();
    RefusedLine {
        source,
        code: refused.code.clone(),
        typed: refused.path.clone(),
        files,
        message: refused.message.clone(),
        fate,
    }
}

fn verdict(entry: &VerdictEntry) -> VerdictLine {
    VerdictLine {
        at: Moment::parse(&entry.at).unwrap_or(Moment(0)),
        mark: mark(entry),
        name: entry.verdict.clone(),
        language_server: entry.language_server.clone(),
        after_ms: entry.after_ms,
        detail: entry.detail.clone(),
        counts: counts(entry),
        problems: entry.problems.clone(),
    }
}

fn mark(entry: &VerdictEntry) -> Mark {
    match entry.verdict.as_str() {
        "clean" => Mark::Clean,
        "problems" => Mark::Problems,
        _ if entry.syntax > 0 => Mark::Problems,
        "no_project" | "no_language_server" => Mark::Unchecked,
        _ => Mark::Unknown,
    }
}

impl VerdictLine {
    /// Whether it rests on a language server's evidence.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.name.as_str(), "clean" | "problems")
    }
}

/// `2 introduced, 1 fixed, 1 elsewhere`.
fn counts(entry: &VerdictEntry) -> String {
    let introduced = if entry.baseline { "introduced" } else { "there now" };
    let counts = [
        (entry.introduced, introduced),
        (entry.fixed, "fixed"),
        (entry.unchanged, "unchanged"),
        (entry.elsewhere, "elsewhere"),
        (entry.syntax, "in the syntax"),
    ];
    let told = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    told.collect::<Vec<_>>().join(", ")
}

fn judges(landed: &[LandedLine]) -> Vec<Judge> {
    let mut times: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for last in landed.iter().filter_map(|line| line.verdicts.last()) {
        if let (Some(name), true) = (&last.language_server, last.is_settled()) {
            times.entry(name).or_default().push(last.after_ms);
        }
    }
    let judge = |(name, mut times): (&str, Vec<u64>)| {
        times.sort_unstable();
        Judge {
            name: name.to_owned(),
            judged: times.len(),
            median_ms: middle(&times).unwrap_or_default(),
            longest_ms: times.last().copied().unwrap_or_default(),
        }
    };
    times.into_iter().map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let lines = [
            r#"{"number":1,"at":"2026-01-01T00:00:00.000Z","tool":"edit","workspace":"/w","outcome":"refused","code":"path_not_found","path":"/v/a.go","message":"no"}"#,
            r#"{"number":2,"at":"2026-01-01T00:00:01.000Z","tool":"edit","workspace":"/w","outcome":"landed","file":"a.go","action":"edited","added":2,"removed":1,"total":9,"reversal":[{"line":2,"length":2,"text":"x"}],"matched_via":"line_trimmed"}"#,
            r#"{"number":3,"at":"2026-01-01T00:00:05.000Z","tool":"write","workspace":"/w","outcome":"landed","file":"b.txt","action":"created","added":1,"removed":0,"total":1,"reversal":[{"line":0,"length":1,"text":""}]}"#,
            r#"{"number":4,"at":"2026-01-01T00:00:09.000Z","tool":"edit","workspace":"/w","outcome":"refused","code":"not_found","path":"b.txt","message":"no"}"#,
            r#"{"about":2,"at":"2026-01-01T00:00:03.000Z","verdict":"loading","language_server":"gopls","after_ms":2000}"#,
            r#"{"about":2,"at":"2026-01-01T00:00:15.000Z","verdict":"problems","language_server":"gopls","after_ms":14000,"baseline":true,"introduced":2,"problems":["a.go:3:1 error x"]}"#,
            r#"{"about":3,"at":"2026-01-01T00:00:05.000Z","verdict":"no_language_server","after_ms":1}"#,
        ];
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), lines.join("\n")).expect("writes");
        crate::workspace::ledger::Ledger::read(file.path()).expect("reads")
    }

    #[test]
    fn a_ledger_is_told_with_the_last_word_on_each_change() {
        let picture = session(Origin { name: "s".into(), ..Origin::default() }, &record(), 10);
        assert_eq!(picture.roots, ["/w"]);
        assert_eq!((picture.began.clock(), picture.last.clock()), ("00:00:00".into(), "00:00:09".into()));
        let [first, second] = picture.landed.as_slice() else { panic!("{:?}", picture.landed) };
        assert_eq!((first.lines.as_slice(), first.verdicts.len(), first.mark()), (&[(3, 4)][..], 2, Mark::Problems));
        assert_eq!(first.verdicts[1].counts, "2 introduced");
        assert_eq!(second.mark(), Mark::Unchecked);
        let fates: Vec<Fate> = picture.refused.iter().map(|line| line.fate).collect();
        assert_eq!(fates, [Fate::MadeGood(2), Fate::Open]);
        let Figures { landed, files, inexact, refused, open, problems, unchecked, settled_ms, .. } = &picture.figures;
        assert_eq!((*landed, *files, *inexact, *refused, *open), (2, 2, 1, 2, 1));
        assert_eq!((*problems, *unchecked, settled_ms.as_slice()), (1, 1, &[14_000][..]));
        let judge = Judge { name: "gopls".into(), judged: 1, median_ms: 14_000, longest_ms: 14_000 };
        assert_eq!(picture.judges, [judge]);
    }

    #[test]
    fn what_is_left_out_of_the_lists_is_counted() {
        let picture = session(Origin::default(), &record(), 1);
        assert_eq!((picture.landed.len(), picture.refused.len()), (1, 1));
        assert_eq!((picture.landed[0].source.number, picture.figures.landed, picture.figures.refused), (3, 2, 2));
    }
}
