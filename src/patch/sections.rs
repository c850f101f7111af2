//! The parts of a patch one by one, in either form, and what several of them make of one file.

use super::error::{Fault, PatchError, shown};
use super::lines::Line;
use super::marker::{Marker, marker};
use super::{Change, FilePatch, Patch, body, envelope, unified};

/// Reads all parts of a patch.
///
/// # Errors
/// [`PatchError`] for the first line that cannot be what was meant.
pub(super) fn read(lines: &[Line<'_>]) -> Result<Patch, PatchError> {
    let mut patch = Patch { files: Vec::new(), ignored: Vec::new() };
    let (mut at, mut inside, mut ended) = (0, false, false);
    while let Some(line) = lines.get(at) {
        match marker(line.text) {
            Some(Marker::Begin) => (inside, ended, at) = (true, false, at + 1),
            Some(Marker::End) => (inside, ended, at) = (false, true, at + 1),
            Some(found) => {
                // Stray, but what it says of the file above is true.
                if found == Marker::EndOfFile {
                    at += 1;
                    continue;
                }
                ended = false;
                add(&mut patch.files, envelope::section(lines, &mut at, found)?)?;
            }
            None if unified::begins(lines, at) => {
                // A diff has no line that says it is whole.
                ended = !inside;
                let (file, ignored) = unified::section(lines, &mut at)?;
                patch.ignored.extend(ignored);
                add(&mut patch.files, file)?;
            }
            None => {
                check_stray(line, inside)?;
                at += 1;
            }
        }
    }
    let Some(last) = patch.files.last() else {
        return Err(PatchError::at(lines.first().map_or(1, |line| line.number), Fault::Empty));
    };
    if !ended && breaks_off(last) {
        return Err(PatchError::at(lines[lines.len() - 1].number, Fault::Truncated));
    }
    Ok(patch)
}

/// Prose between diffs means nothing; a signed line, a hunk, or anything within an envelope does.
fn check_stray(line: &Line<'_>, inside: bool) -> Result<(), PatchError> {
    let text = line.text;
    if text.trim().is_empty() {
        return Ok(());
    }
    if body::is_header(text) {
        return Err(PatchError::at(line.number, Fault::HunkWithoutFile));
    }
    if text.starts_with("***************") {
        return Err(PatchError::at(line.number, Fault::ContextDiff));
    }
    let signed = text.starts_with(['+', '-']) && !text.trim_end().trim_matches('-').is_empty();
    if inside || signed {
        return Err(PatchError::at(line.number, Fault::Stray(shown(text))));
    }
    Ok(())
}

/// Whether the last change of an envelope without an end looks cut short: it takes lines away and says no more.
fn breaks_off(last: &FilePatch) -> bool {
    match &last.what {
        Change::Update { hunks, .. } => hunks.last().is_some_and(|hunk| hunk.ends_with_loss()),
        Change::Add { .. } | Change::Delete => false,
    }
}

/// Adds what is wanted of a file to what was wanted of it before.
fn add(files: &mut Vec<FilePatch>, file: FilePatch) -> Result<(), PatchError> {
    let Some(before) = files.iter_mut().find(|before| before.path == file.path) else {
        files.push(file);
        return Ok(());
    };
    match (&mut before.what, file.what) {
        (Change::Update { hunks, move_to: None }, Change::Update { hunks: more, move_to: None }) => hunks.extend(more),
        (Change::Delete, Change::Add { content, .. }) => before.what = Change::Add { content, replaces: true },
        _ => return Err(PatchError::at(file.patch_line, Fault::Twice(file.path))),
    }
    Ok(())
}
