//! Removing what crashes left behind.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ignore::WalkBuilder;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, openat, unlinkat};

use super::open_dir_beneath;
use crate::temporaries::is_temporary;

/// A live process has marked its temporary file as in use long before it is so old.
const YOUNG: Duration = Duration::from_secs(2);
/// A tree that takes longer is swept in part. Most temporaries go with the intent they belong to anyway.
const PATIENCE: Duration = Duration::from_secs(10);

/// Removes the temporary files beneath `root` whose process is dead: those that nobody marks as in use. Ignored
/// directories are passed over. Blocks; how many it removed.
pub fn sweep(root: &Path) -> usize {
    let end = Instant::now() + PATIENCE;
    let mut walk = WalkBuilder::new(root);
    walk.hidden(false).require_git(false).filter_entry(|entry| entry.file_name() != ".git");
    let entries = walk.build().take_while(|_| Instant::now() < end).flatten();
    entries
        .filter(|entry| is_temporary(entry.file_name()) && remove_abandoned(root, entry.path(), YOUNG).is_some())
        .count()
}

/// Removes the temporary file `path` beneath `root` if it is older than `young` and no live process is at work on it.
pub fn remove_abandoned(root: &Path, path: &Path, young: Duration) -> Option<()> {
    let (above, name) = (path.parent()?.strip_prefix(root).ok()?, path.file_name()?);
    let directory = open_dir_beneath(root, above).ok()?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = File::from(openat(&directory, name, flags, Mode::empty()).ok()?);
    let metadata = file.metadata().ok()?;
    let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(metadata.ctime()).ok()?);
    let old = SystemTime::now().duration_since(changed).is_ok_and(|age| age >= young);
    if !metadata.is_file() || !old {
        return None;
    }
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    unlinkat(&directory, name, AtFlags::empty()).ok()
}
