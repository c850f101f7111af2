//! The MCP face: a session's tools over the Model Context Protocol.

mod lines;
mod stdio;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

pub use stdio::serve_stdio;

use crate::report::Reply;
use crate::session::Session;
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
}

impl McpFace {
    /// A face of `session`. With `structured`, results carry `structuredContent` beside the text; some clients then show
    /// their model nothing else, so it is for harnesses that read it.
    pub fn new(session: Session, structured: bool) -> McpFace {
        McpFace { session, structured }
    }

    fn result(&self, reply: Reply) -> CallToolResult {
        let content = vec![ContentBlock::text(reply.text.clone())];
        let mut result = if reply.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        if self.structured {
            let mut structured = reply.structured;
            structured.shift_insert(0, "text".to_owned(), Value::from(reply.text));
            result.structured_content = Some(Value::Object(structured));
        }
        result
    }
}

impl ServerHandler for McpFace {
    fn get_info(&self) -> ServerConfig {
        let mut config =
            ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_instructions(INSTRUCTIONS);
        config.server_info = Implementation::new("landfall", env!("CARGO_PKG_VERSION"));
        config
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
        let arguments = request.arguments.unwrap_or_default();
        let reply = self.session.call(&request.name, arguments, context.ct.clone()).await;
        Ok(self.result(reply).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == lines::OVERSIZED {
            let message =
                format!("the message has more than {} MiB and was not read; send less at once", lines::LONGEST >> 20);
            return Err(ErrorData::new(ErrorCode::INVALID_REQUEST, message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
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
