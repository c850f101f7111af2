//! `hover`: what there is to say of a name.

use super::navigating::{self, ADDRESS};
use super::{Arguments, Tool};
use crate::report::navigation::said;
use crate::report::{Reply, ToolError};
use crate::session::Call;

pub(super) const TOOL: Tool = Tool {
    name: "hover",
    about: "Type, signature and documentation of a symbol (hover, type of a variable, function signature, doc comment, \
            what is this). Give symbol, or file_path with line.",
    parameters: ADDRESS,
    read_only: true,
    run: |call, arguments| Box::pin(hover(call, arguments)),
};

async fn hover(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let target = navigating::target(call, &arguments).await?;
    let (budget, ..) = navigating::bounds(&arguments);
    let answer = navigating::waited(call, call.workspace.hover(&target.spot, budget)).await?;
    Ok(target.with_note(said(&target.spot, &answer)))
}
