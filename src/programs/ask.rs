//! A short question to a program.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Most bytes of each stream that are taken.
const OUTPUT_LIMIT: u64 = 64 * 1024;

/// What a short command prints, both streams; `None` when it fails or takes longer than `limit`.
pub fn ask(command: &mut Command, limit: Duration) -> Option<String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let out = child.stdout.take().map(read_in_background);
    let err = child.stderr.take().map(read_in_background);
    let status = wait(&mut child, limit)?;
    // Not joined before the end is known: a grandchild may keep the pipes open.
    let texts: Vec<String> = [out, err].into_iter().flatten().filter_map(|reader| reader.join().ok()).collect();
    status.success().then(|| texts.concat())
}

fn read_in_background(stream: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read is not there: the exit status decides.
        let _ = stream.take(OUTPUT_LIMIT).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + limit;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hangs_or_fails_has_no_version() {
        let shell = |script: &str| ask(Command::new("sh").args(["-c", script]), Duration::from_millis(200));
        assert_eq!(shell("echo 1.2"), Some("1.2\n".to_string()));
        assert_eq!(shell("echo 1.2; exit 3"), None);
        assert_eq!(shell("exec sleep 60"), None);
    }
}
