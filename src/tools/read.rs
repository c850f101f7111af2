//! `read`: numbered lines of a file, or the names in a directory.

use std::sync::Arc;

use serde_json::json;

use super::{Arguments, FILE_PATH, Kind, Parameter, Tool};
use crate::landing;
use crate::report::{self, MOST_LINES, Reply, ToolError};
use crate::session::Call;
use crate::workspace::paths::{self, Purpose, Resolved};

/// Most names of a directory shown.
const MOST_NAMES: usize = 500;

pub(super) const TOOL: Tool = Tool {
    name: "read",
    about: "Read a file (view, show, open, cat): its lines with line numbers, up to 2000 lines or 50 KB at a time; a directory \
            is listed. The number and the bar in front of each line are not part of the file.",
    parameters: &[
        FILE_PATH,
        Parameter::optional("offset", &["start", "start_line", "line", "from", "line_start"], Kind::Count, "First line to show, 1-based (default 1)"),
        Parameter::optional("limit", &["max_lines", "lines", "count", "num_lines"], Kind::Count, "How many lines to show (default 2000)"),
    ],
    read_only: true,
    run: |call, arguments| Box::pin(read(call, arguments)),
};

async fn read(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let typed = arguments.required_text("file_path");
    let target = paths::resolve(call.workspace.paths(), typed, Purpose::ReadAny).map_err(|refused| report::path_refused(&refused))?;
    let mut reply = if target.absolute.is_dir() { list(&target)? } else { show(call, &target, &arguments)? };
    if let Some(note) = &target.note {
        reply.structured.insert("path_note".into(), note.as_str().into());
        reply.note(note);
    }
    Ok(reply)
}

fn show(call: &Call, target: &Resolved, arguments: &Arguments) -> Result<Reply, ToolError> {
    let file = &target.relative;
    let present = landing::read(&call.workspace, target).map_err(|unlanded| report::unlanded(file, &unlanded))?;
    let present = present.ok_or_else(|| ToolError::caller("no_such_file", "there is no such file").about(file))?;
    let text: Arc<str> = Arc::from(present.decoded.text);
    call.session.saw(target.absolute.clone(), Some(present.expected));
    call.workspace.touch(&target.absolute, &text);
    let start = arguments.count("offset").unwrap_or(1).saturating_sub(1);
    let listing = report::listing(&text, start, arguments.count("limit").filter(|limit| *limit > 0).unwrap_or(MOST_LINES));
    let mut out = listing.text.clone();
    let (shown, total) = (listing.lines, listing.total);
    if total == 0 {
        out.push_str(&format!("({file} is empty)"));
    } else if shown.is_empty() {
        out.push_str(&format!("({file} has {total} lines; there is no line {})", start + 1));
    } else if shown.end < total {
        out.push_str(&format!("({file}: lines {}-{} of {total}; continue with offset {})", shown.start + 1, shown.end, shown.end + 1));
    } else {
        out.push_str(&format!("({file}: end of file, {total} lines)"));
    }
    let structured = json!({
        "file": file,
        "range": { "start": shown.start + 1, "end": shown.end },
        "lines": { "total": total },
    });
    Ok(Reply::done(out, structured))
}

fn list(target: &Resolved) -> Result<Reply, ToolError> {
    let shown = if target.relative.is_empty() { "." } else { target.relative.as_str() };
    let entries = std::fs::read_dir(&target.absolute)
        .map_err(|error| ToolError::environment("io", format!("the directory {shown} cannot be read: {error}")).about(shown))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| {
            let slash = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
            format!("{}{slash}", report::one_line(&entry.file_name().to_string_lossy(), 255))
        })
        .collect();
    names.sort();
    let total = names.len();
    let mut out: String = names.iter().take(MOST_NAMES).map(|name| format!("{name}\n")).collect();
    let more = if total > MOST_NAMES { format!(", the first {MOST_NAMES} shown") } else { String::new() };
    out.push_str(&format!("({shown} is a directory: {total} entries{more})"));
    Ok(Reply::done(out, json!({ "file": shown, "entries": names.iter().take(MOST_NAMES).collect::<Vec<_>>(), "total": total })))
}
