//! `write`: the whole content of one file.

use super::changing::{SETTLE, SETTLE_MS, land};
use super::{FILE_PATH, Kind, Parameter, Tool};
use crate::landing::Wanted;
use crate::workspace::paths::Purpose;

pub(super) const TOOL: Tool = Tool {
    name: "write",
    about: "Write a whole file (write file, create file, new file, save file, overwrite file): its directories are created \
            too. An existing file must have been read before; to change a part of one, edit it.",
    parameters: &[
        FILE_PATH,
        Parameter::required(
            "content",
            &["contents", "text", "file_text", "file_content", "data", "body"],
            Kind::Text,
            "The whole new content of the file",
        ),
        SETTLE,
        SETTLE_MS,
    ],
    read_only: false,
    run: |call, arguments| {
        let wanted = Wanted::Write(arguments.required_text("content").to_owned());
        Box::pin(land(call, TOOL.name, Purpose::WriteFile, wanted, arguments))
    },
};
