//! Where a typed path points: resolved, put right, or refused; never outside the workspace.
//!
//! The order is that of daring: what stands there as typed, then harmless spellings, then recovery (the path does not
//! exist, is the workspace root mistyped, and its rest names something in the workspace). Everything else is refused,
//! with the evidence. The core is pure; [`disk`] is its one look at the file system, [`contained`] opens and replaces what was
//! resolved without a gap in which the disk could change.

mod allow;
pub mod contained;
mod decision;
mod disk;
mod likeness;
mod nearest;
mod recovery;
mod refusal;
mod spelling;

use std::path::{Path, PathBuf};

pub use allow::{Access, AllowError, AllowRule};
pub use contained::Durability;
pub use refusal::{PathCode, PathRefused};

/// What to do about a path that is the workspace root mistyped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recovery {
    /// Put it right and say so.
    #[default]
    Correct,
    /// Refuse it and name the right one.
    Suggest,
    /// Refuse it as any other.
    Off,
}

/// What paths are resolved against.
#[derive(Debug, Clone)]
pub struct PathRules {
    /// The workspace root: absolute, without links.
    pub root: PathBuf,
    /// Other true spellings of the root, as given by the user or seen from a linked home.
    pub spellings: Vec<PathBuf>,
    /// What to do about a mistyped root.
    pub recovery: Recovery,
    /// What may be used outside the workspace.
    pub allow: Vec<AllowRule>,
    /// What the result of a change waits for.
    pub durability: Durability,
}

/// What a path is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A file that exists, to be read.
    ReadFile,
    /// A file that exists, to be changed, moved or deleted.
    EditFile,
    /// A file to be written that need not exist.
    WriteFile,
    /// A directory that exists: a working directory, a place to search.
    Directory,
    /// A file or directory that exists, to be read or searched.
    ReadAny,
}

impl Purpose {
    pub(crate) fn writes(self) -> bool {
        matches!(self, Purpose::EditFile | Purpose::WriteFile)
    }
}

/// A path that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The real path: links in what exists of it are resolved. Two spellings of one file give one such path.
    pub absolute: PathBuf,
    /// The same relative to the root, with `/`; empty for the root itself, absolute when outside the workspace (by an allow rule).
    pub relative: String,
    /// What the agent is to be told when the path was put right.
    pub note: Option<String>,
    /// Whether something stands there.
    pub exists: bool,
}

/// Finds out where `typed` points, for `purpose`.
///
/// Paths are relative to the workspace root, or absolute; `PathRules::recovery` decides about mistyped ones.
///
/// # Errors
/// [`PathRefused`] when it points nowhere, elsewhere, or to something that `purpose` cannot use.
#[tracing::instrument(level = "debug", skip_all)]
pub fn resolve(rules: &PathRules, typed: &str, purpose: Purpose) -> Result<Resolved, PathRefused> {
    decision::resolve_on(&disk::RealDisk, rules, typed, purpose)
}

impl PathRules {
    /// Rules for one root, without links resolved yet: `given` is kept as a spelling where it differs.
    ///
    /// # Errors
    /// When `given` is no directory that can be found.
    pub fn for_root(given: &Path) -> std::io::Result<PathRules> {
        let root = given.canonicalize()?;
        if !root.is_dir() {
            return Err(std::io::ErrorKind::NotADirectory.into());
        }
        let absolute = std::path::absolute(given)?;
        let spellings = if absolute == root { Vec::new() } else { vec![absolute] };
        Ok(PathRules {
            root,
            spellings,
            recovery: Recovery::default(),
            allow: Vec::new(),
            durability: Durability::default(),
        })
    }

    /// All true spellings of the root, the real one first.
    fn roots(&self) -> Vec<&Path> {
        std::iter::once(&self.root).chain(&self.spellings).map(PathBuf::as_path).collect()
    }
}
