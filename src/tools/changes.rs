//! `changes`: the session's ledger.

use super::{Arguments, Parameter, Tool};
use crate::report::{self, Reply, ToolError};
use crate::session::Call;

pub(super) const TOOL: Tool = Tool {
    name: "changes",
    about: "What this session has really changed on disk (history, status, diff statistics, log of edits), and which edits were \
            refused and not made good since. Call it before reporting work as done.",
    parameters: &[] as &[Parameter],
    read_only: true,
    run: |call, arguments| Box::pin(changes(call, arguments)),
};

async fn changes(call: &Call, _arguments: Arguments) -> Result<Reply, ToolError> {
    Ok(report::changes(&call.session.ledger().entries()))
}
