//! The end of every process group we started, should we ourselves be killed.
//!
//! `PR_SET_PDEATHSIG` reaches only a direct child, and the jdtls launcher starts its Java as a child of its own. So one
//! shell waits on a pipe for all groups: when we end, for whatever reason, the pipe closes and it kills what is left.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Reads `+ GROUP` and `- GROUP`; at the end of its input kills the groups it still knows. (`kill -9 -- -N` would be an
/// error in dash.)
const SCRIPT: &str = r#"trap '' INT TERM HUP
groups=
while read -r what group; do
  kept=
  for known in $groups; do [ "$known" = "$group" ] || kept="$kept $known"; done
  groups=$kept
  [ "$what" = + ] && groups="$groups $group"
done
for group in $groups; do kill -9 "-$group" 2>/dev/null; done"#;

fn pipe() -> Option<&'static Mutex<ChildStdin>> {
    static PIPE: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();
    PIPE.get_or_init(|| {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT]).current_dir("/").env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        match command.spawn() {
            // The shell is never waited for: it ends after us.
            Ok(mut shell) => shell.stdin.take().map(Mutex::new),
            Err(error) => {
                tracing::warn!(%error, "no guard over language servers: if this process is killed, they may stay");
                None
            }
        }
    })
    .as_ref()
}

fn tell(what: char, group: u32) {
    if let Some(pipe) = pipe() {
        let mut pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(pipe, "{what} {group}") {
            tracing::warn!(%error, "the guard over language servers is gone");
        }
    }
}

/// From now on, `group` ends with us.
pub(crate) fn watch(group: u32) {
    tell('+', group);
}

/// `group` has ended; its number may be used by others.
pub(crate) fn forget(group: u32) {
    tell('-', group);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn at_the_end_of_its_input_the_groups_end_that_it_still_knows() {
        let sleeper = || Command::new("sleep").arg("1000").process_group(0).spawn().expect("starts");
        let (mut forgotten, mut watched) = (sleeper(), sleeper());
        let mut shell = Command::new("/bin/sh").args(["-c", SCRIPT]).stdin(Stdio::piped()).spawn().expect("starts");
        let mut stdin = shell.stdin.take().expect("a pipe");
        write!(stdin, "+ {0}\n+ {1}\n- {0}\n", forgotten.id(), watched.id()).expect("written");
        assert!(watched.try_wait().expect("waits").is_none(), "not before the end");
        drop(stdin);
        shell.wait().expect("ends");
        let deadline = Instant::now() + Duration::from_secs(5);
        while watched.try_wait().expect("waits").is_none() {
            assert!(Instant::now() < deadline, "the group is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(forgotten.try_wait().expect("waits").is_none(), "it was forgotten");
        forgotten.kill().expect("ends");
        forgotten.wait().expect("ends");
    }
}
