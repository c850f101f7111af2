//! Text as bytes, lines and positions: the pure leaf every other room may use.

mod encoding;
mod hunk;
mod lines;

pub use encoding::{Decoded, Encoding, UndecodableText, decode, encode, stray_byte};
pub use hunk::{Hunk, LineCounts, hunks, shift_line};
pub use lines::{LineIndex, Position, PositionEncoding, count_lines};

/// A half-open range of bytes in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte, 0-based.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to but not including `end`.
    pub fn new(start: usize, end: usize) -> Span {
        debug_assert!(start <= end);
        Span { start, end }
    }

    /// Its length in bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether it holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A half-open range of lines, 0-based. An empty range stands *before* line `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRange {
    /// First line, 0-based.
    pub start: usize,
    /// One past the last line.
    pub end: usize,
}

impl LineRange {
    /// The lines from `start` up to but not including `end`.
    pub fn new(start: usize, end: usize) -> LineRange {
        debug_assert!(start <= end);
        LineRange { start, end }
    }

    /// How many lines it holds.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether it holds no line.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// As a person counts: first and last line, 1-based. An empty range names the line it stands before.
    pub fn one_based(self) -> (usize, usize) {
        (self.start + 1, self.end.max(self.start + 1))
    }
}
