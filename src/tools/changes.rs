//! `changes`: the session's ledger.

use super::{Arguments, Kind, Parameter, Tool};
use crate::landing;
use crate::report::{self, Reply, SessionChanges, ToolError};
use crate::session::Call;
use crate::workspace::ledger::net_of;

pub(super) const TOOL: Tool = Tool {
    name: "changes",
    about: "Changes of this session on disk (what have I changed, session history, status, git diff, log), and which \
            refused calls were not made good since. Call it before reporting work as done.",
    parameters: &[Parameter::optional(
        "since_start",
        &["total", "summary", "stat", "diff"],
        Kind::Flag,
        "Compare each changed file with what it was when the session began (default false)",
    )],
    read_only: true,
    run: |call, arguments| Box::pin(changes(call, arguments)),
};

async fn changes(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let (ledger, root) = (call.session.ledger(), call.workspace.root());
    let entries = ledger.entries_of(root);
    let nets =
        arguments.flag("since_start").then(|| net_of(&entries, |file| landing::now(call.workspace.paths(), file)));
    let session = SessionChanges { session: &ledger.session(), entries: &entries, since_start: nets.as_deref() };
    let mut reply = report::changes(&session);
    let elsewhere = ledger.entries().iter().filter(|entry| entry.landed().is_some()).count()
        - entries.iter().filter(|entry| entry.landed().is_some()).count();
    if elsewhere > 0 {
        reply.note(&format!("note: {elsewhere} more landed in other workspaces; pass `workspace` to see those of one"));
    }
    Ok(reply)
}
