//! The connection to one language server: what goes out in order, what comes in, and which answer belongs to whom.
//!
//! Reading never waits for writing: two full pipes can't lock each other. What a language server does not take off its
//! input is kept up to a bound; past it the connection is given up.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures::StreamExt;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, oneshot};
use tokio_util::codec::FramedRead;

use super::frames::{AnsweredError, Frames, Incoming, frame};

/// More than this waiting to be written means that the other end has stopped reading. Bytes.
const LARGEST_BACKLOG: usize = 256 << 20;

/// What is done with the language server's own messages. Called in the order of arrival, and must not block.
pub(super) trait Inbox: Send + Sync + 'static {
    /// A notification.
    fn notification(&self, method: &str, params: &RawValue);
    /// A request; what is returned is its answer.
    fn request(&self, method: &str, params: &RawValue) -> Result<Value, AnsweredError>;
    /// The connection has ended; nothing comes after it.
    fn closed(&self, why: &str);
}

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RequestError {
    /// The language server said so.
    #[error(transparent)]
    Answered(#[from] AnsweredError),
    /// The connection ended first.
    #[error("the language server is gone")]
    Gone,
}

/// A connection. A cheap handle.
#[derive(Clone)]
pub(super) struct Connection {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    to_write: Notify,
    inbox: Arc<dyn Inbox>,
}

#[derive(Default)]
struct State {
    outgoing: VecDeque<Vec<u8>>,
    backlog: usize,
    closed: bool,
    last_id: i64,
    asked: HashMap<i64, oneshot::Sender<Result<Box<RawValue>, AnsweredError>>>,
}

impl Connection {
    /// Talks over `reader` and `writer` until one of them ends.
    pub(super) fn open(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        inbox: Arc<dyn Inbox>,
    ) -> Connection {
        let shared = Arc::new(Shared { state: Mutex::default(), to_write: Notify::new(), inbox });
        tokio::spawn(read(Arc::clone(&shared), reader));
        tokio::spawn(write(Arc::clone(&shared), writer));
        Connection { shared }
    }

    /// Sends a notification, after everything sent before it.
    pub(super) fn notify(&self, method: &str, params: Value) {
        self.shared.enqueue(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, before this returns. Dropping the future cancels it at the language server.
    pub(super) fn request(&self, method: &str, params: Value) -> Answer {
        let (sender, receiver) = oneshot::channel();
        let id = {
            let mut state = self.shared.lock();
            state.last_id += 1;
            let id = state.last_id;
            if !state.closed {
                state.asked.insert(id, sender);
            }
            id
        };
        self.shared.enqueue(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        Answer { id, receiver, shared: Arc::clone(&self.shared) }
    }

    /// Ends it; whoever still waits for an answer learns that there is none.
    pub(super) fn close(&self, why: &str) {
        self.shared.close(why);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(&self, message: &Value) {
        let frame = frame(message);
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.backlog += frame.len();
        let too_much = state.backlog > LARGEST_BACKLOG;
        state.outgoing.push_back(frame);
        drop(state);
        if too_much {
            self.close("it does not read its input");
        }
        self.to_write.notify_one();
    }

    fn close(&self, why: &str) {
        let asked = {
            let mut state = self.lock();
            if std::mem::replace(&mut state.closed, true) {
                return;
            }
            state.outgoing.clear();
            std::mem::take(&mut state.asked)
        };
        drop(asked);
        self.to_write.notify_one();
        self.inbox.closed(why);
    }

    fn take(&self, message: Incoming) {
        match message {
            Incoming::Notification { method, params } => self.inbox.notification(&method, &params),
            Incoming::Request { id, method, params } => {
                let answer = match self.inbox.request(&method, &params) {
                    Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    Err(error) => {
                        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": error.code, "message": error.message } })
                    }
                };
                self.enqueue(&answer);
            }
            Incoming::Answer { id, outcome } => {
                let asked = self.lock().asked.remove(&id);
                if let Some(asked) = asked {
                    // Whoever asked may have stopped waiting a moment ago.
                    let _ = asked.send(outcome);
                }
            }
        }
    }
}

async fn read(shared: Arc<Shared>, reader: impl AsyncRead + Send + Unpin) {
    let mut frames = FramedRead::with_capacity(reader, Frames::default(), 64 << 10);
    let why = loop {
        match frames.next().await {
            Some(Ok(message)) => shared.take(message),
            Some(Err(error)) => break error.to_string(),
            None => break "it closed its output".to_owned(),
        }
        if shared.lock().closed {
            return;
        }
    };
    if frames.decoder().skipped > 0 {
        tracing::debug!(bytes = frames.decoder().skipped, "a language server printed what is no message");
    }
    shared.close(&why);
}

async fn write(shared: Arc<Shared>, mut writer: impl AsyncWrite + Send + Unpin) {
    loop {
        let batch = {
            let mut state = shared.lock();
            if state.closed && state.outgoing.is_empty() {
                break;
            }
            state.backlog = 0;
            std::mem::take(&mut state.outgoing)
        };
        if batch.is_empty() {
            shared.to_write.notified().await;
            continue;
        }
        for frame in batch {
            // Reading tells of an end sooner and with a reason; a broken pipe only stops the writing.
            if writer.write_all(&frame).await.is_err() {
                return;
            }
        }
        if writer.flush().await.is_err() {
            return;
        }
    }
    let _ = writer.shutdown().await;
}

/// The answer to a request, to be awaited.
pub(super) struct Answer {
    id: i64,
    receiver: oneshot::Receiver<Result<Box<RawValue>, AnsweredError>>,
    shared: Arc<Shared>,
}

impl Future for Answer {
    type Output = Result<Box<RawValue>, RequestError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receiver).poll(context).map(|received| match received {
            Ok(outcome) => outcome.map_err(RequestError::from),
            Err(_) => Err(RequestError::Gone),
        })
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        let unanswered = self.shared.lock().asked.remove(&self.id).is_some();
        if unanswered {
            self.shared.enqueue(&json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": self.id } }));
        }
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Connection").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[derive(Default)]
    struct Silent;

    impl Inbox for Silent {
        fn notification(&self, _: &str, _: &RawValue) {}
        fn request(&self, method: &str, _: &RawValue) -> Result<Value, AnsweredError> {
            Ok(json!(method))
        }
        fn closed(&self, _: &str) {}
    }

    fn connect(capacity: usize) -> (Connection, tokio::io::DuplexStream) {
        let (near, far) = tokio::io::duplex(capacity);
        let (reader, writer) = tokio::io::split(near);
        (Connection::open(reader, writer, Arc::new(Silent)), far)
    }

    async fn read_frame(far: &mut tokio::io::DuplexStream) -> Value {
        let mut header = Vec::new();
        while !header.ends_with(b"\r\n\r\n") {
            header.push(far.read_u8().await.expect("open"));
        }
        let text = String::from_utf8(header).expect("ASCII");
        let length = text.trim_start_matches("Content-Length: ").trim().parse().expect("a number");
        let mut body = vec![0; length];
        far.read_exact(&mut body).await.expect("whole");
        serde_json::from_slice(&body).expect("JSON")
    }

    #[tokio::test]
    async fn an_answer_finds_its_request_and_a_dropped_one_is_cancelled() {
        let (connection, mut far) = connect(1 << 16);
        let first = connection.request("a", json!({}));
        let second = connection.request("b", json!({}));
        drop(first);
        let sent = [read_frame(&mut far).await, read_frame(&mut far).await, read_frame(&mut far).await];
        assert_eq!((&sent[0]["method"], &sent[1]["method"]), (&json!("a"), &json!("b")));
        assert_eq!((&sent[2]["method"], &sent[2]["params"]["id"]), (&json!("$/cancelRequest"), &sent[0]["id"]));
        far.write_all(&frame(&json!({ "id": sent[1]["id"], "result": 5 }))).await.expect("open");
        assert_eq!(second.await.expect("answered").get(), "5");
    }

    #[tokio::test]
    async fn an_end_reaches_everybody_who_waits() {
        let (connection, far) = connect(1 << 16);
        let answer = connection.request("a", json!({}));
        drop(far);
        assert!(matches!(answer.await, Err(RequestError::Gone)));
        assert!(matches!(connection.request("late", json!({})).await, Err(RequestError::Gone)));
    }

    /// The far end writes before it reads anything, more than both pipes hold; a client that waits for room to answer
    /// before it reads on would stand still here.
    #[tokio::test]
    async fn two_full_pipes_do_not_lock_each_other() {
        let (connection, mut far) = connect(4 << 10);
        for _ in 0..100 {
            connection.notify("big", json!("x".repeat(1000)));
        }
        for id in 0..2000 {
            far.write_all(&frame(&json!({ "id": id, "method": "ask" }))).await.expect("open");
        }
        let mut answered = 0;
        while answered < 2000 {
            answered += usize::from(read_frame(&mut far).await["result"] == "ask");
        }
    }
}
