//! The probes: whether the process is alive, and whether it accepts sessions. They tell nothing else, and so need no token.

use axum::Router;
use axum::extract::State as Of;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;

use super::answer::plain;
use super::state::State;

pub(super) fn routes() -> Router<State> {
    Router::new().route("/healthz", get(async || plain(StatusCode::OK, "alive"))).route("/readyz", get(ready))
}

async fn ready(Of(state): Of<State>) -> Response {
    if state.stopping().is_cancelled() {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "ending");
    }
    plain(StatusCode::OK, "ready")
}
