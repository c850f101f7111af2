//! `landfall mcp`: serve one agent over standard input and output, through the daemon unless told otherwise.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use super::service::{self, ServiceArguments};
use crate::daemon::{self, Ask, Connection, SessionAsk};
use crate::mcp::{McpFace, serve_stdio};
use crate::service::Connecting;

/// What a session is told whose daemon has ended.
const STARTED_AGAIN: &str = "note: the service was started again since your last call; verdicts that were still to come \
    will not come: call `diagnostics` on the files you changed";

/// How to serve.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    service: ServiceArguments,
    /// A workspace to open; the first is what calls mean that name none [default: the current directory]
    #[arg(long, value_name = "DIR")]
    workspace: Vec<PathBuf>,
    /// Serve in this process instead of through the daemon
    #[arg(long)]
    no_daemon: bool,
    /// Put structured results beside the text
    #[arg(long)]
    structured: bool,
}

pub(super) fn run(mut arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.workspace.is_empty() {
        arguments.workspace.push(PathBuf::from("."));
    }
    for root in &mut arguments.workspace {
        let absolute = std::path::absolute(&*root)?;
        let found = absolute.metadata().with_context(|| cannot_open(root))?;
        anyhow::ensure!(found.is_dir(), "{}: it is not a directory", cannot_open(root));
        *root = absolute;
    }
    if arguments.no_daemon {
        return serve_here(&arguments, None);
    }
    let connected = ask(&arguments).and_then(|ask| Ok((arguments.service.connect(&Ask::Session(ask.clone()))?, ask)));
    match connected {
        Ok((connection, ask)) => bridge(connection, arguments.service, ask),
        Err(error) => {
            let why = format!("{error:#}");
            tracing::warn!(why, "no daemon; serving in this process");
            let note = format!(
                "note: this session runs without the shared daemon ({why}); everything works, but its language servers are its own"
            );
            serve_here(&arguments, Some(note))
        }
    }
}

/// Hands on what our client says, to one daemon after the other.
fn bridge(connection: Connection, service: ServiceArguments, ask: SessionAsk) -> anyhow::Result<ExitCode> {
    let again = Ask::Session(SessionAsk { note: Some(STARTED_AGAIN.to_owned()), ..ask });
    let reconnect = move || service.connect(&again).map_err(|error| format!("{error:#}"));
    daemon::lasting_bridge(connection, reconnect).context("standard input or output cannot be used")?;
    Ok(ExitCode::SUCCESS)
}

fn cannot_open(root: &std::path::Path) -> String {
    format!("the workspace {} cannot be opened", root.display())
}

fn ask(arguments: &Arguments) -> anyhow::Result<SessionAsk> {
    let ask = arguments.service.session("stdio", &arguments.workspace)?;
    Ok(SessionAsk { structured: arguments.structured, ..ask })
}

fn serve_here(arguments: &Arguments, note: Option<String>) -> anyhow::Result<ExitCode> {
    let runtime = service::runtime()?;
    let result = runtime.block_on(async {
        let service = service::service(&arguments.service)?;
        let home = arguments.workspace[0].clone();
        let connecting = Connecting { face: "stdio", home, allowed: service::allowed(&arguments.service)? };
        let session = service.connect(connecting).with_context(|| cannot_open(&arguments.workspace[0]))?;
        for root in &arguments.workspace[1..] {
            session.open(root).with_context(|| cannot_open(root))?;
        }
        if let Some(note) = note {
            session.announce(note);
        }
        let served = serve_stdio(McpFace::new(session, arguments.structured)).await;
        service.shutdown().await;
        served.context("the client did not open the protocol properly")
    });
    // Nothing of ours may outlive the client: a stuck blocking read must not hold the process.
    runtime.shutdown_background();
    result.map(|()| ExitCode::SUCCESS)
}
