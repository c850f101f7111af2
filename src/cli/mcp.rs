//! `landfall mcp`: serve one agent over standard input and output.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use super::service::{self, ServiceArguments};
use crate::mcp::{McpFace, serve_stdio};
use crate::service::Connecting;

/// How to serve.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    service: ServiceArguments,
    /// A workspace to open; the first is what calls mean that name none [default: the current directory]
    #[arg(long, value_name = "DIR")]
    workspace: Vec<PathBuf>,
    /// Serve in this process (the only way so far)
    #[arg(long)]
    no_daemon: bool,
    /// Put structured results beside the text
    #[arg(long)]
    structured: bool,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut roots = arguments.workspace;
    if roots.is_empty() {
        roots.push(PathBuf::from("."));
    }
    let runtime = service::runtime()?;
    let result = runtime.block_on(async {
        let service = service::service(&arguments.service)?;
        let open = |root: &PathBuf| format!("the workspace {} cannot be opened", root.display());
        for root in &roots {
            service.registry().open(root).with_context(|| open(root))?;
        }
        let home = std::path::absolute(&roots[0])?;
        let connecting = Connecting { face: "stdio", home, allowed: service::allowed(&arguments.service)? };
        let session = service.connect(connecting).with_context(|| open(&roots[0]))?;
        let served = serve_stdio(McpFace::new(session, arguments.structured)).await;
        service.shutdown().await;
        served.context("the client did not open the protocol properly")
    });
    // Nothing of ours may outlive the client: a stuck blocking read must not hold the process.
    runtime.shutdown_background();
    result.map(|()| ExitCode::SUCCESS)
}
