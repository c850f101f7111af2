//! The page that is kept up to date: its parts, and what has changed of them since a browser was last told.
//!
//! Parts are rendered here alone, in the document and in what follows it, so that there is one place that escapes.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value, json};

use super::lists::{Lines, anchor};
use super::page::{Policy, document, hash, sentence, tiles};
use super::servers::language_servers;
use super::shown::Shown;
use super::timeline::timeline;
use super::{Fate, Figures, Picture, SessionPicture, Source};

const SCRIPT: &str = include_str!("live.js");

/// Lines of what happens that are shown, of all sessions together.
const MOST_LINES: usize = 120;
/// Sessions that are drawn; of more the last ones at work are taken.
const MOST_SESSIONS: usize = 24;
/// Lines of what was refused and not made good.
const MOST_OPEN: usize = 60;

/// What is shown beside the open sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Earlier {
    /// The names of the last sessions that have ended.
    pub names: Vec<String>,
}

/// The parts of the page, rendered.
#[derive(Debug)]
struct Parts {
    /// By the name of their place.
    blocks: [(&'static str, String); 5],
    /// What happened, the newest first, each by the name of its line.
    lines: Vec<(String, String)>,
}

/// What a browser has been told of the page.
#[derive(Debug, Default)]
pub struct Told {
    parts: HashMap<String, u64>,
    order: u64,
}

impl Told {
    /// What is to be told now so that the browser shows `picture`: JSON, nothing when that is what it shows.
    pub fn update(&mut self, picture: &Picture, earlier: &Earlier) -> Option<String> {
        let parts = Parts::of(picture, earlier);
        let blocks = self.news(parts.blocks.iter().map(|(name, text)| ((*name).to_owned(), text.as_str())));
        let lines = self.news(parts.lines.iter().map(|(name, text)| (name.clone(), text.as_str())));
        let names: Vec<&str> = parts.lines.iter().map(|(name, _)| name.as_str()).collect();
        let order = digest(&names);
        let moved = order != self.order;
        self.order = order;
        // What has left the page and comes back is told again.
        self.parts
            .retain(|name, _| names.contains(&name.as_str()) || parts.blocks.iter().any(|(block, _)| block == name));
        if blocks.is_empty() && lines.is_empty() && !moved {
            return None;
        }
        let mut update = json!({ "blocks": blocks, "lines": lines });
        if moved {
            update["order"] = json!(names);
        }
        Some(update.to_string())
    }

    fn news<'p>(&mut self, parts: impl Iterator<Item = (String, &'p str)>) -> Map<String, Value> {
        let mut news = Map::new();
        for (name, text) in parts {
            let digest = digest(text);
            if self.parts.insert(name.clone(), digest) != Some(digest) {
                news.insert(name, text.into());
            }
        }
        news
    }
}

