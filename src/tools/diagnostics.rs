//! `diagnostics`: what the language servers say now.

use serde_json::{Value, json};

use super::changing::{SETTLE_MS, budget};
use super::{Arguments, Kind, Parameter, Tool};
use crate::report::{self, Reply, ToolError};
use crate::session::Call;
use crate::workspace::paths::{self, Purpose};

pub(super) const TOOL: Tool = Tool {
    name: "diagnostics",
    about: "Compiler errors and warnings now (check for errors, compile errors, type errors, lint, problems) of one file, \
            or of the whole workspace without file_path. Waits until the language server has seen the present state, and \
            says so when it has not.",
    parameters: &[
        Parameter::optional(
            "file_path",
            &["path", "file", "filename", "filepath"],
            Kind::Text,
            "Path of the file, relative to the workspace; leave it out for the whole workspace",
        ),
        SETTLE_MS,
    ],
    read_only: true,
    run: |call, arguments| Box::pin(diagnostics(call, arguments)),
};

async fn diagnostics(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let mut note = None;
    let path = match arguments.text("file_path").filter(|typed| !matches!(typed.trim(), "" | ".")) {
        Some(typed) => {
            let target = paths::resolve(call.workspace.paths(), typed, Purpose::ReadFile)
                .map_err(|refused| report::path_refused(&refused))?;
            note = target.note;
            Some((target.relative, target.absolute))
        }
        None => None,
    };
    let file = path.as_ref().map(|(_, absolute)| absolute.as_path());
    let asked = call.workspace.diagnostics(file, budget(&arguments));
    let Some(mut reports) = call.out(asked, || call.workspace.awaited()).await else {
        return Err(ToolError::caller("cancelled", "the call was cancelled"));
    };
    reports.iter_mut().for_each(|report| call.number(report));
    let subject = path.as_ref().map_or("workspace", |(relative, _)| relative.as_str());
    let mut text = String::new();
    let mut all: Vec<Value> = Vec::new();
    for report in &reports {
        text.push_str(&format!("{}: {}", report::one_line(subject, 300), report::state_text(report)));
        let mut object = report::verdict_object(report);
        object["problems"] = report::problems_now(report).iter().map(report::problem_object).collect();
        all.push(object);
    }
    if reports.is_empty() {
        text = format!("{subject}: no language server has been asked yet; edit or read a file first\n");
    }
    text.extend(note.as_deref());
    let count = |report| report::problems_now(report).len();
    let mut structured = json!({
        "file": path.map(|(relative, _)| relative),
        "total": reports.iter().map(count).sum::<usize>(),
        "known": !reports.is_empty() && reports.iter().all(|report| report.verdict.is_settled()),
    });
    if let Some(first) = all.first() {
        structured["diagnostics"] = first.clone();
    }
    if all.len() > 1 {
        structured["reports"] = Value::Array(all);
    }
    Ok(Reply::done(text.trim_end(), structured))
}
