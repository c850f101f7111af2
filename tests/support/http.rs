//! `landfall serve --http` of a test's own, and a client that sends what it is told to, byte by byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Agent, PATIENCE, Reply, wait_until};

/// The protocol's later revision, without sessions.
const LATER: &str = "2026-07-28";

/// A running service, the folders it has, and where it is reached.
pub(crate) struct Served {
    child: Child,
    folder: tempfile::TempDir,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    fn read(stream: &mut TcpStream) -> Answer {
        let mut bytes = Vec::new();
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        stream.read_to_end(&mut bytes).expect("an answer in time");
        Answer::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Answer {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head in {text:?}"));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if chunked { dechunked(body) } else { body.to_owned() };
        Answer { status, headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC answer in it: the body, or the last event of a stream.
    pub(crate) fn message(&self) -> Value {
        let mut data = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let last = data.rfind(|data| !data.is_empty()).unwrap_or(&self.body);
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The result of a tool in it.
    pub(crate) fn reply(&self) -> Reply {
        let message = self.message();
        let result = &message["result"];
        assert!(result.is_object(), "a protocol error: {message}");
        let text = result["content"][0]["text"].as_str().expect("a text").to_owned();
        Reply { text, is_error: result["isError"] == true, structured: result["structuredContent"].clone() }
    }
}

fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).expect("a chunk's size");
        if size == 0 {
            break;
        }
        whole.push_str(&rest[..size]);
        body = &rest[size + 2..];
    }
    whole
}

impl Served {
    /// On a fresh root with `files`, without language servers.
    pub(crate) fn with_files(files: &[(&str, &str)]) -> Served {
        Served::start(files, &["--no-lsp"])
    }

    /// On a fresh root with `files`; `{folder}` in the arguments stands for the folder around it.
    pub(crate) fn start(files: &[(&str, &str)], arguments: &[&str]) -> Served {
        Served::in_folder(Served::folder(files), arguments)
    }

