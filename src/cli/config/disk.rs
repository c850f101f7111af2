//! Clients' files on disk: read, merged into, written whole with a copy of what was there.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::plan::{Content, FilePlan};
use super::{json, toml};

/// Mark that some editors put at the start of a file.
pub(super) const MARK: char = '\u{feff}';

/// What is wrong in a file, and where.
#[derive(Debug)]
pub(super) struct Fault {
    /// Line, 1-based.
    pub(super) line: usize,
    /// Column in characters, 1-based.
    pub(super) column: usize,
    pub(super) what: String,
}

impl Fault {
    /// The error of the file at `path`.
    pub(super) fn of(self, path: &Path) -> anyhow::Error {
        let Fault { line, column, what } = self;
        anyhow::anyhow!("{}:{line}:{column}: {what}. Nothing was written: put that right first", path.display())
    }
}

/// One file as it is and as it is to be.
#[derive(Debug)]
pub(super) struct Pending {
    path: PathBuf,
    before: Option<String>,
    after: String,
}

/// What became of a file.
#[derive(Debug)]
pub(super) enum Done {
    /// It had everything.
    Already(PathBuf),
    /// There was none.
    Created(PathBuf),
    /// What was there is in the copy.
    Changed { path: PathBuf, backup: PathBuf },
}

impl Pending {
    /// Reads the file and merges into it; nothing is written.
    ///
    /// # Errors
    /// When it cannot be read, or is not what it should be.
    pub(super) fn of(plan: &FilePlan) -> anyhow::Result<Pending> {
        let path = plan.path.clone();
        let before = read(&path)?;
        let text = before.as_deref().unwrap_or_default();
        let (mark, body) = text.strip_prefix(MARK).map_or(("", text), |body| ("\u{feff}", body));
        let merged = match &plan.content {
            Content::Json { keys, lists } => json::merge(body, keys, lists),
            Content::Toml { keys } => toml::merge(body, keys),
            Content::Whole(text) => Ok(text.clone()),
        };
        let merged = merged.map_err(|fault| fault.of(&path))?;
        let pending = Pending { after: format!("{mark}{merged}"), path, before };
        pending.may_be_written()?;
        Ok(pending)
    }

    /// Whether there is leave to write: whoever made a file read-only, or has it made by another program, does not want
    /// it changed here.
    fn may_be_written(&self) -> anyhow::Result<()> {
        let changes = self.before.as_ref().is_some_and(|before| *before != self.after);
        if changes && fs::metadata(&self.path).is_ok_and(|found| found.permissions().readonly()) {
            anyhow::bail!("{} is read-only. Nothing was written: chmod u+w it first", self.path.display());
        }
        Ok(())
    }

    /// Writes it, unless it is as wanted.
    ///
    /// # Errors
    /// When it cannot be written, or somebody else has changed it meanwhile.
    pub(super) fn write(self) -> anyhow::Result<Done> {
        let Pending { path, before, after } = self;
        if before.as_ref() == Some(&after) {
            return Ok(Done::Already(path));
        }
        if read(&path)? != before {
            anyhow::bail!("{} was changed by another program just now. Nothing was written: try again", path.display());
        }
        let Some(before) = before else {
            replace(&path, &after, None)?;
            return Ok(Done::Created(path));
        };
        // A link stays a link: what it leads to is replaced.
        let real = path.canonicalize().with_context(|| format!("{} cannot be followed", path.display()))?;
        let permissions = fs::metadata(&real).with_context(|| real.display().to_string())?.permissions();
        let backup = keep(&path, &before, &permissions)?;
        replace(&real, &after, Some(permissions))?;
        Ok(Done::Changed { path, backup })
    }
}

/// The text of a file, or nothing where there is none.
///
/// # Errors
/// When it cannot be read as UTF-8, or is a link that leads nowhere.
pub(super) fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if path.is_symlink() {
                anyhow::bail!("{} is a link that leads nowhere. Nothing was written", path.display());
            }
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| format!("{} cannot be read. Nothing was written", path.display())),
    }
}

/// Keeps a copy beside the file, under a name that is free and as private as the file.
fn keep(path: &Path, text: &str, permissions: &fs::Permissions) -> anyhow::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for number in 1.. {
        let backup = path.with_file_name(format!("{name}.before-landfall-{number}"));
        match private(&backup) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => {
                let kept = opened.and_then(|mut file| {
                    file.write_all(text.as_bytes())?;
                    file.set_permissions(permissions.clone())
                });
                kept.with_context(|| format!("no copy can be kept at {}. Nothing was written", backup.display()))?;
                return Ok(backup);
            }
        }
    }
    unreachable!("there are more numbers than files")
}

fn private(path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Puts a whole file in the place of another, or of none.
fn replace(path: &Path, text: &str, permissions: Option<fs::Permissions>) -> anyhow::Result<()> {
    let folder = path.parent().context("a file is in a folder")?;
    let replaced = fs::create_dir_all(folder).and_then(|()| {
        let mut file = tempfile::Builder::new().prefix(".landfall-").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(permissions.unwrap_or_else(|| fs::Permissions::from_mode(0o644)))?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|error| error.error)
    });
    replaced.with_context(|| format!("{} cannot be written", path.display()))
}
