//! `landfall serve`: the daemon that all sessions share, and the same service over HTTP.

mod over_http;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::service::{self, ServiceArguments};
use crate::daemon::{Daemon, Host, HostOptions, Identity, Seat, log};
use crate::dirs::Dirs;
use crate::http::HttpFace;
use crate::service::Service;
use over_http::HttpArguments;

/// How long a daemon stays without a session, unless it is said. Minutes.
const USUAL_IDLE: u64 = 30;
/// How long writes under way have once everything else has ended.
const FAREWELL: Duration = Duration::from_secs(5);
/// A workspace without a session is closed after so long, if no language server runs in it any more.
const UNUSED: Duration = Duration::from_secs(10 * 60);

/// So many files and connections may be open at once, where the system allows it.
const DESCRIPTORS: u64 = 8192;

/// How to be the daemon.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    service: ServiceArguments,
    #[command(flatten)]
    http: HttpArguments,
    /// End after so long without a session: `30m`, `45s`, `8h` or `never` [default: $LANDFALL_IDLE, else 30m; with
    /// --http never]
    #[arg(long, value_name = "TIME", value_parser = idle)]
    idle: Option<Idle>,
    /// Started by a client: say `ready` on standard output, then nothing more
    #[arg(long, hide = true)]
    detached: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Idle(Option<Duration>);

fn idle(text: &str) -> Result<Idle, String> {
    let text = text.trim();
    if text == "never" {
        return Ok(Idle(None));
    }
    let (number, seconds) = match text.char_indices().next_back() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 3600),
        _ => (text, 60),
    };
    let number: u32 = number.parse().map_err(|_| "write it as 45s, 30m, 8h or never".to_owned())?;
    Ok(Idle(Some(Duration::from_secs(u64::from(number) * seconds))))
}

impl Arguments {
    fn options(&self) -> anyhow::Result<HostOptions> {
        let from_environment = || {
            let text = std::env::var("LANDFALL_IDLE").ok().filter(|text| !text.is_empty());
            text.map(|text| idle(&text).map_err(|error| anyhow::anyhow!("LANDFALL_IDLE is {text:?}: {error}")))
                .transpose()
        };
        let over_http = self.http.is_wanted();
        let idle = match self.idle {
            Some(idle) => idle,
            // Whoever wants it over HTTP wants it there.
            None if over_http => Idle(None),
            None => from_environment()?.unwrap_or(Idle(Some(Duration::from_secs(60 * USUAL_IDLE)))),
        };
        Ok(HostOptions { idle: idle.0, stays: over_http })
    }
}

pub(super) fn run(arguments: Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let detached = arguments.detached;
    let served = serve(&arguments, out);
    if let (Err(error), true) = (&served, detached) {
        // The client that started us reads this line, and the log has it as well.
        writeln!(out, "{}", format!("{error:#}").replace('\n', " "))?;
    }
    served
}

fn serve(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    want_descriptors();
    let dirs = Dirs::from_env()?;
    let options = arguments.options()?;
    let servers = arguments.service.configuration.servers()?;
    let seat = Seat::of(&Identity::of_this_process(&arguments.service.process()?, &servers, &dirs), &dirs);
    let runtime = service::runtime()?;
    let face = runtime.block_on(arguments.http.bind(&arguments.service, &dirs))?;
    let host = match (Host::take(seat.clone()), &face) {
        (Ok(None), None) => return taken(arguments, &seat, out),
        (Err(error), None) => return Err(error.into()),
        (Ok(host), _) => host,
        (Err(error), Some(_)) => {
            tracing::warn!(%error, "there is no socket, HTTP alone");
            None
        }
    };
    announce(arguments, &seat, host.as_ref(), face.as_ref(), out)?;
    let served = runtime.block_on(async {
        let service = service::service(&arguments.service)?;
        let stop = CancellationToken::new();
        end_on_signal(&stop)?;
        if host.is_some() {
            let dirs = dirs.clone();
            tokio::task::spawn_blocking(move || ask_others_to_hand_over(&dirs, &seat));
        }
        let unused = service.clone();
        tokio::spawn(async move { unused.close_unused(UNUSED).await });
        let served = tokio::join!(on_socket(host, &service, options, &stop), over_http(face, &service, &stop));
        service.shutdown().await;
        served.0.and(served.1)
    });
    runtime.shutdown_timeout(FAREWELL);
    served.map(|()| ExitCode::SUCCESS)
}

