//! Other programs run for us: a step of a recipe, or a question for a version.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::InstallError;

const VERSION_LIMIT: Duration = Duration::from_secs(20);
const TAIL_LINES: usize = 12;
const OUTPUT_LIMIT: u64 = 64 * 1024;

/// What a program prints when asked for its version, as far as it looks like one; without arguments to ask with, the
/// empty text. `None` when it does not start, fails, or is not done within 20 s.
pub fn version_of(program: &Path, arguments: &[String]) -> Option<String> {
    if arguments.is_empty() {
        return super::find::is_program(program).then(String::new);
    }
    let output = ask(Command::new(program).args(arguments), VERSION_LIMIT)?;
    Some(version_in(&output).unwrap_or_default())
}

/// Runs one step of a recipe to its end and gives what it printed on standard output.
pub(super) fn run_step(command: &mut Command, what: &str, hint: Option<&str>) -> Result<String, InstallError> {
    let failed = |status: String, tail: String| {
        let hint = hint.map(str::to_string);
        InstallError::Failed { what: what.to_string(), status, tail, hint }
    };
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed("does not start".to_string(), format!("  {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(failed(output.status.to_string(), tail(&String::from_utf8_lossy(&text))))
}

/// What a short command prints, both streams; `None` when it fails or takes longer than `limit`.
pub(super) fn ask(command: &mut Command, limit: Duration) -> Option<String> {
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

/// The first word of a text that looks like a version: digits with a dot, a `v` in front allowed.
fn version_in(text: &str) -> Option<String> {
    text.split_whitespace()
        .map(|word| word.trim_matches(['"', ',', '(', ')']).trim_start_matches('v'))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.'))
        .map(str::to_string)
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(TAIL_LINES)..];
    last.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_print() {
        let cases = [
            ("golang.org/x/tools/gopls v0.23.0\n  golang.org/x/tools/gopls@v0.23.0", Some("0.23.0")),
            ("0.16.0-dev.7+73c6c13a\n", Some("0.16.0-dev.7+73c6c13a")),
            ("openjdk version \"17.0.15\" 2025-04-15", Some("17.0.15")),
            ("no version", None),
        ];
        for (text, expected) in cases {
            assert_eq!(version_in(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_program_that_hangs_or_fails_has_no_version() {
        let shell = |script: &str| ask(Command::new("sh").args(["-c", script]), Duration::from_millis(200));
        assert_eq!(shell("echo 1.2"), Some("1.2\n".to_string()));
        assert_eq!(shell("echo 1.2; exit 3"), None);
        assert_eq!(shell("exec sleep 60"), None);
    }

    #[test]
    fn a_failed_step_shows_its_last_lines() {
        let script = "for i in $(seq 30); do echo line $i; done; echo why >&2; exit 7";
        let error = run_step(Command::new("sh").args(["-c", script]), "the step", Some("Mend it.")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("the step failed (exit status: 7):\n  line 20"), "{text}");
        assert!(text.ends_with("  why\nMend it."), "{text}");
    }
}
