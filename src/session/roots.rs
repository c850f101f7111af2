//! Folders that all workspaces of a session must lie in, for sessions whose client is not simply the user.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::report::one_line;

/// Most characters of a path in a refusal.
const MOST_PATH: usize = 300;

/// Folders that workspaces must lie in. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// Real paths.
    folders: Arc<[PathBuf]>,
}

impl Roots {
    /// These folders, as they really are now: links are resolved.
    ///
    /// # Errors
    /// When one of them is not an existing directory; it is named.
    pub fn new(folders: &[PathBuf]) -> io::Result<Roots> {
        let real = |folder: &PathBuf| {
            let found = folder.canonicalize().and_then(|real| match real.is_dir() {
                true => Ok(real),
                false => Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a directory")),
            });
            found.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
        };
        Ok(Roots { folders: folders.iter().map(real).collect::<io::Result<_>>()? })
    }

    /// Their real paths.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Whether `real`, a path without links, lies in one of them.
    pub fn hold(&self, real: &Path) -> bool {
        self.folders.iter().any(|folder| real.starts_with(folder))
    }

    /// The real path of `workspace` (absolute), which must lie in one of them.
    ///
    /// # Errors
    /// [`io::ErrorKind::PermissionDenied`], naming them, when it lies elsewhere; what does not exist is told only of what
    /// would lie in them.
    pub fn admit(&self, workspace: &Path) -> io::Result<PathBuf> {
        let found = workspace.canonicalize();
        let nearest = match &found {
            Ok(real) => Some(real.clone()),
            Err(_) => workspace.ancestors().skip(1).find_map(|ancestor| ancestor.canonicalize().ok()),
        };
        if nearest.is_some_and(|real| self.hold(&real)) { found } else { Err(self.refusal()) }
    }

    /// That a workspace lies outside.
    pub(crate) fn refusal(&self) -> io::Error {
        let named: Vec<String> =
            self.folders.iter().map(|folder| one_line(&folder.display().to_string(), MOST_PATH)).collect();
        let text = match named.as_slice() {
            [one] => format!("it lies outside {one}, the only root of this service"),
            several => format!("it lies outside the roots of this service: {}", several.join(", ")),
        };
        io::Error::new(io::ErrorKind::PermissionDenied, text)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_really_lies_in_a_root_is_admitted() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        for made in ["root/project/deep", "rootless", "outside/secret"] {
            std::fs::create_dir_all(at(made)).expect("made");
        }
        symlink(at("root"), at("link-to-root")).expect("a link");
        symlink(at("outside"), at("root/way-out")).expect("a link");
        symlink(at("root/project"), at("outside/way-in")).expect("a link");
        let roots = Roots::new(&[at("link-to-root")]).expect("roots");
        let verdict = |path: &str| match roots.admit(&at(path)) {
            Ok(_) => "admitted",
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => "outside",
            Err(_) => "missing",
        };
        for (path, expected) in [
            ("root", "admitted"),
            ("root/project", "admitted"),
            ("link-to-root/project/deep", "admitted"),
            ("outside/way-in", "admitted"),
            ("root/project/..", "admitted"),
            ("root/nowhere/at/all", "missing"),
            ("rootless", "outside"),
            ("root/way-out", "outside"),
            ("root/way-out/secret", "outside"),
            ("root/../outside", "outside"),
            ("outside/secret", "outside"),
            ("outside/nothing", "outside"),
            ("root/way-out/nothing", "outside"),
            ("", "outside"),
        ] {
            assert_eq!(verdict(path), expected, "{path}");
        }
        let said = roots.admit(&at("outside")).expect_err("is refused").to_string();
        assert!(said.contains(&at("root").canonicalize().expect("real").display().to_string()), "{said}");
    }

    #[test]
    fn a_root_that_is_none_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("a file");
        for wrong in [folder.path().join("missing"), file] {
            let said = Roots::new(std::slice::from_ref(&wrong)).expect_err("is none").to_string();
            assert!(said.contains(&wrong.display().to_string()), "{said}");
        }
    }
}
