//! The MCP face: a session's tools over the Model Context Protocol.

mod head;
mod lines;
mod stdio;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ServerCapabilities, ServerConfig, Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use lines::LONGEST as LONGEST_MESSAGE;
pub use stdio::{serve_stdio, serve_stream};

use crate::report::{Reply, one_line};
use crate::session::{Session, Waiting};
use crate::tools::{self, Tool};

/// What a model is told of this service as a whole.
const INSTRUCTIONS: &str = "\
landfall edits files and checks them with the project's language server.
1. Use paths relative to the workspace, for example src/main.go: that avoids mistyped long paths.
2. The first line of each result is the state of the disk: `edited …`, `created …` or `overwrote …` means the file was changed; `not edited …` or `Nothing was written` means it was NOT changed.
3. The lines below are the compiler's verdict on the file as it is now. `clean` means checked and right; `introduced` lists what your change broke, `elsewhere` in which other files.
4. `still loading`, `has not answered` or `no language server` means nobody knows yet: it does not mean clean.
5. If an edit was not made, do what its Hint says; do not repeat the same call.
6. `since your last call` reports on an earlier change.";

/// One client's connection.
#[derive(Debug, Clone)]
pub struct McpFace {
    session: Session,
    structured: bool,
    /// Cancelled when the client is gone: nobody waits for any call then.
    gone: CancellationToken,
}

impl McpFace {
    /// A face of `session`. With `structured`, results carry `structuredContent` beside the text; some clients then show
    /// their model nothing else, so it is for harnesses that read it.
    pub fn new(session: Session, structured: bool) -> McpFace {
        McpFace { session, structured, gone: CancellationToken::new() }
    }

    /// The same, and nobody waits for its calls any more once `gone` is cancelled.
    #[must_use]
    pub fn until(self, gone: CancellationToken) -> McpFace {
        McpFace { gone, ..self }
    }

    /// What a client is told of this service when it connects.
    pub fn about() -> ServerConfig {
        let mut config =
            ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_instructions(INSTRUCTIONS);
        config.server_info = Implementation::new("landfall", env!("CARGO_PKG_VERSION"));
        config
    }

    /// To be cancelled when the client is gone.
    fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// Carries out a call, and says what it waits for if the client has asked to hear of it.
    async fn carry_out(&self, request: CallToolRequestParams, context: &RequestContext<RoleServer>) -> Reply {
        let cancel = self.gone.child_token();
        let token = context.meta.get_progress_token();
        let progress = token.as_ref().map(|_| watch::Sender::new(String::new()));
        let told = progress.as_ref().map(watch::Sender::subscribe);
        let waiting = Waiting { cancel: cancel.clone(), progress };
        let call = self.session.call(&request.name, request.arguments.unwrap_or_default(), waiting);
        tokio::pin!(call);
        let tell = async {
            if let (Some(token), Some(told)) = (token, told) {
                tell_progress(&context.peer, token, told).await;
            }
            std::future::pending().await
        };
        tokio::select! {
            reply = &mut call => reply,
            () = context.ct.cancelled() => {
                cancel.cancel();
                call.await
            }
            never = tell => never,
        }
    }

    fn result(&self, reply: Reply) -> CallToolResult {
        let content = vec![ContentBlock::text(reply.text.clone())];
        let mut result = if reply.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        if self.structured {
            result.structured_content = Some(Value::Object(reply.into_object()));
        }
        result
    }
}

impl ServerHandler for McpFace {
    fn get_info(&self) -> ServerConfig {
        McpFace::about()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.session.tools().map(listed).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = self.carry_out(request, &context).await;
        Ok(self.result(reply).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(refusal_of(&request))
    }
}

/// What a request must be.
pub const SHAPE: &str = "`jsonrpc` must be \"2.0\", `method` a string and `params` an object";

/// Why a request is not answered that the protocol's types do not know.
pub fn refusal_of(request: &CustomRequest) -> ErrorData {
    let (code, message) = match request.method.as_str() {
        lines::OVERSIZED => (
            ErrorCode::INVALID_REQUEST,
            format!("the message has more than {} MiB and was not read; send less at once", lines::LONGEST >> 20),
        ),
        lines::UNREADABLE => {
            let why = request.params.as_ref().and_then(|params| params["why"].as_str()).unwrap_or_default();
            (ErrorCode::PARSE_ERROR, format!("the message is no JSON that can be read, and nothing was done: {why}"))
        }
        lines::MISSHAPEN => {
            (ErrorCode::INVALID_REQUEST, format!("the message is no request, and nothing was done: {SHAPE}"))
        }
        "tools/call" => (
            ErrorCode::INVALID_PARAMS,
            "nothing was done: `params` of `tools/call` must hold `name`, a string, and `arguments`, an object"
                .to_owned(),
        ),
        other => (ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{}`", one_line(other, 80))),
    };
    ErrorData::new(code, message, None)
}

/// Passes on what a call waits for, until the call is over.
async fn tell_progress(peer: &Peer<RoleServer>, token: ProgressToken, mut told: watch::Receiver<String>) {
    let mut count = 0.0;
    while told.changed().await.is_ok() {
        count += 1.0;
        let message = told.borrow_and_update().clone();
        let progress = ProgressNotificationParam::new(token.clone(), count).with_message(message);
        if peer.notify_progress(progress).await.is_err() {
            return;
        }
    }
}

fn listed(tool: &Tool) -> ListedTool {
    let schema = tools::arguments::schema(tool.all_parameters());
    let annotations = ToolAnnotations::new()
        .read_only(tool.read_only)
        .destructive(!tool.read_only)
        .idempotent(tool.read_only)
        .open_world(false);
    ListedTool::new(tool.name, tool.about, schema).with_annotations(annotations)
}
