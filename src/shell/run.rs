//! The course of one command, from its start until there is nothing more to wait for.

use std::collections::BTreeMap;
use std::io::{self, PipeReader, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::capture::{Capture, Output};
use super::group::{Group, Guard};

/// How long a process may still print after the shell itself has ended.
const GRACE: Duration = Duration::from_millis(100);
/// How long a group has between SIGTERM and SIGKILL.
const TO_END: Duration = Duration::from_secs(2);
/// How often the loop looks at the clock while nothing is printed.
const TICK: Duration = Duration::from_millis(10);

/// A command to run.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'c> {
    /// For the shell, as it is.
    pub text: &'c str,
    /// Its environment; without one, ours.
    pub environment: Option<&'c BTreeMap<String, String>>,
    /// Where it runs; exists.
    pub directory: &'c Path,
    /// After this long its processes are ended.
    pub timeout: Duration,
    /// Where its output goes if it is too much.
    pub spills: &'c Path,
    /// Ends its processes from outside.
    pub cancel: &'c AtomicBool,
    /// Ends them should this process be killed.
    pub guard: Guard,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It was ended because its time was up.
    TimedOut,
    /// It was ended because nobody waits for it any more.
    Cancelled,
}

/// A command that has run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// How long it took.
    pub elapsed: Duration,
    /// What it printed until then.
    pub output: Output,
    /// Whether processes that it started still run. What they print goes into the spill.
    pub left_running: bool,
}

/// Runs a command. Its standard input is empty, and it has no terminal to ask at.
///
/// # Errors
/// When no shell can be started.
pub fn run(line: &CommandLine<'_>) -> io::Result<Finished> {
    let began = Instant::now();
    let (reader, mut child) = start(line)?;
    let group = Group::led_by(child.id(), line.guard).ok_or_else(|| io::Error::other("it ended at once"))?;
    let mut course = Course { reader, capture: Capture::new(line.spills), open: true };
    let mut ended = None;
    let mut ending = None;
    loop {
        let more = course.take(TICK)?;
        let now = Instant::now();
        if ended.is_none() {
            ended = child.try_wait()?.map(|status| (status, now));
        }
        match ended {
            Some(_) if !course.open => break,
            // What the shell printed is in the pipe already, so an empty pipe has given all of it; then only others can
            // still add, and they are not waited for.
            Some((_, at)) if !more && (now - at >= GRACE || group.is_gone()) => break,
            Some((_, at)) if now - at >= 10 * GRACE => break,
            Some(_) => {}
            None => stop_if_due(line, &group, began, &mut ending),
        }
    }
    let (status, at) = ended.unwrap_or_else(|| unreachable!("the loop ends when the shell has ended"));
    let left_running = ending.is_none() && (course.open || !group.is_gone());
    Ok(Finished {
        ending: ending.map_or_else(|| ending_of(status), |(why, _)| why),
        elapsed: at - began,
        output: course.finish(group, left_running),
        left_running,
    })
}

fn start(line: &CommandLine<'_>) -> io::Result<(PipeReader, Box<dyn ChildWrapper>)> {
    let mut shell = "bash";
    loop {
        let (reader, writer) = io::pipe()?;
        let mut command = Command::new(shell);
        if let Some(environment) = line.environment {
            command.env_clear().envs(environment);
        }
        command.arg("-c").arg(line.text).current_dir(line.directory).env("GIT_TERMINAL_PROMPT", "0");
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        match CommandWrap::from(command).wrap(ProcessSession).spawn() {
            // The plain child: the wrapped one would wait for the whole session.
            Ok(child) => return Ok((reader, child.into_inner())),
            Err(error) if error.kind() == io::ErrorKind::NotFound && shell == "bash" => shell = "/bin/sh",
            Err(error) => return Err(error),
        }
    }
}

/// Asks the group to end when it is time, and ends it when it does not.
fn stop_if_due(line: &CommandLine<'_>, group: &Group, began: Instant, ending: &mut Option<(Ending, Instant)>) {
    let now = Instant::now();
    match ending {
        None => {
            let why = if line.cancel.load(Ordering::Relaxed) {
                Ending::Cancelled
            } else if now - began >= line.timeout {
                Ending::TimedOut
            } else {
                return;
            };
            group.terminate();
            *ending = Some((why, now));
        }
        Some((_, asked)) if now - *asked >= TO_END => group.kill(),
        Some(_) => {}
    }
}

fn ending_of(status: ExitStatus) -> Ending {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signalled(signal.unwrap_or_default()),
    }
}

/// The output of a command as it comes.
struct Course {
    reader: PipeReader,
    capture: Capture,
    /// Whether anybody can still write.
    open: bool,
}

impl Course {
    /// Takes in what is there, waiting at most `patience` for it; whether anything was.
    fn take(&mut self, patience: Duration) -> io::Result<bool> {
        if !self.open {
            std::thread::sleep(patience);
            return Ok(false);
        }
        let patience = Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
        let mut fds = [PollFd::new(&self.reader, PollFlags::IN)];
        match poll(&mut fds, Some(&patience)) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let mut buffer = [0; 64 * 1024];
        let length = self.reader.read(&mut buffer)?;
        self.open = length > 0;
        self.capture.push(&buffer[..length]);
        Ok(length > 0)
    }

