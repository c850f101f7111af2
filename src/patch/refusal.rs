//! Why a hunk has no place in a text, in the words of a patch.

use crate::replace::{RefusalCode, Refused};

/// A hunk that did not go in, so none did.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("hunk {} (patch line {patch_line}): {why}", index + 1)]
pub struct HunkRefused {
    /// Which hunk, 0-based.
    pub index: usize,
    /// Where it begins, in lines of the patch, 1-based.
    pub patch_line: usize,
    /// Why.
    pub why: Why,
    /// The text that it met: the hunks before it had been applied. Line numbers in `why` are of this text.
    pub text: String,
    /// Whether each hunk found its place, the refused ones left out of the sequence.
    pub matched: Vec<bool>,
}

/// Why a hunk did not go in.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Why {
    /// Its old lines stand at no certain place.
    #[error("{}", reason(.0))]
    Lines(Box<Refused>),
    /// It only inserts, and the line to insert below is not in the text.
    #[error("the line behind @@ is not in the file: {0}")]
    AnchorMissing(String),
    /// It only inserts, and the line to insert below stands at several places.
    #[error("the line behind @@ stands at lines {}, so it does not say where the + lines go: {anchor}", listed(lines))]
    AnchorAmbiguous {
        /// The anchor.
        anchor: String,
        /// Its places, 1-based.
        lines: Vec<usize>,
    },
    /// Its old lines stand only above the line they should follow.
    #[error("its lines stand at line {}, but above the line behind @@ (line {anchor_line}): {anchor}", listed(lines))]
    AboveAnchor {
        /// The anchor.
        anchor: String,
        /// Its first place, 1-based.
        anchor_line: usize,
        /// The places of the hunk's lines, 1-based.
        lines: Vec<usize>,
    },
}

impl Why {
    /// What to do next. Without the word `Hint:`.
    pub fn hint(&self) -> String {
        let hint = match self {
            Why::Lines(refused) => match (refused.code, &refused.nearest) {
                (RefusalCode::NotFound | RefusalCode::Stale, Some(nearest)) => {
                    let (first, last) = nearest.lines.one_based();
                    let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
                    return format!("read {lines} of the file and write this hunk again from what stands there.");
                }
                (RefusalCode::NotFound | RefusalCode::Stale, None) => {
                    "read the file and write this hunk again from what stands there."
                }
                (RefusalCode::Ambiguous, _) => {
                    "show more lines around the change, each with a space in front, or write the line of the function or class \
                     above it behind @@."
                }
                (RefusalCode::AlreadyApplied, _) => "leave this hunk out.",
                (RefusalCode::Identical, _) => "put what the lines should become behind +.",
                (RefusalCode::TooLittleInformation | RefusalCode::TooLarge, _) => {
                    "copy the lines around the change from the file as they are, each with a space in front."
                }
                (RefusalCode::ElisionUnclear, _) => "write the lines out in full instead of \"...\".",
            },
            Why::AnchorMissing(_) => {
                "behind @@ copy a whole line of the file as it is, or show the lines around the place with a space in front."
            }
            Why::AnchorAmbiguous { .. } => {
                "below the @@ line show the lines around the place, each with a space in front."
            }
            Why::AboveAnchor { .. } => "behind @@ write a line that stands above the change, or nothing.",
        };
        hint.to_owned()
    }
}

fn reason(refused: &Refused) -> String {
    let reason = match refused.code {
        RefusalCode::NotFound => "its context and - lines are not in the file",
        RefusalCode::Ambiguous => {
            let lines: Vec<usize> = refused.hits.iter().map(|hit| hit.start + 1).collect();
            return format!("its context and - lines stand at several places, at lines {}", listed(&lines));
        }
        RefusalCode::AlreadyApplied => "the file already reads as the hunk says",
        RefusalCode::Stale => "its place was found, but a line that it changes reads differently in the file",
        RefusalCode::TooLittleInformation => {
            "its context and - lines are not in the file as typed, and they are too short to search for anything like them"
        }
        RefusalCode::Identical => "its - lines and its + lines are the same",
        RefusalCode::ElisionUnclear => "the \"...\" in it could stand for more than one stretch of the file",
        RefusalCode::TooLarge => {
            "its context and - lines are not in the file as typed, and it is too large to search for anything like them"
        }
    };
    reason.to_owned()
}

fn listed(lines: &[usize]) -> String {
    const MOST: usize = 5;
    let mut out: Vec<String> = lines.iter().take(MOST).map(usize::to_string).collect();
    if lines.len() > MOST {
        out.push("…".into());
    }
    out.join(", ")
}
