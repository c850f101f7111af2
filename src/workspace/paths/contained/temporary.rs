//! The temporary file that becomes the new one.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{
    AtFlags, FlockOperation, Gid, Mode, OFlags, Uid, XattrFlags, fchmod, fchown, flock, openat, unlinkat,
};
use rustix::io::Errno;

use super::{Durability, WriteError};
use crate::temporaries::unused_name;

/// What a file has beside its content.
pub(super) enum Attributes {
    /// As this one: mode, owner, extended attributes.
    Of(File, Metadata),
    /// These permissions.
    Mode(u32),
}

/// A name in a directory that is removed when it goes out of use.
pub(super) struct Temporary<'d> {
    directory: BorrowedFd<'d>,
    pub(super) name: OsString,
    pub(super) file: File,
}

impl<'d> Temporary<'d> {
    /// A new file that holds `bytes`, as far on disk as `durability` says, with these attributes if given.
    pub(super) fn new(
        directory: &'d impl AsFd,
        bytes: &[u8],
        attributes: Option<&Attributes>,
        durability: Durability,
    ) -> Result<Temporary<'d>, WriteError> {
        let mut temporary = Temporary::open(directory.as_fd())?;
        temporary.file.write_all(bytes)?;
        match attributes {
            Some(Attributes::Of(file, metadata)) => keep_attributes(file, metadata, &temporary.file)?,
            Some(Attributes::Mode(mode)) => fchmod(&temporary.file, Mode::from_raw_mode(*mode as _))?,
            None => {}
        }
        durability.settle(&temporary.file)?;
        Ok(temporary)
    }

    fn open(directory: BorrowedFd<'d>) -> Result<Temporary<'d>, WriteError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let name = unused_name();
            match openat(directory, &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => {
                    let file = File::from(file);
                    mark_in_use(&file);
                    return Ok(Temporary { directory, name, file });
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // It is gone already where it became the file itself.
        let _ = unlinkat(self.directory, &self.name, AtFlags::empty());
    }
}

/// Says that a live process is at work on `file`, as long as it is open. For the sweeper; where files cannot be locked
/// it is not said, and the sweeper finds them locked never.
pub(super) fn mark_in_use(file: &File) {
    let _ = flock(file, FlockOperation::NonBlockingLockShared);
}

/// Gives `new` the owner (where permitted), extended attributes (where possible) and mode of `old`.
fn keep_attributes(old: &File, metadata: &Metadata, new: &File) -> Result<(), WriteError> {
    use std::os::unix::fs::MetadataExt;
    let fresh = new.metadata()?;
    if fresh.gid() != metadata.gid() {
        let _ = fchown(new, None, Some(Gid::from_raw(metadata.gid())));
    }
    if fresh.uid() != metadata.uid() {
        let _ = fchown(new, Some(Uid::from_raw(metadata.uid())), None);
    }
    copy_extended(old, new);
    // A file that lost its owner must not run as the new one.
    let same_owner = new.metadata()?.uid() == metadata.uid();
    let kept = if same_owner { 0o7777 } else { 0o777 };
    fchmod(new, Mode::from_raw_mode((metadata.mode() & kept) as _))?;
    Ok(())
}

fn copy_extended(old: &File, new: &File) {
    let Ok(length) = rustix::fs::flistxattr_query(old) else { return };
    let mut names = vec![0_u8; length];
    let Ok(length) = rustix::fs::flistxattr(old, &mut names[..]) else { return };
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let Ok(length) = rustix::fs::fgetxattr_query(old, name) else { continue };
        let mut value = vec![0_u8; length];
        if let Ok(length) = rustix::fs::fgetxattr(old, name, &mut value[..]) {
            let _ = rustix::fs::fsetxattr(new, name, &value[..length], XattrFlags::empty());
        }
    }
}