fn digest(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The whole document, and the policy that it is to be served with.
pub fn live(picture: &Picture, earlier: &Earlier) -> (String, Policy) {
    let parts = Parts::of(picture, earlier);
    let [head, sessions, open, servers, before] = &parts.blocks;
    let body = html! {
        header.bar {
            p.brand { b { "landfall" } " " span #link role="status" { "as of " (picture.taken.clock()) " UTC" } }
            form method="post" action="/logout" { button.plain type="submit" { "Log out" } }
        }
        main {
            (block(head))
            section aria-labelledby="sessions-title" { h2 #sessions-title { "Open sessions" } (block(sessions)) }
            (block(open))
            section aria-labelledby="log-title" {
                h2 #log-title { "What happens" }
                ol.rows #log role="log" aria-live="polite" aria-relevant="additions" aria-labelledby="log-title" {
                    @for (_, line) in &parts.lines { (PreEscaped(line)) }
                }
            }
            section aria-labelledby="servers-title" { h2 #servers-title { "Language servers" } (block(servers)) }
            (block(before))
        }
        footer { p { "landfall " (env!("CARGO_PKG_VERSION")) ". The clock is UTC." } }
        script { (PreEscaped(SCRIPT)) }
    };
    let policy = Policy::page().with(&format!("script-src '{}'; connect-src 'self'", hash(SCRIPT)));
    (document("at work", None, &body).into_string(), policy)
}

fn block((name, text): &(&'static str, String)) -> Markup {
    html! { div id=(name) { (PreEscaped(text)) } }
}

impl Parts {
    fn of(picture: &Picture, earlier: &Earlier) -> Parts {
        let blocks = [
            ("head", head(picture)),
            ("sessions", sessions(picture)),
            ("open", open(picture)),
            ("servers", language_servers(picture)),
            ("earlier", before(earlier)),
        ];
        Parts { blocks: blocks.map(|(name, markup)| (name, markup.into_string())), lines: lines(picture) }
    }
}

fn head(picture: &Picture) -> Markup {
    let figures = Figures::sum(&picture.sessions);
    html! { h1 { (sentence(&figures)) } (tiles(&figures)) }
}

fn sessions(picture: &Picture) -> Markup {
    let mut shown: Vec<&SessionPicture> = picture.sessions.iter().collect();
    shown.sort_by_key(|session| std::cmp::Reverse(session.last));
    let left_out = shown.len().saturating_sub(MOST_SESSIONS);
    shown.truncate(MOST_SESSIONS);
    html! {
        @if shown.is_empty() { p.quiet { "None is open. What agents do here appears by itself." } }
        @for session in shown {
            article.session {
                h3 { @for (place, root) in session.roots.iter().enumerate() { @if place > 0 { ", " } code.path { (Shown(root)) } } }
                p.note {
                    @if let Some(face) = &session.face { (Shown(face)) ", " }
                    "since " (session.began.clock()) ": " (sentence(&session.figures)) ". "
                    a href={ "/session/" (session.name) } { "Report" }
                }
                (timeline(session, false))
            }
        }
        @if left_out > 0 { p.quiet { "… and " (left_out) " more." } }
    }
}

fn open(picture: &Picture) -> Markup {
    let of_all = picture.sessions.iter().flat_map(|session| session.refused.iter().map(move |line| (session, line)));
    let mut open: Vec<_> = of_all.filter(|(_, line)| line.fate == Fate::Open).collect();
    open.sort_by_key(|(_, line)| std::cmp::Reverse(line.source.at));
    let left_out = open.len().saturating_sub(MOST_OPEN);
    open.truncate(MOST_OPEN);
    html! {
        @if !open.is_empty() {
            section aria-labelledby="open-title" {
                h2 #open-title { "Refused, and not made good" }
                ol.rows { @for (session, line) in open { (lines_of(session, false).refused(line)) } }
                @if left_out > 0 { p.quiet { "… and " (left_out) " more." } }
            }
        }
    }
}

fn before(earlier: &Earlier) -> Markup {
    html! {
        @if !earlier.names.is_empty() {
            section aria-labelledby="earlier-title" {
                h2 #earlier-title { "Ended before" }
                ul.earlier { @for name in &earlier.names { li { a href={ "/session/" (name) } { code { (name) } } } } }
            }
        }
    }
}

fn lines_of(session: &SessionPicture, named: bool) -> Lines<'_> {
    Lines { session, named, with_root: true }
}

/// What happened in all sessions, the newest first.
fn lines(picture: &Picture) -> Vec<(String, String)> {
    type Render<'p> = Box<dyn Fn() -> Markup + 'p>;
    let mut all: Vec<(&SessionPicture, &Source, Render<'_>)> = Vec::new();
    for session in &picture.sessions {
        let lines = lines_of(session, true);
        all.extend(
            session
                .landed
                .iter()
                .map(|line| (session, &line.source, Box::new(move || lines.landed(line)) as Render<'_>)),
        );
        all.extend(
            session
                .refused
                .iter()
                .map(|line| (session, &line.source, Box::new(move || lines.refused(line)) as Render<'_>)),
        );
        all.extend(
            session
                .outside
                .iter()
                .map(|line| (session, &line.source, Box::new(move || lines.outside(line)) as Render<'_>)),
        );
    }
    all.sort_by_key(|(_, source, _)| std::cmp::Reverse((source.at, source.number)));
    all.truncate(MOST_LINES);
    all.into_iter().map(|(session, source, render)| (anchor(session, source.number), render().into_string())).collect()
}

/// The form that asks for the token; `wrong` says why it is asked again.
pub fn login(wrong: Option<&str>) -> (String, Policy) {
    let body = html! {
        main.login {
            p.brand { b { "landfall" } }
            h1 { "What agents do here" }
            form method="post" action="/login" {
                label for="token" { "Token" }
                input #token type="password" name="token" autocomplete="current-password" required autofocus
                    aria-invalid=[wrong.map(|_| "true")] aria-describedby={ @if wrong.is_some() { "wrong " } "where" };
                @if let Some(wrong) = wrong { p #wrong role="alert" { (wrong) } }
                button type="submit" { "Log in" }
                p.note #where { "It stands in the file that " code { "landfall serve --http" } " was given as " code { "--token-file" } "." }
            }
        }
    };
    (document("log in", None, &body).into_string(), Policy::page())
}

#[cfg(test)]
mod tests {
    use super::super::{Moment, Origin, session};
    use super::*;
    use crate::workspace::ledger::Ledger;

    fn picture(lines: &[&str]) -> Picture {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), lines.join("\n")).expect("writes");
        let record = Ledger::read(file.path()).expect("reads");
        let origin = Origin { name: "s".into(), face: Some("http".into()), home: Some("/w".into()), began: None };
        Picture { taken: Moment(0), sessions: vec![session(origin, &record, 10)], language_servers: Vec::new() }
    }

    const REFUSED: &str = r#"{"number":1,"at":"2026-01-01T00:00:00.000Z","tool":"edit","workspace":"/w","outcome":"refused","code":"not_found","path":"</script>","file":"a.go","message":"no"}"#;
    const LANDED: &str = r#"{"number":2,"at":"2026-01-01T00:00:01.000Z","tool":"edit","workspace":"/w","outcome":"landed","file":"a.go","action":"edited","added":1,"removed":1,"total":1,"reversal":[]}"#;

    #[test]
    fn a_browser_is_told_what_it_does_not_show_yet() {
        let (mut told, earlier) = (Told::default(), Earlier::default());
        let mut update = |lines: &[&str]| {
            let update = told.update(&picture(lines), &earlier);
            update.map(|update| serde_json::from_str::<Value>(&update).expect("JSON"))
        };
        let first = update(&[]).expect("all of it");
        assert_eq!((first["blocks"].as_object().map(Map::len), &first["order"]), (Some(5), &json!([])));
        assert_eq!(update(&[]), None);
        let second = update(&[REFUSED]).expect("a line");
        assert_eq!(second["order"], json!(["e-s-1"]));
        assert!(second["lines"]["e-s-1"].as_str().is_some_and(|line| line.contains("&lt;/script&gt;")), "{second}");
        let third = update(&[REFUSED, LANDED]).expect("two lines");
        // The refused one is made good, so that it is another line now.
        assert_eq!((third["lines"].as_object().map(Map::len), &third["order"]), (Some(2), &json!(["e-s-2", "e-s-1"])));
        assert!(third["blocks"].get("earlier").is_none(), "{third}");
        let fourth = update(&[LANDED]).expect("one has left");
        assert_eq!((fourth["lines"].as_object().map(Map::len), &fourth["order"]), (Some(0), &json!(["e-s-2"])));
        assert_eq!(update(&[REFUSED, LANDED]).expect("and comes back")["lines"].as_object().map(Map::len), Some(1));
    }

    #[test]
    fn the_document_and_the_first_update_show_the_same() {
        let (picture, earlier) = (picture(&[REFUSED, LANDED]), Earlier { names: vec!["old".into()] });
        let (page, policy) = live(&picture, &earlier);
        let update = Told::default().update(&picture, &earlier).expect("all of it");
        let update: Value = serde_json::from_str(&update).expect("JSON");
        for part in ["blocks", "lines"] {
            for (name, text) in update[part].as_object().expect("parts") {
                assert!(page.contains(text.as_str().expect("text")), "{name} is not in {page}");
            }
        }
        assert!(policy.0.contains(&hash(SCRIPT)) && policy.0.contains("connect-src 'self'"), "{}", policy.0);
        assert_eq!(page.matches("<script>").count(), 1);
        assert_eq!(page.matches(" id=\"e-s-1\"").count(), 1, "each name once");
    }
}
