//! Where a daemon sits: its socket, the lock beside it, and the private folder of both.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::Identity;
use crate::dirs::Dirs;

/// The longest path a socket can have: `sun_path` of unix(7), less the NUL. Bytes.
const LONGEST_SOCKET: usize = 107;
const SOCKET: &str = "sock";

/// Where a daemon sits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    folder: PathBuf,
    key: String,
}

/// Why there can be no daemon.
#[derive(Debug, thiserror::Error)]
pub enum SeatError {
    /// Somebody else made the folder first.
    #[error("{} belongs to user {owner}, not to you; set XDG_RUNTIME_DIR to a folder of your own", folder.display())]
    NotOurs {
        /// The folder.
        folder: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// Something else has its name.
    #[error("{} is no folder; move it away, or set XDG_RUNTIME_DIR to a folder of your own", .0.display())]
    NoFolder(PathBuf),
    /// It cannot be made or used.
    #[error("{}: {error}; set XDG_RUNTIME_DIR to a folder of your own that can be written", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl Seat {
    /// The seat of the daemon with this identity.
    pub fn of(identity: &Identity, dirs: &Dirs) -> Seat {
        let folder = folder_for(dirs.runtime(), identity.key().len());
        Seat { folder, key: identity.key().to_owned() }
    }

    /// The seats that somebody has taken at some time, in the folders of `dirs`.
    pub fn taken(dirs: &Dirs) -> Vec<Seat> {
        let mut seats = Vec::new();
        for folder in [dirs.runtime().to_owned(), short_folder()] {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for path in entries.flatten().map(|entry| entry.path()) {
                let key = path.file_stem().and_then(|stem| stem.to_str());
                if let Some(key) = key.filter(|_| path.extension().is_some_and(|extension| extension == SOCKET)) {
                    seats.push(Seat { folder: folder.clone(), key: key.to_owned() });
                }
            }
        }
        seats.sort_by(|a, b| a.key.cmp(&b.key));
        seats
    }

    /// What the names of its files begin with.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        self.file(SOCKET)
    }

    /// The file its log goes to, if it was started by a client.
    pub fn log(&self, dirs: &Dirs) -> PathBuf {
        dirs.state().join("log").join(format!("{}.log", self.key))
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.key))
    }

    /// Makes the folder, or sees to it that it is ours and nobody else can reach into it.
    ///
    /// # Errors
    /// When it is not ours, or cannot be made.
    pub fn prepare(&self) -> Result<(), SeatError> {
        let io = |error| SeatError::Io { path: self.folder.clone(), error };
        if let Some(parent) = self.folder.parent() {
            std::fs::create_dir_all(parent).map_err(io)?;
        }
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(io(error)),
            Ok(()) | Err(_) => {}
        }
        let found = std::fs::symlink_metadata(&self.folder).map_err(io)?;
        if !found.is_dir() {
            return Err(SeatError::NoFolder(self.folder.clone()));
        }
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(SeatError::NotOurs { folder: self.folder.clone(), owner: found.uid() });
        }
        if found.mode() & 0o077 != 0 {
            std::fs::set_permissions(&self.folder, Permissions::from_mode(0o700)).map_err(io)?;
        }
        Ok(())
    }

    /// Takes the lock of the one who serves; `None` while another holds it.
    ///
    /// # Errors
    /// When there can be no such file.
    pub fn take(&self) -> Result<Option<File>, SeatError> {
        self.lock("lock")
    }

    /// Takes the lock of the one who starts a daemon; `None` while another holds it.
    ///
    /// # Errors
    /// When there can be no such file.
    pub fn begin_start(&self) -> Result<Option<File>, SeatError> {
        self.lock("start")
    }

    fn lock(&self, extension: &str) -> Result<Option<File>, SeatError> {
        // The file stays for ever: were it deleted, two could hold locks on two files of one name.
        let path = self.file(extension);
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let file = file.map_err(|error| SeatError::Io { path: path.clone(), error })?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(SeatError::Io { path, error: error.into() }),
        }
    }
}

/// The user's own folder, or a short one where its name leaves no room for a socket's.
fn folder_for(runtime: &Path, key_length: usize) -> PathBuf {
    let needed = runtime.as_os_str().len() + 1 + key_length + 1 + SOCKET.len();
    if needed <= LONGEST_SOCKET { runtime.to_owned() } else { short_folder() }
}

fn short_folder() -> PathBuf {
    PathBuf::from(format!("/tmp/landfall-{}", rustix::process::geteuid().as_raw()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(folder: &Path) -> Seat {
        Seat { folder: folder.to_owned(), key: "1.0-abc".to_owned() }
    }

    #[test]
    fn the_folder_is_private_and_ours() {
        let base = tempfile::tempdir().expect("a folder");
        let folder = base.path().join("deep/landfall");
        seat(&folder).prepare().expect("made");
        let mode = || std::fs::metadata(&folder).expect("there").mode() & 0o777;
        assert_eq!(mode(), 0o700);
        std::fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("set");
        seat(&folder).prepare().expect("put right");
        assert_eq!(mode(), 0o700);
        let file = base.path().join("file");
        std::fs::write(&file, "").expect("written");
        assert!(matches!(seat(&file).prepare(), Err(SeatError::NoFolder(_))));
        std::os::unix::fs::symlink(&folder, base.path().join("link")).expect("linked");
        assert!(matches!(seat(&base.path().join("link")).prepare(), Err(SeatError::NoFolder(_))));
    }

    #[test]
    fn a_folder_of_somebody_else_is_refused() {
        let base = tempfile::tempdir().expect("a folder");
        if std::os::unix::fs::chown(base.path(), Some(1), None).is_err() {
            eprintln!("skipped: only root can give folders away");
            return;
        }
        let refused = seat(base.path()).prepare().expect_err("is refused").to_string();
        assert!(refused.contains("belongs to user 1"), "{refused}");
    }

    #[test]
    fn one_holds_the_lock() {
        let base = tempfile::tempdir().expect("a folder");
        let held = seat(base.path()).take().expect("a file").expect("free");
        assert!(seat(base.path()).take().expect("a file").is_none());
        assert!(seat(base.path()).begin_start().expect("a file").is_some(), "another lock");
        drop(held);
        assert!(seat(base.path()).take().expect("a file").is_some());
    }

    #[test]
    fn a_long_name_makes_way_for_a_short_one() {
        for (length, short) in [(10, false), (92, false), (93, true), (200, true)] {
            let runtime = PathBuf::from(format!("/{}", "r".repeat(length - 1)));
            let folder = folder_for(&runtime, 9);
            assert_eq!(folder != runtime, short, "{length}");
            assert!(folder.join("123456789.sock").as_os_str().len() <= LONGEST_SOCKET);
        }
    }
}
