//! A session along the clock: what landed with what was said of it, and what was refused.
//!
//! Places are percentages, so that it fits a phone without scaling its letters; styles are classes, so that the page
//! needs no inline style.

use maud::{Markup, html};

use super::lists::{anchor, said, state};
use super::moment::duration;
use super::shown::{counted, plain};
use super::{Fate, LandedLine, Mark, Moment, RefusedLine, SessionPicture};

/// Steps of the clock, seconds. The first that gives few enough is taken.
const STEPS: [i64; 18] =
    [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400];
/// Most ticks of the clock.
const MOST_TICKS: i64 = 7;
/// What is left free at both sides. Percent.
const MARGIN: f64 = 2.5;
/// Where the lanes are. Pixels.
const LANDED: u32 = 30;
const REFUSED: u32 = 74;

/// The stretch of time that is shown.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: Moment,
    /// Milliseconds, at least one second.
    length: i64,
}

impl Span {
    fn of(session: &SessionPicture) -> Span {
        let landed = session.landed.iter().map(|line| line.source.at.0 + last_word(line) as i64);
        let moments = landed.chain(session.refused.iter().map(|line| line.source.at.0));
        // What is left out of the lists is left out here.
        let sources =
            session.landed.iter().map(|line| line.source.at).chain(session.refused.iter().map(|line| line.source.at));
        let from = sources.min().unwrap_or(session.began);
        let to = moments.max().unwrap_or(from.0);
        Span { from, length: (to - from.0).max(1_000) }
    }

    /// Where a moment stands.
    fn percent(self, moment: i64) -> String {
        let share = (moment - self.from.0) as f64 / self.length as f64;
        format!("{:.2}%", MARGIN + share.clamp(0.0, 1.0) * (100.0 - 2.0 * MARGIN))
    }

    /// The ticks of the clock in it.
    fn ticks(self) -> Vec<Moment> {
        let fits = |step: &&i64| self.length / (**step * 1_000) <= MOST_TICKS;
        let days = self.length / (MOST_TICKS * 86_400_000) + 1;
        let step = STEPS.iter().find(fits).copied().unwrap_or(days * 86_400) * 1_000;
        let first = self.from.0.div_euclid(step) * step + step;
        (0..=MOST_TICKS)
            .map(|n| first + n * step)
            .take_while(|tick| *tick <= self.from.0 + self.length)
            .map(Moment)
            .collect()
    }

    fn clock(self, moment: Moment) -> String {
        if self.length < 180_000 { moment.clock() } else { moment.minute() }
    }
}

/// The session along the clock; nothing for a session in which nothing happened.
///
/// `with_legend` adds what the marks mean.
pub(super) fn timeline(session: &SessionPicture, with_legend: bool) -> Markup {
    if session.landed.is_empty() && session.refused.is_empty() {
        return html! {};
    }
    let span = Span::of(session);
    let summary = format!(
        "{} landed and {} refused between {} and {}",
        counted(session.landed.len(), "change"),
        session.refused.len(),
        span.from.clock(),
        Moment(span.from.0 + span.length).clock(),
    );
    html! {
        figure.timeline {
            svg role="img" aria-label=(summary) width="100%" height="122" {
                line.lane x1="0" x2="100%" y1=(LANDED) y2=(LANDED) {}
                line.lane x1="0" x2="100%" y1=(REFUSED) y2=(REFUSED) {}
                text.name x="0" y=(LANDED - 16) { "landed" }
                text.name x="0" y=(REFUSED - 16) { "refused" }
                @for (place, tick) in span.ticks().into_iter().enumerate() {
                    g.tick.odd-tick[place % 2 == 1] {
                        line x1=(span.percent(tick.0)) x2=(span.percent(tick.0)) y1="6" y2="98" {}
                        text x=(span.percent(tick.0)) y="115" { (span.clock(tick)) }
                    }
                }
                @for line in &session.landed { (landed(session, line, span)) }
                @for line in &session.refused { (refused(session, line, span)) }
            }
            @if with_legend { figcaption { (legend()) } }
        }
    }
}

/// From the landing to the last word on it. Milliseconds.
fn last_word(line: &LandedLine) -> u64 {
    line.verdicts.last().map_or(0, |verdict| verdict.after_ms)
}

fn landed(session: &SessionPicture, line: &LandedLine, span: Span) -> Markup {
    let (at, known) = (span.percent(line.source.at.0), span.percent(line.source.at.0 + last_word(line) as i64));
    html! {
        line.wait x1=(at) x2=(known) y1=(LANDED) y2=(LANDED) {}
        a href={ "#" (anchor(session, line.source.number)) } tabindex="-1" {
            title { (line.source.number) ". " (line.action) " " (plain(&line.file)) ": " (plain(&said(line))) }
            svg x=(at) y=(LANDED) overflow="visible" { (shape(line.mark())) }
        }
    }
}

