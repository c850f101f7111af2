//! Why a language server could not be installed, and what mends it.

use std::io;
use std::path::PathBuf;

use crate::dirs::NoHome;

/// An install that did not happen. What was installed before is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// `servers.toml` says nothing of how to get it.
    #[error("`{name}` has no [servers.{name}.install] in servers.toml: install it yourself and put it on PATH")]
    NoRecipe {
        /// The language server.
        name: String,
    },
    /// A tool that the recipe needs is not there.
    #[error("`{tool}` is needed and is not on PATH. {get}, then run the same command again")]
    MissingTool {
        /// The program.
        tool: String,
        /// How to get it.
        get: String,
    },
    /// Another process installs the same language server.
    #[error("another install of `{name}` is running: wait until it ends, then run `landfall servers status`")]
    Busy {
        /// The language server.
        name: String,
    },
    /// A tool said no.
    #[error("{what} failed ({status}):\n{tail}{}", mend(hint))]
    Failed {
        /// The step.
        what: String,
        /// Exit code or signal.
        status: String,
        /// The last lines of what it printed.
        tail: String,
        /// What mends it, where that is known.
        hint: Option<String>,
    },
    /// It was installed in a temporary place and does not run there.
    #[error("{name} by {recipe} was fetched but does not start; nothing was changed. `landfall doctor` tells more")]
    DoesNotStart {
        /// The language server.
        name: String,
        /// What was fetched.
        recipe: String,
    },
    /// An address does not answer, or not with what was asked for.
    #[error("cannot get {url}: {problem}. Check the network (HTTPS_PROXY is respected) and run the same command again")]
    Download {
        /// The address.
        url: String,
        /// What went wrong.
        problem: String,
    },
    /// There is nothing for this machine or this version.
    #[error("nothing to install: {0}")]
    NotOffered(String),
    /// The download is not what its publisher said it is.
    #[error("{url} has SHA-256 {found}, expected {expected}: it is damaged or not the real one. Nothing was unpacked")]
    Checksum {
        /// The address.
        url: String,
        /// Of the publisher, hexadecimal.
        expected: String,
        /// Of the download, hexadecimal.
        found: String,
    },
    /// An archive with something in it that does not belong there.
    #[error("the archive is not safe to unpack: {0}. Nothing was installed")]
    Unsafe(String),
    /// The disk said no.
    #[error("cannot {doing} {}: {source}", path.display())]
    Disk {
        /// A verb.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no folder to install into.
    #[error(transparent)]
    NoHome(#[from] NoHome),
}

impl InstallError {
    /// For `map_err`: what was being done to which path.
    pub(super) fn disk(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> InstallError {
        let path = path.into();
        move |source| InstallError::Disk { doing, path, source }
    }
}

fn mend(hint: &Option<String>) -> String {
    hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default()
}
