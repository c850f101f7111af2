//! One tool call carried out for a person or a script: what the subcommands that call a tool have in common.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::service::{self, ServiceArguments};
use crate::daemon::{Ask, CallLine, Connection};
use crate::report::Reply;
use crate::service::Connecting;

/// The call found what was looked for, or did what was asked.
pub(super) const FOUND: u8 = 0;
/// There is nothing of that kind.
pub(super) const NOTHING_FOUND: u8 = 1;
/// The call was refused or failed.
pub(super) const REFUSED: u8 = 2;

/// The code of a refusal that only says that there is nothing of a name.
const NO_SUCH_SYMBOL: &str = "no_such_symbol";

/// Tools that ask no language server; for one call of them none is started.
const WITHOUT_LANGUAGE_SERVERS: [&str; 5] = ["read", "glob", "grep", "bash", "changes"];

/// Set, it keeps calls out of the daemon.
const NO_DAEMON: &str = "LANDFALL_NO_DAEMON";
/// How long the daemon may take for one call: longer than any that asks language servers.
const ANSWERING: Duration = Duration::from_secs(120);

/// How a tool is called from a shell.
#[derive(Debug, clap::Args)]
pub(super) struct CallOptions {
    #[command(flatten)]
    service: ServiceArguments,
    /// The workspace that is meant, and that relative paths are relative to [default: the current directory]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Call in this process instead of in the daemon, where language servers are warm [also: LANDFALL_NO_DAEMON=1]
    #[arg(long)]
    no_daemon: bool,
    /// Print the result as one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Calls `tool` with `arguments` and prints what came of it: results to `out`, refusals to standard error unless they
/// are wanted as JSON. Exit code [`FOUND`], [`NOTHING_FOUND`] or [`REFUSED`].
///
/// # Errors
/// A workspace that cannot be opened, a configuration that cannot be used, or output that cannot be written.
pub(super) fn run(
    options: &CallOptions,
    tool: &str,
    arguments: Map<String, Value>,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    run_after(options, None, tool, arguments, out)
}

/// The same, after another call of the same session whose result is not shown.
///
/// # Errors
/// As [`run`].
pub(super) fn run_after(
    options: &CallOptions,
    first: Option<(&str, Map<String, Value>)>,
    tool: &str,
    arguments: Map<String, Value>,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let called = Called { first, tool, arguments, patience: Duration::ZERO };
    present(options, call(options, called)?, out)
}

/// The same, but calls again while the answer is that a language server is still loading, for so long.
///
/// # Errors
/// As [`run`].
pub(super) fn run_patiently(
    options: &CallOptions,
    patience: Duration,
    tool: &str,
    arguments: Map<String, Value>,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let called = Called { first: None, tool, arguments, patience };
    present(options, call(options, called)?, out)
}

fn present(options: &CallOptions, mut reply: Reply, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    if reply.structured.get("code").and_then(Value::as_str) == Some("not_read") {
        reply.note(
            "From a shell each call is a session of its own: `landfall call write --overwrite …` says that it goes.",
        );
    }
    let code = exit_code(&reply);
    if options.json {
        writeln!(out, "{}", Value::Object(reply.into_object()))?;
    } else if reply.is_error {
        super::say(reply.text.trim_end());
    } else {
        writeln!(out, "{}", reply.text.trim_end())?;
    }
    Ok(ExitCode::from(code))
}

/// What is to be called.
struct Called<'c> {
    /// A call before it in the same session, whose result is not shown.
    first: Option<(&'c str, Map<String, Value>)>,
    tool: &'c str,
    arguments: Map<String, Value>,
    /// How long it is called again while a language server is still loading.
    patience: Duration,
}

/// Carries out one call: in the daemon where language servers are asked, else in this process.
fn call(options: &CallOptions, called: Called<'_>) -> anyhow::Result<Reply> {
    let root = options.workspace.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut how = options.service.clone();
    how.no_lsp |= WITHOUT_LANGUAGE_SERVERS.contains(&called.tool);
    let no_daemon = options.no_daemon || std::env::var_os(NO_DAEMON).is_some_and(|value| !value.is_empty());
    if !how.no_lsp && !no_daemon {
        match connect(&how, &root) {
            Ok(connection) => return call_over(connection, called),
            Err(error) => tracing::warn!("no daemon; calling in this process: {error:#}"),
        }
    }
    call_here(&how, root, called)
}

fn connect(how: &ServiceArguments, root: &Path) -> anyhow::Result<Connection> {
    let ask = how.session("shell", &[std::path::absolute(root)?])?;
    how.connect(&Ask::Calls(ask))
}

fn call_over(mut connection: Connection, called: Called<'_>) -> anyhow::Result<Reply> {
    let mut ask = |tool: &str, arguments: Map<String, Value>| -> anyhow::Result<Reply> {
        let call = CallLine { tool: tool.to_owned(), arguments };
        let answer = connection.call(&call, ANSWERING).context("whether anything was changed is not known")?;
        Ok(Reply { text: answer.text, structured: answer.structured, is_error: answer.is_error })
    };
    if let Some((tool, arguments)) = called.first {
        ask(tool, arguments)?;
    }
    let began = Instant::now();
    loop {
        let reply = ask(called.tool, called.arguments.clone())?;
        if !is_loading(&reply) || began.elapsed() >= called.patience {
            return Ok(reply);
        }
    }
}

fn call_here(how: &ServiceArguments, root: PathBuf, called: Called<'_>) -> anyhow::Result<Reply> {
    let runtime = service::runtime()?;
    let reply = runtime.block_on(async {
        let service = service::service(how)?;
        let connecting =
            Connecting { face: "shell", home: std::path::absolute(&root)?, allowed: service::allowed(how)? };
        let session = service
            .connect(connecting)
            .with_context(|| format!("the workspace {} cannot be opened", root.display()))?;
        if let Some((tool, arguments)) = called.first {
            session.call(tool, arguments, CancellationToken::new()).await;
        }
        let began = Instant::now();
        let reply = loop {
            let reply = session.call(called.tool, called.arguments.clone(), CancellationToken::new()).await;
            if !is_loading(&reply) || began.elapsed() >= called.patience {
                break reply;
            }
        };
        drop(session);
        service.shutdown().await;
        anyhow::Ok(reply)
    });
    runtime.shutdown_background();
    reply
}

/// Whether a language server would know more in a while. Such calls have waited by themselves already.
fn is_loading(reply: &Reply) -> bool {
    let verdict = reply.structured.get("diagnostics").and_then(|diagnostics| diagnostics.get("verdict"));
    // What has landed must not be done again.
    if reply.structured.get("landed").and_then(Value::as_bool) == Some(true) {
        return false;
    }
    let words = [reply.structured.get("state"), reply.structured.get("code"), verdict];
    words.into_iter().flatten().any(|word| matches!(word.as_str(), Some("loading" | "timed_out")))
}

fn exit_code(reply: &Reply) -> u8 {
    let has = |name: &str| reply.structured.get(name);
    let is_unknown = has("known").and_then(Value::as_bool) == Some(false);
    match has("total").and_then(Value::as_u64) {
        _ if has("code").and_then(Value::as_str) == Some(NO_SUCH_SYMBOL) => NOTHING_FOUND,
        _ if reply.is_error => REFUSED,
        // Nothing was found, but nobody can say that there is nothing.
        Some(0) if is_unknown => REFUSED,
        Some(0) => NOTHING_FOUND,
        _ => FOUND,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::ToolError;

    #[test]
    fn only_what_did_nothing_yet_is_called_again() {
        let refused = |code| Reply::refused(&ToolError::environment(code, "gopls is still loading"), true);
        for (reply, expected) in [
            (refused("loading"), true),
            (refused("refused"), false),
            (Reply::done("", json!({ "state": "loading", "total": 0 })), true),
            (Reply::done("", json!({ "diagnostics": { "verdict": "timed_out" } })), true),
            (Reply::done("", json!({ "landed": true, "diagnostics": { "verdict": "timed_out" } })), false),
        ] {
            assert_eq!(is_loading(&reply), expected, "{reply:?}");
        }
    }

    #[test]
    fn the_exit_code_tells_found_from_nothing_and_from_refused() {
        for (reply, code) in [
            (Reply::done("3 hits", json!({ "total": 3 })), FOUND),
            (Reply::done("no hits", json!({ "total": 0 })), NOTHING_FOUND),
            (Reply::done("not known", json!({ "total": 0, "known": false })), REFUSED),
            (Reply::done("by the text alone: 3", json!({ "total": 3, "known": false })), FOUND),
            (Reply::refused(&ToolError::caller("no_such_symbol", "no"), false), NOTHING_FOUND),
            (Reply::done("edited", json!({ "landed": true })), FOUND),
            (Reply::refused(&ToolError::caller("not_found", "no"), true), REFUSED),
        ] {
            assert_eq!(exit_code(&reply), code, "{reply:?}");
        }
    }
}
