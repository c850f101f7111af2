//! A client's side of the LSP wire: starts `landfall lsp` on a workspace and speaks to it as an editor does.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use serde_json::{Value, json};

use super::{PATIENCE, piped};

/// A running `landfall lsp`.
pub(crate) struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came while something else was waited for.
    kept: Vec<Value>,
    next: u64,
    workspace: PathBuf,
    /// What the service offers.
    pub(crate) offered: Value,
}

impl Editor {
    /// On a workspace, past the protocol's opening.
    pub(crate) fn start(workspace: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Editor {
        Editor::start_on(workspace, &[workspace], json!({}), arguments, environment)
    }

    /// The same with several folders and capabilities of its own; what is named relatively lies in the first.
    pub(crate) fn start_on(
        workspace: &Path,
        folders: &[&Path],
        capabilities: Value,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Editor {
        let mut child = piped(workspace, environment, |command| command.arg("lsp").args(arguments));
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || frames(output).try_for_each(|message| sender.send(message)));
        let workspace = workspace.canonicalize().expect("a real path");
        let input = child.stdin.take();
        let mut editor = Editor { input, child, messages, kept: Vec::new(), next: 0, workspace, offered: Value::Null };
        let root = editor.uri("");
        let mut hello =
            json!({ "processId": null, "rootUri": root.trim_end_matches('/'), "capabilities": capabilities });
        if let [_, _, ..] = folders {
            let uri = |folder: &&Path| format!("file://{}", folder.display());
            let folders = folders.iter().map(|folder| json!({ "uri": uri(folder), "name": "w" }));
            hello["workspaceFolders"] = folders.collect::<Vec<Value>>().into();
        }
        let answer = editor.request("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "landfall", "{answer}");
        editor.offered = answer["result"]["capabilities"].clone();
        editor.notify("initialized", json!({}));
        editor
    }

    /// The URI of a file of the workspace.
    pub(crate) fn uri(&self, file: &str) -> String {
        format!("file://{}", self.workspace.join(file).display())
    }

    /// Shows a file with this text.
    pub(crate) fn open(&mut self, file: &str, version: i32, text: &str) {
        let document = json!({ "uri": self.uri(file), "languageId": "go", "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Shows another text of an open file.
    pub(crate) fn change(&mut self, file: &str, version: i32, text: &str) {
        let document = json!({ "uri": self.uri(file), "version": version });
        let change = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.notify("textDocument/didChange", change);
    }

    /// Sends a request about a position of a file, 0-based, and waits for the answer.
    pub(crate) fn at(&mut self, method: &str, file: &str, line: u32, character: u32, more: Value) -> Value {
        let mut params =
            json!({ "textDocument": { "uri": self.uri(file) }, "position": { "line": line, "character": character } });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        self.request(method, params)
    }

    /// Sends a request and waits for the whole answer.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait(&format!("an answer to {method}"), |message| message["id"] == id && message.get("method").is_none())
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The next diagnostics of this version of a file that were not taken yet: each as `line:character message`, 0-based.
    pub(crate) fn diagnostics(&mut self, file: &str, version: Option<i32>) -> Vec<String> {
        let uri = self.uri(file);
        let message = self.wait(&format!("diagnostics of {file} {version:?}"), |message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == *uri
                && message["params"]["version"].as_i64() == version.map(i64::from)
        });
        let all = message["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
        let told = |one: &Value| {
            let start = &one["range"]["start"];
            format!("{}:{} {}", start["line"], start["character"], one["message"].as_str().unwrap_or_default())
        };
        all.iter().map(told).collect()
    }

    /// Waits for a message, taken out of order if need be.
    pub(crate) fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.kept.iter().position(&wanted) {
                return self.kept.remove(at);
            }
            match self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => self.kept.push(message),
                Err(error) => panic!("{what}: {error}; there was {:?}", self.kept),
            }
        }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().expect("input is open");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| input.flush()).expect("it reads");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.input.take());
        let deadline = Instant::now() + std::time::Duration::from_secs(8);
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::park_timeout(std::time::Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn frames(mut output: impl BufRead) -> impl Iterator<Item = Value> {
    std::iter::from_fn(move || {
        let mut length = None;
        loop {
            let mut line = String::new();
            if output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length?];
        output.read_exact(&mut body).ok()?;
        serde_json::from_slice(&body).ok()
    })
}
