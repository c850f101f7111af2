//! The serving side: takes the seat, answers who connects, and ends when nobody needs it any more.

use std::fs::File;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener as StdListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::calls::serve_calls;
use super::sessions::Named;
use super::until::Until;
use super::wire::{Hello, LONGEST_HELLO, Welcome, line};
use super::{Ask, Seat, SeatError, SessionAsk, Status};
use crate::hooks::Hooks;
use crate::lsp_face;
use crate::mcp::{McpFace, serve_stream};
use crate::service::Service;
use crate::session::Session;

/// How long a client may take for its first line.
const GREETING: Duration = Duration::from_secs(5);
/// More connections than these at once are refused.
const MOST_CONNECTIONS: usize = 500;
/// How long calls under way have once the daemon ends.
const FAREWELL: Duration = Duration::from_secs(10);

/// How a daemon lives.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostOptions {
    /// It ends after so long without a session; `None`: never.
    pub idle: Option<Duration>,
    /// It does not make way for a newer daemon: it serves in other ways as well.
    pub stays: bool,
}

/// A seat that was taken.
#[derive(Debug)]
pub struct Host {
    seat: Seat,
    listener: StdListener,
    lock: File,
}

impl Host {
    /// Takes `seat`: from then on clients can connect, and wait. `None` when another daemon has it.
    ///
    /// # Errors
    /// When the folder is not ours or the socket cannot be made.
    pub fn take(seat: Seat) -> Result<Option<Host>, SeatError> {
        seat.prepare()?;
        let Some(lock) = seat.take()? else { return Ok(None) };
        let socket = seat.socket();
        let io = |error| SeatError::Io { path: socket.clone(), error };
        // The lock is ours, so nobody serves on what is left of a socket.
        match std::fs::remove_file(&socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
            Ok(()) | Err(_) => {}
        }
        let listener = StdListener::bind(&socket).map_err(io)?;
        std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o600)).map_err(io)?;
        listener.set_nonblocking(true).map_err(io)?;
        Ok(Some(Host { seat, listener, lock }))
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        self.seat.socket()
    }

    /// Serves until it is told to stop, `stop` is cancelled, or it was idle for too long; `stop` is cancelled at the end.
    /// Language servers are left running.
    ///
    /// # Errors
    /// When the socket fails.
    pub async fn serve(self, service: Service, options: HostOptions, stop: CancellationToken) -> io::Result<()> {
        let Host { seat, listener, lock } = self;
        let listener = UnixListener::from_std(listener)?;
        let (hand_over, handing_over) = watch::channel(false);
        let shared = Arc::new(Shared {
            service: service.clone(),
            socket: seat.socket(),
            began: Instant::now(),
            named: Named::default(),
            hooks: Hooks::new(service.clone()),
            stop,
            stays: options.stays,
            hand_over,
            places: Arc::new(Semaphore::new(MOST_CONNECTIONS)),
        });
        let connections = TaskTracker::new();
        let served = tokio::select! {
            error = shared.accept(&listener, &connections) => Err(error),
            () = shared.stop.cancelled() => Ok(()),
            () = unneeded(&service, options.idle, handing_over) => Ok(()),
        };
        // From here on a client finds nobody and starts another daemon; nothing we still do is in its way.
        let _ = std::fs::remove_file(seat.socket());
        if let Err(error) = shared.take_waiting(listener, &connections) {
            tracing::warn!(%error, "who was waiting at the door was turned away");
        }
        drop(lock);
        tracing::info!("ending");
        connections.close();
        if served.is_ok() {
            // Nobody needed us a moment ago, but whoever came in before the door closed is served to the end.
            tokio::select! {
                () = connections.wait() => {}
                () = shared.stop.cancelled() => {}
            }
        }
        shared.stop.cancel();
        if tokio::time::timeout(FAREWELL, connections.wait()).await.is_err() {
            tracing::warn!("connections were cut off");
        }
        served
    }
}

