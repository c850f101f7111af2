//! A session of single calls: one line for each, answered by one, in order.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use super::Answer;
use super::wire::{CallLine, line};
use crate::report::{Reply, ToolError};
use crate::session::Session;

/// The longest line of a call. Bytes.
const LONGEST: u64 = 16 << 20;
/// What a line must be.
const SHAPE: &str = "each line is {\"tool\": NAME, \"arguments\": {…}}";

/// Answers the calls that come over `input` until it ends, or `stop` is cancelled between two of them.
///
/// # Errors
/// When the client is gone.
pub(super) async fn serve_calls(
    session: Session,
    mut input: impl AsyncBufRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
    stop: &CancellationToken,
) -> io::Result<()> {
    loop {
        let text = tokio::select! {
            read = read_line(&mut input) => read?,
            () = stop.cancelled() => return Ok(()),
        };
        let reply = match text {
            Line::Ended => return Ok(()),
            Line::TooLong => not_understood(format!("it has more than {} MiB", LONGEST >> 20)),
            Line::Whole(text) => match serde_json::from_slice::<CallLine>(&text) {
                Ok(call) => carry_out(&session, call, &mut input).await?,
                Err(error) => not_understood(error.to_string()),
            },
        };
        output.write_all(&line(&Answer::from(reply))).await?;
    }
}

enum Line {
    Ended,
    Whole(Vec<u8>),
    TooLong,
}

async fn read_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Line> {
    let mut text = Vec::new();
    let mut length = 0;
    loop {
        text.clear();
        let read = (&mut *input).take(LONGEST).read_until(b'\n', &mut text).await?;
        length += read as u64;
        // What has no newline is the last there is, or goes on.
        match (text.ends_with(b"\n") || (read as u64) < LONGEST, length <= LONGEST) {
            (true, _) if length == 0 => return Ok(Line::Ended),
            (true, true) => return Ok(Line::Whole(text)),
            (true, false) => return Ok(Line::TooLong),
            (false, _) => {}
        }
    }
}

async fn carry_out(session: &Session, call: CallLine, input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Reply> {
    let cancel = CancellationToken::new();
    let _gone = cancel.clone().drop_guard();
    let carried_out = session.call(&call.tool, call.arguments, cancel.clone());
    tokio::pin!(carried_out);
    tokio::select! {
        reply = &mut carried_out => Ok(reply),
        // Whoever is gone needs no verdict; what is being written is written all the same.
        held = input.fill_buf() => {
            if held?.is_empty() {
                cancel.cancel();
            }
            Ok(carried_out.await)
        }
    }
}

fn not_understood(why: String) -> Reply {
    let message = format!("the line is not understood, and nothing was done: {why}");
    Reply::refused(&ToolError::caller("not_understood", message).hint(SHAPE), false)
}
