//! What the tools that change one file have in common.

use std::time::Duration;

use super::{Arguments, Kind, Parameter};
use crate::landing::{self, Deed, Landed, Order, Stopped, Unlanded, Wanted};
use crate::report::{self, Reply, ToolError};
use crate::session::Call;
use crate::workspace::paths::{self, Purpose, Resolved};
use crate::workspace::verdict::DiagnosticsReport;

/// Whether a result waits for the language server.
pub(super) const SETTLE: Parameter = Parameter::optional(
    "settle",
    &[],
    Kind::Choice(&["now", "later"]),
    "later: return at once, the compiler's verdict comes with your next result (default now)",
);

/// How long a result waits for the language server.
pub(super) const SETTLE_MS: Parameter =
    Parameter::unlisted("settle_ms", &["wait_ms", "budget_ms", "timeout_ms"], Kind::Count);

/// No result waits longer than this, whatever is asked for: clients give up after ten seconds and more.
const LONGEST_WAIT: Duration = Duration::from_secs(9);

/// How long the result of a call is to wait; `None` leaves it to the language server's own limit.
pub(super) fn budget(arguments: &Arguments) -> Option<Duration> {
    if arguments.text("settle") == Some("later") { Some(Duration::ZERO) } else { patience(arguments) }
}

/// How long a call is to wait for an answer without which nothing can be done.
pub(super) fn patience(arguments: &Arguments) -> Option<Duration> {
    arguments.count("settle_ms").map(|wait| Duration::from_millis(wait as u64).min(LONGEST_WAIT))
}

/// Lands `wanted` on the file that `arguments` name, waits for the verdict, and tells both.
pub(super) async fn land(
    call: &Call,
    tool: &'static str,
    purpose: Purpose,
    wanted: Wanted,
    arguments: Arguments,
) -> Result<Reply, ToolError> {
    let typed = arguments.required_text("file_path");
    let target =
        paths::resolve(call.workspace.paths(), typed, purpose).map_err(|refused| report::path_refused(&refused))?;
    land_on(call, tool, target, wanted, budget(&arguments)).await
}

/// Lands `wanted` on `target`.
pub(super) async fn land_on(
    call: &Call,
    tool: &'static str,
    target: Resolved,
    wanted: Wanted,
    budget: Option<Duration>,
) -> Result<Reply, ToolError> {
    let seen = call.session.seen(&target.absolute);
    land_all(call, tool, vec![Order { target, wanted, seen }], budget).await
}

/// Lands all `orders` or none, waits for the verdicts, and tells both.
pub(super) async fn land_all(
    call: &Call,
    tool: &'static str,
    orders: Vec<Order>,
    budget: Option<Duration>,
) -> Result<Reply, ToolError> {
    let (landed, reports) = land_orders(call, tool, orders, budget).await?;
    Ok(report::several(&landed, &reports))
}

/// Lands all `orders` or none, and waits for the verdicts: one a file, in order; none where nothing was changed.
pub(super) async fn land_orders(
    call: &Call,
    tool: &'static str,
    orders: Vec<Order>,
    budget: Option<Duration>,
) -> Result<(Vec<Landed>, Vec<DiagnosticsReport>), ToolError> {
    let targets: Vec<Resolved> = orders.iter().map(|order| order.target.clone()).collect();
    let outcome = landing::land(&call.workspace, call.session.ledger(), tool, orders).await;
    let (landed, settling) = outcome.map_err(|stopped| stopped_at(&targets, &stopped))?;
    for (target, landed) in targets.into_iter().zip(&landed) {
        call.session.saw(target.absolute, landed.content);
    }
    if landed.iter().all(|landed| landed.planned.deed == Deed::LeftAsIs) {
        return Ok((landed, Vec::new()));
    }
    let reports = call.settle(settling, budget).await;
    Ok((landed, reports))
}

/// The refusal of the file that stood in the way; of several it says that none was changed.
fn stopped_at(targets: &[Resolved], stopped: &Stopped) -> ToolError {
    let target = &targets[stopped.index];
    let mut error = report::unlanded(&target.relative, &stopped.why).put_right(target.note.as_ref());
    if targets.len() > 1 && !matches!(stopped.why, Unlanded::Torn { .. }) {
        error.message = format!("none of the {} files of this call was changed: {}", targets.len(), error.message);
        error.with = targets.iter().map(|target| target.relative.clone()).collect();
    }
    error
}
