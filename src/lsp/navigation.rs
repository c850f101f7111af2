//! What a language server is asked about a place in the code, and what it answers.
//!
//! Answers come in many forms and with odd items; one odd item costs itself. An answer of which nothing can be
//! understood is an error, so that it never reads as "nothing found".

mod calls;
mod decode;
mod hover;
mod symbols;

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use serde_json::{Value, json};

pub use calls::{CallItem, Calls};
pub use symbols::SymbolItem;

use super::connection::RequestError;
use super::frames::AnsweredError;
use super::server::LanguageServer;
use super::uri;
use crate::text::Position;

/// The document has changed while the answer was worked out (LSP 3.17, `ErrorCodes`).
const CONTENT_MODIFIED: i64 = -32801;
/// The language server gave the request up by itself.
const SERVER_CANCELLED: i64 = -32802;
/// The language server does not know the request.
const METHOD_NOT_FOUND: i64 = -32601;

/// A request whose answer is a list of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// Where it is defined.
    Definition,
    /// Where it is used, without its declaration.
    References,
    /// What implements it.
    Implementations,
}

/// Which way calls are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Who calls it.
    Incoming,
    /// What it calls.
    Outgoing,
}

/// A stretch of a document, 0-based, in the connection's position encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Where it begins.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
}

/// A place in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The document, as it was sent.
    pub uri: String,
    /// Its file; `None` for what is no file (`jdt:`).
    pub path: Option<PathBuf>,
    /// Where in it.
    pub range: Range,
}

impl LanguageServer {
    /// The places that `lookup` finds for what stands at `position` of an open document.
    ///
    /// # Errors
    /// [`RequestError`], also for an answer that cannot be understood.
    pub async fn locations(
        &self,
        lookup: Lookup,
        path: &Path,
        position: Position,
    ) -> Result<Vec<Location>, RequestError> {
        let mut params = place(path, position);
        let method = match lookup {
            Lookup::Definition => "textDocument/definition",
            Lookup::Implementations => "textDocument/implementation",
            Lookup::References => {
                params["context"] = json!({ "includeDeclaration": false });
                "textDocument/references"
            }
        };
        decode::items(&self.asked(method, params).await?, decode::location)
    }

    /// What it says of the thing at `position` of an open document, as Markdown or plain text.
    ///
    /// # Errors
    /// [`RequestError`], also for an answer that cannot be understood.
    pub async fn hover(&self, path: &Path, position: Position) -> Result<Option<String>, RequestError> {
        hover::read(&self.asked("textDocument/hover", place(path, position)).await?)
    }

    /// What an open document declares, in the order it was sent.
    ///
    /// # Errors
    /// [`RequestError`], also for an answer that cannot be understood.
    pub async fn document_symbols(&self, path: &Path) -> Result<Vec<SymbolItem>, RequestError> {
        let params = json!({ "textDocument": { "uri": uri::of_path(path) } });
        symbols::of_document(&self.asked("textDocument/documentSymbol", params).await?, path)
    }

    /// What is declared under names like `query`.
    ///
    /// # Errors
    /// [`RequestError`], also for an answer that cannot be understood.
    pub async fn workspace_symbols(&self, query: &str) -> Result<Vec<SymbolItem>, RequestError> {
        symbols::of_workspace(&self.asked("workspace/symbol", json!({ "query": query })).await?)
    }

    /// The functions that stand at `position` of an open document, to be asked about their calls.
    ///
    /// # Errors
    /// [`RequestError`], also for an answer that cannot be understood.
    pub async fn call_items(&self, path: &Path, position: Position) -> Result<Vec<CallItem>, RequestError> {
        decode::items(&self.asked("textDocument/prepareCallHierarchy", place(path, position)).await?, calls::item)
    }

    /// The calls to or from `item`.
    ///
    /// # Errors
    /// [`RequestError`], also for an answer that cannot be understood.
    pub async fn calls(&self, item: &CallItem, direction: Direction) -> Result<Vec<Calls>, RequestError> {
        let method = match direction {
            Direction::Incoming => "callHierarchy/incomingCalls",
            Direction::Outgoing => "callHierarchy/outgoingCalls",
        };
        let answer = self.asked(method, json!({ "item": item.raw })).await?;
        decode::items(&answer, |value| calls::calls(value, direction))
    }

    /// The source of a class in a library, by its `jdt:` URI; only jdtls knows such.
    ///
    /// # Errors
    /// [`RequestError`].
    pub async fn class_text(&self, uri: &str) -> Result<Option<String>, RequestError> {
        let answer = self.asked("java/classFileContents", json!({ "uri": uri })).await?;
        Ok(serde_json::from_str::<Option<String>>(answer.get()).ok().flatten().filter(|text| !text.is_empty()))
    }

    /// Asks; once more when the document changed meanwhile.
    async fn asked(&self, method: &str, params: Value) -> Result<Box<RawValue>, RequestError> {
        match self.request(method, params.clone()).await {
            Err(RequestError::Answered(error)) if matches!(error.code, CONTENT_MODIFIED | SERVER_CANCELLED) => {
                self.request(method, params).await
            }
            answer => answer,
        }
    }
}

impl RequestError {
    /// Whether the language server cannot do this at all.
    pub fn is_unable(&self) -> bool {
        matches!(self, RequestError::Answered(error) if error.code == METHOD_NOT_FOUND)
    }

    /// The answer was none that could be understood.
    fn not_understood() -> RequestError {
        AnsweredError { code: 0, message: "its answer cannot be understood".to_owned() }.into()
    }
}

fn place(path: &Path, position: Position) -> Value {
    json!({
        "textDocument": { "uri": uri::of_path(path) },
        "position": { "line": position.line, "character": position.column },
    })
}
