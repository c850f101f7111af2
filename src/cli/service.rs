//! What the subcommands that serve have in common: the runtime, and the registry as the arguments want it.

use anyhow::Context;

use super::servers::Configuration;
use crate::dirs::Dirs;
use crate::landing;
use crate::workspace::ledger::Ledger;
use crate::workspace::{Registry, WorkspaceOptions};

/// How workspaces are served.
#[derive(Debug, clap::Args)]
pub(super) struct ServiceArguments {
    /// Start no language server; edits get the syntax check alone
    #[arg(long)]
    pub(super) no_lsp: bool,
    #[command(flatten)]
    pub(super) configuration: Configuration,
}

/// The runtime everything runs on.
pub(super) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("the async runtime cannot be started")
}

/// The registry of workspaces, with the user's language servers.
pub(super) fn registry(arguments: &ServiceArguments) -> anyhow::Result<Registry> {
    let dirs = Dirs::from_env()?;
    let servers = arguments.configuration.servers()?;
    landing::recover(dirs.state());
    Ok(Registry::new(WorkspaceOptions::new(servers, !arguments.no_lsp, &dirs)))
}

/// A new session's ledger, among those of the user.
pub(super) fn ledger() -> anyhow::Result<Ledger> {
    Ok(Ledger::create(Dirs::from_env()?.state()))
}
