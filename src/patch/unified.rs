//! The parts of a unified diff, plain or git's.

use super::error::{Fault, PatchError, shown};
use super::lines::Line;
use super::marker::{Marker, marker};
use super::names::{self, Name};
use super::{Change, FilePatch, PatchHunk, body};

/// What the lines above the hunks of one file say.
#[derive(Debug, Default)]
struct Header {
    git: Option<String>,
    old: Option<Name>,
    new: Option<Name>,
    rename_from: Option<String>,
    rename_to: Option<String>,
    is_new: bool,
    is_deleted: bool,
    mode: Option<String>,
}

/// Whether the part of a diff that concerns one file begins at `lines[at]`.
pub(super) fn begins(lines: &[Line<'_>], at: usize) -> bool {
    let text = lines[at].text;
    let next = lines.get(at + 1).map_or("", |line| line.text);
    text.starts_with("diff --git ")
        || text.starts_with("--- ") && (next.starts_with("+++ ") || body::is_header(next))
        || text.starts_with("+++ ") && body::is_header(next)
}

/// Reads the part of one file, and what of it is not carried out.
///
/// # Errors
/// [`PatchError`] for what is no such part.
pub(super) fn section(lines: &[Line<'_>], at: &mut usize) -> Result<(FilePatch, Option<String>), PatchError> {
    let first = lines[*at].number;
    let header = header(lines, at)?;
    let hunks = match lines.get(*at) {
        Some(line) if body::is_header(line.text) => body::hunks(lines, at, ends)?,
        _ => Vec::new(),
    };
    let (path, what) = change(&header, hunks).map_err(|fault| PatchError::at(first, fault))?;
    let ignored = header.mode.map(|mode| format!("the mode of {} is not changed ({mode})", shown(&path)));
    Ok((FilePatch { path, patch_line: first, what }, ignored))
}

/// Whether the hunks of a file end before `lines[at]`.
fn ends(lines: &[Line<'_>], at: usize) -> bool {
    let text = lines[at].text;
    let envelope = text.starts_with("***") && marker(text).is_some_and(|marker| marker != Marker::Unknown);
    let signature = text == "-- " && lines.len() - at <= 3;
    envelope || signature || text.starts_with("Index: ") || begins(lines, at) || text == "GIT binary patch"
}

fn header(lines: &[Line<'_>], at: &mut usize) -> Result<Header, PatchError> {
    let mut header = Header::default();
    let first = *at;
    while let Some(line) = lines.get(*at) {
        let after = |start: &str| line.text.strip_prefix(start);
        let fault = |fault| Err(PatchError::at(line.number, fault));
        if let Some(rest) = after("diff --git ") {
            if *at > first {
                break;
            }
            header.git = names::of_git(rest);
        } else if let Some(rest) = after("--- ") {
            if header.old.is_some() || header.new.is_some() {
                break;
            }
            header.old = Some(names::name(rest));
        } else if let Some(rest) = after("+++ ") {
            if header.new.is_some() {
                break;
            }
            header.new = Some(names::name(rest));
        } else if let Some(rest) = after("rename from ") {
            header.rename_from = path(rest);
        } else if let Some(rest) = after("rename to ") {
            header.rename_to = path(rest);
        } else if after("copy from ").is_some() {
            return fault(Fault::Copy);
        } else if after("Binary files ").is_some() || line.text == "GIT binary patch" {
            return fault(Fault::Binary);
        } else if after("new file mode").is_some() {
            header.is_new = true;
        } else if after("deleted file mode").is_some() {
            header.is_deleted = true;
        } else if let Some(mode) = after("new mode ") {
            header.mode = Some(shown(mode));
        } else if !["index ", "similarity index", "dissimilarity index", "old mode ", "copy to "]
            .iter()
            .any(|start| after(start).is_some())
        {
            break;
        }
        *at += 1;
    }
    Ok(header)
}

fn path(text: &str) -> Option<String> {
    match names::name(text) {
        Name::Path(path) => Some(path),
        Name::Nothing => None,
    }
}

fn change(header: &Header, hunks: Vec<PatchHunk>) -> Result<(String, Change), Fault> {
    if let (Some(from), Some(to)) = (&header.rename_from, &header.rename_to) {
        return Ok((from.clone(), Change::Update { hunks, move_to: Some(to.clone()) }));
    }
    let path = file(header)?;
    if path.is_empty() {
        return Err(Fault::NoPath);
    }
    let gone = header.is_deleted || header.new == Some(Name::Nothing);
    if header.is_new || header.old == Some(Name::Nothing) {
        if gone || hunks.iter().any(|hunk| !hunk.old.is_empty()) {
            return Err(Fault::NewWithOldLines(shown(&path)));
        }
        let content = hunks.iter().map(|hunk| hunk.new.as_str()).collect();
        return Ok((path, Change::Add { content, replaces: false }));
    }
    if gone {
        return Ok((path, Change::Delete));
    }
    match (hunks.is_empty(), &header.mode) {
        (false, _) => Ok((path, Change::Update { hunks, move_to: None })),
        (true, Some(_)) => Err(Fault::OnlyMode(shown(&path))),
        (true, None) => Err(Fault::NoHunks(shown(&path))),
    }
}

/// The one file that the header names.
fn file(header: &Header) -> Result<String, Fault> {
    // Without a partner a prefix is taken off only where a file would else be made or missed below `a/` or `b/`.
    let bare = |path: &str| match &header.git {
        Some(git) => git.clone(),
        None => names::unprefixed(path).unwrap_or(path).to_owned(),
    };
    match (&header.old, &header.new) {
        (Some(Name::Path(old)), Some(Name::Path(new))) => {
            names::common(old, new).ok_or_else(|| Fault::TwoNames { old: shown(old), new: shown(new) })
        }
        (Some(Name::Nothing) | None, Some(Name::Path(path))) | (Some(Name::Path(path)), Some(Name::Nothing) | None) => {
            Ok(bare(path))
        }
        (Some(Name::Nothing), Some(Name::Nothing)) => Err(Fault::NoPath),
        (None | Some(Name::Nothing), None | Some(Name::Nothing)) => header.git.clone().ok_or(Fault::NoPath),
    }
}
