//! What is peculiar to one language server: above all, the evidence that it has spoken about a change.

mod gopls;
mod jdtls;
mod publish;
mod pull;
mod zls;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::board::Ended;
use super::server::LanguageServer;
use crate::config::{DiagnosticsSource, Evidence};

/// What a language server must have spoken about.
#[derive(Debug, Clone)]
pub struct Round {
    /// What it had said when the last change was sent, in the count of [`super::Heard::count`].
    pub mark: u64,
    /// Open documents that were sent since the round before.
    pub sent: Vec<Sent>,
    /// Every file it should speak about; only asked for where the evidence needs it.
    pub files: Arc<[PathBuf]>,
    /// Whether those are not all the files there are.
    pub is_part: bool,
    /// Whether it has not spoken at all yet.
    pub first: bool,
    /// Whether it was made to build everything anew since.
    pub rebuilt: bool,
    /// Every open document; only for one that is asked.
    pub open: Vec<PathBuf>,
    /// How it gives its diagnostics.
    pub source: DiagnosticsSource,
    /// For a language server that publishes when it pleases: how long it must have been silent.
    pub quiet: Duration,
}

/// An open document as it was last sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The file.
    pub path: PathBuf,
    /// Its version.
    pub version: i32,
    /// How often it was sent since the language server started: once to open it, once a change.
    pub times: u32,
    /// What the language server had said when it was last sent, in the count of [`super::Heard::count`].
    pub mark: u64,
}

/// Why there is no evidence, although the language server lives.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Unsettled {
    /// It ended.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// It could not do what evidence takes.
    #[error("{0}")]
    Refused(String),
}

/// What the evidence covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evident {
    /// Documents that it said nothing about, though it should have: it does not know them as part of a project.
    pub unknown: Vec<PathBuf>,
}

/// Tells jdtls of a folder in which packages begin, in a project without a build file.
pub async fn add_source_root(server: &LanguageServer, folder: &Path) {
    jdtls::add_source_root(server, folder).await;
}

/// Waits for the evidence that `server` has spoken about everything in `round`. Takes as long as it takes.
///
/// # Errors
/// [`Unsettled`] when there will be none.
pub async fn settle(server: &LanguageServer, evidence: Evidence, round: &Round) -> Result<Evident, Unsettled> {
    match evidence {
        Evidence::Gopls => gopls::settle(server, round).await,
        Evidence::Jdtls => jdtls::settle(server, round).await,
        Evidence::Zls => zls::settle(server, round).await,
        Evidence::Publish => publish::settle(server, round).await,
    }
}
