//! MCP over our own standard input and output.

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;

use super::McpFace;
use super::lines::BoundedLines;

/// Serves `face` until the client closes our standard input.
///
/// # Errors
/// When the client breaks the protocol's opening.
pub async fn serve_stdio(face: McpFace) -> Result<(), Box<ServerInitializeError>> {
    // Pipes are driven by the reactor: a pending read of tokio's stdin could not be cancelled and would hold up our end.
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::new_server(BoundedLines::new(input), output).with_max_line_length(usize::MAX);
    let running = match face.serve(transport).await {
        Ok(running) => running,
        // Nobody ever spoke: a client that went away at once is no fault.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Box::new(error)),
    };
    if let Err(error) = running.waiting().await {
        tracing::error!(%error, "the MCP connection ended with a panic");
    }
    Ok(())
}
