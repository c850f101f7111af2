//! A running language server as its client sees it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::board::{Board, folder_name};
use super::connection::{Answer, Connection, RequestError};
use super::line_change::content_changes;
use super::process::{Process, Program, group_memory, group_ticks};
use super::settings::Settings;
use super::uri;
use crate::config::DiagnosticsSource;
use crate::text::PositionEncoding;

/// How a language server is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its name, which is the section of its settings.
    pub name: String,
    /// The program.
    pub program: Program,
    /// The folder it works on, absolute.
    pub root: PathBuf,
    /// Its settings.
    pub settings: Value,
    /// Sent with `initialize`.
    pub initialization_options: Value,
    /// Until `initialize` must be answered.
    pub initialize_timeout: Duration,
}

/// Why a language server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program could not be run.
    #[error("{path} cannot be started: {source}", path = path.display())]
    Spawn {
        /// The program.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It ended before it was ready.
    #[error("it ended while starting{}", last_words(.0))]
    Ended(Vec<String>),
    /// It said no.
    #[error("it refused to initialize: {0}")]
    Refused(String),
    /// It did not answer.
    #[error("it did not answer `initialize` within {} s", .0.as_secs())]
    Silent(Duration),
}

fn last_words(words: &[String]) -> String {
    words.last().map_or_else(String::new, |line| format!(": {line}"))
}

/// A running language server. A cheap handle; the process ends with its last handle.
#[derive(Debug, Clone)]
pub struct LanguageServer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    root: PathBuf,
    connection: Connection,
    board: Arc<Board>,
    process: Process,
    started: Instant,
    encoding: PositionEncoding,
    saves_with_text: bool,
    /// As it offered them at the start.
    pull: Option<PullOffer>,
    /// Whether it takes changes instead of whole texts.
    is_incremental: bool,
}