async fn on_socket(
    host: Option<Host>,
    service: &Service,
    options: HostOptions,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let Some(host) = host else { return Ok(()) };
    host.serve(service.clone(), options, stop.clone()).await.context("the socket failed")
}

async fn over_http(face: Option<HttpFace>, service: &Service, stop: &CancellationToken) -> anyhow::Result<()> {
    let Some(face) = face else { return Ok(()) };
    face.serve(service.clone(), stop.clone()).await.inspect_err(|_| stop.cancel()).context("HTTP failed")
}

/// Says where it serves.
fn announce(
    arguments: &Arguments,
    seat: &Seat,
    host: Option<&Host>,
    face: Option<&HttpFace>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let socket = host.map(|host| host.socket().display().to_string());
    if arguments.detached {
        log::rotate(seat.log(&Dirs::from_env()?));
        writeln!(out, "ready")?;
        out.flush()?;
        let null = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdout(null).context("standard output cannot be let go")?;
    } else if let Some(socket) = &socket {
        writeln!(out, "serving on {socket}")?;
    }
    if let Some(face) = face {
        writeln!(out, "serving http on http://{}/mcp", face.address()?)?;
        out.flush()?;
    }
    tracing::info!(version = env!("CARGO_PKG_VERSION"), socket, "serving");
    Ok(())
}

fn taken(arguments: &Arguments, seat: &Seat, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    if arguments.detached {
        // Whoever wanted one has one.
        writeln!(out, "ready")?;
        return Ok(ExitCode::SUCCESS);
    }
    let pid =
        Daemon::at(seat.clone()).status(Duration::from_secs(2)).map(|status| format!(" (process {})", status.pid));
    anyhow::bail!("a daemon serves on {} already{}", seat.socket().display(), pid.unwrap_or_default());
}

/// Each session has a connection and a ledger, each language server pipes: the usual 1024 descriptors can be too few.
fn want_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if limit.current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit });
    }
}

/// Whether whoever started us wants us to outlive the terminal, as nohup(1) does; by proc_pid_status(5).
fn outlives_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    ignored & (1 << (SignalKind::hangup().as_raw_value() - 1)) != 0
}

fn end_on_signal(stop: &CancellationToken) -> anyhow::Result<()> {
    let hangup = (!outlives_terminal()).then(SignalKind::hangup);
    for kind in [SignalKind::terminate(), SignalKind::interrupt()].into_iter().chain(hangup) {
        let mut signals = signal(kind).context("signals cannot be handled")?;
        let stop = stop.clone();
        tokio::spawn(async move {
            signals.recv().await;
            stop.cancel();
        });
    }
    Ok(())
}

/// Daemons of earlier builds end once they have no session; newer ones are left alone.
fn ask_others_to_hand_over(dirs: &Dirs, own: &Seat) {
    for (daemon, status) in crate::daemon::daemons(dirs, Duration::from_secs(1)) {
        let Ok(status) = status else { continue };
        if daemon.seat().key() != own.key() && is_earlier(&status.version, status.build_seconds) {
            tracing::info!(pid = status.pid, version = status.version, "asked to hand over when idle");
            let _ = daemon.ask(crate::daemon::Ask::HandOver, Duration::from_secs(1));
        }
    }
}

/// Whether a daemon of this version and build comes before this program.
fn is_earlier(version: &str, build_seconds: i64) -> bool {
    let number =
        |version: &str| -> Vec<u64> { version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect() };
    let ours = number(env!("CARGO_PKG_VERSION"));
    number(version) < ours || (number(version) == ours && build_seconds < crate::daemon::build_seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        let seconds = |seconds| Ok(Idle(Some(Duration::from_secs(seconds))));
        for (text, expected) in [
            ("45s", seconds(45)),
            ("30m", seconds(1800)),
            (" 2h ", seconds(7200)),
            ("5", seconds(300)),
            ("never", Ok(Idle(None))),
        ] {
            assert_eq!(idle(text), expected, "{text}");
        }
        for text in ["", "m", "-1s", "1.5h", "soon", "99999999999s", "é"] {
            assert!(idle(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_an_earlier_daemon_is_asked_to_go() {
        let build = crate::daemon::build_seconds();
        for (version, seconds, earlier) in [
            ("0.0.9", build + 9, true),
            (env!("CARGO_PKG_VERSION"), build - 1, true),
            (env!("CARGO_PKG_VERSION"), build, false),
            (env!("CARGO_PKG_VERSION"), build + 1, false),
            ("99.0.0", 0, false),
        ] {
            assert_eq!(is_earlier(version, seconds), earlier, "{version} {seconds}");
        }
    }
}
