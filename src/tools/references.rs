//! `references`: where a name is used.

use super::navigating::{self, ADDRESS_AND_LIMIT};
use super::{Arguments, Tool};
use crate::report::navigation::{AskedPlaces, places};
use crate::report::{Reply, ToolError};
use crate::session::Call;

pub(super) const TOOL: Tool = Tool {
    name: "references",
    about: "References of a symbol (find references, find usages, who uses this): file, line, source line and the function \
            around it, by the language server: no false hits. Give symbol, or file_path with line.",
    parameters: ADDRESS_AND_LIMIT,
    read_only: true,
    run: |call, arguments| Box::pin(references(call, arguments)),
};

async fn references(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let target = navigating::target(call, &arguments).await?;
    let (budget, most, bytes) = navigating::bounds(&arguments);
    let asked = call.workspace.references(&target.spot, most, budget);
    let answer = navigating::waited(call, asked).await?;
    Ok(target.with_note(places(AskedPlaces::References, &target.spot, &answer, bytes)))
}
