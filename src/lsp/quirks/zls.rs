//! zls with build-on-save off: exactly one publish each time a document is sent.
//!
//! With build-on-save on, nothing is sent when a build's result is unchanged, so that "clean" and "not yet" look alike.

use super::{Evident, Round, Unsettled};
use crate::lsp::server::LanguageServer;

pub(super) async fn settle(server: &LanguageServer, round: &Round) -> Result<Evident, Unsettled> {
    server
        .board()
        .wait(|heard| {
            let spoken =
                |sent: &super::Sent| heard.publishes.get(&sent.path).is_some_and(|last| last.times >= sent.times);
            round.sent.iter().all(spoken).then_some(())
        })
        .await?;
    Ok(Evident::default())
}