fn refused(session: &SessionPicture, line: &RefusedLine, span: Span) -> Markup {
    let open = line.fate == Fate::Open;
    html! {
        a href={ "#" (anchor(session, line.source.number)) } tabindex="-1" {
            title { (line.source.number) ". " (plain(&line.code)) ": " (plain(&line.typed)) }
            svg x=(span.percent(line.source.at.0)) y=(REFUSED) overflow="visible" { (cross(open)) }
        }
    }
}

/// What stands for a change of which this is known: told apart by its form too, not by its colour alone.
pub(super) fn shape(mark: Mark) -> Markup {
    html! {
        @match mark {
            Mark::Clean => circle.m.clean r="5.5" {},
            Mark::Problems => path.m.problems d="M0-7.5 7.5 0 0 7.5-7.5 0Z" {},
            Mark::Unknown => circle.m.unknown r="4.5" {},
            Mark::Unchecked => path.m.unchecked d="M-4.5-4.5H4.5V4.5H-4.5Z" {},
        }
    }
}

fn cross(open: bool) -> Markup {
    html! {
        @if open { path.m.open d="M-5.5-5.5 5.5 5.5M5.5-5.5-5.5 5.5" {} }
        @else { path.m.good d="M-4-4 4 4M4-4-4 4" {} }
    }
}

/// A mark in a line of text.
pub(super) fn symbol(mark: Mark) -> Markup {
    html! { svg.symbol viewBox="-9 -9 18 18" aria-hidden="true" { (shape(mark)) } }
}

/// The mark of a refused change in a line of text.
pub(super) fn refusal_symbol(open: bool) -> Markup {
    html! { svg.symbol viewBox="-9 -9 18 18" aria-hidden="true" { (cross(open)) } }
}

fn legend() -> Markup {
    html! {
        ul.legend {
            @for mark in [Mark::Clean, Mark::Problems, Mark::Unknown, Mark::Unchecked] { li { (symbol(mark)) (state(mark)) } }
            li { (refusal_symbol(true)) "refused, not made good" }
            li { (refusal_symbol(false)) "refused, made good later" }
            li.utc { "clock: UTC" }
        }
    }
}

/// How the changes divide: a bar, for the eye alone.
pub(super) fn shares(parts: [(usize, Mark); 4]) -> Markup {
    let all: usize = parts.iter().map(|(count, _)| count).sum();
    let mut at = 0.0;
    let mut bars = Vec::new();
    for (count, mark) in parts.into_iter().filter(|(count, _)| *count > 0) {
        let width = count as f64 * 100.0 / all as f64;
        bars.push((format!("{at:.2}%"), format!("{width:.2}%"), class(mark)));
        at += width;
    }
    html! {
        svg.shares width="100%" height="6" aria-hidden="true" {
            @for (x, width, class) in bars { rect class=(class) x=(x) y="0" width=(width) height="6" {} }
        }
    }
}

/// The class of what is known.
pub(super) fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Clean => "clean",
        Mark::Problems => "problems",
        Mark::Unknown => "unknown",
        Mark::Unchecked => "unchecked",
    }
}

/// How long a session has been at work.
pub(super) fn length(session: &SessionPicture) -> String {
    duration(u64::try_from(session.last.0 - session.began.0).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_has_few_ticks_whatever_the_span() {
        for (length, least) in
            [(1_000, 0), (7_000, 3), (59_000, 3), (3_600_000, 3), (86_400_000 * 3, 3), (86_400_000 * 400, 3)]
        {
            let span = Span { from: Moment(1_700_000_000_123), length };
            let ticks = span.ticks();
            assert!(ticks.len() >= least && ticks.len() as i64 <= MOST_TICKS + 1, "{length}: {}", ticks.len());
            assert!(ticks.iter().all(|tick| tick.0 > span.from.0 && tick.0 <= span.from.0 + length), "{length}");
        }
    }

    #[test]
    fn every_moment_has_its_place_on_the_page() {
        let span = Span { from: Moment(1_000), length: 1_000 };
        for (moment, expected) in
            [(0, "2.50%"), (1_000, "2.50%"), (1_500, "50.00%"), (2_000, "97.50%"), (9_000, "97.50%")]
        {
            assert_eq!(span.percent(moment), expected);
        }
    }
}
