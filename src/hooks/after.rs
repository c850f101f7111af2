//! After a native call: what it did to the disk, and what the language server says of it.

use std::sync::Arc;

use serde_json::Value;

use super::before::paths_of;
use super::event::{Answer, Event, NativeTool};
use super::place::{Place, place};
use super::{Harness, Open, Text};
use crate::landing::{self, Foreign};
use crate::patch;
use crate::report::{self, Reply};
use crate::session::Call;
use crate::workspace::paths::Resolved;

/// What the harness is told after the call of `event`.
pub(super) async fn answer(call: &Call, open: &Open, harness: Harness, event: &Event, tool: &NativeTool) -> Answer {
    let targets = targets(call, event, tool);
    if targets.is_empty() {
        return Answer::Nothing;
    }
    let (known, unknown): (Vec<_>, Vec<_>) = targets
        .into_iter()
        .map(|target| {
            let after = text_now(call, &target);
            let before = before(open, event, &target, after.clone());
            (target, before, after)
        })
        .partition(|(_, before, _)| before.is_some());
    let foreign = known
        .into_iter()
        .filter_map(|(target, before, after)| Some(Foreign { target, before: before?, after: after? }));
    let name = format!("{}:{}", harness.name(), tool.name);
    let (landed, settling) = landing::adopt(&call.workspace, call.session.ledger(), &name, foreign.collect());
    let mut reply = Reply::done("", Value::Null);
    if !landed.is_empty() {
        let reports = call.settle(settling, None).await;
        reply = report::several(&landed, &reports);
    }
    for (target, ..) in unknown {
        let mut reports = call.workspace.diagnostics(Some(&target.absolute), None).await;
        reports.iter_mut().for_each(|report| call.number(report));
        let said: Vec<String> = reports.iter().map(report::state_text).collect();
        reply.note(&format!("{}: {}", report::one_line(&target.relative, 300), said.join("\n").trim_end()));
    }
    call.session.deliver_owed(&mut reply);
    match reply.text.trim() {
        "" => Answer::Nothing,
        text => Answer::Context(text.to_owned()),
    }
}

/// Forgets what was remembered for the call of `event`, which has changed nothing; what other calls are about stays.
pub(super) fn forget(call: &Call, open: &Open, event: &Event, tool: &NativeTool) {
    for target in targets(call, event, tool) {
        open.recall(&target.absolute, None);
    }
}

/// The files of the workspace that the call changed.
fn targets(call: &Call, event: &Event, tool: &NativeTool) -> Vec<Resolved> {
    let text = |name: &str| event.input.get(name).and_then(Value::as_str);
    let named = tool.paths.iter().filter(|(_, what_for)| what_for.changes());
    let mut typed: Vec<_> = named.filter_map(|(name, what_for)| Some((text(name)?.to_owned(), *what_for))).collect();
    if let Some(patch) = tool.patch.and_then(text).and_then(|text| patch::parse(text).ok()) {
        typed.extend(paths_of(&patch).into_iter().map(|(path, what_for)| (path.to_owned(), what_for)));
    }
    let resolved = typed.into_iter().filter_map(|(typed, what_for)| {
        // A file that the call deleted can only be named by where it would be written.
        let what_for = if tool.patch.is_some() { super::event::Use::Write } else { what_for };
        match place(call.workspace.paths(), &event.directory, &typed, what_for) {
            Place::AsTyped(target) => target,
            Place::PutRight(target, _) => Some(target),
            Place::Refused(_) => None,
        }
    });
    resolved.collect()
}

/// The file's text before the call, where that is known.
fn before(open: &Open, event: &Event, target: &Resolved, now: Option<Text>) -> Option<Text> {
    if let Some(before) = open.recall(&target.absolute, now) {
        return Some(before);
    }
    // Claude Code's response has it.
    match event.response.get("originalFile") {
        Some(Value::String(text)) => Some(Some(Arc::from(text.as_str()))),
        _ if event.response.get("type").and_then(Value::as_str) == Some("create") => Some(None),
        _ => None,
    }
}

/// The file's text now; `None` if it is no text.
fn text_now(call: &Call, target: &Resolved) -> Option<Text> {
    landing::read(&call.workspace, target).ok().map(|present| present.map(|present| present.decoded.text.into()))
}
