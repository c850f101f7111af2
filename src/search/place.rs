//! Where to look: a file, or a tree by ripgrep's rules.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::limits::{End, Watch};
use crate::temporaries::is_temporary;

/// Where to look.
#[derive(Debug, Clone)]
pub struct Place {
    /// A directory, or one file; absolute. A file is looked at whatever the rules say.
    pub path: PathBuf,
    /// Which files, in the manner of `rg --glob`: without `/` at any depth, else from `path` on; `!` leaves out.
    pub globs: Vec<String>,
    /// Whether hidden and ignored files count too (but never what is in `.git`, nor our own temporary files).
    pub everything: bool,
}

/// A pattern that is no glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is no file pattern: {reason}")]
pub struct GlobError {
    /// The pattern.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What a walk could not look into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Walked {
    pub(super) end: Option<End>,
    /// How many folders and files could not be read.
    pub(super) unreadable: usize,
    /// The first of them.
    pub(super) first_unreadable: Option<PathBuf>,
}

impl Place {
    /// All files by ripgrep's default rules.
    pub fn new(path: PathBuf) -> Place {
        Place { path, globs: Vec::new(), everything: false }
    }

    /// Hands every file to one of the visitors that `visitor` makes, one a thread, until all are seen or it is time to
    /// stop. A visitor returns whether as many results are there as may be kept.
    pub(super) fn walk<V>(&self, watch: &Watch<'_>, visitor: impl Fn() -> V) -> Result<Walked, GlobError>
    where
        V: FnMut(DirEntry) -> bool + Send,
    {
        let walked = Mutex::new(Walked::default());
        let note = |note: &dyn Fn(&mut Walked)| note(&mut walked.lock().unwrap_or_else(PoisonError::into_inner));
        let builder = self.builder()?;
        builder.build_parallel().run(|| {
            let (mut visit, note) = (visitor(), &note);
            let mut full = false;
            Box::new(move |entry| {
                match entry {
                    Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => full = visit(entry),
                    Ok(_) => {}
                    Err(error) => note(&|walked: &mut Walked| walked.missed(path_of(&error))),
                }
                match watch.stop(full) {
                    Some(end) => {
                        note(&|walked: &mut Walked| walked.end = Some(end));
                        WalkState::Quit
                    }
                    None => WalkState::Continue,
                }
            })
        });
        Ok(walked.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn builder(&self) -> Result<WalkBuilder, GlobError> {
        let mut builder = WalkBuilder::new(&self.path);
        // Ripgrep's own file of rules, beside those that the crate knows.
        builder.add_custom_ignore_filename(".rgignore").overrides(self.overrides()?);
        if self.everything {
            builder.standard_filters(false);
        }
        let everything = self.everything;
        builder
            .filter_entry(move |entry| !(is_temporary(entry.file_name()) || everything && entry.file_name() == ".git"));
        Ok(builder)
    }

    fn overrides(&self) -> Result<Override, GlobError> {
        let mut overrides = OverrideBuilder::new(&self.path);
        for glob in &self.globs {
            let fault = |error: ignore::Error| GlobError { glob: glob.clone(), reason: reason(error) };
            overrides.add(glob).map_err(fault)?;
        }
        let fault = |error| GlobError { glob: self.globs.join(" "), reason: reason(error) };
        overrides.build().map_err(fault)
    }
}

impl Walked {
    pub(super) fn missed(&mut self, path: Option<&Path>) {
        self.unreadable += 1;
        self.first_unreadable = self.first_unreadable.take().or_else(|| path.map(Path::to_owned));
    }
}

/// The innermost cause: the outer ones repeat the glob.
fn reason(error: ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err,
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithLineNumber { err, .. }
        | ignore::Error::WithDepth { err, .. } => reason(*err),
        other => other.to_string(),
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
