//! Putting a new file in the place of an old one, and noticing whoever comes in between.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, linkat, openat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::temporary::{Attributes, Temporary, mark_in_use};
use super::{Durability, Expected, WriteError, not_a_file};
use crate::temporaries::unused_name;

/// How often two programs may cross each other before the last word is left to the other one.
const CROSSINGS: usize = 8;

/// Makes the new file `name`, with the attributes of another if given.
pub(super) fn create(
    directory: &OwnedFd,
    name: &OsStr,
    bytes: &[u8],
    attributes: Option<&Attributes>,
    durability: Durability,
) -> Result<(), WriteError> {
    match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => {}
        stat => {
            let kind = FileType::from_raw_mode(stat?.st_mode);
            return Err(match (kind, not_a_file(kind)) {
                (FileType::Symlink, _) => WriteError::Escapes,
                (_, Some(what)) => WriteError::NotAFile { what },
                (_, None) => WriteError::ChangedMeanwhile,
            });
        }
    }
    let temporary = Temporary::new(directory, bytes, attributes, durability)?;
    match renameat_with(directory, &temporary.name, directory, name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            linkat(directory, &temporary.name, directory, name, AtFlags::empty())?
        }
        renamed => renamed?,
    }
    durability.settle_name(directory);
    Ok(())
}

/// Puts `bytes` in the place of the file `name`, which must hold what was expected.
pub(super) fn exchange(
    directory: &OwnedFd,
    name: &OsStr,
    bytes: &[u8],
    expect: &Expected,
    durability: Durability,
) -> Result<(), WriteError> {
    let mut old = Old::open(directory, name)?;
    old.must_hold(expect)?;
    // After the exchange it is what stands under the temporary name.
    mark_in_use(&old.file);
    let temporary = Temporary::new(directory, bytes, Some(&Attributes::Of(old.file, old.metadata)), durability)?;
    match renameat_with(directory, &temporary.name, directory, name, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            Old::open(directory, name)?.must_hold(expect)?;
            renameat(directory, &temporary.name, directory, name)?;
        }
        exchanged => {
            exchanged?;
            let taken_out = Old::open(directory, &temporary.name).and_then(|mut taken_out| taken_out.must_hold(expect));
            if let Err(error) = taken_out {
                put_back(directory, name, &temporary);
                return Err(if matches!(error, WriteError::NoSpace | WriteError::Io(_)) {
                    error
                } else {
                    WriteError::ChangedMeanwhile
                });
            }
        }
    }
    durability.settle_name(directory);
    Ok(())
}

/// Whether the file `name` may be replaced.
pub(super) fn may_replace(directory: &OwnedFd, name: &OsStr) -> Result<(), WriteError> {
    Old::open(directory, name).map(drop)
}

/// Whether a file's being protected keeps it from being removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protection {
    Heeded,
    /// Not: we made it a moment ago.
    Ours,
}

/// A file that was taken out of its place and can still be put back.
#[derive(Debug)]
pub struct Aside {
    directory: OwnedFd,
    name: OsString,
    aside: OsString,
    durability: Durability,
    /// Marks it as in use.
    _file: File,
}

impl Aside {
    pub(super) fn take(
        directory: OwnedFd,
        name: OsString,
        expect: &Expected,
        protection: Protection,
        durability: Durability,
    ) -> Result<Aside, WriteError> {
        let open = |name: &OsStr| match protection {
            Protection::Heeded => Old::open(&directory, name),
            Protection::Ours => Old::open_any(&directory, name),
        };
        open(&name)?.must_hold(expect)?;
        let aside = unused_name();
        renameat(&directory, &name, &directory, &aside)?;
        match open(&aside).and_then(|mut old| old.must_hold(expect).map(|()| old)) {
            Ok(old) => {
                mark_in_use(&old.file);
                Ok(Aside { directory, name, aside, durability, _file: old.file })
            }
            Err(error) => {
                // If a newer file has taken its place already, that one is the later word.
                let back = renameat_with(&directory, &aside, &directory, &name, RenameFlags::NOREPLACE);
                if back == Err(Errno::EXIST) {
                    let _ = unlinkat(&directory, &aside, AtFlags::empty());
                }
                Err(error)
            }
        }
    }

    /// Deletes it for good.
    ///
    /// # Errors
    /// [`WriteError`]; it is back in its place then.
    pub fn remove(self) -> Result<(), WriteError> {
        if let Err(error) = unlinkat(&self.directory, &self.aside, AtFlags::empty()) {
            self.put_back()?;
            return Err(error.into());
        }
        self.durability.settle_name(&self.directory);
        Ok(())
    }

