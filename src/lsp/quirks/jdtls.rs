//! jdtls: its build has answered, and a publishing job that began after the change has ended.
//!
//! Either signal alone is wrong: the answer comes before the publishing, and a publishing job may belong to an earlier
//! change. Until the service is ready, and until the first project has been published, all signals may come and mean
//! nothing.

use std::time::Duration;

use serde_json::json;

use super::publish::be_quiet;
use super::{Evident, Round, Unsettled};
use crate::lsp::board::Heard;
use crate::lsp::connection::RequestError;
use crate::lsp::server::LanguageServer;

const PUBLISHING: &str = "Publish Diagnostics";
/// Titles of the work that ends in diagnostics.
const WORK: [&str; 3] = ["Publish", "Building", "Validate"];
/// How long it is silent after loading a project, and after a change that concerns no open document.
const SILENCE: Duration = Duration::from_millis(1000);
const SHORT_SILENCE: Duration = Duration::from_millis(250);

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
    if round.first || round.sent.is_empty() {
        rest(server, if round.first { SILENCE } else { SHORT_SILENCE }).await?;
    } else {
        let published = |heard: &Heard| {
            let begun_since = heard.ended_works.get(PUBLISHING).is_some_and(|begun| *begun > round.mark);
            (begun_since && !heard.is_working_on(&WORK)).then_some(())
        };
        server.board().wait(published).await?;
    }
    let heard = server.board().heard();
    let unknown = round.sent.iter().filter(|sent| !heard.publishes.contains_key(&sent.path));
    Ok(Evident { unknown: unknown.map(|sent| sent.path.clone()).collect() })
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
