//! A reader that puts another request in the place of one that is too long to take, or cannot be understood.
//!
//! The SDK drops such lines without a word, or answers without an id, and the client waits for ever. Here a short
//! request of our own with the line's `id` is handed on, which the face refuses in so many words. What has no `id` is
//! left as it is: nobody waits for an answer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::model::ClientJsonRpcMessage;
use serde_json::json;
use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::head::Head;

/// The longest message that is taken. Bytes.
pub const LONGEST: usize = 16 << 20;
/// The method of the request that stands for a line too long.
pub(super) const OVERSIZED: &str = "landfall/oversized";
/// The method of the request that stands for one that is no JSON; `why` is what is wrong with it.
pub(super) const UNREADABLE: &str = "landfall/unreadable";
/// The method of the request that stands for one that the protocol does not know.
pub(super) const MISSHAPEN: &str = "landfall/misshapen";

/// Passes lines of at most [`LONGEST`] bytes on; see the module.
pub(super) struct BoundedLines<R> {
    inner: BufReader<R>,
    line: Vec<u8>,
    /// Bytes of `line` that were handed on.
    handed: usize,
    /// Whether `line` is complete and being handed on.
    ready: bool,
    /// What is known of the present line, which is too long: the rest of it is dropped.
    dropping: Option<Head>,
    longest: usize,
    ended: CancellationToken,
}

impl<R: AsyncRead> BoundedLines<R> {
    /// Reads lines from `inner`.
    pub(super) fn new(inner: R) -> BoundedLines<R> {
        BoundedLines::with_longest(inner, LONGEST)
    }

    fn with_longest(inner: R, longest: usize) -> BoundedLines<R> {
        BoundedLines {
            inner: BufReader::new(inner),
            line: Vec::new(),
            handed: 0,
            ready: false,
            dropping: None,
            longest,
            ended: CancellationToken::new(),
        }
    }

    /// Cancelled once there is nothing more to read: the other end is gone, or has said all it had to.
    pub(super) fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Takes what the reader holds, up to the end of a line; how many bytes that were.
    fn take(&mut self, held: &[u8]) -> usize {
        let newline = memchr::memchr(b'\n', held);
        let part = &held[..newline.map_or(held.len(), |at| at + 1)];
        self.ready = newline.is_some();
        match &mut self.dropping {
            Some(head) => head.read(part),
            None => self.line.extend_from_slice(part),
        }
        if self.line.len() > self.longest {
            let mut head = Head::default();
            head.read(&self.line);
            self.line = Vec::new();
            self.dropping = Some(head);
        }
        if self.ready {
            match self.dropping.take() {
                Some(head) => self.line = stand_in(&head, OVERSIZED, "").unwrap_or_else(|| b"\n".to_vec()),
                None => self.understand(),
            }
        }
        part.len()
    }

    /// Puts another request in the place of one that the SDK would not answer.
    fn understand(&mut self) {
        // As the SDK reads it, so that what it can read is left alone.
        let text = self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line);
        let Err(error) = serde_json::from_slice::<ClientJsonRpcMessage>(text) else { return };
        let mut head = Head::default();
        head.read(text);
        let method = if error.is_data() { MISSHAPEN } else { UNREADABLE };
        if let Some(request) = stand_in(&head, method, &error.to_string()) {
            self.line = request;
        }
    }
}

/// A request with the id of the one that was read; `None` where there is none: a notification needs no answer.
fn stand_in(head: &Head, method: &str, why: &str) -> Option<Vec<u8>> {
    let id = head.request()?;
    let params = if why.is_empty() { json!({}) } else { json!({ "why": why }) };
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    Some(format!("{request}\n").into_bytes())
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while !this.ready {
            let filled = ready!(Pin::new(&mut this.inner).poll_fill_buf(cx));
            let held = filled.inspect_err(|_| this.ended.cancel())?;
            if held.is_empty() {
                this.ended.cancel();
                break;
            }
            let held = held.to_vec();
            let taken = this.take(&held);
            Pin::new(&mut this.inner).consume(taken);
        }
        let left = &this.line[this.handed..];
        let part = &left[..left.len().min(out.remaining())];
        out.put_slice(part);
        this.handed += part.len();
        if this.handed == this.line.len() {
            this.line.clear();
            this.line.shrink_to(1 << 20);
            (this.handed, this.ready) = (0, false);
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::io::AsyncReadExt;

    use super::*;

    /// What is passed on, line by line, with at most 90 bytes of each.
    async fn read(input: &[u8]) -> Vec<String> {
        let mut out = Vec::new();
        BoundedLines::with_longest(input, 90).read_to_end(&mut out).await.expect("reads");
        String::from_utf8_lossy(&out).split_inclusive('\n').map(str::to_owned).collect()
    }

    fn stood_in(line: &str) -> (Value, String) {
        let request: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        (request["id"].clone(), request["method"].as_str().expect("a method").to_owned())
    }

    #[tokio::test]
    async fn short_lines_pass_and_requests_too_long_are_stood_in_for() {
        let long = "y".repeat(100_000);
        let first = format!("{{\"id\":\"x7\",\"method\":\"m\",\"data\":\"{long}\"}}\n");
        let last = format!("{{\"method\":\"m\",\"data\":{{\"id\":1,\"text\":\"{long}\"}},\"id\":8}}\n");
        let input = format!("first\n{first}{last}{long}\nno newline");
        let read = read(input.as_bytes()).await;
        assert_eq!((read[0].as_str(), &read[3..]), ("first\n", ["\n".to_owned(), "no newline".to_owned()].as_slice()));
        assert_eq!(stood_in(&read[1]), (json!("x7"), OVERSIZED.to_owned()));
        assert_eq!(stood_in(&read[2]), (json!(8), OVERSIZED.to_owned()));
    }

    #[tokio::test]
    async fn requests_that_cannot_be_understood_are_stood_in_for_and_nothing_else() {
        let deep = format!("{{\"id\":3,\"method\":\"m\",\"params\":{}", "[".repeat(40));
        for (line, expected) in [
            (&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n"[..], None),
            (b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n", None),
            (b"{\"id\":1,\"method\":\"m\",\"params\":{\"a\":\"\\ud800\"}}\n", Some((1, UNREADABLE))),
            (b"{\"id\":1,\"method\":\"m\",\"params\":{\"a\":\"\xff\"}}\n", Some((1, UNREADABLE))),
            (b"{\"id\":2,\"method\":\"m\",\"params\":{]}\n", Some((2, UNREADABLE))),
            (format!("{deep}\n").as_bytes(), Some((3, UNREADABLE))),
            (b"{\"jsonrpc\":\"1.0\",\"id\":4,\"method\":\"m\"}\n", Some((4, MISSHAPEN))),
            (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"m\",\"params\":[1]}\n", Some((5, MISSHAPEN))),
            (b"{\"id\":6,\"result\":{]}\n", None),
            (b"\0\0\n", None),
            (b"[]\n", None),
        ] {
            let read = read(line).await;
            match expected {
                Some((id, method)) => assert_eq!(stood_in(&read[0]), (json!(id), method.to_owned()), "{line:?}"),
                None => assert_eq!(read, [String::from_utf8_lossy(line).into_owned()]),
            }
        }
    }
}
