//! What `rename` and `fix` have in common: a language server's proposal landed whole, and the refusal of one.

use std::time::Duration;

use super::changing::land_orders;
use crate::landing::{MoveHere, OnTheWay, Order, Wanted};
use crate::report::{self, Reply, Rewritten, ToolError, one_line};
use crate::session::Call;
use crate::workspace::navigation::Lack;
use crate::workspace::paths::{self, Purpose, Resolved};
use crate::workspace::proposing::{NotProposed, Proposal};
use crate::workspace::rewriting::{NotRewritten, Rewrite};

/// How often it begins anew because files were changed while a proposal was worked out or landed.
pub(super) const ATTEMPTS: usize = 3;

/// Lands all of `proposal` or nothing; `what` says what it amounts to.
pub(super) async fn land(
    call: &Call,
    tool: &'static str,
    proposal: &Proposal,
    what: &str,
    budget: Option<Duration>,
) -> Result<Reply, ToolError> {
    let mut orders = Vec::with_capacity(proposal.rewrites.len());
    for rewrite in &proposal.rewrites {
        orders.push((order(call, rewrite)?, rewrite.places));
    }
    // What stays is written before anything goes.
    orders.sort_by_key(|(order, _)| matches!(order.wanted, Wanted::Become { to: None, .. }));
    let (orders, places): (Vec<Order>, Vec<usize>) = orders.into_iter().unzip();
    let (landed, reports) = land_orders(call, tool, orders, budget).await?;
    let unmentioned = proposal.opened.as_ref().map(|opened| opened.unmentioned.as_slice()).unwrap_or_default();
    let done =
        Rewritten { what, language_server: &proposal.language_server, landed: &landed, places: &places, unmentioned };
    Ok(report::rewritten(&done, &reports))
}

fn order(call: &Call, rewrite: &Rewrite) -> Result<Order, ToolError> {
    let target = resolve(call, &rewrite.path)?;
    let wanted = match (&rewrite.moved_from, &rewrite.moved_text, &rewrite.to) {
        (Some(from), Some(text), Some(to)) => {
            let change = OnTheWay::Become { from: text.clone(), to: to.clone() };
            Wanted::MoveHere(Box::new(MoveHere { from: resolve(call, from)?, change }))
        }
        _ => Wanted::Become { from: rewrite.from.clone(), to: rewrite.to.clone() },
    };
    let seen = call.session.seen(&target.absolute);
    Ok(Order { target, wanted, seen })
}

fn resolve(call: &Call, path: &std::path::Path) -> Result<Resolved, ToolError> {
    paths::resolve(call.workspace.paths(), &path.to_string_lossy(), Purpose::WriteFile)
        .map_err(|refused| report::path_refused(&refused))
}

/// Why nothing was changed, with what to do instead. `instead` is the hint where nobody answered.
pub(super) fn not_proposed(why: &NotProposed, instead: &str) -> ToolError {
    match why {
        NotProposed::Lacking { language_server, lack } => lacking(language_server.as_deref(), lack, instead),
        NotProposed::NotRenamable { .. } => {
            ToolError::caller("not_renamable", why.to_string()).hint("call `definition` to see what stands there")
        }
        NotProposed::TooManyFiles { opened } => ToolError::caller(
            "too_many_files",
            format!("{} files hold the name, more than the language server can be shown ({}); a part would be left out", opened.of, opened.files),
        )
        .hint(instead.to_owned()),
        NotProposed::Nothing { .. } => ToolError::caller("nothing_to_do", why.to_string()).hint(instead.to_owned()),
        NotProposed::Command(name) => ToolError::caller(
            "needs_command",
            format!("this fix would run the command {name} in the language server, which may change files by itself; it was not run"),
        )
        .hint("make the change with `edit`"),
        NotProposed::Moving => {
            ToolError::environment("changed_meanwhile", why.to_string()).hint("make the same call again")
        }
        NotProposed::Strange(strange) => ToolError::environment(
            "strange_edit",
            format!("the language server proposed what cannot be carried out: {}", one_line(&strange.to_string(), 300)),
        )
        .hint(instead.to_owned()),
        NotProposed::NotRewritten(NotRewritten::Outside { .. }) => {
            ToolError::caller("path_outside", one_line(&why.to_string(), 600)).hint(instead.to_owned())
        }
        NotProposed::NotRewritten(_) => ToolError::environment(
            "strange_edit",
            format!("the language server proposed what cannot be carried out: {}", one_line(&why.to_string(), 600)),
        )
        .hint(instead.to_owned()),
    }
}

fn lacking(language_server: Option<&str>, lack: &Lack, instead: &str) -> ToolError {
    let who = language_server.unwrap_or("the language server");
    let again = || format!("call `diagnostics` to wait for {who}, then make the same call again");
    let (code, message, hint) = match lack {
        Lack::NoLanguageServer => {
            ("no_language_server", "there is no language server for this file".to_owned(), instead.to_owned())
        }
        Lack::NotInstalled => ("no_language_server", format!("{who} is not installed"), instead.to_owned()),
        Lack::Loading(doing) => ("loading", format!("{who} is still loading ({})", one_line(doing, 200)), again()),
        Lack::Late(waited) => {
            ("timed_out", format!("{who} has not answered within {} ms", waited.as_millis()), again())
        }
        Lack::Crashed(reason) => ("crashed", format!("{who} crashed ({})", one_line(reason, 200)), again()),
        Lack::Refused(reason) => ("refused", format!("{who} refuses: {}", one_line(reason, 400)), instead.to_owned()),
        Lack::Unable => ("unable", format!("{who} cannot do this"), instead.to_owned()),
    };
    ToolError::environment(code, message).hint(hint)
}
