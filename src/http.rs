//! The HTTP face: MCP over streamable HTTP behind a token, a page for people, probes and metrics.
//!
//! Invariants:
//! - Nothing but the probes is answered without the token, or a cookie that was given for it.
//! - Nothing but the probes is answered under a name that is not this service's own: a page of somebody else's, or a name
//!   that was made to lead here, reaches nothing.
//! - A session's workspaces lie in the roots that the service was started with, whatever a later call names.
//! - Head, body and answer of a request each have a deadline, and connections a limit.
//! - A client that is gone ends its waiting, never a write.

mod agent;
pub mod answer;
pub mod body;
mod connections;
mod cookies;
pub mod guard;
mod health;
mod metrics;
mod names;
mod page;
mod place;
mod state;
mod token;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use connections::Limits;
pub use cookies::Cookies;
pub use names::Names;
pub use state::State;
pub use token::{Token, TokenError};

use crate::service::Service;
use crate::session::{Allowed, Roots};

/// How long calls under way have once the service ends; after that nobody waits for verdicts any more.
const FAREWELL: Duration = Duration::from_secs(10);
/// How long everything else has then.
const CLOSING: Duration = Duration::from_secs(2);

/// How to serve.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// What a client must know.
    pub token: Token,
    /// Where workspaces must lie.
    pub roots: Roots,
    /// What sessions may do beside working on files.
    pub allowed: Allowed,
    /// Further names under which the service is reached.
    pub names: Vec<String>,
    /// A session that is not used for so long ends.
    pub idle: Duration,
}

/// A bound address: clients can connect, and wait.
#[derive(Debug)]
pub struct HttpFace {
    listener: TcpListener,
    options: HttpOptions,
}

impl HttpFace {
    /// Takes `address`.
    ///
    /// # Errors
    /// When it cannot be had.
    pub async fn bind(address: SocketAddr, options: HttpOptions) -> io::Result<HttpFace> {
        Ok(HttpFace { listener: TcpListener::bind(address).await?, options })
    }

    /// The address that it has.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is cancelled; then calls under way are finished.
    ///
    /// # Errors
    /// When the address is lost.
    pub async fn serve(self, service: Service, stop: CancellationToken) -> io::Result<()> {
        let HttpFace { listener, options } = self;
        let names = Names::new(listener.local_addr()?.ip(), &options.names);
        let state = State::new(service, options, names, stop);
        let connections = connections::serve(listener, router(&state), state.clone(), Limits::default());
        let served = tokio::spawn(connections);
        state.stopping().cancelled().await;
        tracing::info!("ending; calls under way are finished");
        state.finish_calls(FAREWELL).await;
        let _ = tokio::time::timeout(CLOSING, served).await;
        Ok(())
    }
}

/// All that is answered.
fn router(state: &State) -> Router {
    let guarded = Router::new()
        .merge(agent::routes(state))
        .merge(metrics::routes(state))
        .merge(page::routes(state))
        .fallback(async || answer::plain(StatusCode::NOT_FOUND, "there is nothing here; MCP is at /mcp"))
        .layer(from_fn_with_state(state.clone(), guard::known_names));
    Router::new().merge(health::routes()).merge(guarded).with_state(state.clone())
}
