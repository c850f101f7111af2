//! `landfall servers`: which language servers are configured, which are there, and how to get one.

mod live;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};

use crate::config::{InstallRecipe, ServerSpec, Servers};
use crate::dirs::Dirs;
use crate::install;
use crate::programs::{self, Found, Origin};

/// Arguments of `landfall servers`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// What is configured, and how each would be installed
    List {
        #[command(flatten)]
        configuration: Configuration,
    },
    /// Install language servers by their recipe, for this user only
    Install {
        /// Names as `landfall servers list` gives them
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
        /// Install once more what is installed already
        #[arg(long)]
        again: bool,
        #[command(flatten)]
        configuration: Configuration,
    },
    /// What is there, where, and which version; and what runs in the daemon now
    Status {
        #[command(flatten)]
        configuration: Configuration,
    },
    /// Stop the daemon's language servers; they start again when they are needed
    Stop {
        /// Only those of this name
        name: Option<String>,
        /// Only those of this workspace
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
}

/// Where language servers are described, apart from the built-in ones and the user's own file.
#[derive(Debug, Clone, Args)]
pub(super) struct Configuration {
    /// A file of language servers, laid over the built-in ones and your own
    #[arg(long = "servers", value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
}

impl Configuration {
    /// The language servers that it leads to.
    ///
    /// # Errors
    /// What is wrong in which file.
    pub(super) fn servers(&self) -> anyhow::Result<Servers> {
        Ok(Servers::load(&self.files)?)
    }
}

/// Carries out `landfall servers`.
///
/// # Errors
/// A configuration that cannot be used, or output that cannot be written.
pub(super) fn run(arguments: Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    match arguments.action {
        Action::List { configuration } => list(&configuration.servers()?, out),
        Action::Install { names, again, configuration } => install_all(&configuration.servers()?, &names, again, out),
        Action::Status { configuration } => status(&configuration.servers()?, out),
        Action::Stop { name, workspace } => live::stop(name.as_deref(), workspace.as_ref(), out),
    }
}

fn list(servers: &Servers, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    for spec in servers {
        writeln!(out, "{:<10} {:<24} {}", spec.name, extensions(spec), recipe(spec))?;
    }
    for name in servers.switched_off() {
        writeln!(out, "{name:<10} switched off by `enabled = false`")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn install_all(servers: &Servers, names: &[String], again: bool, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    // A mistyped name is told before anything is fetched.
    let specs = names.iter().map(|name| named(servers, name)).collect::<anyhow::Result<Vec<_>>>()?;
    let dirs = Dirs::from_env()?;
    let mut code = ExitCode::SUCCESS;
    for spec in specs {
        let mut progress = install::on_stderr(&spec.name);
        let result = install::install(spec, &dirs, again, progress.as_mut());
        progress.end();
        match result {
            Ok(installed) => {
                let how = if installed.already { "is already installed" } else { "installed" };
                writeln!(out, "{} {} {how}: {}", spec.name, installed.receipt.version, installed.program.display())?;
                warn_of_another(spec, &dirs, out)?;
            }
            Err(error) => {
                writeln!(out, "{} not installed: {error}", spec.name)?;
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

fn named<'s>(servers: &'s Servers, name: &str) -> anyhow::Result<&'s ServerSpec> {
    let known = || servers.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>().join(", ");
    servers.get(name).with_context(|| format!("no language server is named `{name}`; there are {}", known()))
}

/// What is on PATH goes first; someone who installs another one should hear of it.
fn warn_of_another(spec: &ServerSpec, dirs: &Dirs, out: &mut impl Write) -> anyhow::Result<()> {
    if let Some(Found { program, origin: Origin::Path }) = programs::find(&spec.command, &[dirs.servers()]) {
        writeln!(out, "note: {} on PATH is used before it", program.display())?;
    }
    Ok(())
}

fn status(servers: &Servers, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::from_env().ok();
    let installed: Vec<PathBuf> = dirs.iter().map(Dirs::servers).collect();
    for spec in servers {
        match programs::find(&spec.command, &installed) {
            Some(found) => writeln!(out, "{:<10} {}", spec.name, described(spec, &found, dirs.as_ref()))?,
            None => writeln!(out, "{:<10} not installed; {}", spec.name, mend(spec))?,
        }
    }
    live::status(out)?;
    Ok(ExitCode::SUCCESS)
}

/// A language server that was found, in one line: version, place, origin.
fn described(spec: &ServerSpec, found: &Found, dirs: Option<&Dirs>) -> String {
    let origin = match found.origin {
        Origin::Path => "on PATH",
        Origin::Installed => "installed by landfall",
    };
    let place = found.program.display();
    match version(spec, found, dirs) {
        None => format!("does not start: {place} ({origin})"),
        Some(version) if version.is_empty() => format!("{place} ({origin})"),
        Some(version) => format!("{version} {place} ({origin})"),
    }
}

/// The version of what was found: as it says itself, else as its receipt says, else the empty text; `None` when it
/// does not start.
pub(super) fn version(spec: &ServerSpec, found: &Found, dirs: Option<&Dirs>) -> Option<String> {
    let printed = install::version_of(&found.program, &spec.version_args)?;
    if !printed.is_empty() || found.origin == Origin::Path {
        return Some(printed);
    }
    let receipt = dirs.and_then(|dirs| install::installed(&spec.name, dirs));
    Some(receipt.map(|receipt| receipt.version).unwrap_or_default())
}

/// The command that gets a missing language server.
pub(super) fn mend(spec: &ServerSpec) -> String {
    match spec.install {
        None if spec.command.is_empty() => "only its checker is configured".to_owned(),
        Some(_) => format!("run: landfall servers install {}", spec.name),
        None => format!("put `{}` on PATH", spec.command),
    }
}

fn extensions(spec: &ServerSpec) -> String {
    let extensions = spec.languages.iter().flat_map(|language| &language.extensions);
    extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(" ")
}

fn recipe(spec: &ServerSpec) -> String {
    match &spec.install {
        Some(InstallRecipe::GoInstall { package }) => format!("go install {package}"),
        Some(InstallRecipe::PythonVenv { packages, java }) => {
            let java = java.as_ref().map(|need| format!(", Java {} or newer", need.at_least)).unwrap_or_default();
            format!("Python environment with {}{java}", packages.join(" "))
        }
        Some(InstallRecipe::Archive { url, index, .. }) => {
            format!("archive from {}", url.as_deref().or(index.as_deref()).unwrap_or_default())
        }
        None => "no recipe".to_string(),
    }
}
