//! `multi_edit`: several replacements in one file, all or none.

use super::changing::{SETTLE, SETTLE_MS, land};
use super::edit::{NEAR_LINE, NEW_STRING, OLD_STRING, REPLACE_ALL, one_edit};
use super::{Arguments, FILE_PATH, Kind, Parameter, Tool};
use crate::landing::Wanted;
use crate::workspace::paths::Purpose;

pub(super) const TOOL: Tool = Tool {
    name: "multi_edit",
    about: "Several replacements in one call (multiple changes as a batch): each replaces old_string by \
            new_string, one after another on the result of the one before. All are made or none.",
    parameters: &[
        FILE_PATH,
        Parameter::required(
            "edits",
            &["changes", "replacements", "operations"],
            Kind::List(&[OLD_STRING, NEW_STRING, REPLACE_ALL, NEAR_LINE]),
            "One after another, in order",
        ),
        SETTLE,
        SETTLE_MS,
    ],
    read_only: false,
    run: |call, arguments| Box::pin(land(call, TOOL.name, Purpose::EditFile, wanted(&arguments), arguments)),
};

fn wanted(arguments: &Arguments) -> Wanted {
    Wanted::Edits(arguments.list("edits").iter().map(one_edit).collect())
}
