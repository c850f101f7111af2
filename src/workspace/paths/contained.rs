//! Opening, making and replacing files beneath the root, with no gap between the check and the use.
//!
//! A [`Resolved`] path holds no links any more, so none is followed here: whatever has become a link since then is
//! refused. Each file is reached from an open directory, never by a path that could be led elsewhere in between.

mod beneath;
mod durable;
mod folders;
mod replacing;
mod sweeping;
mod temporary;

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::hash::Hasher;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{PathRules, Resolved};
use crate::temporaries::is_temporary;
pub use beneath::open_dir_beneath;
pub use durable::Durability;
use folders::remove_made;
pub use folders::{create_dirs_beneath, missing_folders, remove_folders};
pub use replacing::Aside;
pub use sweeping::{remove_abandoned, sweep};
use temporary::Attributes;

/// What a file held when it was read, for telling whether it still does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    length: u64,
    hash: u64,
}

impl Expected {
    /// A file of just these bytes.
    pub fn of(bytes: &[u8]) -> Expected {
        let mut hasher = std::collections::hash_map::DefaultHasher::new();
        hasher.write(bytes);
        Expected { length: bytes.len() as u64, hash: hasher.finish() }
    }

    /// Whether `file`, from where it stands on, holds these bytes.
    fn holds(&self, file: &mut File) -> std::io::Result<bool> {
        if file.metadata()?.len() != self.length {
            return Ok(false);
        }
        let mut bytes = Vec::with_capacity(self.length as usize);
        file.take(self.length + 1).read_to_end(&mut bytes)?;
        Ok(Expected::of(&bytes) == *self)
    }
}

/// A file that was read.
#[derive(Debug)]
pub struct Found {
    /// What it holds.
    pub bytes: Vec<u8>,
    /// What is known of it, taken from the open file.
    pub metadata: Metadata,
    /// For [`replace_file`]: what must still hold then.
    pub expected: Expected,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is larger than the caller takes.
    #[error("it has {bytes} bytes, more than {most}")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// What the caller takes.
        most: u64,
    },
    /// A directory, pipe, socket or device.
    #[error("it is {what}, not a file")]
    NotAFile {
        /// In words: `a directory`.
        what: &'static str,
    },
    /// Since it was resolved, something on the way has become a link; or no rule covers it.
    #[error("it leads out of the workspace")]
    Escapes,
    /// Anything else.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Why a file was not written. It is as it was, and nothing is left beside it.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file, its directory or the file system is write-protected.
    #[error("it is write-protected")]
    ReadOnly,
    /// It holds other bytes than expected, is gone, or stands where a new file was to be.
    #[error("it was changed meanwhile")]
    ChangedMeanwhile,
    /// The disk or the quota is full.
    #[error("there is no space left")]
    NoSpace,
    /// Since it was resolved, something on the way has become a link; or no rule covers it.
    #[error("it leads out of the workspace")]
    Escapes,
    /// A directory, pipe, socket or device.
    #[error("it is {what}, not a file")]
    NotAFile {
        /// In words: `a directory`.
        what: &'static str,
    },
    /// The file has other names, which would keep the old content.
    #[error("it is one of {links} hard links")]
    HardLinked {
        /// How many names it has.
        links: u64,
    },
    /// Anything else.
    #[error(transparent)]
    Io(std::io::Error),
}

impl From<Errno> for WriteError {
    fn from(error: Errno) -> WriteError {
        match error {
            Errno::ACCESS | Errno::PERM | Errno::ROFS => WriteError::ReadOnly,
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => WriteError::NoSpace,
            Errno::LOOP | Errno::XDEV => WriteError::Escapes,
            Errno::NOENT | Errno::NOTDIR | Errno::EXIST => WriteError::ChangedMeanwhile,
            other => WriteError::Io(other.into()),
        }
    }
}

impl From<std::io::Error> for WriteError {
    fn from(error: std::io::Error) -> WriteError {
        match Errno::from_io_error(&error) {
            Some(errno) => errno.into(),
            None => WriteError::Io(error),
        }
    }
}

impl From<Errno> for ReadError {
    fn from(error: Errno) -> ReadError {
        match error {
            Errno::LOOP | Errno::XDEV => ReadError::Escapes,
            other => ReadError::Io(other.into()),
        }
    }
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Whether it is new.
    pub created: bool,
    /// The directories that were made for it, absolute, outermost first.
    pub directories: Vec<PathBuf>,
    /// What it holds now.
    pub expected: Expected,
}

