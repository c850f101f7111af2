//! The language servers that run now, in the daemon.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::status::{PATIENCE, describe_server};
use super::super::stop::has_ended;
use crate::daemon::{self, Ask, ServerLine, Status};
use crate::dirs::Dirs;

/// How long language servers may take to end.
const TO_END: Duration = Duration::from_secs(15);

/// Says which run, in which workspace.
///
/// # Errors
/// Output that cannot be written.
pub(super) fn status(out: &mut impl Write) -> anyhow::Result<()> {
    let Ok(dirs) = Dirs::from_env() else { return Ok(()) };
    for (_, status) in daemon::daemons(&dirs, PATIENCE) {
        let Ok(status) = status else { continue };
        for workspace in status.workspaces.iter().filter(|workspace| !workspace.language_servers.is_empty()) {
            writeln!(out, "in the daemon (process {}), for {}", status.pid, workspace.root.display())?;
            workspace.language_servers.iter().try_for_each(|server| describe_server(server, "  ", out))?;
        }
    }
    Ok(())
}

/// Stops those of this name, in this workspace; exit code 1 when one is still there.
///
/// # Errors
/// No home directory, or output that cannot be written.
pub(super) fn stop(name: Option<&str>, workspace: Option<&PathBuf>, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::from_env()?;
    let workspace = workspace.map(|root| root.canonicalize().or_else(|_| std::path::absolute(root))).transpose()?;
    let mut found = false;
    let mut code = ExitCode::SUCCESS;
    for (daemon, status) in daemon::daemons(&dirs, PATIENCE) {
        let before = status.map(|status| running(&status, name, workspace.as_deref())).unwrap_or_default();
        let ask = Ask::StopServers { name: name.map(str::to_owned), workspace: workspace.clone() };
        let answer = daemon.ask(ask, PATIENCE).and_then(|mut connection| connection.answer::<Value>(PATIENCE));
        if let Err(error) = answer {
            writeln!(out, "not stopped: {error}")?;
            code = ExitCode::FAILURE;
            continue;
        }
        let deadline = Instant::now() + TO_END;
        for server in before {
            let (name, root) = (&server.name, server.root.display());
            if has_ended_by(server.pid, deadline) {
                writeln!(out, "stopped {name} for {root}; it starts again when it is needed")?;
            } else {
                writeln!(out, "not stopped: {name} for {root} is still there after {} s", TO_END.as_secs())?;
                code = ExitCode::FAILURE;
            }
            found = true;
        }
    }
    if !found && code == ExitCode::SUCCESS {
        writeln!(out, "no such language server is running in a daemon")?;
    }
    Ok(code)
}

/// Waits until that process has ended; whether it did.
fn has_ended_by(pid: Option<u32>, deadline: Instant) -> bool {
    let Some(pid) = pid else { return true };
    while !has_ended(pid) {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// The language servers of that name and workspace that have a process.
fn running(status: &Status, name: Option<&str>, workspace: Option<&Path>) -> Vec<ServerLine> {
    let meant = status.workspaces.iter().filter(|open| workspace.is_none_or(|root| open.root == root));
    let servers = meant.flat_map(|open| &open.language_servers);
    servers.filter(|server| server.pid.is_some() && name.is_none_or(|name| server.name == name)).cloned().collect()
}
