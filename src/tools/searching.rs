//! What the tools that search have in common.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Arguments, Kind, Parameter};
use crate::report::{self, LARGE_BYTES, Reply, ToolError, USUAL_BYTES};
use crate::search::{End, StopOnDrop};
use crate::session::Call;
use crate::workspace::paths::{self, Purpose, Resolved};

/// Results shown unless more were asked for.
const USUAL: usize = 100;
/// Most results that may be asked for.
const MOST: usize = 2000;

/// Where to search.
pub(super) const PATH: Parameter = Parameter::optional(
    "path",
    &["dir", "directory", "folder", "file_path", "file", "search_path", "cwd"],
    Kind::Text,
    "Directory (or file) to search in, relative to the workspace; default: the whole workspace",
);

/// Whether to leave nothing out.
pub(super) const ALL: Parameter = Parameter::optional(
    "all",
    &["no_ignore", "hidden", "include_ignored", "include_hidden"],
    Kind::Flag,
    "Also look at hidden files and at those that .gitignore leaves out (default false)",
);

/// How many results to show.
pub(super) const LIMIT: Parameter = Parameter::optional(
    "limit",
    &["max_results", "max_count", "head_limit", "max", "count"],
    Kind::Count,
    "How many results to show (default 100)",
);

/// How many results, and how many bytes of them, a call wants.
pub(super) fn bounds(arguments: &Arguments) -> (usize, usize) {
    let limit = arguments.count("limit").filter(|limit| *limit > 0).unwrap_or(USUAL).min(MOST);
    (limit, if limit > USUAL { LARGE_BYTES } else { USUAL_BYTES })
}

/// The directory or file that `typed` means; without it the workspace.
pub(super) fn place(call: &Call, typed: Option<&str>) -> Result<Resolved, ToolError> {
    let typed = typed.filter(|typed| !typed.trim().is_empty()).unwrap_or(".");
    let rules = call.workspace.paths();
    let resolved = paths::resolve(rules, typed, Purpose::ReadAny).or_else(|refused| {
        // Where no file is near, a directory may be.
        match paths::resolve(rules, typed, Purpose::Directory) {
            Err(other) if refused.suggestion.is_none() && other.suggestion.is_some() => Err(other),
            Err(_) => Err(refused),
            found => found,
        }
    });
    resolved.map_err(|refused| report::path_refused(&refused))
}

/// How a place is told: relative to the workspace, `.` for all of it.
pub(super) fn shown(place: &Resolved) -> &str {
    if place.relative.is_empty() { "." } else { &place.relative }
}

/// Adds how the path of a place was put right.
pub(super) fn with_note(mut reply: Reply, place: &Resolved) -> Reply {
    if let Some(note) = &place.note {
        reply.structured.insert("path_note".into(), note.as_str().into());
        reply.note(note);
    }
    reply
}

/// An end that gives no result.
pub(super) fn unless_cancelled(end: End) -> Result<(), ToolError> {
    if end == End::Cancelled { Err(ToolError::caller("cancelled", "the call was cancelled")) } else { Ok(()) }
}

/// Does `work` on a thread that may block. Its flag is set when the call is cancelled or dropped; the work is waited for
/// all the same, so it must heed the flag.
pub(super) async fn blocking<T: Send + 'static>(
    call: &Call,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Result<T, ToolError> {
    let cancel = Arc::new(AtomicBool::new(false));
    let stop = StopOnDrop(Arc::clone(&cancel));
    let mut running = tokio::task::spawn_blocking(move || work(&cancel));
    let done = tokio::select! {
        done = &mut running => done,
        () = call.cancel.cancelled() => {
            stop.0.store(true, Ordering::Relaxed);
            running.await
        }
    };
    match done {
        Ok(done) => Ok(done),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(ToolError::environment("shutting_down", "the service is shutting down")),
    }
}

/// The globs in `typed`, which are separated by commas or blanks outside braces.
pub(super) fn globs(typed: &str) -> Vec<String> {
    let (mut all, mut depth) = (vec![String::new()], 0usize);
    for character in typed.chars() {
        match character {
            ',' | ' ' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        all.last_mut().unwrap_or_else(|| unreachable!("never empty")).push(character);
    }
    all.into_iter().map(|glob| glob.trim_start_matches("./").to_owned()).filter(|glob| !glob.is_empty()).collect()
}

/// Parts a pattern that begins with a path, absolute or upwards, into that path and the pattern from there on.
pub(super) fn path_and_glob(pattern: &str) -> (Option<String>, String) {
    let pattern = pattern.trim();
    if !pattern.starts_with(['/', '~']) && !pattern.starts_with("../") {
        return (None, pattern.trim_start_matches("./").to_owned());
    }
    let names: Vec<&str> = pattern.split('/').collect();
    let plain = names.iter().take_while(|name| !name.contains(['*', '?', '[', '{'])).count().min(names.len() - 1);
    (Some(format!("{}/", names[..plain].join("/"))), names[plain..].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_parted_outside_braces() {
        for (typed, expected) in [
            ("*.go", vec!["*.go"]),
            ("*.{go,zig}, ./src/**", vec!["*.{go,zig}", "src/**"]),
            ("*.go *.zig", vec!["*.go", "*.zig"]),
            (" , ", vec![]),
            ("*.{a,b", vec!["*.{a,b"]),
        ] {
            assert_eq!(globs(typed), expected, "{typed}");
        }
    }

    #[test]
    fn a_path_in_front_is_parted_from_the_pattern() {
        for (pattern, path, glob) in [
            ("**/*.go", None, "**/*.go"),
            ("./src/*.go", None, "src/*.go"),
            ("/w/s/**/*.go", Some("/w/s/"), "**/*.go"),
            ("/w/s/a.go", Some("/w/s/"), "a.go"),
            ("/*.go", Some("/"), "*.go"),
            ("../x/*", Some("../x/"), "*"),
        ] {
            assert_eq!(path_and_glob(pattern), (path.map(str::to_owned), glob.to_owned()), "{pattern}");
        }
    }
}
