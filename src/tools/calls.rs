//! `calls`: who calls a function, and what it calls.

use super::changing::SETTLE_MS;
use super::navigating::{self, COLUMN, FILE, LINE, SYMBOL};
use super::searching::LIMIT;
use super::{Arguments, Kind, Parameter, Tool};
use crate::report::navigation::{AskedPlaces, callees, places};
use crate::report::{Reply, ToolError};
use crate::session::Call;

pub(super) const TOOL: Tool = Tool {
    name: "calls",
    about: "Call hierarchy of a function: incoming calls (callers, who calls this function) or outgoing calls (callees, \
            what does it call), by the language server. Give symbol, or file_path with line.",
    parameters: &[
        SYMBOL,
        FILE,
        LINE,
        COLUMN,
        Parameter::optional(
            "direction",
            &["dir", "kind"],
            Kind::Choice(&["incoming", "outgoing"]),
            "incoming (default): who calls it; outgoing: what it calls",
        ),
        LIMIT,
        SETTLE_MS,
    ],
    read_only: true,
    run: |call, arguments| Box::pin(calls(call, arguments)),
};

async fn calls(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let target = navigating::target(call, &arguments).await?;
    let (budget, most, bytes) = navigating::bounds(&arguments);
    let spot = &target.spot;
    let reply = if arguments.text("direction") == Some("outgoing") {
        let answer = navigating::waited(call, call.workspace.outgoing_calls(spot, budget)).await?;
        callees(spot, &answer, bytes)
    } else {
        let answer = navigating::waited(call, call.workspace.incoming_calls(spot, most, budget)).await?;
        places(AskedPlaces::Callers, spot, &answer, bytes)
    };
    Ok(target.with_note(reply))
}
