//! A change that did not land, and a path that was not accepted, in words an agent can act on.

use super::{ToolError, one_line, refusal, snippet};
use crate::landing::{OfSeveral, Unlanded};
use crate::patch::{HunkRefused, Why};
use crate::replace::{RefusalCode, Refused};
use crate::workspace::paths::PathRefused;
use crate::workspace::paths::contained::{ReadError, WriteError};

/// The error for a change of `file` (relative to the workspace) that did not land.
pub fn unlanded(file: &str, unlanded: &Unlanded) -> ToolError {
    let error = match unlanded {
        Unlanded::Refused(edit) => {
            let refused = &edit.refused;
            let explanation = refusal::explain(&edit.text, &edit.edit.query(), refused);
            let message = format!("{}{}", edit.of_several.as_ref().map(which).unwrap_or_default(), explanation.message);
            let mut error = ToolError::caller(refused.code.name(), message);
            error.hints.extend(reading_hint(file, refused).or(explanation.hint));
            error
        }
        Unlanded::Hunk(hunk) => hunk_refused(hunk),
        Unlanded::Missing => ToolError::caller("no_such_file", "there is no such file")
            .hint("check the path with `read` on its directory, or create the file with `write`"),
        Unlanded::Unseen { lines } => ToolError::caller(
            "not_read",
            format!("it exists with {lines} lines that this session has not read in their present form, and `write` would replace them all"),
        )
        .hint(format!("call `read` with file_path {file}, then `write` again; or change a part with `edit`")),
        Unlanded::NotAsLeft => ToolError::caller("changed_since", "the file is no longer as that change left it")
            .hint(format!("call `read` with file_path {file}, and change it with `edit`")),
        Unlanded::Undecodable(reason) => {
            ToolError::caller("binary", reason.to_string()).hint("leave this file alone, or change it with its own tool")
        }
        Unlanded::Read(error) => read_error(file, error),
        Unlanded::Write(error) => write_error(error),
        Unlanded::Torn { changed, error } => ToolError::environment(
            "torn",
            format!("{error}; but these files of the same call HAVE been changed and could not be put back: {}", changed.join(", ")),
        )
        .hint("call `read` on each of these files to see what it holds"),
        Unlanded::NamedTwice => ToolError::caller("named_twice", "this call changes it twice")
            .hint("put all changes of this file together, under one name"),
        Unlanded::ShuttingDown => ToolError::environment("shutting_down", "the service is shutting down")
            .hint("make the same call again once it has been started"),
    };
    error.about(file)
}

/// The call that shows what to copy.
fn reading_hint(file: &str, refused: &Refused) -> Option<String> {
    let part = match (refused.code, &refused.nearest) {
        (RefusalCode::NotFound | RefusalCode::Stale, None) => String::new(),
        (RefusalCode::NotFound | RefusalCode::Stale, Some(nearest)) => {
            format!(", offset {} and limit {}", nearest.lines.start + 1, nearest.lines.len().max(1))
        }
        _ => return None,
    };
    Some(format!("call `read` with file_path {}{part}, and copy old_string from what it shows", one_line(file, 300)))
}

fn hunk_refused(hunk: &HunkRefused) -> ToolError {
    let (code, shown) = match &hunk.why {
        Why::Lines(refused) => (refused.code.name(), refused.nearest.as_ref().map(|nearest| nearest.lines)),
        Why::AnchorMissing(_) => ("not_found", None),
        Why::AnchorAmbiguous { .. } => ("ambiguous", None),
        Why::AboveAnchor { .. } => ("not_found", None),
    };
    let mut message = hunk.to_string();
    if let Some(lines) = shown {
        message.push_str(&format!("; nearest in the file:\n{}", snippet(&hunk.text, &[lines]).trim_end()));
    }
    ToolError::caller(code, message).hint(hunk.why.hint())
}

/// `none of the 3 edits was made, because of edit 2 (edits 1, 3 match): `.
fn which(of_several: &OfSeveral) -> String {
    let matched = of_several.matched.iter().enumerate().filter(|(_, matched)| **matched);
    let matched: Vec<String> = matched.map(|(index, _)| (index + 1).to_string()).collect();
    let others = match matched.as_slice() {
        [] => String::new(),
        [one] => format!(" (edit {one} matches)"),
        several => format!(" (edits {} match)", several.join(", ")),
    };
    format!(
        "none of the {} edits was made, because of edit {}{others}: ",
        of_several.matched.len(),
        of_several.index + 1
    )
}

/// The error for a path that was not accepted. `typed` is the path as it was received.
pub fn path_refused(refused: &PathRefused) -> ToolError {
    let mut error = ToolError::caller(refused.code.name(), refused.message.clone());
    error.hints.extend(refused.hint.clone());
    error
}

/// The error for a file that could not be read.
pub fn read_error(file: &str, error: &ReadError) -> ToolError {
    match error {
        ReadError::TooLarge { bytes, most } => {
            ToolError::caller("too_large", format!("it has {bytes} bytes; files over {most} are not edited"))
                .hint(format!("call `read` with file_path {file} and ranges, or `grep` in it, to see a part"))
        }
        ReadError::NotAFile { what } => not_a_file(what),
        ReadError::Escapes => escapes(),
        ReadError::Io(error) => io(error),
    }
}

fn write_error(error: &WriteError) -> ToolError {
    match error {
        WriteError::ReadOnly => ToolError::environment(
            "read_only",
            "the file, its directory or its file system is write-protected; nothing was written",
        )
        .hint("leave it as it is, and ask the user before changing its permissions"),
        WriteError::ChangedMeanwhile => ToolError::caller(
            "changed_meanwhile",
            "another program keeps changing it; what that program wrote was left as it is",
        )
        .hint("call `read` on it, then make the edit again"),
        WriteError::NoSpace => ToolError::environment("no_space", "the disk is full; nothing was written")
            .hint("free some space, then make the same call again"),
        WriteError::Escapes => escapes(),
        WriteError::NotAFile { what } => not_a_file(what),
        WriteError::HardLinked { links } => ToolError::environment(
            "hard_link",
            format!("it has {links} names (hard links); to replace it would part it from the others; it is unchanged"),
        )
        .hint("ask the user; if the other names are not needed, a copy under a new name can be edited"),
        WriteError::Io(error) => io(error),
    }
}

fn not_a_file(what: &str) -> ToolError {
    ToolError::caller("not_a_file", format!("it is {what}, not a file")).hint("give the path of a regular file")
}

fn escapes() -> ToolError {
    let message = "since its path was looked up it has been replaced by a link, which is not followed";
    ToolError::caller("outside", message).hint("call `read` on its directory to see what is there now")
}

fn io(error: &std::io::Error) -> ToolError {
    if error.kind() == std::io::ErrorKind::PermissionDenied {
        return ToolError::environment("denied", "it may not be looked at (permission denied)")
            .hint("leave it alone, or ask the user for its permissions to be changed");
    }
    ToolError::environment("io", format!("the operating system says: {error}"))
        .hint("make the same call once more; if it fails again, tell the user")
}
