//! Where a language server lies: `servers/NAME`, a link that is turned over in one step when a new one is complete.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::InstallError;

const RECEIPT: &str = "receipt.toml";

/// What was installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The version that it prints, or that its recipe pins.
    pub version: String,
    /// The recipe in one line.
    pub recipe: String,
}

impl Receipt {
    /// The receipt in the folder of an installed language server.
    pub(super) fn read(folder: &Path) -> Option<Receipt> {
        toml::from_str(&fs::read_to_string(folder.join(RECEIPT)).ok()?).ok()
    }
}

/// One language server's place, locked against other installs for as long as it lives.
///
/// The folders themselves are `servers/.store/NAME/ID` and never move: Python environments and our start scripts hold
/// absolute paths. The former one is kept until the next install, since it may be running.
pub(super) struct Place {
    link: PathBuf,
    store: PathBuf,
    _lock: File,
}

/// A folder that is being filled; removed when it is not finished.
pub(super) struct Staging<'p> {
    place: &'p Place,
    folder: PathBuf,
    finished: bool,
}

impl Place {
    /// Takes the place of that name below `servers`.
    pub(super) fn lock(servers: &Path, name: &str) -> Result<Place, InstallError> {
        let store = servers.join(".store").join(name);
        fs::create_dir_all(&store).map_err(InstallError::disk("make the folder", &store))?;
        let file = store.join(".lock");
        let lock = File::create(&file).map_err(InstallError::disk("write", &file))?;
        match lock.try_lock() {
            Ok(()) => Ok(Place { link: servers.join(name), store, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(InstallError::Busy { name: name.to_string() }),
            Err(TryLockError::Error(error)) => Err(InstallError::disk("lock", &file)(error)),
        }
    }

    /// The folder of what is installed now; perhaps nothing is there.
    pub(super) fn current(&self) -> &Path {
        &self.link
    }

    /// A new empty folder, after leftovers of interrupted installs and older versions are gone.
    pub(super) fn stage(&self) -> Result<Staging<'_>, InstallError> {
        self.clean_up();
        let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let folder = self.store.join(format!("{}-{}", moment.as_nanos(), std::process::id()));
        fs::create_dir(&folder).map_err(InstallError::disk("make the folder", &folder))?;
        Ok(Staging { place: self, folder, finished: false })
    }

    fn clean_up(&self) {
        let current = fs::canonicalize(&self.link).ok();
        let Ok(entries) = fs::read_dir(&self.store) else { return };
        for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
            if fs::canonicalize(entry.path()).ok() != current {
                remove(&entry.path());
            }
        }
    }
}

impl Staging<'_> {
    /// The folder; its path is final.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes it the one that is found.
    pub(super) fn finish(mut self, receipt: &Receipt) -> Result<(), InstallError> {
        let file = self.folder.join(RECEIPT);
        let text = toml::to_string(receipt).unwrap_or_default();
        fs::write(&file, text).map_err(InstallError::disk("write", &file))?;
        // A link beside the folders, so that the rename stays on one file system.
        let turned = self.place.store.join(".link");
        let _ = fs::remove_file(&turned);
        symlink(&self.folder, &turned).map_err(InstallError::disk("link", &turned))?;
        let link = &self.place.link;
        fs::rename(&turned, link).map_err(InstallError::disk("put in place", link))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if !self.finished {
            remove(&self.folder);
        }
    }
}

/// Removes a folder as far as that works; what stays is tried again by the next install.
fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(folder = %folder.display(), %error, "could not remove what an install left");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(version: &str) -> Receipt {
        Receipt { version: version.to_string(), recipe: format!("x@{version}") }
    }

    fn folders(servers: &Path) -> usize {
        fs::read_dir(servers.join(".store/x")).unwrap().flatten().filter(|entry| entry.path().is_dir()).count()
    }

    #[test]
    fn an_install_takes_effect_when_it_is_finished() {
        let servers = tempfile::tempdir().unwrap();
        let place = Place::lock(servers.path(), "x").unwrap();
        let first = place.stage().unwrap();
        assert!(!place.current().exists());
        first.finish(&receipt("1")).unwrap();
        drop(place.stage().unwrap());
        assert_eq!(Receipt::read(place.current()), Some(receipt("1")), "a failed install leaves the former one");
        place.stage().unwrap().finish(&receipt("2")).unwrap();
        assert_eq!(Receipt::read(&servers.path().join("x")), Some(receipt("2")));
        assert_eq!(folders(servers.path()), 2, "the former one may be running");
        place.stage().unwrap().finish(&receipt("3")).unwrap();
        assert_eq!(folders(servers.path()), 2, "older ones go");
    }

    #[test]
    fn what_an_interrupted_install_left_is_removed() {
        let servers = tempfile::tempdir().unwrap();
        let place = Place::lock(servers.path(), "x").unwrap();
        std::mem::forget(place.stage().unwrap());
        assert_eq!(folders(servers.path()), 1);
        let next = place.stage().unwrap();
        assert_eq!(folders(servers.path()), 1);
        next.finish(&receipt("1")).unwrap();
    }

    #[test]
    fn two_installs_of_one_name_do_not_run_at_once() {
        let servers = tempfile::tempdir().unwrap();
        let place = Place::lock(servers.path(), "x").unwrap();
        assert!(matches!(Place::lock(servers.path(), "x"), Err(InstallError::Busy { .. })));
        assert!(Place::lock(servers.path(), "y").is_ok());
        drop(place);
        assert!(Place::lock(servers.path(), "x").is_ok());
    }
}
