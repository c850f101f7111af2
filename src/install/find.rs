//! Where a program is: on PATH, else where language servers are installed.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::search_path_in;
use crate::dirs::Dirs;

/// Where a program was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A folder of PATH.
    Path,
    /// Installed by `landfall servers install`.
    Installed,
}

/// A program that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The program.
    pub program: PathBuf,
    /// Where it was found.
    pub origin: Origin,
}

/// Finds a program on PATH, else among the installed language servers. A command with a `/` in it is that file.
pub fn find(command: &str, dirs: Option<&Dirs>) -> Option<Found> {
    let on_path = find_on_path(command).map(|program| Found { program, origin: Origin::Path });
    on_path.or_else(|| {
        let folders = dirs.map(search_path_in).unwrap_or_default();
        in_folders(command, folders).map(|program| Found { program, origin: Origin::Installed })
    })
}

/// Finds a program on PATH alone.
pub fn find_on_path(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|program| is_program(program));
    }
    let path = std::env::var_os("PATH")?;
    in_folders(command, std::env::split_paths(&path).filter(|folder| folder.is_absolute()))
}

/// Whether it is a file that may be run.
pub(super) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Finds a program in `folders`, the first that has it.
pub fn in_folders(command: &str, folders: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    folders.into_iter().map(|folder| folder.join(command)).find(|program| is_program(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_run_is_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, program) = (folder.path().join("plain"), folder.path().join("program"));
        std::fs::write(&plain, "").unwrap();
        std::fs::write(&program, "").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let folders = || [PathBuf::from("/nowhere"), folder.path().to_path_buf()];
        assert_eq!(in_folders("plain", folders()), None);
        assert_eq!(in_folders("program", folders()), Some(program.clone()));
        assert_eq!(find_on_path(program.to_str().unwrap()), Some(program));
        assert!(!is_program(folder.path()), "a folder is not a program");
    }
}