/// Reads the whole of `target`; `None` if there is no such file. Pipes and devices are not waited for.
///
/// # Errors
/// [`ReadError`], for a file over `most` bytes too.
pub fn read_file(rules: &PathRules, target: &Resolved, most: u64) -> Result<Option<Found>, ReadError> {
    let Some(mut file) = open_file(rules, target)? else { return Ok(None) };
    let metadata = file.metadata()?;
    if metadata.len() > most {
        return Err(ReadError::TooLarge { bytes: metadata.len(), most });
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    (&mut file).take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(ReadError::TooLarge { bytes: file.metadata()?.len(), most });
    }
    let expected = Expected::of(&bytes);
    Ok(Some(Found { bytes, metadata, expected }))
}

/// Opens `target` for reading; `None` if there is no such file.
///
/// # Errors
/// [`ReadError`], never `TooLarge`.
pub fn open_file(rules: &PathRules, target: &Resolved) -> Result<Option<File>, ReadError> {
    let Some((base, relative)) = base_of(rules, &target.absolute, false) else { return Err(ReadError::Escapes) };
    let (Some(name), above) = (relative.file_name(), relative.parent().unwrap_or(Path::new(""))) else {
        return Err(ReadError::NotAFile { what: "a directory" });
    };
    let parent = match open_dir_beneath(&base, above) {
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        parent => parent?,
    };
    let kind = match rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        stat => FileType::from_raw_mode(stat?.st_mode),
    };
    if kind == FileType::Symlink {
        return Err(ReadError::Escapes);
    }
    if let Some(what) = not_a_file(kind) {
        return Err(ReadError::NotAFile { what });
    }
    // What was a file a moment ago may be a pipe by now: it is opened without waiting, and looked at again.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file: OwnedFd = match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        file => file?,
    };
    match not_a_file(FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode)) {
        Some(what) => Err(ReadError::NotAFile { what }),
        None => Ok(Some(File::from(file))),
    }
}

/// Makes `bytes` the content of `target`, all at once: whoever reads it sees the old file or the new one, also after a
/// crash. Mode, extended attributes and, where permitted, owner of the old file are kept. Missing directories are made.
///
/// With `expect` the file must hold what was expected; without, there must be no file. A change by another program
/// that comes between the check and the exchange is found out and put back.
///
/// # Errors
/// [`WriteError`]; nothing was changed then.
pub fn replace_file(
    rules: &PathRules,
    target: &Resolved,
    bytes: &[u8],
    expect: Option<&Expected>,
) -> Result<Written, WriteError> {
    replace_file_like(rules, target, bytes, expect, None)
}

/// What a new file gets beside its content.
#[derive(Debug, Clone, Copy)]
pub enum Like<'a> {
    /// Mode, extended attributes and, where permitted, owner of this file.
    File(&'a Resolved),
    /// These permissions.
    Mode(u32),
}

/// The same; a new file is made like `like`.
///
/// # Errors
/// As [`replace_file`].
#[tracing::instrument(level = "debug", name = "write", skip_all)]
pub fn replace_file_like(
    rules: &PathRules,
    target: &Resolved,
    bytes: &[u8],
    expect: Option<&Expected>,
    like: Option<Like<'_>>,
) -> Result<Written, WriteError> {
    let of_file = |like| match like {
        Like::File(like) => {
            let file = open_file(rules, like).ok().flatten()?;
            let metadata = file.metadata().ok()?;
            Some(Attributes::Of(file, metadata))
        }
        Like::Mode(mode) => Some(Attributes::Mode(mode)),
    };
    let like = like.and_then(of_file);
    let (base, relative) = base_of(rules, &target.absolute, true).ok_or(WriteError::Escapes)?;
    let (Some(name), above) = (relative.file_name(), relative.parent().unwrap_or(Path::new(""))) else {
        return Err(WriteError::NotAFile { what: "a directory" });
    };
    let expected = Expected::of(bytes);
    match expect {
        Some(expect) => {
            let parent = open_dir_beneath(&base, above)?;
            replacing::exchange(&parent, name, bytes, expect, rules.durability)?;
            Ok(Written { created: false, directories: Vec::new(), expected })
        }
        None => {
            let (parent, made) = create_dirs_beneath(&base, above)?;
            match replacing::create(&parent, name, bytes, like.as_ref(), rules.durability) {
                Ok(()) => Ok(Written { created: true, directories: made, expected }),
                Err(error) => {
                    remove_made(&base, &made);
                    Err(error)
                }
            }
        }
    }
}

