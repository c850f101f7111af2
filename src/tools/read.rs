//! `read`: numbered lines of a file, or the names in a directory.

mod declarations;
mod kind;
mod large;
mod notebook;
mod wanted;

use std::ffi::OsString;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Arguments, FILE_PATH, Kind, Parameter, Tool, searching};
use crate::landing::{self, Unlanded};
use crate::report::{self, Listing, Reply, ToolError};
use crate::session::Call;
use crate::text::{LineIndex, LineRange, count_lines};
use crate::workspace::paths::contained::{self, ReadError};
use crate::workspace::paths::{self, Purpose, Resolved};
use wanted::Wanted;

/// Most names of a directory shown.
const MOST_NAMES: usize = 500;

pub(super) const TOOL: Tool = Tool {
    name: "read",
    about: "Read a file (open file, view file, show file contents, print, cat, head, tail): its lines with line numbers, \
            up to 2000 lines or 50 KB at a time. A directory is listed. The number and the bar in front of each line are \
            not part of the file.",
    parameters: &[
        FILE_PATH,
        Parameter::optional(
            "offset",
            &["start", "start_line", "line", "from", "line_start"],
            Kind::Count,
            "First line to show, 1-based (default 1)",
        ),
        Parameter::optional(
            "limit",
            &["max_lines", "lines", "count", "num_lines"],
            Kind::Count,
            "How many lines to show (default 2000)",
        ),
        Parameter::optional(
            "ranges",
            &["line_ranges", "line_range", "range"],
            Kind::Text,
            "Several stretches of lines in one call: 1-40,200-220",
        ),
        Parameter::optional("tail", &["last", "last_lines"], Kind::Count, "Show the last so many lines instead"),
        Parameter::optional(
            "outline",
            &["symbols", "structure"],
            Kind::Flag,
            "Show the declarations (functions, types) and their lines instead of the content; Go, Java and Zig",
        ),
    ],
    read_only: true,
    run: |call, arguments| Box::pin(read(call, arguments)),
};

async fn read(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let wanted = Wanted::of(&arguments)?;
    let typed = arguments.required_text("file_path");
    let target = paths::resolve(call.workspace.paths(), typed, Purpose::ReadAny)
        .map_err(|refused| report::path_refused(&refused))?;
    let reply = match target.absolute.is_dir() {
        true => list(call, &target),
        false => file(call, &target, &wanted, &arguments).await,
    };
    let reply = reply.map_err(|error| error.put_right(target.note.as_ref()))?;
    Ok(searching::with_note(reply, &target))
}

async fn file(call: &Call, target: &Resolved, wanted: &Wanted, arguments: &Arguments) -> Result<Reply, ToolError> {
    let file = &target.relative;
    let present = match landing::read(&call.workspace, target) {
        Err(Unlanded::Read(ReadError::TooLarge { .. })) => return part_of_large(call, target, wanted.clone()).await,
        Err(unlanded @ Unlanded::Undecodable(_)) => return Err(undecodable(call, target, &unlanded)),
        present => present.map_err(|unlanded| report::unlanded(file, &unlanded))?,
    };
    let present = present.ok_or_else(|| ToolError::caller("no_such_file", "there is no such file").about(file))?;
    let text: Arc<str> = Arc::from(present.decoded.text);
    call.workspace.touch(&target.absolute, &text);
    if arguments.flag("outline") {
        return declarations::reply(file, &text);
    }
    if file.ends_with(".ipynb")
        && wanted.is_usual()
        && let Some(reply) = notebook::reply(file, &text)
    {
        return Ok(reply);
    }
    call.session.saw(target.absolute.clone(), Some(present.expected));
    let total = count_lines(&text);
    let index = LineIndex::new(&text);
    let ranges = wanted.within(total);
    let lines = ranges.iter().flat_map(|range| range.start..range.end).map(|line| (line, index.line(&text, line)));
    Ok(reply(file, &ranges, &report::listing(lines), total))
}

