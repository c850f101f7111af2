//! `definition`: where a name is declared.

use super::navigating::{self, ADDRESS};
use super::{Arguments, Tool};
use crate::report::navigation::definitions;
use crate::report::{Reply, ToolError};
use crate::session::Call;

pub(super) const TOOL: Tool = Tool {
    name: "definition",
    about: "Go to the definition of a symbol (find definition, find declaration, where is it defined): file, line and \
            first lines, in libraries too. Give symbol, or file_path with line.",
    parameters: ADDRESS,
    read_only: true,
    run: |call, arguments| Box::pin(definition(call, arguments)),
};

async fn definition(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let target = navigating::target(call, &arguments).await?;
    let (budget, ..) = navigating::bounds(&arguments);
    let answer = navigating::waited(call, call.workspace.definition(&target.spot, budget)).await?;
    Ok(target.with_note(definitions(&target.spot, &answer)))
}
