//! What the subcommands that serve have in common: the runtime, and the registry as the arguments want it.

use anyhow::Context;

use super::servers::Configuration;
use crate::dirs::Dirs;
use crate::landing;
use crate::service::Service;
use crate::session::Allowed;
use crate::shell;
use crate::workspace::paths::{Access, AllowRule, Durability};
use crate::workspace::{Registry, WorkspaceOptions};

/// How workspaces are served.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ServiceArguments {
    /// Start no language server; edits get the syntax check alone
    #[arg(long)]
    pub(super) no_lsp: bool,
    /// Let agents do more than work on files: `bash` runs commands with your rights
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(super) allow: Vec<Allow>,
    /// Also let agents use what this absolute glob matches outside the workspace: to read, or with `:rw` to change.
    /// Without a wildcard everything beneath it is meant
    #[arg(long, value_name = "GLOB[:ro|:rw]", value_parser = AllowRule::parse)]
    pub(super) allow_path: Vec<AllowRule>,
    /// What the result of a change waits for
    #[arg(long, value_name = "WHAT", value_enum, default_value = "ordered")]
    pub(super) durability: DurabilityArgument,
    #[command(flatten)]
    pub(super) configuration: Configuration,
}

/// What an agent may be allowed beside working on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Allow {
    /// Running commands.
    Bash,
}

/// How sure a change is to outlast a power cut when its result is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum DurabilityArgument {
    /// Each file is the old or the new one, never torn; the last seconds may be missing
    Ordered,
    /// All of it outlasts a power cut; each result waits for the disk
    Full,
}

/// What sessions may do, by the arguments.
pub(super) fn allowed(arguments: &ServiceArguments) -> anyhow::Result<Allowed> {
    let commands =
        arguments.allow.contains(&Allow::Bash).then(|| Dirs::from_env().map(|dirs| shell::folder(dirs.state())));
    Ok(Allowed { commands: commands.transpose()? })
}

/// The runtime everything runs on.
pub(super) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("the async runtime cannot be started")
}

/// The service of this process, with the user's language servers.
pub(super) fn service(arguments: &ServiceArguments) -> anyhow::Result<Service> {
    let dirs = Dirs::from_env()?;
    let servers = arguments.configuration.servers()?;
    landing::recover(dirs.state(), &arguments.allow_path);
    let mut options = WorkspaceOptions::new(servers, !arguments.no_lsp, &dirs);
    options.allow.extend(arguments.allow_path.iter().cloned());
    options.durability = match arguments.durability {
        DurabilityArgument::Ordered => Durability::Ordered,
        DurabilityArgument::Full => Durability::Full,
    };
    if let Some(spills) = allowed(arguments)?.commands {
        shell::clean(&spills);
        // It must be there for the rule to know its real path.
        std::fs::create_dir_all(&spills).with_context(|| format!("{} cannot be made", spills.display()))?;
        options.allow.push(AllowRule::new(&spills.to_string_lossy(), Access::ReadOnly)?);
    }
    Ok(Service::new(Registry::new(options), dirs.state()))
}
