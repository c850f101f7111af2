//! `landfall stop`: ends the daemon.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::status::PATIENCE;
use crate::daemon::{self, Ask, AskError, Daemon};
use crate::dirs::Dirs;

/// How long a daemon may take to end: its language servers end first.
const TO_END: Duration = Duration::from_secs(30);

/// Arguments of `landfall stop`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Even while sessions are open; writes under way are carried out
    #[arg(long)]
    force: bool,
}

/// Carries out `landfall stop`; exit code 1 when a daemon is still there.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::from_env()?;
    let found = daemon::daemons(&dirs, PATIENCE);
    if found.is_empty() {
        writeln!(out, "no daemon is running")?;
    }
    let mut code = ExitCode::SUCCESS;
    for (daemon, status) in found {
        match stop(&daemon, status.ok().map(|status| status.pid), arguments.force) {
            Ok(pid) => writeln!(out, "stopped the daemon (process {pid})")?,
            Err(error) => {
                let hint = if matches!(error, AskError::Refused(_)) {
                    "; `landfall stop --force` ends it all the same"
                } else {
                    ""
                };
                writeln!(out, "not stopped: {error}{hint}")?;
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

/// Stops a daemon and waits for its end; which process it was.
fn stop(daemon: &Daemon, pid: Option<u32>, force: bool) -> Result<u32, AskError> {
    let pid = match (daemon.ask(Ask::Stop { force }, PATIENCE), pid) {
        (Ok(connection), _) => connection.pid,
        (Err(AskError::Down), Some(pid)) => pid,
        (Err(error), _) => return Err(error),
    };
    let deadline = Instant::now() + TO_END;
    while !has_ended(pid) {
        if Instant::now() > deadline {
            return Err(AskError::Silent { patience: TO_END, pid: Some(pid) });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(pid)
}

/// Whether a process is gone, or only its entry in the table of processes is left, by proc_pid_stat(5).
pub(super) fn has_ended(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    stat.rsplit_once(") ").is_none_or(|(_, fields)| fields.starts_with(['Z', 'X']))
}
