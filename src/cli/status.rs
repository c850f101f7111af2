//! `landfall status`: what the daemon is doing.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use crate::daemon::{self, AskError, Daemon, ServerLine, Status};
use crate::dirs::Dirs;

/// How long a daemon may take to answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// Arguments of `landfall status`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Carries out `landfall status`; exit code 1 when no daemon is running.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::from_env()?;
    let found = daemon::daemons(&dirs, PATIENCE);
    if arguments.json {
        let objects: Vec<_> = found.iter().map(|found| object(found, &dirs)).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&json!({ "daemons": objects }))?)?;
    } else if found.is_empty() {
        writeln!(out, "no daemon is running; `landfall mcp` starts one when it is needed")?;
    }
    for (daemon, status) in found.iter().filter(|_| !arguments.json) {
        match status {
            Ok(status) => describe(status, &daemon.seat().log(&dirs).display().to_string(), out)?,
            Err(error) => writeln!(out, "the daemon at {}: {error}", daemon.seat().socket().display())?,
        }
    }
    Ok(if found.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn object((daemon, status): &(Daemon, Result<Status, AskError>), dirs: &Dirs) -> serde_json::Value {
    let mut object = match status {
        Ok(status) => json!(status),
        Err(error) => json!({ "socket": daemon.seat().socket(), "error": error.to_string() }),
    };
    object["log"] = json!(daemon.seat().log(dirs));
    object
}

fn describe(status: &Status, log: &str, out: &mut impl Write) -> std::io::Result<()> {
    let Status { version, pid, uptime_seconds, memory_bytes, .. } = status;
    writeln!(out, "landfall {version}, process {pid}, up {}, {}", time(*uptime_seconds), memory(*memory_bytes))?;
    writeln!(out, "socket {}\nlog    {log}", status.socket.display())?;
    let (sessions, calls) = (counted(status.sessions.len(), "session"), status.calls_under_way);
    writeln!(out, "{sessions}, {} under way", counted(calls as usize, "call"))?;
    for session in &status.sessions {
        let (landed, refused) = (session.landed, session.refused);
        let home = session.workspace.display();
        let (name, face) = (&session.name, &session.face);
        writeln!(
            out,
            "  {name} ({face}) for {}: {home}, {landed} landed, {refused} refused",
            time(session.open_seconds)
        )?;
    }
    writeln!(out, "{}", counted(status.workspaces.len(), "workspace"))?;
    for workspace in &status.workspaces {
        writeln!(out, "  {}", workspace.root.display())?;
        workspace.language_servers.iter().try_for_each(|server| describe_server(server, "    ", out))?;
    }
    Ok(())
}

/// A language server in one line, and its last words below when it is down.
pub(super) fn describe_server(server: &ServerLine, margin: &str, out: &mut impl Write) -> std::io::Result<()> {
    write!(out, "{margin}{} {}", server.name, server.state)?;
    if let (Some(pid), Some(uptime)) = (server.pid, server.uptime_seconds) {
        write!(out, ", process {pid}, up {}", time(uptime))?;
    }
    if let Some(bytes) = server.memory_bytes {
        write!(out, ", {}", memory(bytes))?;
    }
    if server.restarts > 0 {
        write!(
            out,
            ", died {}",
            if server.restarts == 1 { "once".to_owned() } else { format!("{} times", server.restarts) }
        )?;
    }
    if let Some(detail) = &server.detail {
        write!(out, ": {detail}")?;
    }
    writeln!(out, " ({})", server.root.display())?;
    server.last_stderr.iter().try_for_each(|line| writeln!(out, "{margin}  | {line}"))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn time(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn memory(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_it() {
        let server = ServerLine {
            name: "gopls".into(),
            root: "/w/m".into(),
            state: "down".into(),
            detail: Some("exit status: 1".into()),
            pid: None,
            uptime_seconds: None,
            restarts: 2,
            memory_bytes: None,
            last_stderr: vec!["panic: x".into()],
        };
        let mut text = Vec::new();
        describe_server(&server, "  ", &mut text).expect("written");
        let text = String::from_utf8(text).expect("UTF-8");
        assert_eq!(text, "  gopls down, died 2 times: exit status: 1 (/w/m)\n    | panic: x\n");
        assert_eq!((time(90), time(600), time(9000)), ("90 s".into(), "10 min".into(), "2 h 30 min".into()));
        assert_eq!(memory(3 << 19), "2 MiB");
    }
}
