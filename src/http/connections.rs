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

/// A head of a request that is larger is refused. Bytes, and some that come along with the last of them.
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

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use tokio::io::AsyncReadExt;

    use super::*;

    /// How long anything may take before the test fails.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// A service of a short answer at `/` and an endless one at `/flood`, and its end.
    async fn service(limits: Limits) -> (std::net::SocketAddr, State) {
        let state = State::for_tests("a-token-that-is-long-enough");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address");
        let address = listener.local_addr().expect("an address");
        let block = axum::body::Bytes::from(vec![b'x'; 1 << 20]);
        let flood = move || async move {
            Body::from_stream(futures::stream::repeat_with(move || Ok::<_, std::io::Error>(block.clone())))
        };
        let router = Router::new().route("/", get(async || "hello")).route("/flood", get(flood));
        tokio::spawn(serve(listener, router, state.clone(), limits));
        (address, state)
    }

    async fn connect(address: std::net::SocketAddr, said: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.expect("connects");
        // It may close before it has read all.
        let _ = stream.write_all(said.as_bytes()).await;
        stream
    }

    /// What comes until the other end closes.
    async fn rest(mut stream: TcpStream) -> String {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
        let _ = read.expect("the connection is closed");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A short answer over a connection of its own, as soon as there is a place for it.
    async fn answered(address: std::net::SocketAddr) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let stream = connect(address, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
            if rest(stream).await.ends_with("hello") {
                return;
            }
            assert!(tokio::time::Instant::now() < deadline, "there is never a place");
            tokio::task::yield_now().await;
        }
    }

    fn limits() -> Limits {
        Limits { connections: 1, head: PATIENCE, write: PATIENCE }
    }

    #[tokio::test]
    async fn a_head_that_does_not_come_to_an_end_gives_its_place_back() {
        let (address, _) = service(Limits { head: Duration::from_millis(100), ..limits() }).await;
        for said in ["", "GET", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
            rest(connect(address, said).await).await;
        }
        answered(address).await;
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_its_answer_is_let_go() {
        let (address, _) = service(Limits { write: Duration::from_millis(100), ..limits() }).await;
        let _slow = connect(address, "GET /flood HTTP/1.1\r\nHost: x\r\n\r\n").await;
        answered(address).await;
    }

    #[tokio::test]
    async fn more_connections_than_there_are_places_are_told_so() {
        let (address, _) = service(limits()).await;
        let first = connect(address, "GET").await;
        let told = rest(connect(address, "").await).await;
        assert!(told.starts_with("HTTP/1.1 503 "), "{told}");
        let (head, body) = told.split_once("\r\n\r\n").expect("a head");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{told}");
        drop(first);
        answered(address).await;
    }

    #[tokio::test]
    async fn nonsense_is_refused_and_harms_nobody() {
        let (address, _) = service(limits()).await;
        let long = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "y".repeat(4 * LARGEST_HEAD));
        for said in
            ["\u{0}\u{1}\u{2}\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "{\"jsonrpc\":\"2.0\"}\r\n\r\n", long.as_str()]
        {
            let told = rest(connect(address, said).await).await;
            assert!(told.is_empty() || told.starts_with("HTTP/1.1 4"), "{told}");
        }
        answered(address).await;
    }

    #[tokio::test]
    async fn connections_close_when_the_service_does() {
        let (address, state) = service(limits()).await;
        let idle = connect(address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        state.stopping().cancel();
        state.finish_calls(PATIENCE).await;
        rest(idle).await;
        assert!(TcpStream::connect(address).await.is_err(), "nobody listens");
    }
}
