//! `landfall lsp`: serve an LSP client over standard input and output, through the daemon unless told otherwise.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use super::service::{self, ServiceArguments};
use crate::daemon::{self, Ask, Connection, Identity, Seat, SessionAsk};
use crate::dirs::Dirs;
use crate::lsp_face;

/// How to serve.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    service: ServiceArguments,
    /// The workspace of a client that names none [default: the current directory]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Serve in this process instead of through the daemon
    #[arg(long)]
    no_daemon: bool,
    /// Taken because many clients pass it: there is no other way to be reached
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let home = std::path::absolute(arguments.workspace.clone().unwrap_or_else(|| PathBuf::from(".")))?;
    if arguments.no_daemon {
        return serve_here(arguments, home);
    }
    match connect(arguments, home.clone()) {
        Ok(connection) => {
            let by_client = daemon::bridge(connection).context("standard input or output cannot be used")?;
            anyhow::ensure!(by_client, "the daemon is gone; see `landfall status`");
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            tracing::warn!("no daemon; serving in this process: {error:#}");
            serve_here(arguments, home)
        }
    }
}

fn connect(arguments: &Arguments, home: PathBuf) -> anyhow::Result<Connection> {
    let dirs = Dirs::from_env()?;
    let options = arguments.service.process()?;
    let servers = arguments.service.configuration.servers()?;
    let seat = Seat::of(&Identity::of_this_process(&options, &servers, &dirs), &dirs);
    let ask = SessionAsk { face: "lsp".to_owned(), workspaces: vec![home], ..SessionAsk::default() };
    Ok(daemon::connect_or_start(&seat, &Ask::Editor(ask), &options, &dirs)?)
}

fn serve_here(arguments: &Arguments, home: PathBuf) -> anyhow::Result<ExitCode> {
    let runtime = service::runtime()?;
    let result = runtime.block_on(async {
        let service = service::service(&arguments.service)?;
        lsp_face::serve(service.clone(), home, tokio::io::stdin(), tokio::io::stdout()).await;
        service.shutdown().await;
        anyhow::Ok(ExitCode::SUCCESS)
    });
    // A pending read of standard input must not hold the process.
    runtime.shutdown_background();
    result
}
