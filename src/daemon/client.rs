//! The asking side: finds out within a bounded time whether a daemon is there and of our version, and asks it.
//!
//! Nothing here starts a daemon, and nothing is asked of one that has not greeted back.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde::de::DeserializeOwned;

use super::wire::{Hello, LONGEST_HELLO, Welcome, line};
use super::{Answer, Ask, CallLine, Seat, SessionAsk, Status};
use crate::dirs::Dirs;

/// The longest answer that is read. Bytes.
const LONGEST_ANSWER: u64 = 64 << 20;

/// A daemon, as far as it is known where one would sit.
#[derive(Debug, Clone)]
pub struct Daemon {
    seat: Seat,
}

/// Why nothing came of asking. In all cases but [`AskError::Silent`] after a call was sent, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// Nobody serves there.
    #[error("no daemon is running")]
    Down,
    /// It did not answer in time.
    #[error("the daemon{} did not answer within {patience:?}; if that lasts, end it: {}", process(*pid), ending(*pid))]
    Silent {
        /// How long was waited.
        patience: Duration,
        /// Its process, where that is known.
        pid: Option<u32>,
    },
    /// It is of another version.
    #[error("the daemon is version {0}, this is {version}; end it with that version's `landfall stop`",
        version = env!("CARGO_PKG_VERSION"))]
    OtherVersion(String),
    /// It belongs to somebody else.
    #[error("what answers there belongs to user {0}, not to you; set XDG_RUNTIME_DIR to a folder of your own")]
    NotOurs(u32),
    /// It does not want to.
    #[error("the daemon refused: {0}")]
    Refused(String),
    /// The connection failed.
    #[error("the connection to the daemon failed: {0}")]
    Io(io::Error),
}

// What failed stands in the message; it is not told a second time as its source.
impl From<io::Error> for AskError {
    fn from(error: io::Error) -> AskError {
        AskError::Io(error)
    }
}

/// A connection that was greeted back.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<UnixStream>,
    /// The daemon's process.
    pub pid: u32,
}

impl Daemon {
    /// The daemon at `seat`.
    pub fn at(seat: Seat) -> Daemon {
        Daemon { seat }
    }

    /// Where it sits.
    pub fn seat(&self) -> &Seat {
        &self.seat
    }

    /// Asks it, and waits at most `patience` for its greeting.
    ///
    /// # Errors
    /// All of [`AskError`].
    pub fn ask(&self, ask: Ask, patience: Duration) -> Result<Connection, AskError> {
        let needs_version = matches!(ask, Ask::Session(_) | Ask::Calls(_) | Ask::Editor(_) | Ask::Hook(_));
        let deadline = Instant::now() + patience;
        let stream = connect_at_once(&self.seat.socket())?;
        let peer = rustix::net::sockopt::socket_peercred(&stream).map_err(io::Error::from)?;
        let owner = peer.uid.as_raw();
        if owner != rustix::process::geteuid().as_raw() {
            return Err(AskError::NotOurs(owner));
        }
        let mut connection =
            Connection { stream: BufReader::new(stream), pid: peer.pid.as_raw_nonzero().get().unsigned_abs() };
        let hello = Hello { landfall: env!("CARGO_PKG_VERSION").to_owned(), ask };
        connection.send(&line(&hello), deadline, patience)?;
        let welcome: Welcome = connection.read(deadline, patience)?;
        if needs_version && welcome.landfall != env!("CARGO_PKG_VERSION") {
            return Err(AskError::OtherVersion(welcome.landfall));
        }
        connection.pid = welcome.pid;
        match welcome.refused {
            Some(why) => Err(AskError::Refused(why)),
            None => Ok(connection),
        }
    }

    /// What it is doing.
    ///
    /// # Errors
    /// All of [`AskError`].
    pub fn status(&self, patience: Duration) -> Result<Status, AskError> {
        self.ask(Ask::Status, patience)?.answer(patience)
    }

    /// Makes one call in a session as `ask` wants it: at most `greeting` until it is known that the daemon will carry
    /// it out, then at most `budget` for the result.
    ///
    /// # Errors
    /// All of [`AskError`]; only a [`AskError::Silent`] of `budget`, and an [`AskError::Io`], can come after a change.
    pub fn call(
        &self,
        ask: SessionAsk,
        call: &CallLine,
        greeting: Duration,
        budget: Duration,
    ) -> Result<Answer, AskError> {
        let mut connection = self.ask(Ask::Calls(ask), greeting)?;
        connection.call(call, budget)
    }
}

