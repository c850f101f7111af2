//! Starts the daemon when none is there; of several clients that want one at once, one starts it.

use std::io::{self, BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};

use super::identity::{kept, program};
use super::{Ask, AskError, Connection, Daemon, ProcessOptions, Seat, SeatError, log};
use crate::dirs::Dirs;

/// How long a daemon may take from its start until it can be connected to.
const START: Duration = Duration::from_secs(10);
/// How long a greeting may take: a busy machine is slow, but not that slow.
const GREETING: Duration = Duration::from_secs(5);
/// How often it is looked whether another client's start has come to an end.
const LOOK: Duration = Duration::from_millis(2);

/// Why there is no daemon to serve us.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no place for it.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// It cannot be started.
    #[error("the daemon cannot be started: {0}")]
    Spawn(io::Error),
    /// It ended at once.
    #[error("the daemon did not start: {0}")]
    Ended(String),
    /// It is there and will not serve us.
    #[error(transparent)]
    Ask(#[from] AskError),
}

/// Connects to the daemon at `seat`, started with `options` if there is none.
///
/// # Errors
/// When there can be none, or it does not answer.
pub fn connect_or_start(
    seat: &Seat,
    ask: &Ask,
    options: &ProcessOptions,
    dirs: &Dirs,
) -> Result<Connection, StartError> {
    let daemon = Daemon::at(seat.clone());
    let deadline = Instant::now() + START;
    let mut connected = daemon.ask(ask.clone(), GREETING);
    while matches!(connected, Err(AskError::Down)) && Instant::now() < deadline {
        seat.prepare()?;
        match seat.begin_start()? {
            // Another client is at it.
            None => std::thread::sleep(LOOK),
            Some(_starting) => {
                connected = daemon.ask(ask.clone(), GREETING);
                if matches!(connected, Err(AskError::Down)) {
                    start(seat, options, dirs)?;
                }
            }
        }
        if matches!(connected, Err(AskError::Down)) {
            connected = daemon.ask(ask.clone(), GREETING);
        }
    }
    Ok(connected?)
}

/// Starts a daemon without waiting for it: for whoever comes next.
///
/// # Errors
/// When there is no place for it, or it cannot be started.
pub fn start_for_later(seat: &Seat, options: &ProcessOptions, dirs: &Dirs) -> Result<(), StartError> {
    seat.prepare()?;
    // Another client may be at it; a daemon that finds its seat taken ends.
    if seat.begin_start()?.is_some() {
        spawn(seat, options, dirs, Stdio::null())?;
    }
    Ok(())
}

/// Starts a daemon and waits until it can be connected to.
fn start(seat: &Seat, options: &ProcessOptions, dirs: &Dirs) -> Result<(), StartError> {
    let mut child = spawn(seat, options, dirs, Stdio::piped())?;
    let Some(output) = child.stdout().take() else {
        return Err(StartError::Ended("it has no output".to_owned()));
    };
    let (sender, said) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = BufReader::new(output).read_line(&mut line);
        let _ = sender.send(line);
        // Should it end before us, it does not stay in the table of processes.
        let _ = child.wait();
    });
    match said.recv_timeout(START) {
        Ok(line) if line.trim_end() == READY => Ok(()),
        Ok(line) if line.is_empty() => Err(StartError::Ended(format!("see {}", seat.log(dirs).display()))),
        Ok(line) => Err(StartError::Ended(line.trim_end().to_owned())),
        Err(_) => Err(StartError::Ended(format!("it was not ready within {START:?}"))),
    }
}

fn spawn(
    seat: &Seat,
    options: &ProcessOptions,
    dirs: &Dirs,
    output: Stdio,
) -> Result<Box<dyn ChildWrapper>, StartError> {
    let log = log::open(&seat.log(dirs)).map_err(StartError::Spawn)?;
    let mut command = Command::new(program());
    command.args(["serve", "--detached"]);
    if options.no_lsp {
        command.arg("--no-lsp");
    }
    if options.durable {
        command.args(["--durability", "full"]);
    }
    for file in &options.servers {
        command.arg("--servers").arg(file);
    }
    // In no folder of anybody's, so that none is held.
    command.current_dir("/").env_clear().envs(kept(std::env::vars_os()));
    command.stdin(Stdio::null()).stdout(output).stderr(log);
    let child = CommandWrap::from(command).wrap(ProcessSession).spawn().map_err(StartError::Spawn)?;
    Ok(child.into_inner())
}

/// What a detached daemon prints once it can be connected to; anything else is why it cannot.
pub(crate) const READY: &str = "ready";
