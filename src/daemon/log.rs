//! The daemon's log: standard error is the file, so that a panic's last words are in it too, and it never grows for
//! ever.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use tracing_subscriber::EnvFilter;

/// A log larger than this becomes the old one, and a new one begins. Bytes.
const LARGEST: u64 = 4 << 20;
/// Logs that nobody has written to for so long are deleted.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The file that standard error goes to, when it is one of ours.
static LOG: OnceLock<Mutex<Log>> = OnceLock::new();

#[derive(Debug)]
struct Log {
    path: PathBuf,
    written: u64,
    largest: u64,
}

/// Opens the log at `path` to be the standard error of a daemon that is about to be started. Logs that belonged to
/// earlier ones are deleted in time.
///
/// # Errors
/// Those of making the folder and opening the file.
pub fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
        delete_old(folder);
    }
    append(path)
}

/// From now on standard error, which goes to `path`, is kept from growing for ever.
pub fn rotate(path: PathBuf) {
    let written = std::fs::metadata(&path).map_or(0, |data| data.size());
    // Only the first counts: there is one standard error.
    let _ = LOG.set(Mutex::new(Log { path, written, largest: LARGEST }));
}

/// What is logged: as `given`, else as `usual`. The SDK logs whole messages, and with them what stands in files; it is
/// heard only on warnings, unless it is asked for by name.
pub fn filter(given: Option<String>, usual: &str) -> EnvFilter {
    let given = given.filter(|given| EnvFilter::try_new(given).is_ok());
    let wanted = given.unwrap_or_else(|| usual.to_owned());
    if wanted.contains("rmcp") { wanted.into() } else { format!("{wanted},rmcp=warn").into() }
}

/// Standard error as a log is written to it. Writing never fails: that nobody reads it, or that its disk is full, must
/// harm nothing else.
#[derive(Debug, Default, Clone, Copy)]
pub struct Writer;

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Ok(written) = io::stderr().write(bytes) else { return Ok(bytes.len()) };
        if let Some(log) = LOG.get() {
            log.lock().unwrap_or_else(PoisonError::into_inner).count(written as u64, |file| {
                rustix::stdio::dup2_stderr(file)?;
                Ok(())
            });
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        // There is no buffer.
        Ok(())
    }
}

impl Log {
    /// Counts what was written, and begins a new file when it is too much.
    fn count(&mut self, written: u64, use_it: impl FnOnce(&File) -> io::Result<()>) {
        self.written += written;
        if self.written <= self.largest {
            return;
        }
        // A log that cannot be moved goes on where it is.
        self.written = 0;
        let moved = std::fs::rename(&self.path, self.path.with_extension("log.old"));
        let _ = moved.and_then(|()| append(&self.path)).and_then(|file| use_it(&file));
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

fn delete_old(folder: &Path) {
    let old = |path: &Path| {
        let changed = std::fs::metadata(path).and_then(|data| data.modified());
        changed.is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age > KEPT))
    };
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if old(&path) {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sdk_is_heard_only_where_it_is_asked_for() {
        for (given, usual, expected) in [
            (None, "warn", "rmcp=warn,warn"),
            (None, "info", "rmcp=warn,info"),
            (Some("trace"), "info", "rmcp=warn,trace"),
            (Some("landfall=debug"), "info", "landfall=debug,rmcp=warn"),
            (Some("rmcp=debug"), "info", "rmcp=debug"),
            (Some("["), "info", "rmcp=warn,info"),
        ] {
            assert_eq!(filter(given.map(str::to_owned), usual).to_string(), expected, "{given:?}");
        }
    }

    #[test]
    fn a_log_too_large_becomes_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log/d.log");
        let mut file = open(&path).expect("opens");
        let mut log = Log { path: path.clone(), written: 0, largest: 10 };
        for round in 0..5 {
            writeln!(file, "line {round}").expect("written");
            let mut next = None;
            log.count(7, |new| {
                next = Some(new.try_clone()?);
                Ok(())
            });
            file = next.unwrap_or(file);
        }
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "line 4\n");
        assert_eq!(std::fs::read_to_string(path.with_extension("log.old")).expect("there"), "line 2\nline 3\n");
    }

    #[test]
    fn logs_of_long_ago_are_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = File::create(folder.path().join("old.log")).expect("made");
        old.set_modified(SystemTime::now() - KEPT - Duration::from_secs(60)).expect("set");
        drop(open(&folder.path().join("new.log")).expect("opens"));
        assert!(!folder.path().join("old.log").exists() && folder.path().join("new.log").exists());
    }
}