impl Connection {
    /// Makes one call over a connection that was opened with [`Ask::Calls`].
    ///
    /// # Errors
    /// [`AskError::Silent`] and [`AskError::Io`]; whether anything was changed is not known then.
    pub fn call(&mut self, call: &CallLine, budget: Duration) -> Result<Answer, AskError> {
        let deadline = Instant::now() + budget;
        self.send(&line(call), deadline, budget)?;
        self.read(deadline, budget)
    }

    /// Reads the line that answers what was asked.
    ///
    /// # Errors
    /// [`AskError::Silent`] and [`AskError::Io`].
    pub fn answer<T: DeserializeOwned>(&mut self, patience: Duration) -> Result<T, AskError> {
        self.read(Instant::now() + patience, patience)
    }

    /// The stream, from behind the greeting; reads and writes wait for ever.
    ///
    /// # Errors
    /// When the daemon spoke before it was spoken to.
    pub(super) fn into_stream(self) -> io::Result<UnixStream> {
        if !self.stream.buffer().is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the daemon spoke out of turn"));
        }
        let stream = self.stream.into_inner();
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        Ok(stream)
    }

    fn send(&mut self, bytes: &[u8], deadline: Instant, patience: Duration) -> Result<(), AskError> {
        let stream = self.stream.get_mut();
        stream.set_write_timeout(Some(left(deadline)))?;
        stream.write_all(bytes).map_err(|error| silent_or_down(error, patience, self.pid))
    }

    fn read<T: DeserializeOwned>(&mut self, deadline: Instant, patience: Duration) -> Result<T, AskError> {
        let mut text = Vec::new();
        loop {
            self.stream.get_ref().set_read_timeout(Some(left(deadline)))?;
            let room = LONGEST_ANSWER.max(LONGEST_HELLO as u64);
            match (&mut self.stream).take(room).read_until(b'\n', &mut text) {
                // A daemon that was ending took the connection and closed it unread.
                Ok(_) if text.is_empty() => return Err(AskError::Down),
                Ok(_) if text.ends_with(b"\n") => break,
                Ok(_) => return Err(AskError::Io(io::ErrorKind::UnexpectedEof.into())),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(silent_or_down(error, patience, self.pid)),
            }
        }
        serde_json::from_slice(&text).map_err(|error| AskError::Io(error.into()))
    }
}

/// The seats at which somebody answers, with what they say of themselves; leftovers of old ones are not among them.
pub fn daemons(dirs: &Dirs, patience: Duration) -> Vec<(Daemon, Result<Status, AskError>)> {
    let ask = |seat| {
        let daemon = Daemon::at(seat);
        let status = daemon.status(patience);
        (daemon, status)
    };
    Seat::taken(dirs).into_iter().map(ask).filter(|(_, status)| !matches!(status, Err(AskError::Down))).collect()
}

/// Connects without waiting: a hung daemon whose queue is full must not hold us up.
fn connect_at_once(path: &Path) -> Result<UnixStream, AskError> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket: OwnedFd = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(io::Error::from)?;
    let address = SocketAddrUnix::new(path).map_err(io::Error::from)?;
    match connect(&socket, &address) {
        Ok(()) => {}
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::CONNREFUSED) => {
            return Err(AskError::Down);
        }
        Err(rustix::io::Errno::AGAIN) => return Err(AskError::Silent { patience: Duration::ZERO, pid: None }),
        Err(error) => {
            let error = io::Error::from(error);
            let text = format!("{}: {error}", path.display());
            return Err(AskError::Io(io::Error::new(error.kind(), text)));
        }
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// What is left of the time; never zero, which would mean for ever.
fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

fn process(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

/// The command that ends a daemon which does not listen any more.
fn ending(pid: Option<u32>) -> String {
    pid.map_or_else(|| "`landfall stop --force`".to_owned(), |pid| format!("kill -9 {pid}"))
}

fn silent_or_down(error: io::Error, patience: Duration, pid: u32) -> AskError {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => AskError::Silent { patience, pid: Some(pid) },
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => AskError::Down,
        _ => AskError::Io(error),
    }
}
