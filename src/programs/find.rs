//! Where a program is: on PATH, else where language servers are installed.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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

/// Finds a program on PATH, else in `installed`: folders with one folder a language server, or with programs. A command
/// with a `/` in it is that file, and must be absolute: relative to what?
pub fn find(command: &str, installed: &[PathBuf]) -> Option<Found> {
    let on_path = find_on_path(command).map(|program| Found { program, origin: Origin::Path });
    on_path.or_else(|| {
        let folders = installed.iter().flat_map(|folder| folders_with_programs(folder));
        in_folders(command, folders).map(|program| Found { program, origin: Origin::Installed })
    })
}

/// Finds a program on PATH alone.
pub fn find_on_path(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|program| program.is_absolute() && is_program(program));
    }
    let path = std::env::var_os("PATH")?;
    in_folders(command, std::env::split_paths(&path).filter(|folder| folder.is_absolute()))
}

/// Finds a program in `folders`, the first that has it.
pub fn in_folders(command: &str, folders: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    if command.is_empty() || command.contains('/') {
        return None;
    }
    folders.into_iter().map(|folder| folder.join(command)).find(|program| is_program(program))
}

/// Whether it is a file that may be run.
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The folder, its `bin`, and the `bin` of each folder in it, but for what an install under way hides.
fn folders_with_programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let visible = entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    let mut each: Vec<PathBuf> = visible.map(|entry| entry.path().join("bin")).collect();
    each.sort();
    [folder.to_owned(), folder.join("bin")].into_iter().chain(each).collect()
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

    #[test]
    fn what_was_installed_is_found_after_path() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let program = folder.path().join(path);
            std::fs::create_dir_all(program.parent().unwrap()).unwrap();
            std::fs::write(&program, "").unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
            program
        };
        put(".staged/bin/landfall-test-program");
        let installed = [folder.path().to_owned()];
        assert_eq!(find("landfall-test-program", &installed), None, "it is not there yet");
        let program = put("gopls/bin/landfall-test-program");
        let found = Found { program: program.clone(), origin: Origin::Installed };
        assert_eq!(find("landfall-test-program", &installed), Some(found));
        assert_eq!(find("sh", &installed).map(|found| found.origin), Some(Origin::Path));
        for command in ["", "./sh", "gopls/bin/landfall-test-program"] {
            assert_eq!(find(command, &installed), None, "{command}");
        }
        assert_eq!(find(&program.to_string_lossy(), &[]).map(|found| found.program), Some(program));
    }
}
