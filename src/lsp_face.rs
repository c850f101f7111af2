//! The LSP face: one language server for editors and harnesses with an LSP client of their own, in front of the
//! workspace's shared ones.
//!
//! Diagnostics are published when they rest on evidence, and with the version they are about. Language servers know what
//! is on disk; a text that a client has not saved is its own overlay: its syntax is checked, and what is asked about it
//! is led to the lines that are on disk, too.

mod documents;
mod judging;
mod retrace;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types as types;
use tower_lsp_server::{LanguageServer, LspService, Server};

use crate::service::{Connecting, Service};
use crate::session::news::Event;
use crate::session::{Allowed, Session};
use crate::workspace::navigation::Lack;
use crate::workspace::{Workspace, read_text};
use documents::{Document, Documents};
use judging::{Judge, Judged, judged};

/// How long a pulled diagnosis is waited for, as long as an edit waits.
const PULL_BUDGET: Duration = Duration::from_secs(5);
/// LSP 3.17, `LSPErrorCodes.ServerCancelled`.
const SERVER_CANCELLED: i64 = -32802;
/// LSP 3.17, `LSPErrorCodes.RequestFailed`.
const REQUEST_FAILED: i64 = -32803;
/// More requests at once than these wait for one another.
const MOST_AT_ONCE: usize = 32;

/// Serves one client until it goes. `home` is its workspace where it names none.
pub async fn serve(
    service: Service,
    home: PathBuf,
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send,
) {
    let (lsp, socket) = LspService::new(|client| Face {
        judge: Judge { client, documents: Arc::default(), told: Arc::default() },
        service,
        home,
        connected: Arc::default(),
    });
    Server::new(input, output, socket).concurrency_level(MOST_AT_ONCE).serve(lsp).await;
}

#[derive(Debug, Clone)]
struct Face {
    judge: Judge,
    service: Service,
    home: PathBuf,
    connected: Arc<OnceLock<Connected>>,
}

/// What is known once the client has introduced itself.
#[derive(Debug)]
struct Connected {
    roots: Vec<PathBuf>,
    /// Keeps it among the open sessions.
    _session: Session,
}

impl Face {
    fn documents(&self) -> &Documents {
        &self.judge.documents
    }

