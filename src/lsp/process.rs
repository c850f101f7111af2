//! A process group of ours: a language server or a checker, and whatever it starts.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use super::guard;

/// How many last lines of standard error are kept.
const KEPT_LINES: usize = 40;
/// A longer line is cut. Bytes.
const LONGEST_LINE: usize = 500;

/// How a program is started.
#[derive(Debug, Clone)]
pub struct Program {
    /// Absolute path.
    pub path: PathBuf,
    /// Arguments.
    pub args: Vec<OsString>,
    /// Environment on top of ours.
    pub env: Vec<(OsString, OsString)>,
    /// Working directory.
    pub directory: PathBuf,
}

impl Program {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.args).envs(self.env.iter().map(|(key, value)| (key, value)));
        command.current_dir(&self.directory).process_group(0);
        command
    }
}

/// A process group. Dropping the last handle kills it.
#[derive(Debug)]
pub(super) struct Group {
    id: Pid,
}

impl Group {
    fn of(child: &Child) -> io::Result<Group> {
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let id = id.ok_or_else(|| io::Error::other("it ended at once"))?;
        guard::watch(id.as_raw_nonzero().get().cast_unsigned());
        Ok(Group { id })
    }

    pub(super) fn number(&self) -> u32 {
        self.id.as_raw_nonzero().get().cast_unsigned()
    }

    fn signal(&self, signal: Signal) {
        // It fails only when the group is gone, which is what is wanted.
        let _ = kill_process_group(self.id, signal);
    }

    fn is_gone(&self) -> bool {
        test_kill_process_group(self.id).is_err()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        guard::forget(self.number());
    }
}

/// A long-running process that talks over its pipes.
#[derive(Debug)]
pub(super) struct Process {
    group: Group,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// How it ended, once it has.
    ended: watch::Receiver<Option<String>>,
}

impl Process {
    /// Starts `program` in a process group of its own.
    ///
    /// # Errors
    /// Those of starting a program.
    pub(super) fn start(program: &Program) -> io::Result<(Process, ChildStdin, ChildStdout)> {
        let mut command = program.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let group = Group::of(&child)?;
        let missing = || io::Error::other("it has no pipe");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let last_words = Arc::default();
        tokio::spawn(keep_last_lines(stderr, Arc::clone(&last_words)));
        let (sender, ended) = watch::channel(None);
        tokio::spawn(async move {
            let how = match child.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            };
            sender.send_replace(Some(how));
        });
        Ok((Process { group, last_words, ended }, stdin, stdout))
    }

    /// Its process id, which is its group's.
    pub(super) fn id(&self) -> u32 {
        self.group.number()
    }

    /// How it ended; `None` while it runs.
    pub(super) fn ended(&self) -> Option<String> {
        self.ended.borrow().clone()
    }

    /// The last lines of its standard error.
    pub(super) fn last_words(&self) -> Vec<String> {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Ends the whole group: waits `patience` for it to end by itself, then SIGTERM, then SIGKILL.
    pub(super) async fn end(&self, patience: Duration) {
        if self.group_ends_within(patience).await {
            return;
        }
        self.group.signal(Signal::TERM);
        if !self.group_ends_within(Duration::from_millis(500)).await {
            self.group.signal(Signal::KILL);
        }
    }

    /// Ends the whole group at once.
    pub(super) fn kill(&self) {
        self.group.signal(Signal::KILL);
    }

    async fn group_ends_within(&self, patience: Duration) -> bool {
        let deadline = tokio::time::Instant::now() + patience;
        while !self.group.is_gone() {
            if tokio::time::Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        true
    }
}

async fn keep_last_lines(stderr: impl AsyncRead + Unpin, kept: Arc<Mutex<VecDeque<String>>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                line.truncate(LONGEST_LINE);
                let text = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == KEPT_LINES {
                    kept.pop_front();
                }
                kept.push_back(text);
            }
        }
    }
}

/// What a program that ran to its end printed.
#[derive(Debug)]
pub struct Printed {
    /// Whether it said that all is well.
    pub success: bool,
    /// Standard output, bytes that are no UTF-8 replaced.
    pub stdout: String,
    /// Standard error, likewise.
    pub stderr: String,
}