    /// What was printed. With `goes_on`, what is left of the group keeps an open pipe and a place to print to.
    fn finish(mut self, group: Group, goes_on: bool) -> Output {
        if !goes_on {
            group.kill();
            return self.capture.output();
        }
        if self.open {
            self.capture.begin_spill();
        }
        let output = self.capture.output();
        std::thread::spawn(move || self.follow(&group));
        output
    }

    /// Takes in what is printed until the last process of the group has ended.
    fn follow(mut self, group: &Group) {
        while self.take(Duration::from_millis(500)).is_ok() && (self.open || !group.is_gone()) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: Guard = Guard { began: |_| {}, ended: |_| {} };

    struct Bench {
        folder: tempfile::TempDir,
        cancel: AtomicBool,
    }

    impl Bench {
        fn new() -> Bench {
            Bench { folder: tempfile::tempdir().expect("a folder"), cancel: AtomicBool::new(false) }
        }

        fn run_within(&self, text: &str, timeout: Duration) -> Finished {
            let spills = self.folder.path().join("spills");
            let line = CommandLine {
                environment: None,
                text,
                directory: self.folder.path(),
                timeout,
                spills: &spills,
                cancel: &self.cancel,
                guard: NOBODY,
            };
            run(&line).expect("a shell")
        }

        fn run(&self, text: &str) -> Finished {
            self.run_within(text, Duration::from_secs(60))
        }
    }

    #[test]
    fn both_streams_come_in_order_with_the_exit_code() {
        let bench = Bench::new();
        for (text, ending, output) in [
            ("echo a; echo b >&2; echo c; exit 3", Ending::Exited(3), "a\nb\nc\n"),
            ("cat; echo \"[$(pwd -P | wc -l)]\"", Ending::Exited(0), "[1]\n"),
            ("echo x >/dev/stderr; printf y", Ending::Exited(0), "x\ny"),
            ("kill -9 $$", Ending::Signalled(9), ""),
            ("no-such-program-at-all 2>/dev/null", Ending::Exited(127), ""),
            ("exec >&- 2>&-; exit 4", Ending::Exited(4), ""),
            ("read x </dev/tty || echo no terminal 2>&1", Ending::Exited(0), ""),
        ] {
            let finished = bench.run(text);
            assert_eq!((finished.ending, finished.left_running), (ending, false), "{text}");
            if !text.contains("/dev/tty") {
                assert_eq!(finished.output.tail, output, "{text}");
            }
        }
    }

    #[test]
    fn what_runs_on_in_the_background_holds_up_nobody_and_its_output_is_kept() {
        let bench = Bench::new();
        let go = bench.folder.path().join("go");
        let finished = bench.run("(while [ ! -e go ]; do sleep 0.01; done; echo later) & echo now");
        assert!(finished.elapsed < Duration::from_secs(20) && finished.left_running);
        assert_eq!(finished.output.tail, "now\n");
        let spill = finished.output.spill.expect("a place for what comes");
        std::fs::write(&go, "").expect("writes");
        let deadline = Instant::now() + Duration::from_secs(30);
        while std::fs::read_to_string(&spill).expect("reads") != "now\nlater\n" {
            assert!(Instant::now() < deadline, "{:?}", std::fs::read_to_string(&spill));
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_command_that_ignores_sigterm_ends_with_all_it_started() {
        let bench = Bench::new();
        let finished =
            bench.run_within("trap '' TERM; (trap '' TERM; sleep 60) & echo $!; sleep 60", Duration::from_millis(50));
        assert_eq!((finished.ending, finished.left_running), (Ending::TimedOut, false));
        assert!(finished.elapsed < Duration::from_secs(30));
        let child = finished.output.tail.trim().to_owned();
        let deadline = Instant::now() + Duration::from_secs(30);
        let runs = || std::fs::read_to_string(format!("/proc/{child}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        while runs() {
            assert!(Instant::now() < deadline, "{child} still runs");
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_given_environment_takes_the_place_of_ours() {
        let bench = Bench::new();
        let mut environment = BTreeMap::from([("GIVEN".to_owned(), "yes".to_owned())]);
        environment.extend(std::env::var("PATH").ok().map(|path| ("PATH".to_owned(), path)));
        let line = CommandLine {
            text: "echo \"$GIVEN $CARGO_MANIFEST_DIR.\"",
            environment: Some(&environment),
            directory: bench.folder.path(),
            timeout: Duration::from_secs(60),
            spills: bench.folder.path(),
            cancel: &bench.cancel,
            guard: NOBODY,
        };
        assert_eq!(run(&line).expect("a shell").output.tail, "yes .\n");
    }

    #[test]
    fn cancelling_ends_it() {
        let bench = Bench::new();
        bench.cancel.store(true, Ordering::Relaxed);
        assert_eq!(bench.run("sleep 60").ending, Ending::Cancelled);
    }

    #[test]
    fn a_flood_is_spilled_whole() {
        let finished = Bench::new().run("yes 0123456789 | head -c 30000000; echo; echo end");
        assert_eq!((finished.ending, finished.output.bytes), (Ending::Exited(0), 30_000_005));
        assert!(finished.output.tail.ends_with("\nend\n") && finished.output.spill.is_some());
    }
}