    /// The workspace of a file: the innermost of the client's that it lies in.
    fn workspace(&self, path: &Path) -> Option<Workspace> {
        let roots = &self.connected.get()?.roots;
        let root = roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.as_os_str().len())?;
        self.service.registry().open(root).ok()
    }

    /// The client's workspaces, each once.
    fn workspaces(&self) -> Vec<Workspace> {
        let roots = self.connected.get().map(|connected| connected.roots.as_slice()).unwrap_or_default();
        let mut all: Vec<Workspace> = Vec::new();
        for workspace in roots.iter().filter_map(|root| self.service.registry().open(root).ok()) {
            if !all.iter().any(|known| known.root() == workspace.root()) {
                all.push(workspace);
            }
        }
        all
    }

    /// A document is shown with this text from now on. The state is taken before anything is waited for: handlers are
    /// begun in the order of messages, and no more is certain.
    fn shown(&self, uri: types::Uri, version: i32, text: String) {
        let Some(path) = path_of(&uri) else { return };
        let text: Arc<str> = text.into();
        if !self.documents().put(&path, Document { uri, version, text: Arc::clone(&text) }) {
            return;
        }
        let Some(workspace) = self.workspace(&path) else { return };
        if read_text(&path).as_ref() == Some(&text) {
            workspace.touch(&path, &text);
        }
        let judge = self.judge.clone();
        tokio::spawn(async move { judge.follow(&workspace, &path, version).await });
    }

    /// Asks the language server of the file at `uri`; `None` where there is none or it knows nothing.
    async fn ask<R: DeserializeOwned>(
        &self,
        uri: &types::Uri,
        method: &'static str,
        params: impl Serialize,
    ) -> Result<Option<R>> {
        let mut params = serde_json::to_value(params).map_err(|error| Error::invalid_params(error.to_string()))?;
        let Some(path) = path_of(uri) else { return Ok(None) };
        let (Some(workspace), Some(disk)) = (self.workspace(&path), read_text(&path)) else { return Ok(None) };
        let document = self.documents().get(&path);
        if let Some(retrace) = document.as_ref().and_then(|document| document.shown_to_disk(&disk)) {
            match retrace.message(params, uri.as_str()) {
                Some(moved) => params = moved,
                None => return Ok(None),
            }
        }
        let mut answer = match workspace.forward(&path, &disk, method, params, None).await {
            Ok(answer) => answer,
            Err(lack) => return refusal(lack).map_or(Ok(None), Err),
        };
        // What comes back may lead into any of the texts that the client shows.
        for retrace in self.documents().unsaved() {
            answer = retrace.message(answer, uri.as_str()).unwrap_or_default();
        }
        understood(answer)
    }

    /// A change that is to be made to files must be of the texts that the client shows.
    fn insist_saved(&self) -> Result<()> {
        match self.documents().first_unsaved() {
            None => Ok(()),
            Some(path) => Err(Error {
                code: ErrorCode::ContentModified,
                message: format!("{} has changes that are not saved; save it first", path.display()).into(),
                data: None,
            }),
        }
    }

    /// Warns when an agent changes a file on disk that this client has changed and not saved.
    fn watch_for_conflicts(&self) {
        let mut news = self.service.news();
        let (documents, client) = (Arc::clone(&self.judge.documents), self.judge.client.clone());
        let connected = Arc::downgrade(&self.connected);
        tokio::spawn(async move {
            while let Ok(news) = news.recv().await {
                if connected.strong_count() == 0 {
                    return;
                }
                let Event::Called(called) = news.event else { continue };
                let file = called.structured.get("file").and_then(Value::as_str);
                let (Some(file), Some(root), Some(true)) =
                    (file, called.workspace, called.structured.get("landed").and_then(Value::as_bool))
                else {
                    continue;
                };
                let path = root.join(file);
                let Some(document) = documents.get(&path) else { continue };
                if read_text(&path).as_ref() != Some(&document.text) {
                    let text = format!(
                        "{} was changed on disk ({}), and you show another text",
                        path.display(),
                        called.headline
                    );
                    client.show_message(types::MessageType::WARNING, text).await;
                }
            }
        });
    }
}

/// The real path of a file; `None` for what is no file.
fn path_of(uri: &types::Uri) -> Option<PathBuf> {
    let path = uri.to_file_path().filter(|_| uri.as_str().starts_with("file:"))?;
    Some(path.canonicalize().unwrap_or_else(|_| path.into_owned()))
}

/// An answer as the type that the protocol says.
fn understood<R: DeserializeOwned>(answer: Value) -> Result<Option<R>> {
    serde_json::from_value(answer)
        .map_err(|error| failed(format!("the language server's answer is not understood: {error}")))
}

fn failed(message: String) -> Error {
    Error { code: ErrorCode::ServerError(REQUEST_FAILED), message: message.into(), data: None }
}

/// What a client is told where no language server answered; nothing where none ever will.
fn refusal(lack: Lack) -> Option<Error> {
    match lack {
        Lack::NoLanguageServer | Lack::NotInstalled | Lack::Unable => None,
        Lack::Loading(detail) => Some(failed(format!("still loading: {detail}"))),
        Lack::Late(waited) => Some(failed(format!("no answer within {} ms", waited.as_millis()))),
        Lack::Crashed(reason) => Some(failed(format!("the language server is down: {reason}"))),
        Lack::Refused(reason) => Some(failed(reason)),
    }
}

/// Whether the client takes diagnostics that are published.
fn takes_published(client: &types::ClientCapabilities) -> bool {
    client.text_document.as_ref().is_some_and(|document| document.publish_diagnostics.is_some())
}

