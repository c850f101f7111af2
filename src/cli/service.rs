//! What the subcommands that serve have in common: the runtime, and the registry as the arguments want it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use super::servers::Configuration;
use crate::daemon::{self, Ask, Connection, Identity, ProcessOptions, Seat, SessionAsk};
use crate::dirs::Dirs;
use crate::landing;
use crate::service::Service;
use crate::session::Allowed;
use crate::workspace::paths::{AllowError, AllowRule, Durability};
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
    #[arg(long, value_name = "GLOB[:ro|:rw]", value_parser = allow_rule)]
    pub(super) allow_path: Vec<String>,
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

/// Sees to it that a rule is one; it is handed on as it was written.
fn allow_rule(written: &str) -> Result<String, AllowError> {
    AllowRule::parse(written).map(|_| written.to_owned())
}

impl ServiceArguments {
    /// Whether agents may run commands.
    pub(super) fn commands(&self) -> bool {
        self.allow.contains(&Allow::Bash)
    }

    /// How a session on `workspaces` (absolute) is asked of the daemon.
    ///
    /// # Errors
    /// When a path is not UTF-8.
    pub(super) fn session(&self, face: &str, workspaces: &[PathBuf]) -> anyhow::Result<SessionAsk> {
        let is_text = |path: &PathBuf| path.to_str().is_some();
        anyhow::ensure!(workspaces.iter().all(is_text), "the workspace's path is not UTF-8");
        // Only commands may see all of the client's environment.
        let variables = std::env::vars_os().filter(|_| self.commands());
        let as_text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Ok(SessionAsk {
            face: face.to_owned(),
            workspaces: workspaces.to_vec(),
            commands: self.commands(),
            environment: variables.filter_map(as_text).collect(),
            allow_paths: self.allow_path.clone(),
            ..SessionAsk::default()
        })
    }

    /// Connects to the daemon that serves these options, started if there is none.
    ///
    /// # Errors
    /// When there can be none, or it refuses.
    pub(super) fn connect(&self, ask: &Ask) -> anyhow::Result<Connection> {
        let dirs = Dirs::from_env()?;
        let options = self.process()?;
        Ok(daemon::connect_or_start(&self.seat(&options, &dirs)?, ask, &options, &dirs)?)
    }

    /// Where the daemon of these options sits. `options` are what [`ServiceArguments::process`] gives.
    pub(super) fn seat(&self, options: &ProcessOptions, dirs: &Dirs) -> anyhow::Result<Seat> {
        let servers = self.configuration.servers()?;
        Ok(Seat::of(&Identity::of_this_process(options, &servers, dirs), dirs))
    }

    /// What concerns the process as a whole.
    pub(super) fn process(&self) -> anyhow::Result<ProcessOptions> {
        let files = self.configuration.files.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
        Ok(ProcessOptions { servers: files, no_lsp: self.no_lsp, durable: self.durability == DurabilityArgument::Full })
    }
}

/// Hands what our client says on to the daemon, and back, until one of them ends.
pub(super) fn bridge(connection: Connection) -> anyhow::Result<ExitCode> {
    let by_client = daemon::bridge(connection).context("standard input or output cannot be used")?;
    anyhow::ensure!(by_client, "the daemon is gone; see `landfall status`");
    Ok(ExitCode::SUCCESS)
}

/// What sessions may do, by the arguments.
pub(super) fn allowed(arguments: &ServiceArguments) -> anyhow::Result<Allowed> {
    let allowed = Allowed { paths: allow_rules(arguments)?, ..Allowed::default() };
    if arguments.commands() { Ok(allowed.with_commands(Dirs::from_env()?.state())?) } else { Ok(allowed) }
}

fn allow_rules(arguments: &ServiceArguments) -> anyhow::Result<Vec<AllowRule>> {
    arguments.allow_path.iter().map(|written| AllowRule::parse(written).context("--allow-path")).collect()
}

/// The runtime everything runs on.
pub(super) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("the async runtime cannot be started")
}

/// The service of this process, with the user's language servers.
pub(super) fn service(arguments: &ServiceArguments) -> anyhow::Result<Service> {
    let dirs = Dirs::from_env()?;
    let servers = arguments.configuration.servers()?;
    landing::recover(dirs.state());
    let mut options = WorkspaceOptions::new(servers, !arguments.no_lsp, &dirs);
    options.durability = match arguments.durability {
        DurabilityArgument::Ordered => Durability::Ordered,
        DurabilityArgument::Full => Durability::Full,
    };
    Ok(Service::new(Registry::new(options), dirs.state()))
}
