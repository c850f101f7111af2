//! What landed, what was refused, what was changed past us: line by line.

use maud::{Markup, html};

use super::moment::duration;
use super::shown::{Shown, counted};
use super::timeline::{class, refusal_symbol, symbol};
use super::{Fate, LandedLine, Mark, Moment, OutsideLine, RefusedLine, SessionPicture, Source, VerdictLine};

/// Files of one command that are named.
const MOST_OUTSIDE: usize = 40;

/// The lines of one session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines<'a> {
    pub(super) session: &'a SessionPicture,
    /// Whether each line has the name that others lead to. A page may have each name once.
    pub(super) named: bool,
    /// Whether each says the workspace.
    pub(super) with_root: bool,
}

/// The name of an entry's line on the page.
pub(super) fn anchor(session: &SessionPicture, number: u64) -> String {
    let name = session.name.replace(|character: char| !character.is_ascii_alphanumeric() && character != '-', "_");
    format!("e-{name}-{number}")
}

impl<'a> Lines<'a> {
    /// Those of a page of its own.
    pub(super) fn of(session: &'a SessionPicture) -> Lines<'a> {
        Lines { session, named: true, with_root: session.roots.len() > 1 }
    }

    fn name(&self, source: &Source) -> Option<String> {
        self.named.then(|| anchor(self.session, source.number))
    }

    /// A change that is on disk.
    pub(super) fn landed(&self, line: &LandedLine) -> Markup {
        html! {
            li id=[self.name(&line.source)] class={ "row " (class(line.mark())) } {
                (head(&line.source))
                p.what {
                    b.deed { (line.action) } " "
                    code.path { (Shown(&line.file)) } (places(&line.lines)) " "
                    (size(line.added, line.removed))
                    (self.root(&line.source))
                }
                p.said { (symbol(line.mark())) (Shown(&said(line))) }
                @if let Some(via) = &line.matched_via { p.note { "matched by " (Shown(&via.replace('_', " "))) } }
                @if let Some(note) = &line.path_note { p.note { (Shown(note)) } }
                @if let Some(number) = line.undoes { p.note { "took back " (self.link_to(number)) } }
                (detail(line))
            }
        }
    }

    /// A change that was refused: the path as typed comes first.
    pub(super) fn refused(&self, line: &RefusedLine) -> Markup {
        let open = line.fate == Fate::Open;
        html! {
            li.row.refused.open[open] id=[self.name(&line.source)] {
                (head(&line.source))
                p.what {
                    b.deed { "refused" } " "
                    @if line.typed.is_empty() { span.quiet { "no path given" } } @else { code.path { (Shown(&line.typed)) } }
                    (self.root(&line.source))
                }
                p.said { (refusal_symbol(open)) b.code { (Shown(&line.code)) } ": " (Shown(&line.message)) }
                @if !line.files.is_empty() {
                    p.note { "it meant " @for (place, file) in line.files.iter().enumerate() { @if place > 0 { ", " } code.path { (Shown(file)) } } }
                }
                p.note.fate {
                    @match line.fate {
                        Fate::Open => strong { "not made good: the tree lacks it" },
                        Fate::MadeGood(number) => { "made good by " (self.link_to(number)) },
                        Fate::NothingMissing => "the tree lacks nothing",
                    }
                }
            }
        }
    }

    /// Files that a command changed.
    pub(super) fn outside(&self, line: &OutsideLine) -> Markup {
        let shown = line.files.len().min(MOST_OUTSIDE);
        html! {
            li.row.outside id=[self.name(&line.source)] {
                (head(&line.source))
                p.what { b.deed { "changed past these tools" } " " (counted(line.total, "file")) (self.root(&line.source)) }
                p.note {
                    @for (place, (action, file)) in line.files.iter().take(shown).enumerate() {
                        @if place > 0 { ", " } (action) " " code.path { (Shown(file)) }
                    }
                    @if line.total > shown { ", … and " (line.total - shown) " more" }
                }
            }
        }
    }

    /// A link to the line of an entry.
    fn link_to(&self, number: u64) -> Markup {
        html! { a href={ "#" (anchor(self.session, number)) } { (number) } }
    }

    fn root(&self, source: &Source) -> Markup {
        html! { @if self.with_root { span.quiet { " in " code.path { (Shown(&source.root)) } } } }
    }
}

/// Number, clock and tool.
fn head(source: &Source) -> Markup {
    html! {
        p.head {
            span.number { (source.number) } " "
            (time(source.at)) " "
            span.tool { (Shown(&source.tool)) }
        }
    }
}

pub(super) fn time(moment: Moment) -> Markup {
    html! { time datetime=(moment.rfc3339()) { (moment.clock()) } }
}

/// `:41–46`, and how many more places.
fn places(lines: &[(usize, usize)]) -> Markup {
    html! {
        @if let Some((first, last)) = lines.first() {
            span.lines { ":" (first) @if last > first { "–" (last) } }
            @if lines.len() > 1 { span.quiet { " and " (counted(lines.len() - 1, "more place")) } }
        }
    }
}

/// `+6 −2`.
pub(super) fn size(added: usize, removed: usize) -> Markup {
    html! { span.plus { "+" (added) } " " span.minus { "−" (removed) } }
}

/// What is known of a change, in words.
pub(super) fn state(mark: Mark) -> &'static str {
    match mark {
        Mark::Clean => "clean",
        Mark::Problems => "problems",
        Mark::Unknown => "not known",
        Mark::Unchecked => "not checked",
    }
}

/// The last word on a change: `clean: gopls after 84 ms`.
pub(super) fn said(line: &LandedLine) -> String {
    match line.verdicts.last() {
        Some(verdict) => one(verdict),
        None => "no verdict was entered".to_owned(),
    }
}

fn one(verdict: &VerdictLine) -> String {
    let who = verdict.language_server.as_deref();
    let mut text = match (verdict.name.as_str(), who) {
        ("no_language_server", None) => return with_counts("no language server for it".to_owned(), verdict),
        ("no_language_server", Some(who)) => return with_counts(format!("{who} is not installed"), verdict),
        (name, _) => name.replace('_', " "),
    };
    if let Some(who) = who {
        text.push_str(&format!(", {who} after {}", duration(verdict.after_ms)));
    }
    with_counts(text, verdict)
}

fn with_counts(text: String, verdict: &VerdictLine) -> String {
    if verdict.counts.is_empty() { text } else { format!("{text}: {}", verdict.counts) }
}

/// What else is known of a change: earlier words on it, problems, reasons.
fn detail(line: &LandedLine) -> Markup {
    let earlier = line.verdicts.split_last().map(|(_, earlier)| earlier).unwrap_or_default();
    let last = line.verdicts.last();
    let problems = last.map(|last| last.problems.as_slice()).unwrap_or_default();
    let reason = last.and_then(|last| last.detail.as_deref());
    html! {
        @if !earlier.is_empty() {
            p.note { "before that: " @for (place, verdict) in earlier.iter().enumerate() { @if place > 0 { ", then " } (Shown(&one(verdict))) } }
        }
        @if let Some(reason) = reason { p.note { (Shown(reason)) } }
        @if !problems.is_empty() { ul.problems { @for problem in problems { li { code { (Shown(problem)) } } } } }
    }
}