/// What is offered. Pulled diagnostics are offered to clients that take no published ones: OpenCode keeps both and shows
/// the model an old published error beside a newly pulled answer that comes first; editors show each problem twice.
/// Whoever asks all the same is answered.
fn capabilities(takes_published: bool) -> types::ServerCapabilities {
    let pulled = types::DiagnosticServerCapabilities::Options(types::DiagnosticOptions {
        identifier: Some("landfall".into()),
        inter_file_dependencies: true,
        workspace_diagnostics: false,
        ..Default::default()
    });
    types::ServerCapabilities {
        position_encoding: Some(types::PositionEncodingKind::UTF16),
        text_document_sync: Some(types::TextDocumentSyncCapability::Options(types::TextDocumentSyncOptions {
            open_close: Some(true),
            // Whole texts: no order of messages can mix them up.
            change: Some(types::TextDocumentSyncKind::FULL),
            save: Some(types::TextDocumentSyncSaveOptions::Supported(true)),
            ..Default::default()
        })),
        diagnostic_provider: (!takes_published).then_some(pulled),
        definition_provider: Some(types::OneOf::Left(true)),
        type_definition_provider: Some(types::TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(types::ImplementationProviderCapability::Simple(true)),
        references_provider: Some(types::OneOf::Left(true)),
        hover_provider: Some(types::HoverProviderCapability::Simple(true)),
        document_symbol_provider: Some(types::OneOf::Left(true)),
        workspace_symbol_provider: Some(types::OneOf::Left(true)),
        call_hierarchy_provider: Some(types::CallHierarchyServerCapability::Simple(true)),
        rename_provider: Some(types::OneOf::Right(types::RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        code_action_provider: Some(types::CodeActionProviderCapability::Simple(true)),
        ..Default::default()
    }
}

impl LanguageServer for Face {
    #[allow(deprecated, reason = "clients still send rootUri and rootPath")]
    async fn initialize(&self, params: types::InitializeParams) -> Result<types::InitializeResult> {
        let capabilities = capabilities(takes_published(&params.capabilities));
        let folders = params.workspace_folders.unwrap_or_default().into_iter().map(|folder| folder.uri);
        let mut roots: Vec<PathBuf> = folders.chain(params.root_uri).filter_map(|uri| path_of(&uri)).collect();
        roots.extend(params.root_path.map(PathBuf::from).filter(|path| path.is_absolute()));
        roots.retain(|root| root.is_dir());
        if roots.is_empty() {
            roots.push(self.home.clone());
        }
        let connecting = Connecting { face: "lsp", home: roots[0].clone(), allowed: Allowed::default() };
        let session = self.service.connect(connecting).map_err(|error| {
            Error::invalid_params(format!("the workspace {} cannot be opened: {error}", roots[0].display()))
        })?;
        // A client that introduces itself twice is refused by the protocol's own state.
        let _ = self.connected.set(Connected { roots, _session: session });
        self.watch_for_conflicts();
        Ok(types::InitializeResult {
            capabilities,
            server_info: Some(types::ServerInfo {
                name: "landfall".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
            ..Default::default()
        })
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: types::DidOpenTextDocumentParams) {
        let document = params.text_document;
        // Versions begin anew with each opening.
        if let Some(path) = path_of(&document.uri) {
            self.documents().close(&path);
        }
        self.shown(document.uri, document.version, document.text);
    }

    async fn did_change(&self, params: types::DidChangeTextDocumentParams) {
        let document = params.text_document;
        if let Some(change) = params.content_changes.into_iter().last() {
            self.shown(document.uri, document.version, change.text);
        }
    }

    async fn did_save(&self, params: types::DidSaveTextDocumentParams) {
        let known = path_of(&params.text_document.uri).and_then(|path| self.documents().get(&path));
        if let Some(document) = known {
            self.shown(document.uri, document.version, document.text.to_string());
        }
    }

    async fn did_close(&self, params: types::DidCloseTextDocumentParams) {
        if let Some(path) = path_of(&params.text_document.uri) {
            self.documents().close(&path);
        }
    }

    // The disk is watched here, too.
    async fn did_change_watched_files(&self, _: types::DidChangeWatchedFilesParams) {}

    async fn did_change_configuration(&self, _: types::DidChangeConfigurationParams) {}

    async fn diagnostic(
        &self,
        params: types::DocumentDiagnosticParams,
    ) -> Result<types::DocumentDiagnosticReportResult> {
        let nothing_yet = |why: String| Error {
            code: ErrorCode::ServerError(SERVER_CANCELLED),
            message: why.into(),
            data: Some(json!({ "retriggerRequest": true })),
        };
        let uri = params.text_document.uri;
        let path = path_of(&uri).ok_or_else(|| Error::invalid_params(format!("{} is no file", uri.as_str())))?;
        let document =
            self.documents().get(&path).or_else(|| Some(Document { uri, version: 0, text: read_text(&path)? }));
        let (Some(workspace), Some(document)) = (self.workspace(&path), document) else {
            return Err(Error::invalid_params(format!("{} is not in the workspace", path.display())));
        };
        let items = match judged(&workspace, &path, &document, Some(PULL_BUDGET)).await {
            Judged::Settled(items) | Judged::SyntaxOnly(items) => items,
            Judged::NotYet(why) => return Err(nothing_yet(why)),
        };
        let full = types::FullDocumentDiagnosticReport { result_id: None, items };
        let report = types::RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: full,
        };
        Ok(types::DocumentDiagnosticReport::Full(report).into())
    }

    async fn goto_definition(
        &self,
        params: types::GotoDefinitionParams,
    ) -> Result<Option<types::GotoDefinitionResponse>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.ask(&uri, "textDocument/definition", params).await
    }

    async fn goto_type_definition(
        &self,
        params: types::request::GotoTypeDefinitionParams,
    ) -> Result<Option<types::request::GotoTypeDefinitionResponse>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.ask(&uri, "textDocument/typeDefinition", params).await
    }

    async fn goto_implementation(
        &self,
        params: types::request::GotoImplementationParams,
    ) -> Result<Option<types::request::GotoImplementationResponse>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.ask(&uri, "textDocument/implementation", params).await
    }

    async fn references(&self, params: types::ReferenceParams) -> Result<Option<Vec<types::Location>>> {
        let uri = params.text_document_position.text_document.uri.clone();
        self.ask(&uri, "textDocument/references", params).await
    }

    async fn hover(&self, params: types::HoverParams) -> Result<Option<types::Hover>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.ask(&uri, "textDocument/hover", params).await
    }

    async fn document_symbol(
        &self,
        params: types::DocumentSymbolParams,
    ) -> Result<Option<types::DocumentSymbolResponse>> {
        let uri = params.text_document.uri.clone();
        self.ask(&uri, "textDocument/documentSymbol", params).await
    }

    async fn symbol(&self, params: types::WorkspaceSymbolParams) -> Result<Option<types::WorkspaceSymbolResponse>> {
        let params = serde_json::to_value(params).map_err(|error| Error::invalid_params(error.to_string()))?;
        let workspaces = self.workspaces();
        let each = workspaces.iter().map(|workspace| workspace.forward_to_all("workspace/symbol", params.clone()));
        understood(Value::Array(futures::future::join_all(each).await.concat()))
    }

    async fn prepare_call_hierarchy(
        &self,
        params: types::CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<types::CallHierarchyItem>>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.ask(&uri, "textDocument/prepareCallHierarchy", params).await
    }

    async fn incoming_calls(
        &self,
        params: types::CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<types::CallHierarchyIncomingCall>>> {
        let uri = params.item.uri.clone();
        self.ask(&uri, "callHierarchy/incomingCalls", params).await
    }

    async fn outgoing_calls(
        &self,
        params: types::CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<types::CallHierarchyOutgoingCall>>> {
        let uri = params.item.uri.clone();
        self.ask(&uri, "callHierarchy/outgoingCalls", params).await
    }

    async fn prepare_rename(
        &self,
        params: types::TextDocumentPositionParams,
    ) -> Result<Option<types::PrepareRenameResponse>> {
        let uri = params.text_document.uri.clone();
        self.ask(&uri, "textDocument/prepareRename", params).await
    }

    async fn rename(&self, params: types::RenameParams) -> Result<Option<types::WorkspaceEdit>> {
        let uri = params.text_document_position.text_document.uri.clone();
        self.insist_saved()?;
        self.ask(&uri, "textDocument/rename", params).await
    }

    async fn code_action(&self, params: types::CodeActionParams) -> Result<Option<types::CodeActionResponse>> {
        let uri = params.text_document.uri.clone();
        self.insist_saved()?;
        let found: Option<types::CodeActionResponse> = self.ask(&uri, "textDocument/codeAction", params).await?;
        // A command would be carried out by the shared language server, on everybody's texts.
        let carries_edit = |action: &types::CodeActionOrCommand| matches!(action, types::CodeActionOrCommand::CodeAction(action) if action.edit.is_some());
        Ok(found.map(|found| found.into_iter().filter(carries_edit).collect()))
    }
}
