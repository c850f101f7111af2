//! The document: what stands around the parts, and the report of one session.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::lists::{Lines, size};
use super::moment::duration;
use super::servers::language_servers;
use super::shown::{Shown, counted, plain};
use super::timeline::{class, length, shares, symbol, timeline};
use super::{Fate, Figures, LandedLine, Mark, Picture, RefusedLine, SessionPicture};

const STYLE: &str = include_str!("page.css");

/// The report of the one session of `picture`: a document that stands alone, without any script.
pub fn report(picture: &Picture) -> String {
    let sessions = &picture.sessions;
    let policy = Policy::document();
    let title = sessions.first().map_or("session", |session| &session.name);
    let body = html! {
        @for session in sessions {
            header {
                p.brand { b { "landfall" } " report of a session" }
                h1 { (sentence(&session.figures)) }
                (about(session))
            }
            main {
                (tiles(&session.figures))
                @if !session.landed.is_empty() || !session.refused.is_empty() {
                    section aria-labelledby="along" { h2 #along { "Along the clock" } (timeline(session, true)) }
                }
                (refused_sections(session))
                (files_section(session))
                (landed_section(session))
                (outside_section(session))
                section aria-labelledby="servers" { h2 #servers { "Language servers" } (language_servers(picture)) }
            }
        }
        footer { p { "Taken " (picture.taken.day()) ", " (picture.taken.clock()) " UTC, by landfall " (env!("CARGO_PKG_VERSION")) "." } }
    };
    document(title, Some(&policy), &body).into_string()
}

/// What stands around every page. `policy` is given in the document where no header can carry it.
pub(super) fn document(title: &str, policy: Option<&Policy>, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                @if let Some(policy) = policy { meta http-equiv="Content-Security-Policy" content=(policy.0); }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="same-origin";
                title { (plain(title)) " – landfall" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

/// What a browser may do with a page: its content security policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy(pub String);

impl Policy {
    /// Of a file that stands alone.
    pub(super) fn document() -> Policy {
        let style = hash(STYLE);
        Policy(format!("default-src 'none'; style-src '{style}'; img-src data:; base-uri 'none'; form-action 'none'"))
    }

    /// Of a page that a service answers with: it may send forms to that, and stand in no frame.
    pub fn page() -> Policy {
        let style = hash(STYLE);
        Policy(format!(
            "default-src 'none'; style-src '{style}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ))
    }

    /// The same, and `more` is allowed.
    pub(super) fn with(self, more: &str) -> Policy {
        Policy(format!("{}; {more}", self.0))
    }
}

/// As a content security policy names an inline text.
pub(super) fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// `14 landed, 5 refused, 2 of them not made good`.
pub(super) fn sentence(figures: &Figures) -> Markup {
    html! {
        (counted(figures.landed, "change")) " landed"
        @match (figures.refused, figures.open) {
            (0, _) => ", none refused",
            (refused, 0) => { ", " (refused) " refused and made good" },
            (refused, open) if refused == open => { ", " em { (refused) " refused and not made good" } },
            (refused, open) => { ", " (refused) " refused, " em { (open) " of them not made good" } },
        }
    }
}

fn about(session: &SessionPicture) -> Markup {
    html! {
        dl.about {
            dt { "session" } dd { code.path { (Shown(&session.name)) } @if let Some(face) = &session.face { " (" (Shown(face)) ", open)" } }
            dt { @if session.roots.len() > 1 { "workspaces" } @else { "workspace" } }
            dd { @for root in &session.roots { code.path { (Shown(root)) } " " } }
            dt { "when" }
            dd { (session.began.day()) ", " (session.began.clock()) " to " (session.last.clock()) " UTC, " (length(session)) }
        }
    }
}

/// The headline figures.
pub(super) fn tiles(figures: &Figures) -> Markup {
    let parts = [
        (figures.clean, Mark::Clean),
        (figures.problems, Mark::Problems),
        (figures.unknown, Mark::Unknown),
        (figures.unchecked, Mark::Unchecked),
    ];
    html! {
        section.tiles aria-label="Figures" {
            div { p.figure { (figures.landed) } p.label { "landed" } p.note { "in " (counted(figures.files, "file")) ", " (size(figures.added, figures.removed)) } }
            div.alarm[figures.open > 0] {
                p.figure { (figures.open) } p.label { "not made good" } p.note { "of " (figures.refused) " refused" }
            }
            div {
                p.figure { (figures.clean) @if figures.landed > 0 { small { " of " (figures.landed) } } } p.label { "clean" }
                (shares(parts))
                p.note { (rest(figures)) }
            }
            div {
                p.figure { @match figures.median_ms() { Some(ms) => (duration(ms)), None => "–" } } p.label { "median to a verdict" }
                p.note { @if let Some(longest) = figures.settled_ms.last() { (duration(*longest)) " at most" } @else { "no verdict on evidence" } }
            }
            @if figures.inexact + figures.put_right > 0 {
                div { p.figure { (figures.inexact + figures.put_right) } p.label { "put right" } p.note { (counted(figures.inexact, "old text")) ", " (counted(figures.put_right, "path")) } }
            }
        }
    }
}

/// What those are that are not clean.
fn rest(figures: &Figures) -> String {
    let parts =
        [(figures.problems, "with problems"), (figures.unknown, "not known"), (figures.unchecked, "not checked")];
    let told: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if told.is_empty() && figures.landed > 0 { "all of them".to_owned() } else { told.join(", ") }
}

fn refused_sections(session: &SessionPicture) -> Markup {
    let lines = Lines::of(session);
    let (open, closed): (Vec<&RefusedLine>, Vec<_>) = session.refused.iter().partition(|line| line.fate == Fate::Open);
    let left_out = session.figures.refused - session.refused.len();
    html! {
        @if !open.is_empty() {
            section aria-labelledby="open" {
                h2 #open { "Refused, and not made good" }
                ol.rows { @for line in &open { (lines.refused(line)) } }
            }
        }
        @if !closed.is_empty() {
            section aria-labelledby="good" {
                h2 #good { "Refused, and nothing is missing" }
                ol.rows { @for line in &closed { (lines.refused(line)) } }
            }
        }
        @if left_out > 0 { p.quiet { (left_out) " earlier ones that were refused are not listed." } }
    }
}

fn landed_section(session: &SessionPicture) -> Markup {
    let lines = Lines::of(session);
    let left_out = session.figures.landed - session.landed.len();
    html! {
        section aria-labelledby="landed" {
            h2 #landed { "Landed" }
            @if session.landed.is_empty() { p.quiet { "Nothing was changed on disk." } }
            @if left_out > 0 { p.quiet { (left_out) " earlier ones are not listed." } }
            ol.rows { @for line in &session.landed { (lines.landed(line)) } }
        }
    }
}

fn outside_section(session: &SessionPicture) -> Markup {
    let lines = Lines::of(session);
    html! {
        @if !session.outside.is_empty() {
            section aria-labelledby="outside" {
                h2 #outside { "Changed by commands" }
                ol.rows { @for line in &session.outside { (lines.outside(line)) } }
            }
        }
    }
}

/// One file, with what all changes of it come to.
struct FileSum<'a> {
    file: &'a str,
    root: &'a str,
    changes: usize,
    added: usize,
    removed: usize,
    mark: Mark,
}

fn files(landed: &[LandedLine]) -> Vec<FileSum<'_>> {
    let mut files: Vec<FileSum<'_>> = Vec::new();
    for line in landed {
        let (file, root, mark) = (line.file.as_str(), line.source.root.as_str(), line.mark());
        match files.iter_mut().find(|sum| (sum.file, sum.root) == (file, root)) {
            Some(sum) => {
                (sum.changes, sum.added, sum.removed) =
                    (sum.changes + 1, sum.added + line.added, sum.removed + line.removed);
                sum.mark = mark;
            }
            None => files.push(FileSum { file, root, changes: 1, added: line.added, removed: line.removed, mark }),
        }
    }
    files
}

fn files_section(session: &SessionPicture) -> Markup {
    let files = files(&session.landed);
    html! {
        @if files.len() > 1 {
            section aria-labelledby="files" {
                h2 #files { "File by file" }
                table {
                    thead { tr { th scope="col" { "file" } th scope="col" { "changes" } th scope="col" { "lines" } th scope="col" { "last word" } } }
                    tbody {
                        @for sum in &files {
                            tr class=(class(sum.mark)) {
                                th scope="row" { code.path { (Shown(sum.file)) } @if session.roots.len() > 1 { " " span.quiet { (Shown(sum.root)) } } }
                                td { (sum.changes) }
                                td { (size(sum.added, sum.removed)) }
                                td { (symbol(sum.mark)) (super::lists::state(sum.mark)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Moment, Origin, ServerPicture, session};
    use super::*;
    use crate::workspace::ledger::Ledger;

    const HOSTILE: &str = "</script><style>\"'`><img src=x onerror=alert(1)>\u{202e}\u{0}\n&lt;";

    /// A session in which every text is hostile.
    fn hostile() -> Picture {
        let text = serde_json::to_string(HOSTILE).expect("JSON");
        let lines = [
            format!(
                r#"{{"number":1,"at":"2026-01-01T00:00:01.000Z","tool":{text},"workspace":{text},"outcome":"landed","file":{text},"action":"edited","added":1,"removed":1,"total":1,"reversal":[{{"line":1,"length":1,"text":"x"}}],"matched_via":{text},"path_note":{text},"undoes":1}}"#
            ),
            format!(
                r#"{{"number":2,"at":"2026-01-01T00:00:02.000Z","tool":{text},"workspace":"/other","outcome":"landed","file":"b","action":"edited","added":1,"removed":1,"total":1,"reversal":[]}}"#
            ),
            format!(
                r#"{{"number":3,"at":{text},"tool":{text},"workspace":{text},"outcome":"refused","code":{text},"path":{text},"file":"f","message":{text},"with":[{text}]}}"#
            ),
            format!(
                r#"{{"number":4,"at":"x","tool":{text},"workspace":{text},"outcome":"outside","files":[{{"file":{text},"action":"created"}}],"total":9}}"#
            ),
            format!(
                r#"{{"about":1,"at":"2026-01-01T00:00:02.000Z","verdict":"loading","language_server":{text},"after_ms":2000}}"#
            ),
            format!(
                r#"{{"about":1,"at":"2026-01-01T00:00:03.000Z","verdict":{text},"language_server":{text},"after_ms":2000,"detail":{text},"problems":[{text}]}}"#
            ),
        ];
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), lines.join("\n")).expect("writes");
        let record = Ledger::read(file.path()).expect("reads");
        let origin =
            Origin { name: HOSTILE.into(), face: Some(HOSTILE.into()), home: Some(HOSTILE.into()), began: None };
        let server = ServerPicture {
            name: HOSTILE.into(),
            root: HOSTILE.into(),
            state: HOSTILE.into(),
            detail: Some(HOSTILE.into()),
            memory_bytes: Some(1),
            restarts: 1,
            uptime_seconds: Some(1),
        };
        let sessions = vec![session(origin, &record, 10)];
        Picture { taken: Moment(0), sessions, language_servers: vec![server] }
    }

    #[test]
    fn no_text_of_others_becomes_markup() {
        let page = report(&hostile());
        for forbidden in ["<img", "<script", "</script", "\u{202e}", "\0", " style=", "onerror=alert(1)>"] {
            assert!(!page.contains(forbidden), "{forbidden:?} is in {page}");
        }
        assert_eq!(page.matches("<style>").count(), 1);
        // What stands in an attribute cannot leave it, and every text is there.
        assert!(page.matches("&lt;/script&gt;&lt;style&gt;&quot;").count() >= 15, "{page}");
    }

    #[test]
    fn the_policy_lets_the_pages_own_style_in_and_nothing_else() {
        let page = report(&hostile());
        let style = page.split_once("<style>").expect("a style").1.split_once("</style>").expect("its end").0;
        let policy = page.split_once("content=\"default-src").expect("a policy").1;
        let policy = policy.split_once('"').expect("its end").0;
        assert_eq!(
            policy,
            format!(" 'none'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'", hash(style))
        );
    }

    #[test]
    fn a_session_in_which_nothing_happened_says_so() {
        let sessions = vec![session(Origin::default(), &crate::workspace::ledger::Record::default(), 10)];
        let page = report(&Picture { taken: Moment(0), sessions, language_servers: Vec::new() });
        for expected in ["0 changes landed, none refused", "Nothing was changed on disk.", "None was at work."] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
    }
}
