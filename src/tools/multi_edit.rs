//! `multi_edit`: several replacements in one file, all or none.

use super::changing::{SETTLE, SETTLE_MS, land};
use super::edit::{NEAR_LINE, NEW_STRING, OLD_STRING, REPLACE_ALL, one_edit};
use super::{Arguments, FILE_PATH, Kind, Parameter, Tool};
use crate::landing::Wanted;
use crate::workspace::paths::Purpose;

pub(super) const TOOL: Tool = Tool {
    name: "multi_edit",
    about: "Make several edits of one file in one call: each finds old_string and replaces it with new_string, one after another on \
            the result of the one before. All of them are made or none. The first line of the result says whether the file on disk \
            was changed; the lines below are the compiler's verdict on the changed file.",
    parameters: &[
        FILE_PATH,
        Parameter::required(
            "edits",
            &["changes", "replacements", "operations"],
            Kind::List(&[OLD_STRING, NEW_STRING, REPLACE_ALL, NEAR_LINE]),
            "The edits, in order",
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
