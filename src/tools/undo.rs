//! `undo`: takes back this session's last change.

use super::changing::{SETTLE, SETTLE_MS, budget, land_on};
use super::{Arguments, Kind, Parameter, Tool};
use crate::landing::{Undo, Wanted};
use crate::report::{self, Reply, ToolError};
use crate::session::Call;
use crate::workspace::ledger::{Entry, LandedEntry, Outcome};
use crate::workspace::paths::{self, Purpose};

pub(super) const TOOL: Tool = Tool {
    name: "undo",
    about: "Undo (revert, take back) the last change that this session made, or its last change of file_path. Only done when the \
            file is still as that change left it. The first line of the result says what is on disk now.",
    parameters: &[
        Parameter::optional(
            "file_path",
            &["path", "file", "filename", "filepath"],
            Kind::Text,
            "The file whose last change is undone; without it the last change of all",
        ),
        SETTLE,
        SETTLE_MS,
    ],
    read_only: false,
    run: |call, arguments| Box::pin(undo(call, arguments)),
};

async fn undo(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let resolve = |typed: &str| {
        paths::resolve(call.workspace.paths(), typed, Purpose::WriteFile)
            .map_err(|refused| report::path_refused(&refused))
    };
    let wanted = arguments.text("file_path").map(resolve).transpose()?;
    let entries = call.session.ledger().entries();
    let Some((number, entry)) = last_change(&entries, wanted.as_ref().map(|target| target.relative.as_str())) else {
        let error =
            ToolError::caller("nothing_to_undo", "this session has made no such change that is not undone already");
        return Err(error.hint("call `changes` to see what it has done"));
    };
    let (number, entry) = (number, entry.clone());
    let target = match wanted {
        Some(target) => target,
        None => resolve(&entry.file)?,
    };
    let wanted = Wanted::Undo(Box::new(Undo { number, entry }));
    land_on(call, TOOL.name, target, wanted, budget(&arguments)).await
}

/// The last change (of `file`) that neither was undone nor undid another.
fn last_change<'e>(entries: &'e [Entry], file: Option<&str>) -> Option<(u64, &'e LandedEntry)> {
    let landed = || {
        entries.iter().filter_map(|entry| match &entry.outcome {
            Outcome::Landed(landed) => Some((entry.number, landed)),
            Outcome::Refused(_) | Outcome::Outside(_) => None,
        })
    };
    let undone: Vec<u64> = landed().filter_map(|(_, entry)| entry.undoes).collect();
    let all: Vec<(u64, &LandedEntry)> = landed()
        .filter(|(number, entry)| entry.undoes.is_none() && !undone.contains(number))
        .filter(|(_, entry)| file.is_none_or(|file| entry.file == file))
        .collect();
    all.last().copied()
}
