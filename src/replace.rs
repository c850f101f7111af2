//! The fault-tolerant replacer: where does `old_string` stand in this text, and what does the edit make of it?
//!
//! Pure: no IO, no clock, no randomness; the same call gives the same answer on every machine.

mod align;
mod alignment;
mod budget;
mod carried;
mod changes;
mod decide;
mod elision;
mod evidence;
mod exact;
mod file_lines;
mod indent;
mod insertion;
mod likeness;
mod line_diff;
mod many;
mod merge;
mod naming;
mod nearest;
#[cfg(test)]
mod properties;
mod reading;
mod regions;
mod runs;
mod search;
mod strategy;
mod transfer;
mod views;

pub use many::{ManyLanded, ManyRefused, replace_many};

use crate::text::{LineRange, Span};

/// One wanted replacement, as the agent typed it.
#[derive(Debug, Clone, Copy)]
pub struct Query<'q> {
    /// The text to find.
    pub old: &'q str,
    /// What to put there. Literal: `$&`, `\1` and the like mean themselves.
    pub new: &'q str,
    /// Replace every occurrence (in the space of the match) instead of insisting on one.
    pub replace_all: bool,
    /// Which of several hits is meant: the one that holds or begins nearest this line, 1-based.
    pub near_line: Option<usize>,
}

/// A replacement that was carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Landed {
    /// The whole new text.
    pub text: String,
    /// What was replaced, in order, none overlapping: applying these to the old text gives `text`.
    pub edits: Vec<Replacement>,
    /// How many occurrences were replaced.
    pub occurrences: usize,
    /// How the match came about: `exact`, or strategies joined by `+` (`line_trimmed+quotes_normalized`).
    pub matched_via: String,
    /// How alike the old text and what was found are, 0 to 1; 1 for an exact match.
    pub similarity: f64,
    /// The lines of the new text that the edit made, one range an occurrence, 0-based.
    pub lines: Vec<LineRange>,
}

/// Bytes of the old text and what stands there now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Bytes of the old text.
    pub span: Span,
    /// What replaces them.
    pub with: String,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalCode {
    /// Nothing in the text is near enough to `old`.
    NotFound,
    /// Several places fit equally well.
    Ambiguous,
    /// `new` already stands where `old` would have been.
    AlreadyApplied,
    /// The place is there, but a line that the edit changes reads differently now.
    Stale,
    /// `old` is too short or says too little to be matched other than exactly.
    TooLittleInformation,
    /// `old` and `new` are the same bytes.
    Identical,
    /// An elision (`...`) in `old` could stand for more than one stretch.
    ElisionUnclear,
    /// The text or the query is too large for the work budget.
    TooLarge,
}

impl RefusalCode {
    /// Its name in results and metrics.
    pub fn name(self) -> &'static str {
        match self {
            RefusalCode::NotFound => "not_found",
            RefusalCode::Ambiguous => "ambiguous",
            RefusalCode::AlreadyApplied => "already_applied",
            RefusalCode::Stale => "stale",
            RefusalCode::TooLittleInformation => "too_little_information",
            RefusalCode::Identical => "identical",
            RefusalCode::ElisionUnclear => "elision_unclear",
            RefusalCode::TooLarge => "too_large",
        }
    }
}

/// A refusal and what would help the agent to do better.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// Why.
    pub code: RefusalCode,
    /// Where `old` fits, for [`RefusalCode::Ambiguous`]; 0-based.
    pub hits: Vec<LineRange>,
    /// The stretch of the text that is most like `old`, if any is worth showing.
    pub nearest: Option<Nearest>,
}

impl Refused {
    pub(crate) fn plain(code: RefusalCode) -> Refused {
        Refused { code, hits: Vec::new(), nearest: None }
    }
}

/// A stretch of the text that resembles `old` without being it.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Its lines, 0-based.
    pub lines: LineRange,
    /// What differs, in a few words.
    pub differs: String,
    /// How alike, 0 to 1.
    pub similarity: f64,
}

/// Carries out one replacement on `text`, or says why not.
///
/// An exact, unique occurrence is taken as it stands; several are never settled by guessing. Where nothing matches
/// exactly, `old` is aligned with the lines of `text` and only what differs between `old` and `new` is carried over.
///
/// # Errors
/// [`Refused`] when the place is not certain; the text is then as it was.
pub fn replace(text: &str, query: &Query<'_>) -> Result<Landed, Refused> {
    if query.old == query.new {
        return Err(Refused::plain(RefusalCode::Identical));
    }
    if query.old.trim().is_empty() {
        return Err(Refused::plain(RefusalCode::TooLittleInformation));
    }
    if let Some(answer) = exact::replace(text, query) {
        return answer;
    }
    search::replace(text, query)
}
