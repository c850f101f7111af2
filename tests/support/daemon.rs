//! A daemon of a test's own: its folders, and its end.

use std::process::Command;
use std::time::{Duration, Instant};

/// Folders in which nothing of the user's is, and no daemon yet; the daemon that is started there ends with it.
pub(crate) struct Seat {
    folder: tempfile::TempDir,
}

impl Seat {
    /// Fresh folders.
    pub(crate) fn new() -> Seat {
        // Short, because a socket's path may not be long.
        Seat { folder: tempfile::Builder::new().prefix("lf-").tempdir().expect("a temporary folder") }
    }

    /// What a process must have in its environment to sit there.
    pub(crate) fn environment(&self) -> [(&str, &str); 2] {
        let folder = self.folder.path().to_str().expect("UTF-8");
        [("XDG_RUNTIME_DIR", folder), ("XDG_STATE_HOME", folder)]
    }

    /// `landfall` with `arguments`, sitting there.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(arguments).envs(self.environment());
        command
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(20);
        // It may be starting still, for a client that did not wait.
        while Instant::now() < deadline {
            let status = self.command(&["stop", "--force"]).output();
            if status.is_ok_and(|output| output.status.success()) {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }
}
