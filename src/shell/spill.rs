//! The files that hold what was too much to show.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// How long a spill is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Ends the name of every spill.
const EXTENSION: &str = "out";

/// Where spills lie, in the folder of what must outlive a run.
pub fn folder(state: &Path) -> PathBuf {
    state.join("commands")
}

/// Removes the spills in `folder` that were last written more than a week ago.
pub fn clean(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let written =
            entry.metadata().ok().filter(std::fs::Metadata::is_file).and_then(|metadata| metadata.modified().ok());
        let age = written.and_then(|written| SystemTime::now().duration_since(written).ok());
        if path.extension().is_some_and(|extension| extension == EXTENSION)
            && age.is_some_and(|age| age > KEPT)
            && let Err(error) = std::fs::remove_file(&path)
        {
            tracing::warn!(path = %path.display(), %error, "an old spill cannot be removed");
        }
    }
}

/// A new spill in `folder`, for its owner only.
pub(super) fn create(folder: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    clean(folder);
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let name = format!("{seconds}-{}-{}.{EXTENSION}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = folder.join(name);
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    Ok((path, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_spills_go_when_a_new_one_comes_and_nothing_else_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("deep/er");
        let (old, file) = create(&folder).expect("creates");
        file.set_modified(SystemTime::now() - KEPT - Duration::from_secs(60)).expect("sets the time");
        let foreign = folder.join("notes.txt");
        let other = File::create(&foreign).expect("creates");
        other.set_modified(SystemTime::UNIX_EPOCH).expect("sets the time");
        let (new, _) = create(&folder).expect("creates");
        assert_eq!([old.exists(), new.exists(), foreign.exists()], [false, true, true]);
    }
}
