//! An agent's side of the wire: starts the real binary on a workspace and calls its tools over MCP.

#![allow(dead_code, reason = "each test target uses its part")]

pub(crate) mod daemon;
pub(crate) mod editor;
pub(crate) mod http;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long any one answer may take before the test fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running `landfall mcp` and the workspace it serves.
pub(crate) struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<String>,
    early: HashMap<u64, Value>,
    notifications: Vec<Value>,
    next: u64,
    workspace: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

/// A tool's result.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    pub(crate) structured: Value,
}

impl Reply {
    /// The first line: the state of the disk.
    pub(crate) fn first_line(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    /// The verdict's name.
    pub(crate) fn verdict(&self) -> &str {
        self.structured["diagnostics"]["verdict"].as_str().unwrap_or_default()
    }

    /// The messages of a list of problems (`introduced`, `elsewhere`, …), each after its `file:line`.
    pub(crate) fn problems(&self, list: &str) -> Vec<String> {
        let problems = self.structured["diagnostics"][list].as_array().cloned().unwrap_or_default();
        problems
            .iter()
            .map(|p| {
                format!(
                    "{}:{} {}",
                    p["file"].as_str().unwrap_or_default(),
                    p["line"],
                    p["message"].as_str().unwrap_or_default()
                )
            })
            .collect()
    }
}

impl Agent {
    /// On a fresh workspace with `files`, without language servers.
    pub(crate) fn with_files(files: &[(&str, &[u8])]) -> Agent {
        Agent::in_folder(files, &["--no-lsp"])
    }

    /// On a fresh workspace with `files`, with whatever language servers are installed.
    pub(crate) fn on_project(files: &[(&str, &str)]) -> Agent {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        Agent::in_folder(&files, &[])
    }