/// A file that is too large to be held is read through once, and only what is wanted is kept.
async fn part_of_large(call: &Call, target: &Resolved, wanted: Wanted) -> Result<Reply, ToolError> {
    let (rules, file) = (call.workspace.paths().clone(), target.clone());
    let part = searching::blocking(call, move |cancel| -> Result<Option<large::Part>, ReadError> {
        let Some(mut opened) = contained::open_file(&rules, &file)? else { return Ok(None) };
        Ok(Some(large::part(&mut opened, &wanted, cancel)?))
    });
    let file = &target.relative;
    let part = part.await?.map_err(|error| report::read_error(file, &error).about(file))?;
    let part = part.ok_or_else(|| ToolError::caller("no_such_file", "there is no such file").about(file))?;
    let listing = report::listing(part.lines.iter().map(|(line, text)| (*line, text.as_str())));
    Ok(reply(file, &part.ranges, &listing, part.total))
}

fn reply(file: &str, ranges: &[LineRange], listing: &Listing, total: usize) -> Reply {
    let shown: Vec<String> = listing
        .shown
        .iter()
        .map(|range| LineRange::one_based(*range))
        .map(|(first, last)| format!("{first}-{last}"))
        .collect();
    let next = listing.shown.last().map_or(1, |last| last.end + 1);
    let footer = match listing.shown.as_slice() {
        _ if total == 0 => format!("({file} is empty)"),
        [] => format!(
            "({file} has {total} lines; there is no line {})",
            ranges.first().map_or(1, |range| range.start + 1)
        ),
        [only] if only.end == total => format!("({file}: end of file, {total} lines)"),
        [_] => format!("({file}: lines {} of {total}; continue with offset {next})", shown[0]),
        _ if listing.complete => format!("({file}: lines {} of {total})", shown.join(", ")),
        _ => format!(
            "({file}: lines {} of {total}; that was the most for one call, continue with offset {next})",
            shown.join(", ")
        ),
    };
    let range = |range: &LineRange| json!({ "start": range.start + 1, "end": range.end });
    let mut structured =
        json!({ "file": file, "range": listing.shown.first().map(range), "lines": { "total": total } });
    if listing.shown.len() > 1 {
        structured["ranges"] = listing.shown.iter().map(range).collect::<Vec<Value>>().into();
    }
    Reply::done(format!("{}{footer}", listing.text), structured)
}

/// The error for a file that is no text, with what it is where that can be told.
fn undecodable(call: &Call, target: &Resolved, unlanded: &Unlanded) -> ToolError {
    let error = report::unlanded(&target.relative, unlanded);
    let opened = contained::open_file(call.workspace.paths(), target).ok().flatten();
    match opened.and_then(|mut file| kind::of(&mut file)) {
        Some(what) => ToolError {
            message: format!("{} is {what}; it holds no text to show", target.relative),
            hints: Vec::new(),
            ..error
        },
        None => error,
    }
}

fn list(call: &Call, target: &Resolved) -> Result<Reply, ToolError> {
    let shown = searching::shown(target);
    let entries = contained::list(call.workspace.paths(), target)
        .map_err(|error| report::read_error(shown, &error).about(shown))?;
    let named = |(name, is_directory): (OsString, bool)| {
        let slash = if is_directory { "/" } else { "" };
        format!("{}{slash}", report::one_line(&name.to_string_lossy(), 255))
    };
    let mut names: Vec<String> = entries.into_iter().map(named).collect();
    names.sort();
    let total = names.len();
    let mut out: String = names.iter().take(MOST_NAMES).map(|name| format!("{name}\n")).collect();
    let more = if total > MOST_NAMES {
        format!(", the first {MOST_NAMES} shown; `glob` finds the others by name")
    } else {
        String::new()
    };
    out.push_str(&format!("({shown} is a directory: {total} entries{more})"));
    Ok(Reply::done(
        out,
        json!({ "file": shown, "entries": names.iter().take(MOST_NAMES).collect::<Vec<_>>(), "total": total }),
    ))
}
