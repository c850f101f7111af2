//! A reader that comes to its end when it is told to: what was begun is finished, and nothing new is heard of.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Reads from `R` until a token is cancelled.
pub(super) struct Until<R> {
    inner: R,
    told: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl<R> Until<R> {
    /// Reads from `inner` until `stop` is cancelled.
    pub(super) fn stopped(inner: R, stop: &CancellationToken) -> Until<R> {
        Until { inner, told: Box::pin(stop.clone().cancelled_owned()) }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Until<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.told.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.inner).poll_read(cx, out)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn it_ends_when_it_is_told_to() {
        let (mut far, near) = tokio::io::duplex(64);
        let stop = CancellationToken::new();
        let mut reader = Until::stopped(near, &stop);
        far.write_all(b"abc").await.expect("written");
        let mut text = [0; 3];
        reader.read_exact(&mut text).await.expect("read");
        let rest = tokio::spawn(async move { reader.read_to_end(&mut Vec::new()).await });
        stop.cancel();
        assert_eq!(rest.await.expect("ends").expect("well"), 0);
    }
}
