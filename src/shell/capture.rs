//! What a command printed: its tail in memory, all of it in a spill once it is too much.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::spill;

/// Most lines of a command's output that are kept.
pub const MOST_LINES: usize = 2000;
/// Most bytes of a command's output that are kept.
pub const MOST_BYTES: usize = 50 * 1024;
/// Bytes of the beginning of an output that are kept besides.
pub const HEAD_BYTES: usize = 1536;
/// An output up to this size needs no file: all of it can be shown. Bytes.
pub const UNSPILLED: usize = 6 * 1024;
/// A spill does not grow beyond this: a command in an endless loop must not fill the disk. Bytes.
const LARGEST_SPILL: u64 = 4 << 30;

/// What a command printed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// The last of it: whole lines, unless one alone is too long.
    pub tail: String,
    /// How many bytes it printed.
    pub bytes: u64,
    /// How many lines.
    pub lines: u64,
    /// How many lines the tail has.
    pub lines_kept: u64,
    /// The first of it: whole lines, unless one alone is too long.
    pub head: String,
    /// Where all of it is, if the tail is not all.
    pub spill: Option<PathBuf>,
    /// Why the spill is not all of it, if so.
    pub lost: Option<String>,
}

/// Takes in what a command prints.
#[derive(Debug)]
pub(super) struct Capture {
    folder: PathBuf,
    /// The last of the output, at most twice [`MOST_BYTES`]; all of it while there is no spill.
    tail: Vec<u8>,
    /// The first of the output, at most [`HEAD_BYTES`].
    head: Vec<u8>,
    bytes: u64,
    newlines: u64,
    spill: Option<(PathBuf, File)>,
    lost: Option<String>,
}

impl Capture {
    /// Spills go to `folder`.
    pub(super) fn new(folder: &Path) -> Capture {
        Capture {
            folder: folder.to_owned(),
            tail: Vec::new(),
            head: Vec::new(),
            bytes: 0,
            newlines: 0,
            spill: None,
            lost: None,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.newlines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        if self.spill.is_some() {
            self.write(bytes);
        }
        let missing = HEAD_BYTES - self.head.len();
        self.head.extend_from_slice(&bytes[..missing.min(bytes.len())]);
        self.tail.extend_from_slice(bytes);
        if self.tail.len() > UNSPILLED || self.newlines > MOST_LINES as u64 {
            self.begin_spill();
        }
        if self.tail.len() > 2 * MOST_BYTES {
            self.tail.drain(..self.tail.len() - MOST_BYTES);
        }
    }

    /// Makes the spill, if there is none, of all that came so far.
    pub(super) fn begin_spill(&mut self) {
        if self.spill.is_some() || self.lost.is_some() {
            return;
        }
        match spill::create(&self.folder) {
            Ok(spill) => {
                self.spill = Some(spill);
                let so_far = std::mem::take(&mut self.tail);
                self.write(&so_far);
                self.tail = so_far;
            }
            Err(error) => self.lost = Some(error.to_string()),
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some((_, file)) = self.spill.as_mut().filter(|_| self.lost.is_none()) else { return };
        if self.bytes > LARGEST_SPILL {
            self.lost = Some(format!("it is more than {} GiB", LARGEST_SPILL >> 30));
        } else if let Err(error) = file.write_all(bytes) {
            self.lost = Some(error.to_string());
        }
    }

    /// What has come so far.
    pub(super) fn output(&self) -> Output {
        let tail = last_lines(&self.tail);
        let ended = self.tail.last().is_none_or(|last| *last == b'\n');
        let kept = memchr::memchr_iter(b'\n', tail).count() as u64 + u64::from(!ended);
        Output {
            tail: String::from_utf8_lossy(tail).into_owned(),
            bytes: self.bytes,
            lines: self.newlines + u64::from(!ended),
            lines_kept: kept,
            head: String::from_utf8_lossy(first_lines(&self.head)).into_owned(),
            spill: self.spill.as_ref().map(|(path, _)| path.clone()),
            lost: self.lost.clone(),
        }
    }
}

/// The whole lines at the start of `bytes`; all of it where there is none.
fn first_lines(bytes: &[u8]) -> &[u8] {
    memchr::memrchr(b'\n', bytes).map_or(bytes, |at| &bytes[..=at])
}

/// The last lines of `bytes` within the bounds; of a line that is longer by itself its end.
fn last_lines(bytes: &[u8]) -> &[u8] {
    let mut start = bytes.len().saturating_sub(MOST_BYTES);
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if start > 0 {
        let whole = memchr::memchr(b'\n', &body[(start - 1).min(body.len())..]).map(|at| start + at);
        let character = bytes[start..].iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
        start = whole.unwrap_or(start + character);
    }
    let nth = memchr::memrchr_iter(b'\n', &body[start.min(body.len())..]).nth(MOST_LINES - 1);
    &bytes[nth.map_or(start, |at| start + at + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(pieces: impl IntoIterator<Item = impl AsRef<[u8]>>) -> (Output, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut capture = Capture::new(folder.path());
        for piece in pieces {
            capture.push(piece.as_ref());
        }
        (capture.output(), folder)
    }

    #[test]
    fn a_short_output_is_kept_whole_and_not_spilled() {
        for (pieces, lines) in [(vec![], 0), (vec!["a"], 1), (vec!["a\n", "b", "\n"], 2), (vec!["\n\n"], 2)] {
            let (output, _folder) = captured(&pieces);
            assert_eq!(output.tail, pieces.concat());
            assert_eq!((output.lines, output.lines_kept, output.spill), (lines, lines, None), "{pieces:?}");
        }
    }

    #[test]
    fn the_first_lines_are_kept_too() {
        for (piece, expected) in
            [("0123456\n".repeat(1000), "0123456\n".repeat(192)), ("x".repeat(9000), "x".repeat(HEAD_BYTES))]
        {
            let (output, _folder) = captured(piece.as_bytes().chunks(1000));
            assert!(output.head == expected && output.spill.is_some());
        }
    }

    #[test]
    fn of_a_long_output_the_last_lines_are_kept_and_all_is_spilled() {
        let numbered =
            |count: usize, width: usize| -> Vec<String> { (0..count).map(|n| format!("{n:0width$}\n")).collect() };
        for (lines, first_kept) in [(numbered(5000, 4), 3000), (numbered(5000, 99), 5000 - MOST_BYTES / 100)] {
            let (output, _folder) = captured(&lines);
            assert_eq!(output.tail, lines[first_kept..].concat());
            assert_eq!((output.lines, output.lines_kept), (5000, (5000 - first_kept) as u64));
            assert_eq!(std::fs::read_to_string(output.spill.expect("spilled")).expect("reads"), lines.concat());
        }
    }

    #[test]
    fn of_one_endless_line_the_end_is_kept_on_whole_characters() {
        let long = "é".repeat(200_000);
        let (output, _folder) = captured(["x\n", &long, "!"]);
        assert!(output.tail.ends_with("é!") && !output.tail.contains('\u{FFFD}'));
        assert!(output.tail.len() <= MOST_BYTES && output.tail.len() > MOST_BYTES - 4);
        assert_eq!(output.lines, 2);
    }

    #[test]
    fn a_spill_that_cannot_be_made_is_said() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut capture = Capture::new(&file.path().join("below"));
        capture.push(&vec![b'x'; 60_000]);
        capture.push(&vec![b'y'; 200_000]);
        let output = capture.output();
        assert!(output.spill.is_none() && output.lost.is_some() && output.bytes == 260_000);
    }
}
