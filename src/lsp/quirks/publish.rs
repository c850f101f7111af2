//! A language server nothing is known of: asked where it offers that; else a publish of the version, else silence after
//! a publish.

use std::time::{Duration, Instant};

use super::pull::{self, Answers};
use super::{Evident, Round, Unsettled};
use crate::config::DiagnosticsSource;
use crate::lsp::board::{Ended, Heard};
use crate::lsp::server::LanguageServer;

pub(super) async fn settle(server: &LanguageServer, round: &Round) -> Result<Evident, Unsettled> {
    match server.diagnostics_source(round.source) {
        DiagnosticsSource::Push => published(server, round).await,
        DiagnosticsSource::Auto => match pull::settle(server, round).await? {
            Answers::All => Ok(Evident::default()),
            Answers::NotOffered => published(server, round).await,
        },
        DiagnosticsSource::Pull => pull::settle(server, round).await?.or_refused(),
        DiagnosticsSource::Both => {
            let evident = pull::settle(server, round).await?.or_refused()?;
            be_quiet(server, round.quiet).await?;
            Ok(evident)
        }
    }
}

async fn published(server: &LanguageServer, round: &Round) -> Result<Evident, Unsettled> {
    // Each has been published for since it was sent, and of each version that it names, it names the last.
    let spoken = |heard: &Heard| {
        let of = |sent: &super::Sent| {
            let last = heard.publishes.get(&sent.path)?;
            let fresh = last.at > round.mark && last.version.is_none_or(|version| version >= sent.version);
            fresh.then_some(last.version.is_some())
        };
        round.sent.iter().map(of).collect::<Option<Vec<bool>>>()
    };
    let named = server.board().wait(spoken).await?;
    if !named.iter().all(|versioned| *versioned) || named.is_empty() {
        be_quiet(server, round.quiet).await?;
    }
    Ok(Evident::default())
}

/// Waits until nothing has been heard for `quiet`.
pub(super) async fn be_quiet(server: &LanguageServer, quiet: Duration) -> Result<(), Ended> {
    loop {
        let (since, ended) = {
            let heard = server.board().heard();
            (heard.last_at.map_or(quiet, |last| Instant::now() - last), heard.ended.clone())
        };
        if let Some(why) = ended {
            return Err(Ended(why));
        }
        if since >= quiet {
            return Ok(());
        }
        tokio::time::sleep(quiet - since).await;
    }
}
