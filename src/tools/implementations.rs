//! `implementations`: what implements a type or method.

use super::navigating::{self, ADDRESS_AND_LIMIT};
use super::{Arguments, Tool};
use crate::report::navigation::{AskedPlaces, places};
use crate::report::{Reply, ToolError};
use crate::session::Call;

pub(super) const TOOL: Tool = Tool {
    name: "implementations",
    about: "Implementations of an interface, an abstract type or one of its methods (find implementations, implementors, \
            subclasses, overrides), by the language server. Give symbol, or file_path with line.",
    parameters: ADDRESS_AND_LIMIT,
    read_only: true,
    run: |call, arguments| Box::pin(implementations(call, arguments)),
};

async fn implementations(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let target = navigating::target(call, &arguments).await?;
    let (budget, most, bytes) = navigating::bounds(&arguments);
    let asked = call.workspace.implementations(&target.spot, most, budget);
    let answer = navigating::waited(call, asked).await?;
    Ok(target.with_note(places(AskedPlaces::Implementations, &target.spot, &answer, bytes)))
}
