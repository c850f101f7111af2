//! MCP over our own standard input and output, or over any other pair of streams.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};

use super::McpFace;
use super::lines::BoundedLines;

/// How long calls are carried on after the last line of input: whoever pipes a few calls in closes it at once and still
/// wants their answers, while a client that goes away does not wait for a command that runs for minutes.
const GRACE: Duration = Duration::from_secs(1);

/// Serves `face` until the client closes our standard input.
///
/// # Errors
/// When the client breaks the protocol's opening.
pub async fn serve_stdio(face: McpFace) -> Result<(), Box<ServerInitializeError>> {
    // Pipes are driven by the reactor: a pending read of tokio's stdin could not be cancelled and would hold up our end.
    let (input, output) = stdio_pipes();
    serve_stream(face, input, output).await
}

/// Serves `face` until the client closes `input`.
///
/// # Errors
/// When the client breaks the protocol's opening.
pub async fn serve_stream(
    face: McpFace,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), Box<ServerInitializeError>> {
    let lines = BoundedLines::new(input);
    let (ended, gone) = (lines.ended(), face.gone());
    let transport = AsyncRwTransport::new_server(lines, output).with_max_line_length(usize::MAX);
    let running = match face.serve(transport).await {
        Ok(running) => running,
        // Nobody ever spoke: a client that went away at once is no fault.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Box::new(error)),
    };
    let cancel_calls = async {
        ended.cancelled().await;
        tokio::time::sleep(GRACE).await;
        gone.cancel();
        std::future::pending().await
    };
    let waited = tokio::select! {
        waited = running.waiting() => waited,
        never = cancel_calls => never,
    };
    if let Err(error) = waited {
        tracing::error!(%error, "the MCP connection ended with a panic");
    }
    Ok(())
}
