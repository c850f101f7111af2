//! `symbols`: the declarations of a file, or of the workspace by name.

use super::changing::SETTLE_MS;
use super::navigating;
use super::searching::{self, LIMIT};
use super::{Arguments, Kind, Parameter, Tool};
use crate::report::navigation::{found_symbols, outline_of};
use crate::report::{Reply, ToolError, symbol_refused};
use crate::session::Call;

pub(super) const TOOL: Tool = Tool {
    name: "symbols",
    about: "Symbols of a file_path (file outline: functions, methods, types, classes, fields) or, by query, of the \
            workspace (find class, find function, list symbols).",
    parameters: &[
        Parameter::optional(
            "query",
            &["symbol", "name", "q", "search", "pattern"],
            Kind::Text,
            "Part of a name, upper and lower case alike, or a path such as Store.Put",
        ),
        Parameter::optional(
            "file_path",
            &["path", "file", "filename", "file_name", "filepath", "relative_path"],
            Kind::Text,
            "Only what this file declares, and of that what query fits, if that is given too",
        ),
        LIMIT,
        SETTLE_MS,
    ],
    read_only: true,
    run: |call, arguments| Box::pin(symbols(call, arguments)),
};

async fn symbols(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let given = |name: &str| arguments.text(name).map(str::trim).filter(|text| !text.is_empty());
    let (budget, most, bytes) = navigating::bounds(&arguments);
    match (given("file_path"), given("query")) {
        (Some(typed), query) => {
            let file = navigating::file(call, typed)?;
            let outline = navigating::waited(call, call.workspace.outline(&file, budget)).await?;
            let mut answer = outline.map_err(|refused| symbol_refused(&refused))?;
            if let Some(query) = query {
                let wanted = query.to_lowercase();
                answer.found.retain(|declared| declared.full_name().to_lowercase().contains(&wanted));
            }
            Ok(searching::with_note(outline_of(&file.relative, &answer, most, bytes), &file))
        }
        (None, Some(query)) => {
            let answer = navigating::waited(call, call.workspace.search_symbols(query, most, budget)).await?;
            Ok(found_symbols(query, &answer, bytes))
        }
        (None, None) => Err(ToolError::caller("bad_arguments", "neither `query` nor `file_path` was given")
            .hint("give file_path for the outline of a file, or query for a part of a name")),
    }
}