/// Ends when no session has been open for `idle`, or none is open and a newer daemon has asked for it.
async fn unneeded(service: &Service, idle: Option<Duration>, mut handing_over: watch::Receiver<bool>) {
    let mut open = service.open_sessions();
    loop {
        // Both senders live as long as the service and the daemon.
        let _ = open.wait_for(|open| *open == 0).await;
        let patience = if *handing_over.borrow_and_update() { Some(Duration::ZERO) } else { idle };
        let waited = async {
            match patience {
                Some(patience) => tokio::time::sleep(patience).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = waited => return,
            _ = open.changed() => {}
            _ = handing_over.changed() => {}
        }
    }
}

struct Shared {
    service: Service,
    socket: PathBuf,
    began: Instant,
    named: Named,
    hooks: Hooks,
    stop: CancellationToken,
    stays: bool,
    hand_over: watch::Sender<bool>,
    places: Arc<Semaphore>,
}

impl Shared {
    async fn accept(self: &Arc<Self>, listener: &UnixListener, connections: &TaskTracker) -> io::Error {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => self.take(stream, connections),
                // Out of descriptors, or a client that went away again: others are served all the same.
                Err(error) if is_passing(&error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => return error,
            }
        }
    }

    /// Takes the connections that were made before the socket went, and closes it.
    fn take_waiting(self: &Arc<Self>, listener: UnixListener, connections: &TaskTracker) -> io::Result<()> {
        // Not by tokio's: it may not have heard yet of what the kernel has queued.
        let listener = listener.into_std()?;
        while let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(true)?;
            self.take(UnixStream::from_std(stream)?, connections);
        }
        Ok(())
    }

    fn take(self: &Arc<Self>, stream: UnixStream, connections: &TaskTracker) {
        let shared = Arc::clone(self);
        connections.spawn(async move {
            if let Err(error) = shared.attend(stream).await {
                tracing::debug!(%error, "a connection ended");
            }
        });
    }

    async fn attend(&self, stream: UnixStream) -> io::Result<()> {
        let peer = stream.peer_cred()?;
        if peer.uid() != rustix::process::geteuid().as_raw() {
            tracing::warn!(user = peer.uid(), "a connection of another user was refused");
            return Ok(());
        }
        let (input, mut output) = stream.into_split();
        let mut input = BufReader::new(input);
        let Ok(_place) = self.places.try_acquire() else {
            return welcome(&mut output, Some(format!("{MOST_CONNECTIONS} connections are open already"))).await;
        };
        let hello = tokio::select! {
            hello = tokio::time::timeout(GREETING, read_hello(&mut input)) => hello.unwrap_or_else(|_| {
                Err(io::Error::new(io::ErrorKind::TimedOut, format!("no greeting came within {GREETING:?}")))
            }),
            () = self.stop.cancelled() => return Ok(()),
        };
        match hello {
            Ok(hello) => self.answer(hello, input, output).await,
            Err(error) => welcome(&mut output, Some(error.to_string())).await,
        }
    }

    async fn answer(
        &self,
        hello: Hello,
        input: impl AsyncBufRead + Send + Unpin + 'static,
        mut output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> io::Result<()> {
        match hello.ask {
            Ask::Session(_) | Ask::Calls(_) | Ask::Editor(_) | Ask::Hook(_)
                if hello.landfall != env!("CARGO_PKG_VERSION") =>
            {
                tracing::info!(version = hello.landfall, "a client of another version was refused");
                let why = format!(
                    "this daemon is version {}, you are {}: send its version, which `landfall status --json` tells",
                    env!("CARGO_PKG_VERSION"),
                    hello.landfall
                );
                welcome(&mut output, Some(why)).await
            }
            Ask::Session(ask) => match self.begin(&ask, &mut output).await? {
                Some(session) => {
                    let input = Until::stopped(input, &self.stop);
                    serve_stream(McpFace::new(session, ask.structured), input, output).await.map_err(io::Error::other)
                }
                None => Ok(()),
            },
            Ask::Calls(ask) => match self.begin(&ask, &mut output).await? {
                Some(session) => serve_calls(session, input, output, &self.stop).await,
                None => Ok(()),
            },
            Ask::Editor(ask) => {
                let home = ask.workspaces.into_iter().next().filter(|home| home.is_dir());
                let Some(home) = home else {
                    return welcome(&mut output, Some("no workspace is named".to_owned())).await;
                };
                welcome(&mut output, None).await?;
                tokio::select! {
                    () = lsp_face::serve(self.service.clone(), home, input, output) => {}
                    () = self.stop.cancelled() => {}
                }
                Ok(())
            }
            Ask::Hook(ask) => {
                welcome(&mut output, None).await?;
                let answer = self.hooks.answer(ask.harness, &ask.message, ask.workspace.as_deref()).await;
                output.write_all(&line(&answer)).await
            }
            Ask::Status => {
                welcome(&mut output, None).await?;
                let (service, socket, uptime) = (self.service.clone(), self.socket.clone(), self.began.elapsed());
                let status = tokio::task::spawn_blocking(move || Status::of(&service, socket, uptime)).await?;
                output.write_all(&line(&status)).await
            }
            Ask::Stop { force } => self.stop(force, &mut output).await,
            Ask::HandOver if self.stays => {
                welcome(&mut output, Some("it serves HTTP as well, and stays".to_owned())).await
            }
            Ask::HandOver => {
                self.hand_over.send_replace(true);
                welcome(&mut output, None).await
            }
            Ask::StopServers { name, workspace } => {
                welcome(&mut output, None).await?;
                let count = self.stop_servers(name.as_deref(), workspace);
                output.write_all(&line(&json!({ "stopped": count }))).await
            }
        }
    }

    async fn begin(&self, ask: &SessionAsk, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<Option<Session>> {
        match self.named.session(&self.service, ask) {
            Ok(session) => {
                welcome(output, None).await?;
                Ok(Some(session))
            }
            Err(error) => welcome(output, Some(error.to_string())).await.map(|()| None),
        }
    }

    async fn stop(&self, force: bool, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let open = self.service.sessions().len();
        if open > 0 && !force {
            let sessions = if open == 1 { "1 session is open" } else { "sessions are open" };
            let why = if open == 1 { sessions.to_owned() } else { format!("{open} {sessions}") };
            return welcome(output, Some(why)).await;
        }
        welcome(output, None).await?;
        self.stop.cancel();
        Ok(())
    }

    fn stop_servers(&self, name: Option<&str>, workspace: Option<PathBuf>) -> usize {
        let real = workspace.map(|root| root.canonicalize().unwrap_or(root));
        let workspaces = self.service.registry().workspaces();
        let meant = workspaces.iter().filter(|workspace| real.as_deref().is_none_or(|root| workspace.root() == root));
        meant.map(|workspace| workspace.stop_servers(name)).sum()
    }
}

/// Faults of accept(2) that are not the listener's.
fn is_passing(error: &io::Error) -> bool {
    // EMFILE and ENFILE have no kind of their own.
    matches!(error.raw_os_error(), Some(23 | 24))
        || matches!(
            error.kind(),
            io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted | io::ErrorKind::OutOfMemory
        )
}

async fn welcome(output: &mut (impl AsyncWrite + Unpin), refused: Option<String>) -> io::Result<()> {
    let welcome = Welcome { landfall: env!("CARGO_PKG_VERSION").to_owned(), pid: std::process::id(), refused };
    output.write_all(&line(&welcome)).await?;
    output.flush().await
}

async fn read_hello(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Hello> {
    let mut text = Vec::new();
    input.take(LONGEST_HELLO as u64).read_until(b'\n', &mut text).await?;
    let understood = serde_json::from_slice::<Hello>(&text);
    understood.map_err(|error| {
        let asked =
            serde_json::from_slice::<Value>(&text).ok().and_then(|value| value["ask"].as_str().map(str::to_owned));
        let what =
            asked.map_or_else(|| "the greeting".to_owned(), |ask| format!("`{}`", crate::report::one_line(&ask, 40)));
        io::Error::new(io::ErrorKind::InvalidData, format!("{what} is not understood: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;
    use crate::daemon::{Identity, ProcessOptions};
    use crate::dirs::Dirs;
    use crate::workspace::{Registry, WorkspaceOptions};

    #[tokio::test]
    async fn whoever_came_before_an_idle_daemon_closed_its_door_is_served() {
        let folder = tempfile::Builder::new().prefix("lf-").tempdir().expect("a folder");
        let path = folder.path().to_owned();
        let dirs = Dirs::from(|_| Some(path.clone().into())).expect("folders");
        let servers = Servers::built_in();
        let seat = Seat::of(&Identity::of_this_process(&ProcessOptions::default(), &servers, &dirs), &dirs);
        let service = Service::new(Registry::new(WorkspaceOptions::new(servers, false, &dirs)), dirs.state());
        let host = Host::take(seat.clone()).expect("a seat").expect("that is free");

        // It is connected to, and so far nobody has taken the connection.
        let mut client = std::os::unix::net::UnixStream::connect(seat.socket()).expect("connects");
        let at_once = HostOptions { idle: Some(Duration::ZERO), stays: false };
        let serving = tokio::spawn(host.serve(service, at_once, CancellationToken::new()));
        tokio::task::spawn_blocking(move || {
            let deadline = Instant::now() + Duration::from_secs(20);
            while seat.socket().exists() {
                assert!(Instant::now() < deadline, "the door does not close");
                std::thread::yield_now();
            }
            use std::io::{BufRead, Write};
            let hello = Hello { landfall: env!("CARGO_PKG_VERSION").to_owned(), ask: Ask::Status };
            client.write_all(&line(&hello)).expect("sends");
            let lines: Vec<String> =
                std::io::BufReader::new(client).lines().collect::<io::Result<_>>().expect("an answer");
            assert_eq!(lines.len(), 2, "a greeting and the status: {lines:?}");
        })
        .await
        .expect("is served");
        serving.await.expect("ends").expect("well");
    }
}
