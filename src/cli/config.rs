//! `landfall config`: attaches a client, by printing what belongs into its configuration or by merging it in.

mod client;
mod disk;
mod json;
mod places;
mod plan;
mod systemd;
mod toml;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use client::Client;
use disk::{Done, Pending};
use places::Places;
use plan::{Plan, Wishes};

/// Arguments of `landfall config`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Whose configuration; `systemd` is a user unit of `landfall serve`
    #[arg(value_enum)]
    client: Client,
    /// Merge it into the client's file instead of printing it: nothing else there is changed, and a copy is kept
    #[arg(long)]
    write: bool,
    /// The configuration of one project, for everyone who works on it [default: your own, for all projects]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    project: Option<PathBuf>,
    /// Also switch the client's own edit tools off, so that the model has these alone
    #[arg(long, conflicts_with = "hooks")]
    replace: bool,
    /// By hooks instead of MCP: the client keeps its own edit tools (claude-code)
    #[arg(long)]
    hooks: bool,
    /// The keys of OpenCode 2 (known without it when the file has them already)
    #[arg(long)]
    v2: bool,
}

/// Carries out `landfall config`.
///
/// # Errors
/// A file that cannot be read as what it should be (nothing is written then), or one that cannot be written.
pub(super) fn run(arguments: Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let project = arguments
        .project
        .map(|folder| folder.canonicalize().with_context(|| format!("{}: no such project folder", folder.display())));
    let places = Places::from_env(project.transpose()?)?;
    let wishes = Wishes { replace: arguments.replace, hooks: arguments.hooks, second_version: arguments.v2 };
    let plan = plan::of(arguments.client, wishes, &places)?;
    if arguments.write {
        write(&plan, out)?
    } else {
        print(&plan, &places, arguments.client, out)?
    }
    for note in &plan.notes {
        writeln!(out, "{}{note}", if arguments.write { "" } else { "# " })?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(plan: &Plan, places: &Places, client: Client, out: &mut impl Write) -> anyhow::Result<()> {
    let scope = if places.is_project() { "this project" } else { "you, in every project" };
    for file in &plan.files {
        writeln!(out, "# {} (for {scope})", file.path.display())?;
        writeln!(out, "{}", file.snippet().trim_end())?;
    }
    writeln!(out, "# `landfall config {} … --write` merges this in", client.name())?;
    Ok(())
}

/// Everything is read and merged before the first file is written.
fn write(plan: &Plan, out: &mut impl Write) -> anyhow::Result<()> {
    let pending = plan.files.iter().map(Pending::of).collect::<anyhow::Result<Vec<_>>>()?;
    for pending in pending {
        match pending.write()? {
            Done::Already(path) => writeln!(out, "{} has it already: nothing was written", path.display())?,
            Done::Created(path) => {
                writeln!(out, "created {}", path.display())?;
                writeln!(out, "to undo: rm -- {}", quoted(&path))?;
            }
            Done::Changed { path, backup } => {
                writeln!(out, "changed {}", path.display())?;
                writeln!(out, "to undo: cp -- {} {}", quoted(&backup), quoted(&path))?;
            }
        }
    }
    Ok(())
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
