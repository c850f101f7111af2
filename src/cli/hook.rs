//! `landfall hook HARNESS`: one message of a harness's hook, answered by the daemon.
//!
//! Never breaks the harness: whatever goes wrong here, the answer is empty, the exit code 0, and a line is logged.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use super::service::ServiceArguments;
use crate::daemon::{self, Ask, AskError, Daemon, HookAsk};
use crate::dirs::Dirs;
use crate::hooks::Harness;

/// How long a daemon may take to greet: one that is hung must cost the harness no more.
const GREETING: Duration = Duration::from_millis(80);
/// How long it may take for the answer: longer than a language server is waited for.
const ANSWERING: Duration = Duration::from_secs(9);
/// The longest message that is read. Bytes.
const LONGEST: u64 = 64 << 20;
/// Variables in which harnesses name the project.
const PROJECT: &[&str] = &["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"];

/// Whose hook it is.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The harness that runs this as its hook
    #[arg(value_enum)]
    harness: Harness,
    /// The workspace that is meant [default: the harness's project, else the repository of its directory]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    service: ServiceArguments,
}

pub(super) fn run(arguments: &Arguments, input: impl Read, out: &mut impl Write) -> ExitCode {
    match answer(arguments, input) {
        Ok(Some(answer)) => {
            if let Err(error) = writeln!(out, "{answer}") {
                tracing::warn!(%error, "the harness did not take the answer");
            }
        }
        Ok(None) => {}
        Err(error) => tracing::warn!("hook {}: {error:#}", arguments.harness.name()),
    }
    ExitCode::SUCCESS
}

fn answer(arguments: &Arguments, input: impl Read) -> anyhow::Result<Option<Value>> {
    let mut text = Vec::new();
    input.take(LONGEST).read_to_end(&mut text).context("standard input cannot be read")?;
    let message: Value = serde_json::from_slice(&text).context("the hook's message is not JSON")?;
    if !arguments.harness.concerns(&message) {
        return Ok(None);
    }
    let dirs = Dirs::from_env()?;
    let options = arguments.service.process()?;
    let seat = arguments.service.seat(&options, &dirs)?;
    let named = PROJECT.iter().find_map(|name| std::env::var_os(name).map(PathBuf::from));
    let workspace = arguments.workspace.clone().or(named).map(std::path::absolute).transpose()?;
    let ask = Ask::Hook(HookAsk { harness: arguments.harness, workspace, message });
    match Daemon::at(seat.clone()).ask(ask, GREETING) {
        Ok(mut connection) => Ok(connection.answer(ANSWERING)?),
        Err(AskError::Down) => {
            // For the next call: this one is not held up by a start.
            daemon::start_for_later(&seat, &options, &dirs)?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
