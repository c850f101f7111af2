//! `landfall trust`: which workspaces' own configuration may name programs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::config::{Servers, Trusted, WORKSPACE_FILE};
use crate::dirs::Dirs;

/// Arguments of `landfall trust`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The workspace
    #[arg(default_value = ".", value_name = "DIR")]
    workspace: PathBuf,
    /// Trust it no longer
    #[arg(long)]
    forget: bool,
    /// Show what is trusted, and change nothing
    #[arg(long, conflicts_with = "forget")]
    list: bool,
}

/// Carries out `landfall trust`.
///
/// # Errors
/// A workspace without a file of its own, a file that is wrong, or a list that cannot be written.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let trusted = Trusted::below(Dirs::from_env()?.state());
    if arguments.list {
        for path in trusted.paths() {
            let is_so = std::fs::read(&path).is_ok_and(|content| trusted.holds(&path, &content));
            let state = if is_so { "" } else { " (changed since: not trusted as it is now)" };
            writeln!(out, "{}{state}", path.display())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let root = arguments.workspace.canonicalize().with_context(|| arguments.workspace.display().to_string())?;
    let file = root.join(WORKSPACE_FILE);
    if arguments.forget {
        trusted.remove(&file.canonicalize().unwrap_or_else(|_| file.clone()))?;
        writeln!(out, "no longer trusted: {}", file.display())?;
        return Ok(ExitCode::SUCCESS);
    }
    trust(&trusted, &root, &file, out)
}

fn trust(trusted: &Trusted, root: &Path, file: &Path, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let content = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let real = file.canonicalize()?;
    let before = Servers::load(&[])?;
    let was_trusted = trusted.holds(&real, &content);
    trusted.add(&real, &content)?;
    let servers = match before.of_workspace(root, trusted) {
        Ok(servers) => servers,
        Err(error) => {
            if !was_trusted {
                trusted.remove(&real)?;
            }
            bail!("not trusted, because it is wrong: {error}");
        }
    };
    writeln!(out, "trusted as it is now: {}", real.display())?;
    for spec in &servers {
        let known = before.get(&spec.name);
        if known.is_none_or(|known| (&known.command, &known.args, &known.env) != (&spec.command, &spec.args, &spec.env))
        {
            writeln!(out, "  {} runs {} {}", spec.name, spec.command, spec.args.join(" "))?;
        }
        if let Some(check) =
            spec.check.as_ref().filter(|check| known.is_none_or(|known| known.check.as_ref() != Some(check)))
        {
            writeln!(out, "  {} is checked by {}", spec.name, check.command.join(" "))?;
        }
    }
    writeln!(out, "Any change of the file ends this.")?;
    Ok(ExitCode::SUCCESS)
}
