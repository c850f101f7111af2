//! A few lines out of a file of any size, in bounded memory.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicBool, Ordering};

use super::wanted::Wanted;
use crate::report::{MOST_BYTES, MOST_LINES};
use crate::text::LineRange;

/// Of a longer line the rest is left out. Bytes.
const LONGEST_LINE: usize = 8 * 1024;
/// Bytes read at once.
const PIECE: usize = 256 * 1024;

/// What was wanted of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Which lines were wanted.
    pub(super) ranges: Vec<LineRange>,
    /// Their 0-based numbers and texts; no more than a read shows.
    pub(super) lines: Vec<(usize, String)>,
    /// How many lines the file has.
    pub(super) total: usize,
}

/// The wanted lines of `file`.
///
/// # Errors
/// When it cannot be read, or `cancel` is set.
pub(super) fn part(file: &mut (impl Read + Seek), wanted: &Wanted, cancel: &AtomicBool) -> io::Result<Part> {
    let mut ranges = wanted.within(usize::MAX);
    if matches!(wanted, Wanted::Tail(_)) {
        let counted = scan(file, &[], cancel)?;
        ranges = wanted.within(counted.line);
        file.seek(SeekFrom::Start(0))?;
    }
    let scanned = scan(file, &ranges, cancel)?;
    let total = scanned.line;
    Ok(Part {
        ranges: ranges.iter().map(|range| LineRange::new(range.start, range.end.min(total).max(range.start))).collect(),
        lines: scanned.lines,
        total,
    })
}

fn scan(file: &mut impl Read, ranges: &[LineRange], cancel: &AtomicBool) -> io::Result<Scan> {
    let mut scan = Scan::default();
    let mut buffer = vec![0; PIECE];
    loop {
        if cancel.load(Ordering::Relaxed) {
            return Err(io::Error::other("the call was cancelled"));
        }
        let length = match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            length => length?,
        };
        if length == 0 {
            scan.end(ranges);
            return Ok(scan);
        }
        scan.take(&buffer[..length], ranges);
    }
}

/// A pass over a file.
#[derive(Default)]
struct Scan {
    /// The line it is in, 0-based; at the end how many there are.
    line: usize,
    /// Whether that line has any bytes yet.
    begun: bool,
    /// What is kept of that line.
    current: Vec<u8>,
    kept: usize,
    lines: Vec<(usize, String)>,
}

impl Scan {
    fn take(&mut self, bytes: &[u8], ranges: &[LineRange]) {
        let mut at = 0;
        for newline in memchr::memchr_iter(b'\n', bytes) {
            self.keep(&bytes[at..newline], ranges);
            self.finish_line(ranges);
            at = newline + 1;
        }
        if at < bytes.len() {
            self.begun = true;
            self.keep(&bytes[at..], ranges);
        }
    }

    fn end(&mut self, ranges: &[LineRange]) {
        if self.begun {
            self.finish_line(ranges);
        }
    }

    fn wants(&self, ranges: &[LineRange]) -> bool {
        // One line and one byte more than are shown, so that the cut is noticed.
        let room = self.lines.len() <= MOST_LINES && self.kept <= MOST_BYTES;
        room && ranges.iter().any(|range| (range.start..range.end).contains(&self.line))
    }

    fn keep(&mut self, bytes: &[u8], ranges: &[LineRange]) {
        let room = LONGEST_LINE.saturating_sub(self.current.len());
        if room > 0 && self.wants(ranges) {
            self.current.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn finish_line(&mut self, ranges: &[LineRange]) {
        if self.wants(ranges) {
            let bare = self.current.strip_suffix(b"\r").unwrap_or(&self.current);
            self.lines.push((self.line, String::from_utf8_lossy(bare).into_owned()));
            self.kept += self.current.len();
        }
        self.current.clear();
        self.line += 1;
        self.begun = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, wanted: &Wanted) -> Part {
        part(&mut io::Cursor::new(text), wanted, &AtomicBool::new(false)).expect("reads")
    }

    #[test]
    fn the_wanted_lines_and_their_number_are_told() {
        let text = "a\r\nb\n\nlast";
        let ranges = Wanted::Ranges(vec![LineRange::new(0, 1), LineRange::new(2, usize::MAX)]);
        let part = read(text, &ranges);
        let lines: Vec<(usize, &str)> = part.lines.iter().map(|(line, text)| (*line, text.as_str())).collect();
        assert_eq!((lines, part.total), (vec![(0, "a"), (2, ""), (3, "last")], 4));
        assert_eq!(part.ranges, [LineRange::new(0, 1), LineRange::new(2, 4)]);
        assert_eq!(read(text, &Wanted::Tail(1)).lines, [(3, "last".to_owned())]);
        assert_eq!(read("x\n", &Wanted::Tail(5)).total, 1);
        assert_eq!(read("", &Wanted::Tail(5)).total, 0);
    }

    #[test]
    fn lines_across_pieces_and_endless_lines_are_bounded() {
        let text = format!("{}\nshort\n", "é".repeat(PIECE)) + &"n\n".repeat(100_000);
        let part = read(&text, &Wanted::From { start: 0, count: MOST_LINES, said: false });
        assert_eq!((part.total, part.lines.len()), (100_002, MOST_LINES));
        assert_eq!(part.lines[0].1.len(), LONGEST_LINE);
        assert_eq!(part.lines[1].1, "short");
        let wide = format!("{}\n", "w".repeat(1000)).repeat(1000);
        let part = read(&wide, &Wanted::From { start: 0, count: MOST_LINES, said: false });
        assert!(part.lines.len() < 60, "{}", part.lines.len());
    }
}
