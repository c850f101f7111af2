//! jdtls: its build has answered, and a publishing job that began after the change has ended.
//!
//! Either signal alone is wrong: the answer comes before the publishing, and a publishing job may belong to an earlier
//! change. Until the service is ready, and until the first project has been published, all signals may come and mean
//! nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::publish::be_quiet;
use super::{Evident, Round, Sent, Unsettled};
use crate::lsp::board::Heard;
use crate::lsp::connection::RequestError;
use crate::lsp::server::LanguageServer;
use crate::lsp::uri;

const PUBLISHING: &str = "Publish Diagnostics";
/// Titles of the work that ends in diagnostics.
const WORK: [&str; 3] = ["Publish", "Building", "Validate"];
/// How long it is silent after loading a project, and after a change that concerns no open document.
const SILENCE: Duration = Duration::from_millis(1000);
const SHORT_SILENCE: Duration = Duration::from_millis(250);
/// How long a document's first publish may come after the job that should have held it.
const GRACE: Duration = Duration::from_millis(1500);

pub(super) async fn settle(server: &LanguageServer, round: &Round) -> Result<Evident, Unsettled> {
    if round.first {
        let ready = |heard: &Heard| heard.statuses.iter().any(|status| status == "ServiceReady").then_some(());
        server.board().wait(ready).await?;
    }
    // `false`: only what has changed is built. The answer is a number (1: built; others: with errors, cancelled).
    match server.request("java/buildWorkspace", json!(false)).await {
        Ok(_) => {}
        Err(RequestError::Gone) => return Err(server.board().ended().await.into()),
        Err(RequestError::Answered(error)) => return Err(Unsettled::Refused(error.message)),
    }
    if !round.first && !round.sent.is_empty() {
        let published = |heard: &Heard| {
            let begun_since = heard.ended_works.get(PUBLISHING).is_some_and(|begun| *begun > round.mark);
            (begun_since && !heard.is_working_on(&WORK)).then_some(())
        };
        server.board().wait(published).await?;
    }
    // Another class path is a load of the project, and jobs of it may end that belong to no change.
    if round.first || round.rebuilt {
        rest(server, SILENCE).await?;
    } else if round.sent.is_empty() {
        rest(server, SHORT_SILENCE).await?;
    }
    Ok(Evident { unknown: unspoken(server, round).await? })
}

/// Other settings after the start have no such effect: its command has.
pub(super) async fn add_source_root(server: &LanguageServer, folder: &Path) {
    let command = json!({ "command": "java.project.addToSourcePath", "arguments": [uri::of_path(folder)] });
    match server.request("workspace/executeCommand", command).await {
        Ok(answer) => tracing::debug!(folder = %folder.display(), answer = answer.get(), "a new source root"),
        Err(error) => tracing::warn!(folder = %folder.display(), %error, "jdtls does not take a new source root"),
    }
}

/// Waits until it has spoken of every document since that was sent: a publishing job can end before the next one, for a
/// document changed at the same moment, begins. Returns those it does not know: after a failed import a file gets no
/// publish at all.
async fn unspoken(server: &LanguageServer, round: &Round) -> Result<Vec<PathBuf>, Unsettled> {
    let spoken = |heard: &Heard, sent: &Sent| heard.publishes.get(&sent.path).is_some_and(|last| last.at > sent.mark);
    let is_known = |heard: &Heard, sent: &Sent| heard.publishes.contains_key(&sent.path);
    let of_all = |heard: &Heard| {
        let all = round.sent.iter().all(|sent| spoken(heard, sent));
        (all && !heard.is_working_on(&WORK)).then_some(Vec::new())
    };
    if let Ok(waited) = tokio::time::timeout(GRACE, server.board().wait(of_all)).await {
        return Ok(waited?);
    }
    let of_known = |heard: &Heard| {
        let all = round.sent.iter().all(|sent| spoken(heard, sent) || !is_known(heard, sent));
        let unknown = round.sent.iter().filter(|sent| !is_known(heard, sent)).map(|sent| sent.path.clone());
        (all && !heard.is_working_on(&WORK)).then(|| unknown.collect())
    };
    Ok(server.board().wait(of_known).await?)
}

/// Waits until it has no work and has been silent for a while.
async fn rest(server: &LanguageServer, silence: Duration) -> Result<(), Unsettled> {
    loop {
        server.board().wait(|heard| (!heard.is_working_on(&WORK)).then_some(())).await?;
        be_quiet(server, silence).await?;
        if !server.board().heard().is_working_on(&WORK) {
            return Ok(());
        }
    }
}
