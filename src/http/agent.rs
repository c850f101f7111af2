//! `/mcp`: agents over streamable HTTP, in both eras of the protocol.
//!
//! A client that begins with `initialize` has a session until it deletes it or is idle for too long. One of the later
//! revision has none; its calls share one that is kept for their workspaces, or for the name it gives.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State as Of};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::any;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientJsonRpcMessage, CustomRequest, CustomResult, ErrorCode, ErrorData,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::answer::plain;
use super::place::{self, Place};
use super::state::State;
use super::{body, guard};
use crate::mcp::{LONGEST_MESSAGE, McpFace, SHAPE, refusal_of};
use crate::session::Session;
use crate::workspace::locks::Held;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// How often a stream on which nothing happens is shown to be alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(super) fn routes(state: &State) -> Router<State> {
    Router::new().route("/mcp", any(serve)).route_layer(from_fn_with_state(state.clone(), guard::with_token))
}

async fn serve(Of(state): Of<State>, request: Request) -> Response {
    match prepare(&state, request).await {
        Ok((face, request)) => {
            let mut config = StreamableHttpServerConfig::default()
                // Both are checked for all routes alike, in `guard`.
                .disable_allowed_hosts()
                .disable_allowed_origins()
                .with_sse_keep_alive(Some(KEEP_ALIVE))
                .with_max_request_body_bytes(LONGEST_MESSAGE);
            config.cancellation_token = state.closing().child_token();
            let connected = Arc::clone(&state.agents().connected);
            let service = StreamableHttpService::new(move || Ok(face.clone()), connected, config);
            // An answer is waited for until it was taken; a stream for whatever may come has no end of its own.
            let answer = (request.method() == Method::POST).then(|| state.agents().under_way.token());
            let answer = (answer, request.extensions().get::<Turn>().cloned());
            let body = |body: BoxBody<Bytes, Infallible>| {
                Body::new(body.map_frame(move |frame| {
                    let _until_dropped = &answer;
                    frame
                }))
            };
            service.handle(request).await.map(body)
        }
        Err(refused) => *refused,
    }
}

/// Reads the request, and finds out where its agent works.
async fn prepare(state: &State, request: Request) -> Result<(AgentFace, Request), Box<Response>> {
    let (mut head, content) = request.into_parts();
    let place = Place::of(&head.uri, &head.headers, state.roots())?;
    // Whoever has a session has named its workspace when it began.
    if place.is_none() && !head.headers.contains_key(&SESSION_ID) {
        return Err(Box::new(place::unnamed(state.roots())));
    }
    let structured = place::wants_structured(&head.headers);
    let content = body::read(content, LONGEST_MESSAGE).await?;
    if head.method == Method::POST {
        match serde_json::from_slice::<ClientJsonRpcMessage>(&content) {
            Ok(message) => {
                if let Some(turn) = turn(state, &head.headers, &message).await {
                    head.extensions.insert(turn);
                }
            }
            Err(error) => return Err(Box::new(plain(StatusCode::BAD_REQUEST, misunderstood(&error)))),
        }
    }
    let face = AgentFace { state: state.clone(), place, structured, own: Arc::default() };
    Ok((face, Request::from_parts(head, Body::from(content))))
}

/// The turn of a request among those of its session that have its id. It is over when the request was carried out and
/// its answer was taken.
#[derive(Debug, Clone)]
struct Turn {
    _held: Arc<Held<(String, String)>>,
}

async fn turn(state: &State, headers: &HeaderMap, message: &ClientJsonRpcMessage) -> Option<Turn> {
    let session = headers.get(&SESSION_ID)?.to_str().ok()?.to_owned();
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let held = state.agents().asked.lock((session, request.id.to_string())).await;
    Some(Turn { _held: Arc::new(held) })
}

/// What is said of a body that is no message.
fn misunderstood(error: &serde_json::Error) -> String {
    match error.is_data() {
        true => format!("the body is no message of MCP, and nothing was done: send one at a time; {SHAPE}"),
        false => format!("the body is no JSON that can be read, and nothing was done: {error}"),
    }
}

/// One client, or one request of a client whose protocol has no sessions.
#[derive(Debug, Clone)]
struct AgentFace {
    state: State,
    place: Option<Place>,
    structured: bool,
    /// The session that was begun by `initialize`.
    own: Arc<OnceLock<Session>>,
}

impl AgentFace {
    fn face(&self) -> Result<McpFace, ErrorData> {
        let session = match (self.own.get(), &self.place) {
            (Some(own), _) => own.clone(),
            (None, Some(place)) => {
                let begin = || self.state.connect(place);
                self.state.agents().kept.session(place.clone(), begin).map_err(refused)?
            }
            (None, None) => return Err(refused("no workspace is named")),
        };
        let gone = self.state.agents().hurry.child_token();
        Ok(McpFace::new(session, self.structured).until(gone))
    }
}

fn refused(why: impl std::fmt::Display) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_REQUEST, format!("the session cannot begin: {why}"), None)
}

impl ServerHandler for AgentFace {
    fn get_info(&self) -> ServerConfig {
        McpFace::about()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let place = self.place.as_ref().ok_or_else(|| refused("no workspace is named"))?;
        let session = self.state.connect(place).map_err(refused)?;
        let _ = self.own.set(session);
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.face()?.list_tools(request, context).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let face = self.face()?;
        // A task of its own: it is finished whatever becomes of the connection, and the service waits for it at its end.
        let call = self.state.agents().under_way.spawn(async move { face.call_tool(request, context).await });
        call.await.map_err(|error| ErrorData::internal_error(format!("the call was not finished: {error}"), None))?
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(refusal_of(&request))
    }
}