    /// A folder for a service, with `files` below its root.
    pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        // Short, because a socket's path may not be long.
        let folder = tempfile::Builder::new().prefix("lf-").tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("root")).expect("made");
        for (path, content) in files {
            let path = folder.path().join("root").join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, content).expect("a file");
        }
        folder
    }

    /// On what [`Served::folder`] has made.
    pub(crate) fn in_folder(folder: tempfile::TempDir, arguments: &[&str]) -> Served {
        Served::logging(folder, arguments, &[], Stdio::inherit())
    }

    /// As [`Served::in_folder`], with these variables, and its log there.
    pub(crate) fn logging(
        folder: tempfile::TempDir,
        arguments: &[&str],
        environment: &[(&str, &str)],
        log: impl Into<Stdio>,
    ) -> Served {
        let place = folder.path().to_str().expect("UTF-8").to_owned();
        let mut command = command(folder.path());
        command.args(["serve", "--http", "127.0.0.1:0", "--token-file"]).arg(folder.path().join("token"));
        if !arguments.contains(&"--root") {
            command.arg("--root").arg(folder.path().join("root"));
        }
        command.args(arguments.iter().map(|argument| argument.replace("{folder}", &place)));
        command.envs(environment.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().expect("the binary starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let address = lines
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("serving http on http://")?.strip_suffix("/mcp")?.parse().ok());
        let address = address.expect("it says where it serves");
        let token = std::fs::read_to_string(folder.path().join("token")).expect("a token").trim().to_owned();
        Served { child, folder, address, token }
    }

    /// The folder around its root.
    pub(crate) fn around(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("real")
    }

    /// The root that workspaces must lie in.
    pub(crate) fn root(&self) -> PathBuf {
        self.around().join("root")
    }

    /// The text of a file below the root.
    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// `landfall` with `arguments`, beside it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.folder.path());
        command.args(arguments);
        command
    }

    /// An agent on its root through its socket.
    pub(crate) fn agent(&self, arguments: &[&str]) -> Agent {
        let folder = self.folder.path().to_str().expect("UTF-8");
        let environment = [("XDG_RUNTIME_DIR", folder), ("XDG_STATE_HOME", folder)];
        Agent::through_daemon(&self.root(), arguments, &environment)
    }

    /// A connection on which nothing was said yet.
    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("connects")
    }

    /// Sends these bytes over a connection of their own.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("sends");
        Answer::read(&mut stream)
    }

    /// The bytes of a request; headers given here take the place of the usual ones, those with an empty value leave it.
    pub(crate) fn request(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
        let (host, bearer, length) =
            (self.address.to_string(), format!("Bearer {}", self.token), body.len().to_string());
        let usual = [
            ("Host", host.as_str()),
            ("Authorization", &bearer),
            ("Content-Length", &length),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Connection", "close"),
        ];
        let given = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let mut request = format!("{method} {target} HTTP/1.1\r\n");
        let all = usual.iter().filter(|(name, _)| !given(name)).chain(headers);
        for (name, value) in all.filter(|(_, value)| !value.is_empty()) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(body);
        request.into_bytes()
    }

    /// Sends a request and waits for all of its answer.
    pub(crate) fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.raw(&self.request(method, target, headers, body))
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        self.send("GET", target, &[], "")
    }

    /// A request of the protocol's later revision, without a session.
    pub(crate) fn later(&self, method: &str, params: Value, headers: &[(&str, &str)]) -> Vec<u8> {
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let mut all = vec![("MCP-Protocol-Version", LATER), ("Mcp-Method", method), ("Mcp-Name", name.as_str())];
        all.extend(headers);
        self.request("POST", "/mcp", &all, &later_message(method, params).to_string())
    }

    /// A call in the later revision.
    pub(crate) fn call(&self, tool: &str, arguments: Value, headers: &[(&str, &str)]) -> Answer {
        self.raw(&self.later("tools/call", json!({ "name": tool, "arguments": arguments }), headers))
    }

    /// A session of the protocol's earlier revisions.
    pub(crate) fn session(&self, headers: &[(&'static str, &str)]) -> Session<'_> {
        let answer = self.initialize("/mcp", headers);
        assert_eq!(answer.message()["result"]["serverInfo"]["name"], "landfall", "{answer:?}");
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let session = Session { served: self, id, headers };
        let begun = session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(begun.status, 202, "{begun:?}");
        session
    }

    /// The protocol's opening, of the earlier revisions.
    pub(crate) fn initialize(&self, target: &str, headers: &[(&str, &str)]) -> Answer {
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        } });
        self.send("POST", target, headers, &hello.to_string())
    }

    /// The value of a line of `/metrics` that begins with `name` (with its labels).
    pub(crate) fn metric(&self, name: &str) -> Option<f64> {
        let told = self.get("/metrics");
        assert_eq!(told.status, 200, "{told:?}");
        told.body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
    }

    /// Asks it to end, as a system does.
    pub(crate) fn terminate(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("a running process");
    }

    /// Waits for its end; the exit code.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        wait_until("the service ends", || self.child.try_wait().expect("a child").is_some());
        self.child.wait().expect("a child").code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.terminate();
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
            while std::time::Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
                std::thread::park_timeout(std::time::Duration::from_millis(5));
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `landfall` with its folders in `folder`.
fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.env("XDG_RUNTIME_DIR", folder).env("XDG_STATE_HOME", folder).current_dir(folder);
    command
}

fn later_message(method: &str, mut params: Value) -> Value {
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = json!(LATER);
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// A session of the protocol's earlier revisions.
pub(crate) struct Session<'s> {
    served: &'s Served,
    pub(crate) id: String,
    headers: Vec<(&'static str, String)>,
}

impl Session<'_> {
    /// The same without the headers it was begun with.
    pub(crate) fn naming_nothing(self) -> Self {
        Session { headers: Vec::new(), ..self }
    }

    pub(crate) fn request(&self, method: &str, body: &str) -> Vec<u8> {
        let mut headers = vec![("Mcp-Session-Id", self.id.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
        headers.extend(self.headers.iter().map(|(name, value)| (*name, value.as_str())));
        self.served.request(method, "/mcp", &headers, body)
    }

    pub(crate) fn post(&self, message: &Value) -> Answer {
        self.served.raw(&self.request("POST", &message.to_string()))
    }

    pub(crate) fn ask(&self, method: &str, params: Value) -> Answer {
        self.post(&json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }))
    }

    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).reply()
    }
}
