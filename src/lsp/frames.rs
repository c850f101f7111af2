//! Frames of the language-server protocol: bytes to messages, forgiving towards what language servers really print.
//!
//! Invariant: nothing is allocated on the word of a header, and whatever stands between two frames is skipped.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::bytes::{Buf, BytesMut};
use tokio_util::codec::Decoder;

/// A longer message is refused: its header is passed over and reading goes on behind it. Bytes.
const LARGEST_MESSAGE: usize = 256 << 20;
/// A header block longer than this is no header block. Bytes.
const LONGEST_HEADER: usize = 4 << 10;
const LENGTH: &[u8] = b"content-length:";

/// A message of the other end.
#[derive(Debug)]
pub(super) enum Incoming {
    /// It wants an answer.
    Request { id: Value, method: String, params: Box<RawValue> },
    /// It wants none.
    Notification { method: String, params: Box<RawValue> },
    /// The answer to one of our requests.
    Answer { id: i64, outcome: Result<Box<RawValue>, AnsweredError> },
}

/// An error that a language server gave as its answer.
#[derive(Debug, Clone, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct AnsweredError {
    /// The protocol's number for it.
    #[serde(default)]
    pub code: i64,
    /// What it says.
    #[serde(default)]
    pub message: String,
}

/// The message as one frame.
pub(super) fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body.as_bytes());
    frame
}

/// Reads frames.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// A header that was read and whose body is not complete.
    header: Option<Header>,
    /// Bytes that were passed over because they were no message.
    pub(super) skipped: u64,
}

#[derive(Debug, Clone, Copy)]
struct Header {
    /// Length of the header block, its blank line included.
    block: usize,
    body: usize,
}

impl Decoder for Frames {
    type Item = Incoming;
    type Error = std::io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> Result<Option<Incoming>, std::io::Error> {
        loop {
            let header = match self.header {
                Some(header) => header,
                None => match self.find_header(bytes) {
                    Some(header) => header,
                    None => return Ok(None),
                },
            };
            if bytes.len() < header.block + header.body {
                self.header = Some(header);
                return Ok(None);
            }
            self.header = None;
            match parse(&bytes[header.block..header.block + header.body]) {
                Some(message) => {
                    bytes.advance(header.block + header.body);
                    return Ok(Some(message));
                }
                // The length may have been wrong, so the next frame may begin inside what it covered.
                None => self.skip(bytes, LENGTH.len()),
            }
        }
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> Result<Option<Incoming>, std::io::Error> {
        let message = self.decode(bytes);
        if matches!(message, Ok(None)) {
            bytes.clear();
        }
        message
    }
}

impl Frames {
    fn skip(&mut self, bytes: &mut BytesMut, count: usize) {
        self.skipped += count as u64;
        bytes.advance(count);
    }

