//! `edit`: one replacement in one file.

use super::changing::{SETTLE, SETTLE_MS, land};
use super::{Arguments, FILE_PATH, Kind, Parameter, Tool};
use crate::landing::{Edit, Wanted};
use crate::workspace::paths::Purpose;

pub(super) const TOOL: Tool = Tool {
    name: "edit",
    about: "Edit a file: replace old_string by new_string (edit file, edit text, edit code, modify file, change code, \
            fix code, update code, replace text, change or fix a line, insert lines, delete lines, search and replace, \
            str_replace). Copy old_string from the file with two or three unchanged lines around it; small differences \
            in white space, indentation, quotes or escapes are put right. The first line of the result says whether the \
            file on disk was changed; the lines below are the compiler's verdict.",
    parameters: &[FILE_PATH, OLD_STRING, NEW_STRING, REPLACE_ALL, NEAR_LINE, SETTLE, SETTLE_MS],
    read_only: false,
    run: |call, arguments| Box::pin(land(call, TOOL.name, Purpose::EditFile, wanted(&arguments), arguments)),
};

pub(super) const OLD_STRING: Parameter = Parameter::required(
    "old_string",
    &["old_str", "old_text", "old", "search", "find", "target_text", "old_code"],
    Kind::Text,
    "The text to replace, as it stands in the file, without line numbers; must fit one place only",
);

pub(super) const NEW_STRING: Parameter = Parameter::required(
    "new_string",
    &["new_str", "new_text", "new", "replace", "replacement", "replacement_text", "new_code"],
    Kind::Text,
    "The text to put in its place (empty to delete)",
);

pub(super) const REPLACE_ALL: Parameter = Parameter::optional(
    "replace_all",
    &["all", "replace_everywhere", "multiple"],
    Kind::Flag,
    "Replace every place where old_string stands (default false)",
);

pub(super) const NEAR_LINE: Parameter = Parameter::optional(
    "near_line",
    &["line", "line_number", "line_hint", "start_line"],
    Kind::Count,
    "If old_string stands in several places: the line of the one that is meant",
);

fn wanted(arguments: &Arguments) -> Wanted {
    Wanted::Edits(vec![one_edit(arguments)])
}

/// The edit that `arguments` ask for.
pub(super) fn one_edit(arguments: &Arguments) -> Edit {
    Edit {
        old: arguments.required_text("old_string").to_owned(),
        new: arguments.required_text("new_string").to_owned(),
        replace_all: arguments.flag("replace_all"),
        near_line: arguments.count("near_line").filter(|line| *line > 0),
    }
}
