//! A long line cut to the part that matters.

use std::ops::Range;

/// Most characters of one line.
pub const MOST_CHARACTERS: usize = 240;
/// Characters kept before a match that lies far into a line.
const BEFORE: usize = 60;
/// No line is decoded over more bytes than this around its match.
const MOST_BYTES: usize = 4 * MOST_CHARACTERS;

/// The part of `line` around `focus` (bytes of it), at most [`MOST_CHARACTERS`] and marked where something is left out.
/// Bytes that are no UTF-8 stand as U+FFFD.
pub fn clip(line: &[u8], focus: Range<usize>) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let fits = line.len() <= MOST_CHARACTERS
        || (line.len() <= MOST_BYTES && String::from_utf8_lossy(line).chars().count() <= MOST_CHARACTERS);
    if fits {
        return String::from_utf8_lossy(line).into_owned();
    }
    let focus = focus.start.min(line.len());
    let start = if focus + BEFORE <= MOST_CHARACTERS { 0 } else { boundary(line, focus.saturating_sub(BEFORE)) };
    let end = boundary(line, line.len().min(start + MOST_BYTES));
    let text = String::from_utf8_lossy(&line[start..end]);
    let mut cut: String = text.chars().take(MOST_CHARACTERS).collect();
    let left = line.len() - start - cut.len().min(line.len() - start);
    if left > 0 {
        cut.push_str(&format!("… ({left} more bytes)"));
    }
    if start > 0 { format!("…{cut}") } else { cut }
}

/// The next place from `at` that is not inside a character.
fn boundary(line: &[u8], at: usize) -> usize {
    let continues = |byte: &&u8| **byte & 0xC0 == 0x80;
    at + line[at..].iter().take(3).take_while(continues).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_fits_stays() {
        for (line, expected) in [("a\tb\r\n", "a\tb"), ("", ""), ("é\n", "é")] {
            assert_eq!(clip(line.as_bytes(), 0..0), expected);
        }
        assert_eq!(clip(b"\xFFx", 0..1), "\u{FFFD}x");
        let wide = "é".repeat(MOST_CHARACTERS);
        assert_eq!(clip(wide.as_bytes(), 0..2), wide);
    }

    #[test]
    fn a_minified_line_is_cut_around_its_match() {
        let line = format!("{}needle{}\n", "é".repeat(50_000), "y".repeat(100_000));
        let at = line.find("needle").expect("there");
        let shown = clip(line.as_bytes(), at..at + 6);
        assert!(shown.starts_with("…é") && shown.contains("éneedley") && shown.contains("more bytes)"), "{shown}");
        assert!(shown.chars().count() < MOST_CHARACTERS + 40);
        let head = clip(format!("needle{}", "y".repeat(1000)).as_bytes(), 0..6);
        assert!(
            head.starts_with("needley") && head.ends_with(&format!("… ({} more bytes)", 1006 - MOST_CHARACTERS)),
            "{head}"
        );
    }
}
