//! Opening directories beneath another, following no link and leaving by no `..`.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, Result};

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens the directory `relative` (empty for the root itself) beneath `root`. Only the links in `root` are followed.
///
/// # Errors
/// `ELOOP` or `EXDEV` when it would lead elsewhere, else what the operating system says.
pub fn open_dir_beneath(root: &Path, relative: &Path) -> Result<OwnedFd> {
    let root = openat(CWD, root, DIRECTORY, Mode::empty())?;
    if relative.as_os_str().is_empty() { Ok(root) } else { open_below(&root, relative) }
}

/// The same from an open directory.
pub(super) fn open_below(root: &OwnedFd, relative: &Path) -> Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    if let Some(opened) = at_once(root, relative) {
        return opened;
    }
    step_by_step(root, relative)
}

/// Lets the kernel do it; `None` when it cannot, or a sandbox forbids to ask.
#[cfg(target_os = "linux")]
fn at_once(root: &OwnedFd, relative: &Path) -> Option<Result<OwnedFd>> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    match openat2(root, relative, DIRECTORY, Mode::empty(), resolve) {
        // AGAIN: a rename came in between, and the kernel could not be sure.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL) => None,
        opened => Some(opened),
    }
}

/// Opens one name after the other, none of them a link.
fn step_by_step(root: &OwnedFd, relative: &Path) -> Result<OwnedFd> {
    let mut current = root.as_fd().try_clone_to_owned().map_err(|_| Errno::MFILE)?;
    for component in relative.components() {
        let Component::Normal(name) = component else { return Err(Errno::XDEV) };
        current = match openat(&current, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty()) {
            Err(Errno::NOTDIR) if is_link(&current, name) => return Err(Errno::LOOP),
            next => next?,
        };
    }
    Ok(current)
}

fn is_link(directory: &OwnedFd, name: &std::ffi::OsStr) -> bool {
    rustix::fs::statat(directory, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_open_what_is_beneath_and_nothing_else() {
        let folder = super::super::tests::Folder::new();
        std::fs::create_dir_all(folder.path("root/a/b")).unwrap();
        std::fs::create_dir_all(folder.path("outside")).unwrap();
        std::fs::write(folder.path("root/file"), "").unwrap();
        std::os::unix::fs::symlink(folder.path("outside"), folder.path("root/out")).unwrap();
        std::os::unix::fs::symlink("a", folder.path("root/inside")).unwrap();
        let root = open_dir_beneath(&folder.path("root"), Path::new("")).unwrap();
        for (relative, expected) in [
            ("a", Ok(())),
            ("a/b", Ok(())),
            ("a/c", Err(Errno::NOENT)),
            ("file", Err(Errno::NOTDIR)),
            ("out", Err(Errno::LOOP)),
            ("inside/b", Err(Errno::LOOP)),
            ("../outside", Err(Errno::XDEV)),
        ] {
            assert_eq!(open_below(&root, Path::new(relative)).map(drop), expected, "{relative}");
            assert_eq!(step_by_step(&root, Path::new(relative)).map(drop), expected, "{relative}, step by step");
        }
    }
}
