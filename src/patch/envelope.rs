//! The parts of the `*** Begin Patch` envelope.

use super::error::{Fault, PatchError, shown};
use super::lines::Line;
use super::marker::{Marker, marker};
use super::{Change, FilePatch, body};

/// Reads the part that begins at `lines[*at]` with marker `found`.
///
/// # Errors
/// [`PatchError`] for what is no such part.
pub(super) fn section(lines: &[Line<'_>], at: &mut usize, found: Marker<'_>) -> Result<FilePatch, PatchError> {
    let line = lines[*at];
    *at += 1;
    let (path, what) = match found {
        Marker::Add(path) => (path, added(lines, at)?),
        Marker::Update(path) => (path, updated(lines, at, path)?),
        Marker::Delete(path) => (path, Change::Delete),
        Marker::MoveTo(_) => return Err(PatchError::at(line.number, Fault::StrayMove)),
        Marker::Begin | Marker::End | Marker::EndOfFile | Marker::Unknown => {
            return Err(PatchError::at(line.number, Fault::UnknownMarker(shown(line.text))));
        }
    };
    if path.is_empty() {
        return Err(PatchError::at(line.number, Fault::NoPath));
    }
    Ok(FilePatch { path: path.to_owned(), patch_line: line.number, what })
}

/// Whether a part ends before `lines[at]`.
fn ends(lines: &[Line<'_>], at: usize) -> bool {
    let text = lines[at].text;
    let Some(found) = marker(text) else { return text.starts_with("diff --git ") };
    if text.starts_with("***") {
        return true;
    }
    // With blanks in front it may be a context line that happens to look like this; the last line of all is none.
    let last = || lines[at + 1..].iter().all(|line| line.text.trim().is_empty());
    let headed = || lines.get(at + 1).is_some_and(|next| body::is_header(next.text) || next.text.starts_with("***"));
    match found {
        Marker::End => last(),
        Marker::Add(path) | Marker::Update(path) | Marker::Delete(path) => !path.is_empty() && headed(),
        _ => false,
    }
}

fn updated(lines: &[Line<'_>], at: &mut usize, path: &str) -> Result<Change, PatchError> {
    let number = lines[*at - 1].number;
    let move_to = moved(lines, at)?;
    // Some models put the names of a diff below the header of the envelope.
    *at += lines[*at..].iter().take_while(|line| is_diff_header(line.text)).count();
    let hunks = body::hunks(lines, at, ends)?;
    if hunks.is_empty() && move_to.is_none() {
        let fault = if *at >= lines.len() { Fault::Truncated } else { Fault::NoHunks(shown(path)) };
        return Err(PatchError::at(number, fault));
    }
    Ok(Change::Update { hunks, move_to })
}

fn moved(lines: &[Line<'_>], at: &mut usize) -> Result<Option<String>, PatchError> {
    let next = *at + lines[*at..].iter().take_while(|line| line.text.trim().is_empty()).count();
    let Some(Marker::MoveTo(path)) = lines.get(next).and_then(|line| marker(line.text)) else { return Ok(None) };
    if path.is_empty() {
        return Err(PatchError::at(lines[next].number, Fault::NoPath));
    }
    *at = next + 1;
    Ok(Some(path.to_owned()))
}

fn is_diff_header(text: &str) -> bool {
    ["--- a/", "--- /", "+++ b/", "+++ /", "index "].iter().any(|start| text.starts_with(start))
}

fn added(lines: &[Line<'_>], at: &mut usize) -> Result<Change, PatchError> {
    let first = *at;
    *at += (first..lines.len()).take_while(|at| !ends(lines, *at)).count();
    let mut body = &lines[first..*at];
    while let [line, rest @ ..] = body
        && (body::is_header(line.text) || is_diff_header(line.text))
    {
        body = rest;
    }
    while let [rest @ .., line] = body
        && line.text.trim().is_empty()
    {
        body = rest;
    }
    if body.is_empty() && *at >= lines.len() {
        return Err(PatchError::at(lines[first - 1].number, Fault::Truncated));
    }
    // Without a single sign the lines are the content itself; with some, one without is a slip nobody can judge.
    let bare = !body.iter().any(|line| line.text.starts_with('+'));
    let mut content = String::new();
    for line in body {
        content.push_str(match line.text.strip_prefix('+') {
            Some(text) => text,
            None if bare || line.text.trim().is_empty() => line.text,
            None if line.text.starts_with("\\ ") => {
                content.pop();
                continue;
            }
            None => return Err(PatchError::at(line.number, Fault::Unsigned(shown(line.text)))),
        });
        content.push('\n');
    }
    Ok(Change::Add { content, replaces: false })
}
