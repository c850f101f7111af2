//! A language server that is asked: its answer about a document holds for the version it was sent last.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use futures::future::try_join_all;
use serde_json::json;

use super::{Evident, Round, Unsettled};
use crate::lsp::board::PULL;
use crate::lsp::connection::RequestError;
use crate::lsp::diagnostic::read_pull;
use crate::lsp::server::{LanguageServer, PullOffer};
use crate::lsp::uri;

/// LSP 3.17, section Error Codes: it is at work and wants to be asked again; what it worked on has changed.
const SERVER_CANCELLED: i64 = -32802;
const CONTENT_MODIFIED: i64 = -32801;
/// JSON-RPC 2.0, section 5.1.
const METHOD_NOT_FOUND: i64 = -32601;
/// How often it is asked again when it says so, and when it takes back all its answers.
const ATTEMPTS: u32 = 8;
const REFRESHES: u32 = 3;

/// What came of asking.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// Every question was answered.
    All,
    /// It does not know the question after all.
    NotOffered,
}

impl Answers {
    /// Where there is nothing else to go by.
    pub(super) fn or_refused(self) -> Result<Evident, Unsettled> {
        match self {
            Answers::All => Ok(Evident::default()),
            Answers::NotOffered => Err(Unsettled::Refused(format!("it does not know {PULL}"))),
        }
    }
}

/// Asks about every document that was sent, and where files depend on each other about every open one.
pub(super) async fn settle(server: &LanguageServer, round: &Round) -> Result<Answers, Unsettled> {
    let offer = server.pull_offer().unwrap_or_default();
    for _ in 0..REFRESHES {
        let refreshes = server.board().heard().refreshes;
        let mut paths: BTreeSet<&Path> = round.sent.iter().map(|sent| sent.path.as_path()).collect();
        if offer.reaches_others || paths.is_empty() {
            paths.extend(round.open.iter().map(|path| path.as_path()));
        }
        let answers = try_join_all(paths.into_iter().map(|path| ask(server, &offer, path))).await?;
        if answers.contains(&Answers::NotOffered) {
            return Ok(Answers::NotOffered);
        }
        if server.board().heard().refreshes == refreshes {
            break;
        }
    }
    Ok(Answers::All)
}

async fn ask(server: &LanguageServer, offer: &PullOffer, path: &Path) -> Result<Answers, Unsettled> {
    let mut attempt = 0;
    loop {
        let known = server.board().heard().answers.get(path).map(|answer| answer.result_id.clone());
        let mut params = json!({ "textDocument": { "uri": uri::of_path(path) } });
        if let Some(identifier) = &offer.identifier {
            params["identifier"] = identifier.as_str().into();
        }
        if let Some(result_id) = known.clone().flatten() {
            params["previousResultId"] = result_id.into();
        }
        match server.request(PULL, params).await {
            Ok(answer) => {
                let pulled = read_pull(&answer);
                let pulled = pulled.filter(|pulled| pulled.items.is_some() || known.is_some());
                let Some(pulled) = pulled else {
                    return Err(Unsettled::Refused("its answer tells nothing of the file".to_owned()));
                };
                server.board().answered(path, pulled);
                return Ok(Answers::All);
            }
            Err(RequestError::Gone) => return Err(server.board().ended().await.into()),
            Err(RequestError::Answered(error)) => match error.code {
                METHOD_NOT_FOUND => return Ok(Answers::NotOffered),
                SERVER_CANCELLED | CONTENT_MODIFIED if attempt < ATTEMPTS => {
                    tokio::time::sleep(Duration::from_millis(10 << attempt)).await;
                    attempt += 1;
                }
                _ => return Err(Unsettled::Refused(error.message)),
            },
        }
    }
}
