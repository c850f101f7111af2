//! Other programs run for us: a step of a recipe, or a question for a version.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::InstallError;
use crate::programs;

const VERSION_LIMIT: Duration = Duration::from_secs(20);
const TAIL_LINES: usize = 12;

/// What a program prints when asked for its version, as far as it looks like one; without arguments to ask with, the
/// empty text. `None` when it does not start, fails, or is not done within 20 s.
pub fn version_of(program: &Path, arguments: &[String]) -> Option<String> {
    if arguments.is_empty() {
        return programs::is_program(program).then(String::new);
    }
    let output = programs::ask(Command::new(program).args(arguments), VERSION_LIMIT)?;
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
    fn a_failed_step_shows_its_last_lines() {
        let script = "for i in $(seq 30); do echo line $i; done; echo why >&2; exit 7";
        let error = run_step(Command::new("sh").args(["-c", script]), "the step", Some("Mend it.")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("the step failed (exit status: 7):\n  line 20"), "{text}");
        assert!(text.ends_with("  why\nMend it."), "{text}");
    }
}