    fn in_folder(files: &[(&str, &[u8])], arguments: &[&str]) -> Agent {
        // Not the default name: the go command leaves out folders that begin with a dot.
        let folder = tempfile::Builder::new().prefix("landfall-test-").tempdir().expect("a temporary folder");
        for (path, content) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, content).expect("a file");
        }
        let mut agent = Agent::start(folder.path(), arguments, &[]);
        agent._folder = Some(folder);
        agent
    }

    /// On an existing folder, with further arguments and environment.
    pub(crate) fn start(workspace: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Agent {
        Agent::start_silent(workspace, arguments, environment).introduced()
    }

    /// As [`Agent::start`], through a daemon: that of the runtime folder in `environment`, which is started.
    pub(crate) fn through_daemon(workspace: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Agent {
        Agent::spawn(&["mcp", "--structured", "--workspace"], workspace, arguments, environment).introduced()
    }

    /// Without the protocol's opening.
    pub(crate) fn start_silent(workspace: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Agent {
        Agent::spawn(&["mcp", "--no-daemon", "--structured", "--workspace"], workspace, arguments, environment)
    }

    fn introduced(mut self) -> Agent {
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let answer = self.request("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "landfall", "{answer}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        self
    }

    fn spawn(how: &[&str], workspace: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Agent {
        let mut child = piped(workspace, environment, |command| command.args(how).arg(workspace).args(arguments));
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let workspace = workspace.canonicalize().expect("a real path");
        Agent {
            input: child.stdin.take(),
            child,
            messages,
            early: HashMap::new(),
            notifications: Vec::new(),
            next: 0,
            workspace,
            _folder: None,
        }
    }

    /// The workspace's root.
    pub(crate) fn root(&self) -> &Path {
        &self.workspace
    }

    /// The process id of the service.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The bytes of a file of the workspace.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.workspace.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The text of a file of the workspace.
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).expect("UTF-8")
    }

    /// Calls a tool and waits for its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        let id = self.post(tool, arguments);
        self.reply(id)
    }

    /// Sends a call without waiting.
    pub(crate) fn post(&mut self, tool: &str, arguments: Value) -> u64 {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": "tools/call", "params": { "name": tool, "arguments": arguments } }));
        self.next
    }

    /// The result of an earlier [`Agent::post`].
    pub(crate) fn reply(&mut self, id: u64) -> Reply {
        let answer = self.answer(id);
        let result = &answer["result"];
        assert!(result.is_object(), "a protocol error: {answer}");
        let text = result["content"]
            .as_array()
            .expect("content")
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n");
        Reply { text, is_error: result["isError"] == true, structured: result["structuredContent"].clone() }
    }

    /// Sends a request and waits for the whole answer, result or error.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.answer(self.next)
    }

    /// Sends a line as it is.
    pub(crate) fn send_raw(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    /// Sends a line that need be no text.
    pub(crate) fn send_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("input is open");
        input
            .write_all(line)
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush())
            .expect("the service reads");
    }

    /// Waits for the answer with this id.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            match self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let message: Value = serde_json::from_str(&line)
                        .unwrap_or_else(|error| panic!("stdout is the wire, but carried {line:?}: {error}"));
                    if let Some(id) = message["id"].as_u64() {
                        self.early.insert(id, message);
                    } else {
                        self.notifications.push(message);
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("no answer to request {id} within {PATIENCE:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the service ended before it answered request {id}"),
            }
        }
    }

    /// Waits for the next message that comes unasked.
    pub(crate) fn notification(&mut self) -> Value {
        let line = self.messages.recv_timeout(PATIENCE).expect("a notification in time");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        assert!(message.get("id").is_none(), "an answer came first: {message}");
        message
    }

    /// What came unasked while answers were waited for.
    pub(crate) fn notifications(&self) -> &[Value] {
        &self.notifications
    }

    /// Calls `diagnostics` on a file until the language server has settled.
    pub(crate) fn wait_until_settled(&mut self, file: &str) -> Reply {
        let deadline = Instant::now() + Duration::from_secs(180);
        loop {
            let reply = self.call("diagnostics", json!({ "file_path": file }));
            if !matches!(reply.verdict(), "loading" | "timed_out") {
                return reply;
            }
            assert!(Instant::now() < deadline, "not settled in time: {}", reply.text);
        }
    }

    /// Closes the service's input and waits for its end; the exit code.
    pub(crate) fn finish(mut self) -> i32 {
        drop(self.input.take());
        wait_until("the service ends", || self.child.try_wait().expect("a child").is_some());
        self.child.wait().expect("a child").code().unwrap_or(-1)
    }

    /// Kills the service at once.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("is killed");
        self.child.wait().expect("a child");
    }

    fn send(&mut self, message: &Value) {
        self.send_raw(&message.to_string());
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        let deadline = Instant::now() + Duration::from_secs(8);
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::yield_now();
            std::thread::park_timeout(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `landfall` started in `folder` with the arguments that `with` gives it, its input and output in our hands.
fn piped(folder: &Path, environment: &[(&str, &str)], with: impl FnOnce(&mut Command) -> &mut Command) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    with(&mut command).env("XDG_STATE_HOME", state_home()).envs(environment.iter().copied()).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts")
}

/// `landfall` with `arguments`, to be run in `folder`.
pub(crate) fn landfall(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    // No daemon may outlive a test.
    command.args(arguments).env("XDG_STATE_HOME", state_home()).env("LANDFALL_NO_DAEMON", "1");
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Where the services of this test run keep their ledgers: away from the user's.
fn state_home() -> &'static Path {
    static HOME: std::sync::LazyLock<tempfile::TempDir> =
        std::sync::LazyLock::new(|| tempfile::tempdir().expect("a temporary folder"));
    HOME.path()
}

/// Waits for a condition, at most [`PATIENCE`].
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Whether a test that needs `what` (`go`, `java`, `zig-check`, `zls`) runs: when `programs` are all there.
///
/// Skipping is printed. Under `LANDFALL_REQUIRE` (a comma-separated list of `what`) a missing program is a failure.
pub(crate) fn available(what: &str, programs: &[&str]) -> bool {
    let missing: Vec<&str> = programs.iter().copied().filter(|program| !installed(program)).collect();
    if missing.is_empty() {
        return true;
    }
    let required = std::env::var("LANDFALL_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|word| word.trim() == what),
        "LANDFALL_REQUIRE names {what}, but {} is not there",
        missing.join(", ")
    );
    eprintln!("skipped: {what} needs {}, not installed", missing.join(", "));
    false
}

/// Whether a program is on PATH or among the user's own language servers.
pub(crate) fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let private = std::env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/share")));
    let servers = private.map(|data| data.join("landfall/servers"));
    let found_private = servers.is_some_and(|servers| {
        [servers.join(program).join("bin").join(program), servers.join(program).join(program)]
            .iter()
            .any(|path| path.is_file())
    });
    found_private || std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// The processes but `except` whose working directory is in `root`.
pub(crate) fn working_in(root: &Path, except: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("a /proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok());
    pids.filter(|pid| {
        *pid != except && std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(root))
    })
    .collect()
}

/// Writes a `servers.toml` into `folder` with the scripted language server on files `*.scripted`, and its path.
pub(crate) fn scripted_servers(folder: &Path, script: &str, more: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a path");
    let program =
        own.parent().and_then(Path::parent).expect("in target/*/deps").join("examples/scripted_language_server");
    assert!(program.exists(), "{} is missing: cargo build --examples", program.display());
    let (script_file, servers) = (folder.join("script.toml"), folder.join("servers.toml"));
    std::fs::write(&script_file, script).expect("written");
    let text = format!(
        "[servers.scripted]\ncommand = {program:?}\nargs = [{script_file:?}]\n\
         languages = [{{ id = \"scripted\", extensions = [\"scripted\"] }}]\n{more}"
    );
    std::fs::write(&servers, text).expect("written");
    servers
}
