//! Requests of clients that speak the language servers' own protocol, handed on as they are.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::asking::{Answer, Enough, ask};
use super::{Lack, no_language_server};
use crate::lsp::{AnsweredError, LanguageServer, RequestError};
use crate::text::PositionEncoding;
use crate::workspace::Workspace;

/// An answer as it came.
#[derive(Debug)]
struct Raw(Value);

impl Answer for Raw {
    fn is_nothing(&self) -> bool {
        self.0.is_null() || self.0.as_array().is_some_and(Vec::is_empty)
    }
}

impl Workspace {
    /// Asks the language server of the file at `path`, whose text on disk is `text`; positions are in UTF-16, as the
    /// protocol has them where nothing else is agreed upon. Waits at most `budget`; without one, as long as usual.
    ///
    /// # Errors
    /// [`Lack`] when there is no answer.
    pub async fn forward(
        &self,
        path: &Path,
        text: &Arc<str>,
        method: &'static str,
        params: Value,
        budget: Option<Duration>,
    ) -> Result<Value, Lack> {
        let slot = self.slot_of(path, text).ok_or(no_language_server().1)?;
        let request = move |server: LanguageServer| -> futures::future::BoxFuture<'static, _> {
            let params = params.clone();
            Box::pin(async move { raw(&server, method, params).await })
        };
        let asked = ask(&slot, Enough::All, budget, &request).await.map_err(|(_, lack)| lack)?;
        Ok(asked.found.0)
    }

    /// Asks every language server that runs for a list, and puts the lists together; those that do not answer are left
    /// out.
    pub async fn forward_to_all(&self, method: &'static str, params: Value) -> Vec<Value> {
        let slots = self.shared.place.as_ref().map(|place| place.slots()).unwrap_or_default();
        let servers = slots.iter().filter_map(|slot| slot.state().server.clone());
        let answers = servers.map(|server| {
            let params = params.clone();
            async move { tokio::time::timeout(ALL_PATIENCE, raw(&server, method, params)).await }
        });
        let answers = futures::future::join_all(answers.collect::<Vec<_>>()).await;
        let lists = answers.into_iter().filter_map(|answer| match answer {
            Ok(Ok(Raw(Value::Array(list)))) => Some(list),
            _ => None,
        });
        lists.flatten().collect()
    }
}

/// How long each of several language servers has for its answer.
const ALL_PATIENCE: Duration = Duration::from_secs(8);

async fn raw(server: &LanguageServer, method: &'static str, params: Value) -> Result<Raw, RequestError> {
    // They are all offered UTF-16 first, and so far all have taken it.
    if server.encoding() != PositionEncoding::Utf16 {
        return Err(failure(format!("{} does not count in UTF-16", server.name())));
    }
    let answer = server.request(method, params).await?;
    serde_json::from_str(answer.get()).map(Raw).map_err(|error| failure(format!("its answer cannot be read: {error}")))
}

fn failure(message: String) -> RequestError {
    // JSON-RPC 2.0, internal error.
    RequestError::Answered(AnsweredError { code: -32603, message })
}
