//! Connections: so many and no more, each with deadlines in both directions.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::task::TaskTracker;

use super::names::OwnAddress;
use super::state::State;

/// What a connection may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// More at once are sent away.
    pub(super) connections: usize,
    /// For the head of a request, from the end of the one before: an unused connection is closed after it too.
    pub(super) head: Duration,
    /// For the client to take what is written to it.
    pub(super) write: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connections: 500, head: Duration::from_secs(30), write: Duration::from_secs(30) }
    }
}

/// The largest head of a request. Bytes.
const LARGEST_HEAD: usize = 64 << 10;
/// How long accepting rests after a fault: out of descriptors, as a rule.
const REST: Duration = Duration::from_millis(50);
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\
    content-type: text/plain; charset=utf-8\r\ncontent-length: 35\r\n\r\ntoo many connections are open here\n";

/// Answers who connects to `listener` until the service ends; then waits for the connections to close.
pub(super) async fn serve(listener: TcpListener, router: Router, state: State, limits: Limits) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let open = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = state.stopping().cancelled() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                let attended = attend(stream, router.clone(), state.clone(), limits);
                open.spawn(async move {
                    attended.await;
                    drop(place);
                });
            }
            Err(_) => turn_away(stream).await,
        }
    }
    drop(listener);
    open.close();
    open.wait().await;
}

async fn attend(stream: TcpStream, router: Router, state: State, limits: Limits) {
    let own = stream.local_addr().ok().map(|address| OwnAddress(address.ip()));
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write));
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        if let Some(own) = own {
            request.extensions_mut().insert(own);
        }
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(LARGEST_HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = state.closing().cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Says why, if that can be said without waiting.
async fn turn_away(mut stream: TcpStream) {
    let _ = stream.try_write(FULL);
    let _ = stream.shutdown().await;
}
