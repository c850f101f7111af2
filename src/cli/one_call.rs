//! One tool call carried out for a person or a script: what the subcommands that call a tool have in common.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::service::{self, ServiceArguments};
use crate::report::Reply;
use crate::service::Connecting;

/// The call found what was looked for, or did what was asked.
pub(super) const FOUND: u8 = 0;
/// There is nothing of that kind.
pub(super) const NOTHING_FOUND: u8 = 1;
/// The call was refused or failed.
pub(super) const REFUSED: u8 = 2;

/// Tools that ask no language server; for one call of them none is started.
const WITHOUT_LANGUAGE_SERVERS: [&str; 5] = ["read", "glob", "grep", "bash", "changes"];

/// How a tool is called from a shell.
#[derive(Debug, clap::Args)]
pub(super) struct CallOptions {
    #[command(flatten)]
    service: ServiceArguments,
    /// The workspace that is meant, and that relative paths are relative to [default: the current directory]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
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
    let reply = call(options, tool, arguments)?;
    let code = exit_code(&reply);
    if options.json {
        writeln!(out, "{}", Value::Object(reply.into_object()))?;
    } else if reply.is_error {
        eprintln!("{}", reply.text.trim_end());
    } else {
        writeln!(out, "{}", reply.text.trim_end())?;
    }
    Ok(ExitCode::from(code))
}

/// Carries out one call in this process.
fn call(options: &CallOptions, tool: &str, arguments: Map<String, Value>) -> anyhow::Result<Reply> {
    let root = options.workspace.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut how = options.service.clone();
    how.no_lsp |= WITHOUT_LANGUAGE_SERVERS.contains(&tool);
    let runtime = service::runtime()?;
    let reply = runtime.block_on(async {
        let service = service::service(&how)?;
        let connecting = Connecting {
            face: "shell",
            home: std::path::absolute(&root)?,
            allowed: service::allowed(&options.service)?,
        };
        let session = service
            .connect(connecting)
            .with_context(|| format!("the workspace {} cannot be opened", root.display()))?;
        let reply = session.call(tool, arguments, CancellationToken::new()).await;
        drop(session);
        service.shutdown().await;
        anyhow::Ok(reply)
    });
    runtime.shutdown_background();
    reply
}

fn exit_code(reply: &Reply) -> u8 {
    match reply.structured.get("total").and_then(Value::as_u64) {
        _ if reply.is_error => REFUSED,
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
    fn the_exit_code_tells_found_from_nothing_and_from_refused() {
        for (reply, code) in [
            (Reply::done("3 hits", json!({ "total": 3 })), FOUND),
            (Reply::done("no hits", json!({ "total": 0 })), NOTHING_FOUND),
            (Reply::done("edited", json!({ "landed": true })), FOUND),
            (Reply::refused(&ToolError::caller("not_found", "no"), true), REFUSED),
        ] {
            assert_eq!(exit_code(&reply), code, "{reply:?}");
        }
    }
}