    /// Drops what stands before the next header; `None` when it is not complete yet.
    fn find_header(&mut self, bytes: &mut BytesMut) -> Option<Header> {
        loop {
            let Some(at) = find_length(bytes) else {
                let junk = bytes.len().saturating_sub(LENGTH.len());
                self.skip(bytes, junk);
                return None;
            };
            self.skip(bytes, at);
            match read_header(bytes) {
                HeaderRead::Complete(header) => return Some(header),
                HeaderRead::Incomplete => return None,
                HeaderRead::Wrong => self.skip(bytes, LENGTH.len()),
            }
        }
    }
}

enum HeaderRead {
    Complete(Header),
    Incomplete,
    Wrong,
}

fn find_length(bytes: &[u8]) -> Option<usize> {
    let name = LENGTH.len() - 1;
    memchr::memchr_iter(b':', bytes)
        .find(|colon| *colon >= name && bytes[colon - name..=*colon].eq_ignore_ascii_case(LENGTH))
        .map(|colon| colon - name)
}

/// Reads a header block that begins with its length. Lines may end with `\n` alone.
fn read_header(bytes: &[u8]) -> HeaderRead {
    let mut at = 0;
    let mut body = None;
    for end in memchr::memchr_iter(b'\n', &bytes[..bytes.len().min(LONGEST_HEADER)]) {
        let line = bytes[at..end].trim_ascii();
        at = end + 1;
        match body {
            None => match std::str::from_utf8(&line[LENGTH.len()..]).map(|number| number.trim().parse::<usize>()) {
                Ok(Ok(length)) if length <= LARGEST_MESSAGE => body = Some(length),
                _ => return HeaderRead::Wrong,
            },
            Some(body) if line.is_empty() => return HeaderRead::Complete(Header { block: at, body }),
            Some(_) if !line.contains(&b':') => return HeaderRead::Wrong,
            Some(_) => {}
        }
    }
    if bytes.len() >= LONGEST_HEADER { HeaderRead::Wrong } else { HeaderRead::Incomplete }
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

fn parse(body: &[u8]) -> Option<Incoming> {
    let text = String::from_utf8_lossy(body);
    let envelope: Envelope = serde_json::from_str(&text).ok()?;
    let params = envelope.params.unwrap_or_default();
    match (envelope.method, envelope.id) {
        (Some(method), Some(id)) => Some(Incoming::Request { id, method, params }),
        (Some(method), None) => Some(Incoming::Notification { method, params }),
        (None, Some(id)) => {
            let id = id.as_i64().or_else(|| id.as_str()?.parse().ok())?;
            let outcome = match envelope.error {
                Some(error) => Err(serde_json::from_str(error.get())
                    .unwrap_or_else(|_| AnsweredError { code: 0, message: error.get().to_owned() })),
                None => Ok(envelope.result.unwrap_or_default()),
            };
            Some(Incoming::Answer { id, outcome })
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The methods and answered ids read from `bytes`, handed over in pieces of `step`.
    fn read(bytes: &[u8], step: usize) -> Vec<String> {
        let (mut frames, mut buffer, mut found) = (Frames::default(), BytesMut::new(), Vec::new());
        for piece in bytes.chunks(step) {
            buffer.extend_from_slice(piece);
            while let Some(message) = frames.decode(&mut buffer).expect("never fails") {
                found.push(match message {
                    Incoming::Request { id, method, .. } => format!("{method}#{id}"),
                    Incoming::Notification { method, .. } => method,
                    Incoming::Answer { id, outcome } => {
                        format!("{id}:{}", outcome.map_or_else(|e| e.message, |r| r.get().into()))
                    }
                });
            }
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_is_no_message_is_skipped() {
        let note = framed(r#"{"jsonrpc":"2.0","method":"a"}"#);
        let cases = [
            ("plain", format!("{note}{note}"), vec!["a", "a"]),
            ("junk lines", format!("java.lang.OutOfMemoryError: heap\n\tat x.Y\n{note}"), vec!["a"]),
            ("junk without a newline", format!("warning: x{note}"), vec!["a"]),
            ("line feeds only", "Content-Length: 14\n\n{\"method\":\"b\"}".to_owned(), vec!["b"]),
            (
                "another header",
                "content-length: 14\r\nContent-Type: x; charset=utf-8\r\n\r\n{\"method\":\"b\"}".to_owned(),
                vec!["b"],
            ),
            ("header before it", format!("Content-Type: x\r\n{note}"), vec!["a"]),
            ("bad JSON", format!("{}{note}", framed("{oops")), vec!["a"]),
            ("100 GB", format!("Content-Length: 100000000000\r\n\r\n{{}}{note}"), vec!["a"]),
            ("more than any integer", format!("Content-Length: {}\r\n\r\n{note}", "9".repeat(40)), vec!["a"]),
            ("no number", format!("Content-Length: x\r\n\r\n{note}"), vec!["a"]),
            ("negative", format!("Content-Length: -1\r\n\r\n{note}"), vec!["a"]),
            ("too short a length", format!("Content-Length: 5\r\n\r\n{{\"method\":\"lost\"}}{note}"), vec!["a"]),
            (
                "too long a length",
                format!("Content-Length: 18\r\n\r\n{{\"method\":\"lost\"}}{note}{note}"),
                vec!["a", "a"],
            ),
            ("no jsonrpc, string id", framed(r#"{"id":"7","result":null}"#), vec!["7:null"]),
            ("error answer", framed(r#"{"id":8,"error":{"code":-32801,"message":"modified"}}"#), vec!["8:modified"]),
            ("odd error", framed(r#"{"id":9,"error":"no"}"#), vec!["9:\"no\""]),
            ("request", framed(r#"{"id":"x","method":"m","params":[1]}"#), vec!["m#\"x\""]),
            ("neither method nor id", format!("{}{note}", framed("{}")), vec!["a"]),
        ];
        for (name, bytes, expected) in cases {
            for step in [1, 7, bytes.len()] {
                assert_eq!(read(bytes.as_bytes(), step), expected, "{name}, {step} bytes at a time");
            }
        }
    }

    #[test]
    fn text_that_is_not_utf8_does_not_cost_the_message() {
        let body = b"{\"method\":\"a\",\"params\":{\"message\":\"caf\xE9\"}}";
        let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        assert_eq!(read(&bytes, 3), ["a"]);
    }

    #[test]
    fn junk_is_not_kept() {
        let (mut frames, mut buffer) = (Frames::default(), BytesMut::new());
        for _ in 0..1000 {
            buffer.extend_from_slice(&[b'x'; 1000]);
            assert!(frames.decode(&mut buffer).expect("never fails").is_none());
            assert!(buffer.len() < 32);
        }
        assert!(frames.skipped > 990_000);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_before_a_message_leave_it_readable(junk in proptest::collection::vec(proptest::num::u8::ANY, 0..80)) {
            let mut bytes = junk;
            bytes.extend_from_slice(framed(r#"{"method":"a"}"#).as_bytes());
            let found = read(&bytes, 5);
            proptest::prop_assert_eq!(found.last().map(String::as_str), Some("a"));
        }
    }
}
