//! Directories that are made for a file, and that go with it.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;

use super::super::{PathRules, Resolved};
use super::{WriteError, base_of, beneath, open_dir_beneath};

/// Opens the directory `relative` beneath `root`, making what is missing of it. Also tells what was made, absolute and
/// outermost first.
///
/// # Errors
/// [`WriteError`]; what was made is removed again then.
pub fn create_dirs_beneath(root: &Path, relative: &Path) -> Result<(OwnedFd, Vec<PathBuf>), WriteError> {
    match open_dir_beneath(root, relative) {
        Err(Errno::NOENT) => {}
        opened => return Ok((opened?, Vec::new())),
    }
    let mut made = Vec::new();
    let mut current = open_dir_beneath(root, Path::new(""))?;
    let mut path = root.to_owned();
    for name in relative.components() {
        path.push(name);
        let next = match rustix::fs::mkdirat(&current, name.as_os_str(), Mode::from_raw_mode(0o777)) {
            Ok(()) => {
                made.push(path.clone());
                beneath::open_below(&current, Path::new(name.as_os_str()))
            }
            Err(Errno::EXIST) => beneath::open_below(&current, Path::new(name.as_os_str())),
            Err(error) => Err(error),
        };
        match next {
            Ok(next) => current = next,
            Err(error) => {
                remove_made(root, &made);
                return Err(error.into());
            }
        }
    }
    Ok((current, made))
}

/// Removes directories that were made in vain. One that is used by now is not empty, and stays.
pub(super) fn remove_made(root: &Path, made: &[PathBuf]) {
    for directory in made.iter().rev() {
        let (Ok(relative), Some(name)) = (directory.strip_prefix(root), directory.file_name()) else { return };
        let Ok(parent) = open_dir_beneath(root, relative.parent().unwrap_or(Path::new(""))) else { return };
        if rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR).is_err() {
            return;
        }
    }
}

/// How many of the directories above `target`, from the innermost, are not there.
pub fn missing_folders(target: &Resolved) -> usize {
    target.absolute.ancestors().skip(1).take_while(|folder| folder.symlink_metadata().is_err()).count()
}

/// Removes the `most` innermost directories above `target`, as far as they are empty; those that are gone, innermost
/// first. Never the root, or the base of the rule that allows the file.
pub fn remove_folders(rules: &PathRules, target: &Resolved, most: usize) -> Vec<PathBuf> {
    let Some((base, _)) = base_of(rules, &target.absolute, true) else { return Vec::new() };
    let above = target.absolute.ancestors().skip(1).take(most);
    let mut folders: Vec<PathBuf> =
        above.take_while(|folder| **folder != base && folder.starts_with(&base)).map(Path::to_owned).collect();
    folders.reverse();
    remove_made(&base, &folders);
    folders.reverse();
    folders.retain(|folder| folder.symlink_metadata().is_err());
    folders
}