    /// Puts it back in its place.
    ///
    /// # Errors
    /// [`WriteError::ChangedMeanwhile`] when a newer file stands there, which then is the later word.
    pub fn put_back(&self) -> Result<(), WriteError> {
        match renameat_with(&self.directory, &self.aside, &self.directory, &self.name, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                linkat(&self.directory, &self.aside, &self.directory, &self.name, AtFlags::empty())?;
                unlinkat(&self.directory, &self.aside, AtFlags::empty())?;
            }
            renamed => renamed?,
        }
        self.durability.settle_name(&self.directory);
        Ok(())
    }
}

/// Exchanges once more, so that what another program wrote stands again. If what comes out is not what we had put there,
/// it is still newer, and is put back in its turn.
fn put_back(directory: &OwnedFd, name: &OsStr, temporary: &Temporary<'_>) {
    let Ok(ours) = temporary.file.metadata() else { return };
    let mut put = Some((ours.dev(), ours.ino()));
    for _ in 0..CROSSINGS {
        let putting = identity(directory, &temporary.name);
        if renameat_with(directory, &temporary.name, directory, name, RenameFlags::EXCHANGE).is_err() {
            // The other program took the file away: what it had written before goes back, unless something new is there.
            let _ = renameat_with(directory, &temporary.name, directory, name, RenameFlags::NOREPLACE);
            return;
        }
        if identity(directory, &temporary.name) == put {
            return;
        }
        put = putting;
    }
}

fn identity(directory: &OwnedFd, name: &OsStr) -> Option<(u64, u64)> {
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some((stat.st_dev as u64, stat.st_ino as u64))
}

/// The file that stands in the place, open.
struct Old {
    file: File,
    metadata: Metadata,
}

impl Old {
    fn open(directory: &OwnedFd, name: &OsStr) -> Result<Old, WriteError> {
        let old = Old::open_any(directory, name)?;
        if old.metadata.nlink() > 1 {
            return Err(WriteError::HardLinked { links: old.metadata.nlink() });
        }
        // A superuser may write everything; a file that nobody may write is protected from him as well.
        if old.metadata.mode() & 0o222 == 0 || !may_write(directory, name) {
            return Err(WriteError::ReadOnly);
        }
        Ok(old)
    }

    /// Also one that is protected or has other names.
    fn open_any(directory: &OwnedFd, name: &OsStr) -> Result<Old, WriteError> {
        let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        match not_a_file(kind) {
            Some(_) if kind == FileType::Symlink => return Err(WriteError::Escapes),
            Some(what) => return Err(WriteError::NotAFile { what }),
            None => {}
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = File::from(openat(directory, name, flags, Mode::empty())?);
        let metadata = file.metadata()?;
        Ok(Old { file, metadata })
    }

    fn must_hold(&mut self, expect: &Expected) -> Result<(), WriteError> {
        self.file.seek(SeekFrom::Start(0))?;
        if expect.holds(&mut self.file)? { Ok(()) } else { Err(WriteError::ChangedMeanwhile) }
    }
}

/// A rename asks the directory, not the file: whether the file may be written has to be asked by itself.
fn may_write(directory: &OwnedFd, name: &OsStr) -> bool {
    !matches!(
        rustix::fs::accessat(directory, name, rustix::fs::Access::WRITE_OK, AtFlags::EACCESS),
        Err(Errno::ACCESS | Errno::ROFS | Errno::PERM)
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::Folder;
    use super::*;
    use std::path::Path;

    #[test]
    fn what_was_written_last_by_another_program_stands_in_the_end() {
        for newer in [false, true] {
            let folder = Folder::new();
            let path = folder.path("file");
            let directory = super::super::open_dir_beneath(&folder.path(""), Path::new("")).unwrap();
            let temporary = Temporary::new(&directory, b"ours", None, Durability::Ordered).unwrap();
            let in_between = folder.path(temporary.name.to_str().unwrap());
            // As after the exchange: ours in the place, theirs under the temporary name.
            std::fs::rename(&in_between, &path).unwrap();
            std::fs::write(&in_between, "theirs").unwrap();
            if newer {
                std::fs::write(folder.path("next"), "theirs, newer").unwrap();
                std::fs::rename(folder.path("next"), &path).unwrap();
            }
            put_back(&directory, OsStr::new("file"), &temporary);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), if newer { "theirs, newer" } else { "theirs" });
        }
    }
}