/// Whether `target`, a file that is there, may be replaced or deleted: not if it is protected or has other names.
///
/// # Errors
/// [`WriteError`].
pub fn may_replace(rules: &PathRules, target: &Resolved) -> Result<(), WriteError> {
    let (parent, name) = open_parent(rules, target)?;
    replacing::may_replace(&parent, &name)
}

/// Deletes `target`, which must hold what was expected.
///
/// # Errors
/// [`WriteError`]; nothing was changed then.
pub fn remove_file(rules: &PathRules, target: &Resolved, expect: &Expected) -> Result<(), WriteError> {
    set_aside(rules, target, expect)?.remove()
}

/// Takes `target`, which must hold what was expected, out of its place in such a way that it can be put back.
///
/// # Errors
/// [`WriteError`]; nothing was changed then.
pub fn set_aside(rules: &PathRules, target: &Resolved, expect: &Expected) -> Result<Aside, WriteError> {
    let (parent, name) = open_parent(rules, target)?;
    Aside::take(parent, name, expect, replacing::Protection::Heeded, rules.durability)
}

/// Takes back a file that [`replace_file`] made, whatever its mode, and the directories that were made for it.
///
/// # Errors
/// [`WriteError`]; nothing was changed then.
pub fn unmake(rules: &PathRules, target: &Resolved, made: &Written) -> Result<(), WriteError> {
    let (parent, name) = open_parent(rules, target)?;
    Aside::take(parent, name, &made.expected, replacing::Protection::Ours, rules.durability)?.remove()?;
    if let Some((base, _)) = base_of(rules, &target.absolute, true) {
        remove_made(&base, &made.directories);
    }
    Ok(())
}

fn open_parent(rules: &PathRules, target: &Resolved) -> Result<(OwnedFd, OsString), WriteError> {
    let (base, relative) = base_of(rules, &target.absolute, true).ok_or(WriteError::Escapes)?;
    let name = relative.file_name().ok_or(WriteError::NotAFile { what: "a directory" })?;
    Ok((open_dir_beneath(&base, relative.parent().unwrap_or(Path::new("")))?, name.to_owned()))
}

/// The names in the directory `target`, in no order, and whether each is a directory; our temporary files are left out.
///
/// # Errors
/// [`ReadError`], never `TooLarge`.
pub fn list(rules: &PathRules, target: &Resolved) -> Result<Vec<(OsString, bool)>, ReadError> {
    let Some((base, relative)) = base_of(rules, &target.absolute, false) else { return Err(ReadError::Escapes) };
    let directory = open_dir_beneath(&base, &relative)?;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(&directory)? {
        let entry = entry?;
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        if name != "." && name != ".." && !is_temporary(&name) {
            // Not every file system tells the kind along with the name.
            let stat = || rustix::fs::statat(&directory, &name, AtFlags::SYMLINK_NOFOLLOW);
            let kind = match entry.file_type() {
                FileType::Unknown => stat().map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                kind => kind,
            };
            names.push((name, kind == FileType::Directory));
        }
    }
    Ok(names)
}

/// The directory from which a real path is reached, and the rest of it: the root, or the base of the rule that allows it.
fn base_of(rules: &PathRules, real: &Path, write: bool) -> Option<(PathBuf, PathBuf)> {
    if let Ok(relative) = real.strip_prefix(&rules.root) {
        return Some((rules.root.clone(), relative.to_owned()));
    }
    let rule = rules.allow.iter().find(|rule| rule.covers(real) && (!write || rule.is_writable()))?;
    // A rule may be about a single file, or about a directory that is yet to be made.
    let base = rule.base().ancestors().find(|above| above.is_dir())?;
    Some((base.to_owned(), real.strip_prefix(base).ok()?.to_owned()))
}

/// What a thing is that is no regular file, in words.
fn not_a_file(kind: FileType) -> Option<&'static str> {
    match kind {
        FileType::RegularFile => None,
        FileType::Directory => Some("a directory"),
        FileType::Symlink => Some("a link"),
        FileType::Fifo => Some("a named pipe"),
        FileType::Socket => Some("a socket"),
        _ => Some("a device"),
    }
}

#[cfg(test)]
mod tests;