impl LanguageServer {
    /// Starts the program and initializes it.
    ///
    /// # Errors
    /// [`StartError`]; nothing is left running.
    pub async fn start(launch: Launch) -> Result<LanguageServer, StartError> {
        let spawned = Process::start(&launch.program);
        let (process, stdin, stdout) =
            spawned.map_err(|source| StartError::Spawn { path: launch.program.path.clone(), source })?;
        let settings = Settings::new(&launch.name, launch.settings.clone());
        let board = Arc::new(Board::new(launch.root.clone(), settings.clone()));
        let connection = Connection::open(stdout, stdin, Arc::clone(&board) as Arc<_>);
        let answer = connection.request("initialize", initialize_params(&launch));
        let result = match tokio::time::timeout(launch.initialize_timeout, answer).await {
            Err(_) => return Err(StartError::Silent(launch.initialize_timeout)),
            Ok(Err(RequestError::Gone)) => return Err(StartError::Ended(process.last_words())),
            Ok(Err(RequestError::Answered(error))) => return Err(StartError::Refused(error.to_string())),
            Ok(Ok(result)) => serde_json::from_str::<Value>(result.get()).unwrap_or_default(),
        };
        connection.notify("initialized", json!({}));
        // zls and jdtls take their settings from here, gopls asks for its own.
        connection.notify("workspace/didChangeConfiguration", json!({ "settings": settings.all() }));
        let capabilities = &result["capabilities"];
        Ok(LanguageServer {
            inner: Arc::new(Inner {
                name: launch.name,
                root: launch.root,
                encoding: match capabilities["positionEncoding"].as_str() {
                    Some("utf-8") => PositionEncoding::Utf8,
                    Some("utf-32") => PositionEncoding::Utf32,
                    _ => PositionEncoding::Utf16,
                },
                saves_with_text: capabilities["textDocumentSync"]["save"]["includeText"] == true,
                pull: PullOffer::of(&capabilities["diagnosticProvider"]),
                is_incremental: is_incremental(&capabilities["textDocumentSync"]),
                connection,
                board,
                process,
                started: Instant::now(),
            }),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The folder it works on.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// What it has said.
    pub fn board(&self) -> &Board {
        &self.inner.board
    }

    /// The unit of its columns.
    pub fn encoding(&self) -> PositionEncoding {
        self.inner.encoding
    }

    /// How it may be asked for diagnostics; `None` when it does not offer that.
    pub(super) fn pull_offer(&self) -> Option<PullOffer> {
        self.inner.pull.clone().or_else(|| self.board().heard().offers_pull.then(PullOffer::default))
    }

    /// Where its diagnostics come from, when `configured` leaves it to what it offers.
    pub fn diagnostics_source(&self, configured: DiagnosticsSource) -> DiagnosticsSource {
        match configured {
            DiagnosticsSource::Auto if self.pull_offer().is_some() => DiagnosticsSource::Auto,
            DiagnosticsSource::Auto => DiagnosticsSource::Push,
            chosen => chosen,
        }
    }

    /// Its process id.
    pub fn process_id(&self) -> u32 {
        self.inner.process.id()
    }

    /// Since when it runs.
    pub fn started(&self) -> Instant {
        self.inner.started
    }

    /// The last lines of its standard error.
    pub fn last_words(&self) -> Vec<String> {
        self.inner.process.last_words()
    }

    /// Resident memory of it and of what it started, bytes.
    pub fn memory(&self) -> u64 {
        group_memory(self.process_id())
    }

    /// Processor time it has used, clock ticks: two equal readings mean that it stands still.
    pub fn ticks(&self) -> u64 {
        group_ticks(self.process_id())
    }

    /// How its process ended; `None` while it runs.
    pub fn exit(&self) -> Option<String> {
        self.inner.process.ended()
    }

    /// Sends a request; it is on its way before this returns. Dropping the future cancels it.
    pub fn request(
        &self,
        method: &str,
        params: Value,
    ) -> impl Future<Output = Result<Box<RawValue>, RequestError>> + Send + use<> {
        let answer: Answer = self.inner.connection.request(method, params);
        answer
    }

    /// Tells of a document that is open from now on.
    pub fn did_open(&self, path: &Path, language: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri::of_path(path), "languageId": language, "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Tells of an open document's new text, in as much of it as the language server wants.
    pub fn did_change(&self, path: &Path, version: i32, before: &str, text: &str) {
        let document = json!({ "uri": uri::of_path(path), "version": version });
        let changes = match self.inner.is_incremental {
            true => content_changes(before, text),
            false => json!([{ "text": text }]),
        };
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Tells that an open document is on disk as it was last sent.
    pub fn did_save(&self, path: &Path, text: &str) {
        let mut params = json!({ "textDocument": { "uri": uri::of_path(path) } });
        if self.inner.saves_with_text {
            params["text"] = text.into();
        }
        self.notify("textDocument/didSave", params);
    }

    /// Tells of a document that is no longer open.
    pub fn did_close(&self, path: &Path) {
        self.board().forget_answer(path);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri::of_path(path) } }));
    }

    /// Tells of files that changed on disk.
    pub fn did_change_watched_files(&self, changes: &[(PathBuf, FileEvent)]) {
        if changes.is_empty() {
            return;
        }
        let change = |(path, event): &(PathBuf, FileEvent)| json!({ "uri": uri::of_path(path), "type": *event as u8 });
        let changes: Vec<Value> = changes.iter().map(change).collect();
        self.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    }

    /// Gives it other settings.
    pub fn change_settings(&self, settings: Value) {
        let settings = Settings::new(&self.inner.name, settings);
        let all = settings.all();
        self.inner.board.replace_settings(settings);
        self.notify("workspace/didChangeConfiguration", json!({ "settings": all }));
    }

    /// Ends it in good order, within about two seconds; whatever is left then is killed.
    pub async fn stop(&self) {
        let asked = self.request("shutdown", Value::Null);
        let answered = tokio::time::timeout(Duration::from_millis(1000), asked).await.is_ok();
        self.notify("exit", Value::Null);
        self.inner.process.end(Duration::from_millis(if answered { 700 } else { 0 })).await;
        self.inner.connection.close("it was stopped");
    }

    /// Ends it at once.
    pub fn kill(&self) {
        self.inner.process.kill();
        self.inner.connection.close("it was killed");
    }

    fn notify(&self, method: &str, params: Value) {
        self.inner.connection.notify(method, params);
    }
}

/// What a language server offers of diagnostics on request.
#[derive(Debug, Clone, Default)]
pub(super) struct PullOffer {
    pub(super) identifier: Option<String>,
    /// Whether a change of one file may change what is wrong in another.
    pub(super) reaches_others: bool,
}

impl PullOffer {
    fn of(provider: &Value) -> Option<PullOffer> {
        provider.is_object().then(|| PullOffer {
            identifier: provider["identifier"].as_str().map(str::to_owned),
            reaches_others: provider["interFileDependencies"] == true,
        })
    }
}

/// 2 is incremental (LSP 3.17, TextDocumentSyncKind), given alone or with options around it.
fn is_incremental(sync: &Value) -> bool {
    *sync == 2 || sync["change"] == 2
}

/// What happened to a file on disk; the numbers are the protocol's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FileEvent {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}

fn initialize_params(launch: &Launch) -> Value {
    let root = uri::of_path(&launch.root);
    json!({
        "processId": std::process::id(),
        "clientInfo": { "name": "landfall", "version": env!("CARGO_PKG_VERSION") },
        "rootUri": root,
        "rootPath": launch.root,
        "workspaceFolders": [{ "uri": root, "name": folder_name(&launch.root) }],
        "initializationOptions": launch.initialization_options,
        "capabilities": {
            "general": { "positionEncodings": ["utf-16", "utf-8"] },
            "workspace": {
                "configuration": true,
                "diagnostics": { "refreshSupport": true },
                "workspaceFolders": true,
                "didChangeConfiguration": { "dynamicRegistration": true },
                "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
                "executeCommand": {},
                "symbol": {},
                "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create", "rename", "delete"] },
            },
            "textDocument": {
                "synchronization": { "didSave": true },
                "publishDiagnostics": { "versionSupport": true, "relatedInformation": true, "codeDescriptionSupport": false, "dataSupport": true },
                "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": true },
                "codeAction": {
                    "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "source.organizeImports"] } },
                    "resolveSupport": { "properties": ["edit"] },
                    "dataSupport": true,
                },
                "rename": { "prepareSupport": true },
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                "hover": { "contentFormat": ["markdown", "plaintext"] },
                "definition": { "linkSupport": true },
                "implementation": { "linkSupport": true },
                "references": {},
                "callHierarchy": {},
            },
            // Without it jdtls reports no progress at all, and its progress is the evidence.
            "window": { "workDoneProgress": true },
        },
    })
}
