//! What a language server wants done to files: workspace edits, and the requests that lead to them.
//!
//! Strict, unlike diagnostics and navigation: an edit of which anything cannot be understood is no edit, because half of
//! a rename is worse than none.

mod actions;
mod decode;
mod snippet;

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use serde_json::{Value, json};

pub use actions::{CodeAction, Doing};
pub use decode::StrangeEdit;

use super::connection::RequestError;
use super::frames::AnsweredError;
use super::navigation::Range;
use super::server::LanguageServer;
use super::uri;
use crate::text::Position;

/// Everything that one request is to change, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceEdit {
    /// The steps; each is about the files as the steps before it left them.
    pub steps: Vec<EditStep>,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditStep {
    /// Replacements in a text, all of them about the text before the first.
    Text {
        /// The file.
        path: PathBuf,
        /// The version of the open document that it is about; `None` where that is not said.
        version: Option<i32>,
        /// The replacements, in the order they were sent.
        edits: Vec<TextEdit>,
    },
    /// A new file.
    Create {
        /// The file.
        path: PathBuf,
        /// What if there is one already.
        present: Present,
    },
    /// A file or folder under another name.
    Rename {
        /// Its name so far.
        from: PathBuf,
        /// Its new name.
        to: PathBuf,
        /// What if something is there already.
        present: Present,
    },
    /// A file or folder that goes.
    Delete {
        /// Which.
        path: PathBuf,
        /// Whether a folder goes with all that is in it.
        recursive: bool,
        /// Whether it is no fault if there is none.
        ignore_missing: bool,
    },
}

/// What becomes of a file that stands where another is to be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Present {
    /// Nothing: then the step cannot be made.
    Refused,
    /// It stays, and the step is left out.
    Kept,
    /// It gives way.
    Overwritten,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced, in the connection's position encoding.
    pub range: Range,
    /// What stands there afterwards.
    pub text: String,
}

/// Why there is no edit.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EditRefused {
    /// The language server gave none.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// It gave one that cannot be carried out.
    #[error(transparent)]
    Strange(#[from] StrangeEdit),
}

impl LanguageServer {
    /// Whether what stands at `position` of an open document can be renamed, as far as the language server says so
    /// before it tries.
    ///
    /// # Errors
    /// Why not, in its words.
    pub async fn may_rename(&self, path: &Path, position: Position) -> Result<bool, RequestError> {
        match self.request("textDocument/prepareRename", at(path, position)).await {
            Ok(answer) => Ok(answer.get().trim() != "null"),
            Err(error) if error.is_unable() => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// What renaming the thing at `position` of an open document takes; `None` when it takes nothing.
    ///
    /// # Errors
    /// [`EditRefused`].
    pub async fn rename(
        &self,
        path: &Path,
        position: Position,
        new_name: &str,
    ) -> Result<Option<WorkspaceEdit>, EditRefused> {
        let mut params = at(path, position);
        params["newName"] = new_name.into();
        Ok(decode::edit(&value(&self.request("textDocument/rename", params).await?)?)?)
    }

    /// What can be done about `diagnostics` (as they were published) in `range` of an open document.
    ///
    /// # Errors
    /// [`RequestError`].
    pub async fn code_actions(
        &self,
        path: &Path,
        range: Range,
        diagnostics: &[Value],
        kinds: &[&str],
    ) -> Result<Vec<CodeAction>, RequestError> {
        let place = |position: Position| json!({ "line": position.line, "character": position.column });
        let params = json!({
            "textDocument": { "uri": uri::of_path(path) },
            "range": { "start": place(range.start), "end": place(range.end) },
            // 1 is "asked for by the user" (LSP 3.17, CodeActionTriggerKind).
            "context": { "diagnostics": diagnostics, "only": kinds, "triggerKind": 1 },
        });
        let answer = value(&self.request("textDocument/codeAction", params).await?)?;
        let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(items.iter().filter_map(actions::read).collect())
    }

    /// What a code action does, asked for if it was not told with it.
    ///
    /// # Errors
    /// [`EditRefused`].
    pub async fn resolved(&self, action: &CodeAction) -> Result<Doing, EditRefused> {
        let mut raw = action.raw.clone();
        if raw.get("edit").is_none_or(Value::is_null) && raw.get("data").is_some_and(|data| !data.is_null()) {
            match self.request("codeAction/resolve", raw.clone()).await {
                Ok(answer) => raw = value(&answer)?,
                Err(error) if error.is_unable() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(actions::doing(&raw)?)
    }
}

fn at(path: &Path, position: Position) -> Value {
    json!({
        "textDocument": { "uri": uri::of_path(path) },
        "position": { "line": position.line, "character": position.column },
    })
}

fn value(answer: &RawValue) -> Result<Value, RequestError> {
    let odd = |_| AnsweredError { code: 0, message: "its answer cannot be understood".to_owned() };
    Ok(serde_json::from_str(answer.get()).map_err(odd)?)
}
