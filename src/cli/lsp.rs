//! `landfall lsp`: serve an LSP client over standard input and output, through the daemon unless told otherwise.

use std::path::PathBuf;
use std::process::ExitCode;

use super::service::{self, ServiceArguments};
use crate::daemon::{Ask, SessionAsk};
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
    let ask = SessionAsk { face: "lsp".to_owned(), workspaces: vec![home.clone()], ..SessionAsk::default() };
    match arguments.service.connect(&Ask::Editor(ask)) {
        Ok(connection) => service::bridge(connection),
        Err(error) => {
            tracing::warn!("no daemon; serving in this process: {error:#}");
            serve_here(arguments, home)
        }
    }
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
