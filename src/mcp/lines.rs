//! A reader that turns a line too long to take into a request that is answered with an error.
//!
//! The SDK drops such lines without a word, and the client waits for ever. Here the line's `id` is looked for in its
//! head, and a short request of our own takes its place, which the face refuses in so many words.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};
use tokio_util::sync::CancellationToken;

/// The longest message that is taken. Bytes.
pub const LONGEST: usize = 16 << 20;
/// The method of the request that stands for a line too long.
pub(super) const OVERSIZED: &str = "landfall/oversized";
/// How much of a line is searched for its `id`, bytes.
const HEAD: usize = 4096;

/// Passes lines of at most [`LONGEST`] bytes on; see the module.
pub(super) struct BoundedLines<R> {
    inner: BufReader<R>,
    line: Vec<u8>,
    /// Bytes of `line` that were handed on.
    handed: usize,
    /// Whether `line` is complete and being handed on.
    ready: bool,
    /// Whether the rest of the present line is dropped.
    dropping: bool,
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
            dropping: false,
            longest,
            ended: CancellationToken::new(),
        }
    }

    /// Cancelled once there is nothing more to read: the other end is gone, or has said all it had to.
    pub(super) fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Takes what the reader holds; whether a whole line is ready.
    fn take(&mut self, held: &[u8]) -> usize {
        let newline = memchr::memchr(b'\n', held);
        let part = &held[..newline.map_or(held.len(), |at| at + 1)];
        if self.dropping {
            self.ready = newline.is_some();
            self.dropping = newline.is_none();
            return part.len();
        }
        self.line.extend_from_slice(part);
        self.ready = newline.is_some();
        if self.line.len() > self.longest {
            self.line = stand_in(&self.line[..self.line.len().min(HEAD)]);
            self.dropping = newline.is_none();
        }
        part.len()
    }
}

/// A request with the id found in `head`, or nothing where there is none: a notification needs no answer.
fn stand_in(head: &[u8]) -> Vec<u8> {
    match find_id(&String::from_utf8_lossy(head)) {
        Some(id) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{OVERSIZED}\"}}\n").into_bytes(),
        None => b"\n".to_vec(),
    }
}

fn find_id(head: &str) -> Option<String> {
    let value = head.split_once("\"id\"")?.1.trim_start().strip_prefix(':')?;
    match serde_json::Deserializer::from_str(value).into_iter::<serde_json::Value>().next()?.ok()? {
        id @ (serde_json::Value::Number(_) | serde_json::Value::String(_)) => Some(id.to_string()),
        _ => None,
    }
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
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn read(input: &[u8]) -> String {
        let mut out = String::new();
        BoundedLines::with_longest(input, 40).read_to_string(&mut out).await.expect("reads");
        out
    }

    #[tokio::test]
    async fn short_lines_pass_and_long_ones_are_stood_in_for() {
        let long = format!("{{\"id\": \"x7\", \"data\": \"{}\"}}\n", "y".repeat(100_000));
        let input = format!("{{\"id\":1}}\n{long}{{\"id\":2}}\nno newline");
        let stand_in = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"x7\",\"method\":\"{OVERSIZED}\"}}\n");
        assert_eq!(read(input.as_bytes()).await, format!("{{\"id\":1}}\n{stand_in}{{\"id\":2}}\nno newline"));
    }

    #[tokio::test]
    async fn a_long_line_without_an_id_becomes_an_empty_one() {
        assert_eq!(read(format!("{}\nnext\n", "z".repeat(99)).as_bytes()).await, "\nnext\n");
    }
}
