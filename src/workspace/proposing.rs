//! What a language server would change: a rename, the fix of a problem. Worked out wholly on what is on disk, nothing of
//! it done.

mod fixes;
mod on_disk;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;

pub use fixes::{Offered, Problematic};

use super::Workspace;
use super::navigation::asking::{Answer, Enough, ask};
use super::navigation::{Basis, Lack, Opened, Spot};
use super::rewriting::{NotRewritten, Rewrite, rewritten};
use super::slot::Slot;
use super::symbols::blocking;
use crate::lsp::{EditRefused, EditStep, LanguageServer, RequestError, StrangeEdit, WorkspaceEdit};
use crate::text::LineIndex;
use on_disk::OnDisk;

/// What is to be changed, and who says so.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// What each file becomes.
    pub rewrites: Vec<Rewrite>,
    /// The language server's key in `servers.toml`.
    pub language_server: String,
    /// For a language server that sees only what is opened: how much it was shown.
    pub opened: Option<Opened>,
    /// How long it took.
    pub waited: Duration,
}

/// Why there is no proposal.
#[derive(Debug, thiserror::Error)]
pub enum NotProposed {
    /// No language server answered.
    #[error("no language server answered")]
    Lacking {
        /// Its key, if there is one for such files.
        language_server: Option<String>,
        /// Why.
        lack: Lack,
    },
    /// There is nothing there that could be renamed.
    #[error("{language_server} knows nothing there that can be renamed")]
    NotRenamable {
        /// Its key.
        language_server: String,
    },
    /// It sees only what is opened, and more files hold the name than can be opened.
    #[error("{} of {} files hold the name", opened.files, opened.of)]
    TooManyFiles {
        /// How much it was shown.
        opened: Opened,
    },
    /// It would change nothing.
    #[error("{language_server} would change nothing")]
    Nothing {
        /// Its key.
        language_server: String,
    },
    /// What it proposed was not understood.
    #[error(transparent)]
    Strange(#[from] StrangeEdit),
    /// What it proposed cannot be carried out.
    #[error(transparent)]
    NotRewritten(#[from] NotRewritten),
    /// It would run a command of its own.
    #[error("it takes the command {0}")]
    Command(String),
    /// Files were changed while it was worked out.
    #[error("files were changed while it was worked out")]
    Moving,
}

/// What a rename was answered with.
enum Renaming {
    Edit(Option<WorkspaceEdit>),
    NotThere,
    Strange(StrangeEdit),
}

impl Answer for Renaming {
    fn is_nothing(&self) -> bool {
        !matches!(self, Renaming::Edit(Some(_)))
    }
}

impl Workspace {
    /// What renaming the thing at `spot` takes.
    ///
    /// Waits at most `budget` for a language server; without one, as long as usual.
    ///
    /// # Errors
    /// [`NotProposed`].
    pub async fn renaming(
        &self,
        spot: &Spot,
        new_name: &str,
        budget: Option<Duration>,
    ) -> Result<Proposal, NotProposed> {
        let begun = Instant::now();
        let lacking = |lack| NotProposed::Lacking { language_server: None, lack };
        let slot = self.slot_of(&spot.path, &spot.text).ok_or_else(|| lacking(Lack::NoLanguageServer))?;
        let opened = self.open_files_with(&spot.path, spot.word()).await;
        if let Some(opened) = opened.as_ref().filter(|opened| opened.files < opened.of) {
            return Err(NotProposed::TooManyFiles { opened: opened.clone() });
        }
        let tick = slot.state().tick();
        let request = |server| ask_for_renaming(server, spot, new_name);
        let asked = ask(&slot, Enough::All, budget, &request).await.map_err(|(basis, lack)| lacking_by(basis, lack))?;
        let language_server = match asked.basis {
            Basis::LanguageServer { name, still_loading: None } => name,
            // Before it has loaded everything some places may be missing.
            Basis::LanguageServer { name, still_loading: Some(doing) } => {
                return Err(NotProposed::Lacking { language_server: Some(name), lack: Lack::Loading(doing) });
            }
            Basis::Text { .. } => slot.spec.name.clone(),
        };
        let edit = match asked.found {
            Renaming::Edit(Some(edit)) => edit,
            Renaming::Edit(None) => return Err(NotProposed::Nothing { language_server }),
            Renaming::NotThere => return Err(NotProposed::NotRenamable { language_server }),
            Renaming::Strange(why) => return Err(why.into()),
        };
        let rewrites = self.rewrites(&slot, &asked.server, edit, tick).await?;
        if rewrites.is_empty() {
            return Err(NotProposed::Nothing { language_server });
        }
        let opened = opened.map(|opened| mentioning(opened, &rewrites, self.root()));
        Ok(Proposal { rewrites, language_server, opened, waited: begun.elapsed() })
    }

    /// What each file becomes by an edit that `server` proposed when `tick` changes had been told to it.
    async fn rewrites(
        &self,
        slot: &Arc<Slot>,
        server: &LanguageServer,
        edit: WorkspaceEdit,
        tick: u64,
    ) -> Result<Vec<Rewrite>, NotProposed> {
        let (workspace, slot, encoding) = (self.clone(), Arc::clone(slot), server.encoding());
        blocking(move |_| {
            let mut files = OnDisk::new(workspace.paths());
            let rewrites = rewritten(&edit, encoding, &mut files);
            slot.place.look();
            // What was changed since it was asked makes its places wrong, in range or not.
            if slot.state().tick() != tick || !slot.still_has(&files, &edit) {
                return Err(NotProposed::Moving);
            }
            Ok(rewrites?)
        })
        .await
    }
}

/// Asks whether it can be renamed, then what that takes.
fn ask_for_renaming(
    server: LanguageServer,
    spot: &Spot,
    new_name: &str,
) -> BoxFuture<'static, Result<Renaming, RequestError>> {
    let position = LineIndex::new(&spot.text).position(&spot.text, spot.name.start, server.encoding());
    let (path, new_name) = (spot.path.clone(), new_name.to_owned());
    Box::pin(async move {
        if !server.may_rename(&path, position).await? {
            return Ok(Renaming::NotThere);
        }
        match server.rename(&path, position, &new_name).await {
            Ok(edit) => Ok(Renaming::Edit(edit)),
            Err(EditRefused::Strange(why)) => Ok(Renaming::Strange(why)),
            Err(EditRefused::Request(error)) => Err(error),
        }
    })
}

fn lacking_by(basis: Basis, lack: Lack) -> NotProposed {
    let language_server = match basis {
        Basis::LanguageServer { name, .. } => Some(name),
        Basis::Text { language_server } => language_server,
    };
    NotProposed::Lacking { language_server, lack }
}

/// Notes which of the files that hold the name are not changed.
fn mentioning(mut opened: Opened, rewrites: &[Rewrite], root: &std::path::Path) -> Opened {
    let is_changed = |path: &std::path::PathBuf| rewrites.iter().any(|rewrite| rewrite.path == *path);
    let others = opened.paths.iter().filter(|path| !is_changed(path));
    opened.unmentioned = others.map(|path| super::snapshot::relative(root, path)).collect();
    opened
}

impl Slot {
    /// Whether the documents that are open are on disk as they were told, and in the versions that `edit` is about.
    fn still_has(&self, files: &OnDisk<'_>, edit: &WorkspaceEdit) -> bool {
        let state = self.state();
        let as_told = files
            .texts()
            .all(|(path, text)| state.documents.get(path).is_none_or(|document| Some(&document.text) == text.as_ref()));
        let versions = edit.steps.iter().all(|step| match step {
            EditStep::Text { path, version: Some(version), .. } => {
                state.documents.get(path).is_none_or(|document| document.version == *version)
            }
            _ => true,
        });
        as_told && versions
    }
}
