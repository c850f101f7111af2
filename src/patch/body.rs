//! Hunks, alike in both forms: `@@` lines, then lines with a sign in front.

use super::PatchHunk;
use super::error::{Fault, PatchError};
use super::lines::Line;

/// What a line of a hunk does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Context,
    Old,
    New,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BodyLine {
    pub(super) sign: Sign,
    /// Without its sign and its newline.
    pub(super) text: String,
    /// Whether a newline ends it; `\ No newline at end of file` says that none does.
    pub(super) newline: bool,
    /// Whether it is an empty line of the patch, which may as well part two hunks.
    parting: bool,
}

/// What the `@@` lines above a hunk say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Header {
    anchors: Vec<String>,
    old_line: Option<usize>,
    /// How many old and new lines are announced.
    counts: Option<(usize, usize)>,
}

/// Reads the hunks of one file from `lines[*at]` on; `ends` says where they stop.
///
/// # Errors
/// [`PatchError`] for a hunk that is none.
pub(super) fn hunks(
    lines: &[Line<'_>],
    at: &mut usize,
    ends: fn(&[Line<'_>], usize) -> bool,
) -> Result<Vec<PatchHunk>, PatchError> {
    let mut hunks: Vec<PatchHunk> = Vec::new();
    loop {
        *at += lines[*at..].iter().take_while(|line| line.text.trim().is_empty()).count();
        if *at >= lines.len() || ends(lines, *at) {
            return Ok(hunks);
        }
        let first = *at;
        let header = header(lines, at);
        let begun = *at > first;
        if !begun && !hunks.is_empty() {
            return Err(PatchError::at(lines[first].number, Fault::Stray(super::error::shown(lines[first].text))));
        }
        let stops = |at: usize| at >= lines.len() || ends(lines, at) || is_header(lines[at].text);
        let body = body(lines, at, header.counts, &stops);
        if body.is_empty() {
            // A lone @@ below the last hunk closes it in the minds of some models.
            if !hunks.is_empty() && header == Header::default() && (*at >= lines.len() || ends(lines, *at)) {
                return Ok(hunks);
            }
            let fault = if *at >= lines.len() { Fault::Truncated } else { Fault::EmptyHunk };
            return Err(PatchError::at(lines[*at - 1].number, fault));
        }
        let announced = header.counts.map_or(0, |(old, new)| old.max(new));
        let hunk = PatchHunk::new(header, body, lines[first].number);
        if *at >= lines.len() && hunk.ends_with_loss() && hunk.lines.len() < announced {
            return Err(PatchError::at(lines[*at - 1].number, Fault::Truncated));
        }
        check(&hunk, begun)?;
        hunks.push(hunk);
        if lines.get(*at).is_some_and(|line| is_end_of_file(line.text)) {
            *at += 1;
            if let Some(last) = hunks.last_mut() {
                last.at_end_of_file = true;
            }
        }
    }
}

fn is_end_of_file(text: &str) -> bool {
    text.starts_with("***") && super::marker::marker(text) == Some(super::marker::Marker::EndOfFile)
}

fn check(hunk: &PatchHunk, begun: bool) -> Result<(), PatchError> {
    let at = |fault| Err(PatchError::at(hunk.patch_line, fault));
    if hunk.lines.iter().all(|line| line.sign == Sign::Context) {
        return at(Fault::NoChange);
    }
    if !begun && hunk.old.is_empty() && !hunk.at_end_of_file {
        return at(Fault::NoPlace);
    }
    Ok(())
}

impl PatchHunk {
    fn new(header: Header, lines: Vec<BodyLine>, patch_line: usize) -> PatchHunk {
        let old = side(&lines, Sign::New);
        let unterminated = !old.is_empty() && !old.ends_with('\n');
        PatchHunk {
            anchors: header.anchors,
            old_line: header.old_line,
            new: side(&lines, Sign::Old),
            old,
            at_end_of_file: unterminated,
            patch_line,
            lines,
        }
    }

    /// Whether its last line takes something away, as in a patch that broke off before it said what comes instead.
    pub(super) fn ends_with_loss(&self) -> bool {
        self.lines.last().is_some_and(|line| line.sign == Sign::Old)
    }
}

/// One side of a hunk: all its lines but those of sign `without`.
fn side(lines: &[BodyLine], without: Sign) -> String {
    let mut kept = lines.iter().filter(|line| line.sign != without).peekable();
    let mut out = String::new();
    while let Some(line) = kept.next() {
        out.push_str(&line.text);
        if line.newline || kept.peek().is_some() {
            out.push('\n');
        }
    }
    out
}

/// Whether a line opens a hunk.
pub(super) fn is_header(text: &str) -> bool {
    text.starts_with("@@")
}

/// Reads the `@@` lines at `lines[*at]`, several of which narrow each other down.
fn header(lines: &[Line<'_>], at: &mut usize) -> Header {
    let (mut header, first) = (Header::default(), *at);
    // Below the first, one with a blank in front is context.
    let text = |at: usize| lines.get(at).map(|line| if at == first { line.text.trim_start() } else { line.text });
    while let Some(text) = text(*at).filter(|text| is_header(text)) {
        let rest = text.trim_start_matches('@');
        let heading = match ranges(rest) {
            Some((old, new, heading)) => {
                // An empty old range stands behind the line it names, any other begins there.
                header.old_line = Some(if old.1 == 0 { old.0 + 1 } else { old.0.max(1) });
                header.counts = Some((old.1, new.1));
                heading
            }
            None => rest,
        };
        let heading = heading.trim();
        let heading = heading.strip_suffix("@@").unwrap_or(heading).trim();
        if !heading.trim_matches(['.', '…']).is_empty() {
            header.anchors.push(heading.to_owned());
        }
        *at += 1;
    }
    header
}

type Range = (usize, usize);

/// ` -a,b +c,d @@ heading`.
fn ranges(rest: &str) -> Option<(Range, Range, &str)> {
    let (old, rest) = range(rest.trim_start().strip_prefix('-')?)?;
    let (new, rest) = range(rest.trim_start().strip_prefix('+')?)?;
    let rest = rest.trim_start();
    Some((old, new, rest.strip_prefix("@@").unwrap_or(rest)))
}

fn range(text: &str) -> Option<(Range, &str)> {
    let (first, rest) = number(text)?;
    match rest.strip_prefix(',').and_then(number) {
        Some((count, rest)) => Some(((first, count), rest)),
        None => Some(((first, 1), rest)),
    }
}

fn number(text: &str) -> Option<(usize, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..length].parse().ok().filter(|number| *number < usize::MAX / 4)?;
    Some((number, &text[length..]))
}

/// Reads the lines of a hunk: as many as announced where that leads to a boundary, else up to the next one.
fn body(
    lines: &[Line<'_>],
    at: &mut usize,
    counts: Option<(usize, usize)>,
    stops: &dyn Fn(usize) -> bool,
) -> Vec<BodyLine> {
    let announced = counts.and_then(|counts| by_counts(lines, *at, counts, stops));
    let (body, next) = announced.unwrap_or_else(|| by_signs(lines, *at, stops));
    *at = next;
    body
}

fn by_counts(
    lines: &[Line<'_>],
    mut at: usize,
    counts: (usize, usize),
    stops: &dyn Fn(usize) -> bool,
) -> Option<(Vec<BodyLine>, usize)> {
    let (mut old, mut new) = counts;
    let mut body = Vec::new();
    while old > 0 || new > 0 {
        let line = signed(lines.get(at)?.text)?;
        old = old.checked_sub(usize::from(line.sign != Sign::New))?;
        new = new.checked_sub(usize::from(line.sign != Sign::Old))?;
        body.push(line);
        at += 1;
        unterminated(lines, &mut at, &mut body);
    }
    let next = at + lines[at..].iter().take_while(|line| line.text.is_empty()).count();
    let whole = !body.is_empty() && (stops(next) || !lines[next].text.starts_with([' ', '+', '-', '\\']));
    whole.then_some((body, at))
}

fn by_signs(lines: &[Line<'_>], mut at: usize, stops: &dyn Fn(usize) -> bool) -> (Vec<BodyLine>, usize) {
    let mut body: Vec<BodyLine> = Vec::new();
    while !stops(at) {
        // A line without a sign is context whose blank was forgotten: it has to be found in the file like any other.
        let text = lines[at].text;
        body.push(signed(text).unwrap_or_else(|| BodyLine::new(Sign::Context, text)));
        at += 1;
        unterminated(lines, &mut at, &mut body);
    }
    let others = |body: &[BodyLine]| body.iter().any(|line| line.sign != Sign::New && !line.parting);
    while body.last().is_some_and(|line| line.parting) && (others(&body) || body.iter().all(|line| line.parting)) {
        body.pop();
    }
    (body, at)
}

/// Takes a `\ No newline at end of file` to the line above it.
fn unterminated(lines: &[Line<'_>], at: &mut usize, body: &mut [BodyLine]) {
    if let Some(last) = body.last_mut()
        && lines.get(*at).is_some_and(|line| line.text.starts_with("\\ "))
    {
        last.newline = false;
        *at += 1;
    }
}

fn signed(text: &str) -> Option<BodyLine> {
    let mut characters = text.chars();
    match characters.next() {
        Some(' ') => Some(BodyLine::new(Sign::Context, characters.as_str())),
        Some('-') => Some(BodyLine::new(Sign::Old, characters.as_str())),
        Some('+') => Some(BodyLine::new(Sign::New, characters.as_str())),
        None | Some('\r') if characters.as_str().is_empty() => {
            Some(BodyLine { parting: true, ..BodyLine::new(Sign::Context, text) })
        }
        _ => None,
    }
}

impl BodyLine {
    fn new(sign: Sign, text: &str) -> BodyLine {
        BodyLine { sign, text: text.to_owned(), newline: true, parting: false }
    }
}
