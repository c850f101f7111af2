//! What the tools that ask about a name in the code have in common.

use std::future::Future;

use super::changing::{SETTLE_MS, budget};
use super::searching::{self, LIMIT};
use super::{Arguments, Kind, Parameter};
use crate::report::navigation::spot_refused;
use crate::report::{self, Reply, ToolError};
use crate::session::Call;
use crate::workspace::navigation::{Address, Spot};
use crate::workspace::paths::{self, Purpose, Resolved};

/// The parameters by which a name is addressed.
pub(super) const SYMBOL: Parameter = Parameter::optional(
    "symbol",
    &["name", "symbol_name", "name_path", "function", "method", "identifier", "query"],
    Kind::Text,
    "Its name, or its path: Put, Store.Put, pkg.Func, Outer.Inner.method; with file_path only there",
);

/// The file, where it is not needed.
pub(super) const FILE: Parameter = Parameter::optional(
    "file_path",
    &["path", "file", "filename", "file_name", "filepath", "relative_path"],
    Kind::Text,
    "Path relative to the workspace; not needed with symbol",
);

/// The line.
pub(super) const LINE: Parameter =
    Parameter::optional("line", &["line_number", "row", "lineno"], Kind::Count, "Line in file_path, 1-based");

/// The column.
pub(super) const COLUMN: Parameter = Parameter::optional(
    "column",
    &["col", "character", "column_number"],
    Kind::Count,
    "Column in line, 1-based; not needed",
);

/// All of them, for a tool whose results are few.
pub(super) const ADDRESS: &[Parameter] = &[SYMBOL, FILE, LINE, COLUMN, SETTLE_MS];

/// All of them, for a tool whose results are many.
pub(super) const ADDRESS_AND_LIMIT: &[Parameter] = &[SYMBOL, FILE, LINE, COLUMN, LIMIT, SETTLE_MS];

/// What a call asks about.
pub(super) struct Target {
    pub(super) spot: Spot,
    /// How its path was put right.
    note: Option<String>,
}

/// Finds what a call asks about.
pub(super) async fn target(call: &Call, arguments: &Arguments) -> Result<Target, ToolError> {
    let symbol = arguments.text("symbol").map(str::trim).filter(|symbol| !symbol.is_empty()).map(str::to_owned);
    let typed = arguments.text("file_path").map(str::trim).filter(|typed| !typed.is_empty());
    let (mut line, mut column) = (arguments.count("line"), arguments.count("column"));
    if let (Some(typed), None) = (typed, line) {
        (line, column) = places_in(typed);
    }
    let file = typed.map(|typed| file(call, typed)).transpose()?;
    let note = file.as_ref().and_then(|file| file.note.clone());
    let address = Address { symbol, file, line, column };
    let spot = waited(call, call.workspace.spot(address)).await?;
    let spot = spot.map_err(|refused| spot_refused(&refused).put_right(note.as_ref()))?;
    Ok(Target { spot, note })
}

/// The file that a call names.
pub(super) fn file(call: &Call, typed: &str) -> Result<Resolved, ToolError> {
    paths::resolve(call.workspace.paths(), typed, Purpose::ReadFile).map_err(|refused| report::path_refused(&refused))
}

/// Does `work` until nobody waits for it any more.
pub(super) async fn waited<T>(call: &Call, work: impl Future<Output = T>) -> Result<T, ToolError> {
    let done = call.out(work, || call.workspace.awaited()).await;
    done.ok_or_else(|| ToolError::caller("cancelled", "the call was cancelled"))
}

/// How long a call waits for a language server, and how many results and bytes of them it wants.
pub(super) fn bounds(arguments: &Arguments) -> (Option<std::time::Duration>, usize, usize) {
    let (most, bytes) = searching::bounds(arguments);
    (budget(arguments), most, bytes)
}

impl Target {
    /// Adds how the path was put right.
    pub(super) fn with_note(&self, mut reply: Reply) -> Reply {
        if let Some(note) = &self.note {
            reply.structured.insert("path_note".into(), note.as_str().into());
            reply.note(note);
        }
        reply
    }
}

/// The line and column behind a path: `a.go:12:3`.
pub(super) fn places_in(typed: &str) -> (Option<usize>, Option<usize>) {
    let mut numbers = typed.rsplit(':').map_while(|part| part.parse::<usize>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(column), Some(line)) => (Some(line), Some(column)),
        (line, _) => (line, None),
    }
}

#[cfg(test)]
mod tests {
    use super::places_in;

    #[test]
    fn a_place_may_stand_behind_the_path() {
        for (typed, expected) in [
            ("a.go", (None, None)),
            ("a.go:12", (Some(12), None)),
            ("a.go:12:3", (Some(12), Some(3))),
            ("12", (Some(12), None)),
            ("a.go:x", (None, None)),
        ] {
            assert_eq!(places_in(typed), expected, "{typed}");
        }
    }
}