/// Longest output that is read of a checker. Bytes.
const LONGEST_OUTPUT: u64 = 16 << 20;

/// Runs `program` to its end. Dropping the future kills it and all it started.
///
/// # Errors
/// Those of starting a program and of reading what it prints.
pub async fn run(program: &Program, input: Option<&[u8]>) -> io::Result<Printed> {
    use tokio::io::AsyncWriteExt;
    let mut command = program.command();
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let group = Group::of(&child)?;
    let feed = async {
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            // It may stop reading when it has seen enough.
            let _ = stdin.write_all(input).await;
        }
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ((), stdout, stderr) = tokio::join!(feed, collect(stdout), collect(stderr));
    let (stdout, stderr) = (stdout?, stderr?);
    let status = child.wait().await?;
    drop(group);
    Ok(Printed { success: status.success(), stdout, stderr })
}

/// What comes through `pipe`, up to a bound; the rest is read and thrown away, so that the writer does not stand still.
async fn collect(pipe: Option<impl AsyncRead + Unpin>) -> io::Result<String> {
    use tokio::io::AsyncReadExt;
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        (&mut pipe).take(LONGEST_OUTPUT).read_to_end(&mut bytes).await?;
        tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Resident memory of a process and of what it started, bytes; 0 when it cannot be told.
pub(super) fn group_memory(group: u32) -> u64 {
    let pages = |stat: &GroupMember| stat.resident_pages;
    members(group).iter().map(pages).sum::<u64>() * rustix::param::page_size() as u64
}

/// Resident memory of every process group there is, bytes; empty when it cannot be told.
pub fn memory_by_group() -> HashMap<u32, u64> {
    let mut memory = HashMap::new();
    for member in all_members() {
        *memory.entry(member.group).or_default() += member.resident_pages * rustix::param::page_size() as u64;
    }
    memory
}

/// Processor time a group has used so far, clock ticks.
pub(super) fn group_ticks(group: u32) -> u64 {
    members(group).iter().map(|member| member.ticks).sum()
}

struct GroupMember {
    group: u32,
    ticks: u64,
    resident_pages: u64,
}

fn members(group: u32) -> Vec<GroupMember> {
    all_members().into_iter().filter(|member| member.group == group).collect()
}

/// All processes, by `/proc` (proc_pid_stat(5)); none where there is no such thing.
fn all_members() -> Vec<GroupMember> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let member = |entry: io::Result<std::fs::DirEntry>| {
        let path = entry.ok()?.path();
        path.file_name()?.to_str()?.parse::<u32>().ok()?;
        let stat = std::fs::read_to_string(path.join("stat")).ok()?;
        // The command's name may hold anything, so fields are counted from behind it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let group = u32::try_from(field(2)?).ok()?;
        Some(GroupMember { group, ticks: field(11)? + field(12)?, resident_pages: field(21)? })
    };
    entries.filter_map(member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Program {
        Program {
            path: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env: Vec::new(),
            directory: "/".into(),
        }
    }

    #[tokio::test]
    async fn a_program_runs_to_its_end() {
        let printed = run(&shell("echo out; cat >&2; exit 3"), Some(b"in")).await.expect("runs");
        assert_eq!((printed.success, printed.stdout.as_str(), printed.stderr.as_str()), (false, "out\n", "in"));
    }

    #[tokio::test]
    async fn ending_a_group_takes_its_children_with_it() {
        let (process, _stdin, mut stdout) =
            Process::start(&shell("trap '' TERM; sleep 1000 & echo $!; wait")).expect("starts");
        let mut line = String::new();
        BufReader::new(&mut stdout).read_line(&mut line).await.expect("reads");
        let child: u32 = line.trim().parse().expect("a process id");
        assert!(group_memory(process.id()) > 0);
        process.end(Duration::ZERO).await;
        assert!(process.group_ends_within(Duration::from_secs(5)).await);
        let gone = || {
            !std::path::Path::new(&format!("/proc/{child}/cmdline")).exists()
                || std::fs::read(format!("/proc/{child}/cmdline")).is_ok_and(|line| line.is_empty())
        };
        let deadline = std::time::Instant::now() + Duration::from_secs(5);
        while !gone() {
            assert!(std::time::Instant::now() < deadline, "the child is still there");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
