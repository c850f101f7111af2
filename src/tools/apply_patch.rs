//! `apply_patch`: changes of several files at once, all or none.

use super::changing::{SETTLE, SETTLE_MS, budget, land_all};
use super::{Arguments, Kind, Parameter, Tool};
use crate::landing::{MoveHere, OnTheWay, Order, Wanted};
use crate::patch::{self, Change, FilePatch};
use crate::report::{self, Reply, ToolError};
use crate::session::Call;
use crate::workspace::paths::{self, Purpose, Resolved};

pub(super) const TOOL: Tool = Tool {
    name: "apply_patch",
    about: "Apply a patch (apply patch, apply diff, unified diff, git diff): add, change, move or delete several files in \
            one call, all or none. Takes *** Begin Patch … *** End Patch with *** Add File: / *** Update File: / *** \
            Delete File: / *** Move to: and @@ hunks, or a unified diff. Context may differ a little from the file.",
    parameters: &[
        Parameter::required(
            "patch",
            &["input", "patch_text", "diff", "content", "text"],
            Kind::Text,
            "The whole patch; paths relative to the workspace",
        ),
        SETTLE,
        SETTLE_MS,
    ],
    read_only: false,
    run: |call, arguments| Box::pin(apply_patch(call, arguments)),
};

async fn apply_patch(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let patch = patch::parse(arguments.required_text("patch"))
        .map_err(|error| ToolError::caller("bad_patch", error.to_string()).hint(error.hint()))?;
    let mut orders = Vec::new();
    for file in &patch.files {
        let of_file = orders_for(call, file);
        orders.extend(of_file.map_err(|error| ToolError { with: all_files(call, &patch.files), ..error })?);
    }
    let mut reply = land_all(call, TOOL.name, orders, budget(&arguments)).await?;
    for ignored in &patch.ignored {
        reply.note(&format!("note: not carried out: {}", report::one_line(ignored, 200)));
    }
    Ok(reply)
}

/// The files of a patch that is refused whole.
fn all_files(call: &Call, files: &[FilePatch]) -> Vec<String> {
    let relative = |file: &FilePatch| {
        let found = paths::resolve(call.workspace.paths(), &file.path, Purpose::WriteFile);
        found.map_or_else(|_| report::one_line(&file.path, 1000), |target| target.relative)
    };
    files.iter().map(relative).collect()
}

/// What one file's part of the patch wants of the disk: a move is a new file and an old one that goes.
fn orders_for(call: &Call, file: &FilePatch) -> Result<Vec<Order>, ToolError> {
    let one = |typed: &str, purpose, wanted| {
        let target = resolve(call, typed, purpose, file.patch_line)?;
        let seen = call.session.seen(&target.absolute);
        Ok(Order { target, wanted, seen })
    };
    match &file.what {
        Change::Add { content, replaces: false } => {
            Ok(vec![one(&file.path, Purpose::WriteFile, Wanted::Write(content.clone()))?])
        }
        Change::Add { content, replaces: true } => {
            Ok(vec![one(&file.path, Purpose::WriteFile, Wanted::Rewrite(content.clone()))?])
        }
        Change::Delete => Ok(vec![one(&file.path, Purpose::EditFile, Wanted::Delete)?]),
        Change::Update { hunks, move_to: None } => {
            Ok(vec![one(&file.path, Purpose::EditFile, Wanted::Patch(hunks.clone()))?])
        }
        Change::Update { hunks, move_to: Some(to) } => {
            let away = one(&file.path, Purpose::EditFile, Wanted::Delete)?;
            let moving = MoveHere { from: away.target.clone(), change: OnTheWay::Patch(hunks.clone()) };
            Ok(vec![one(to, Purpose::WriteFile, Wanted::MoveHere(Box::new(moving)))?, away])
        }
    }
}

fn resolve(call: &Call, typed: &str, purpose: Purpose, patch_line: usize) -> Result<Resolved, ToolError> {
    paths::resolve(call.workspace.paths(), typed, purpose).map_err(|refused| {
        let mut error = report::path_refused(&refused);
        error.message = format!("patch line {patch_line}: {}", error.message);
        error
    })
}
