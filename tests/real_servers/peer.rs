//! Another client of a language server, as plain as can be: what it makes of an answer is what ours is held against.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a language server may take to load.
const PATIENCE: Duration = Duration::from_secs(180);

/// A running language server.
pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    root: PathBuf,
    /// Methods of the notifications so far, with a word of what they say.
    heard: Vec<String>,
}

impl Peer {
    /// Starts `command` on `root`.
    pub(crate) fn start(command: &[&str], root: &Path, options: &Value, environment: &[(String, String)]) -> Peer {
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .current_dir(root)
            .envs(environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the language server starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let root = root.canonicalize().expect("a real path");
        let mut peer = Peer { child, input, output, next: 0, root, heard: Vec::new() };
        let uri = peer.uri("");
        peer.request("initialize", &json!({
            "processId": std::process::id(), "rootUri": uri, "initializationOptions": options,
            "workspaceFolders": [{ "uri": uri, "name": "w" }],
            "capabilities": {
                "workspace": { "configuration": true, "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create", "rename", "delete"] } },
                "textDocument": { "rename": { "prepareSupport": true } },
                "window": { "workDoneProgress": true },
            },
        }));
        peer.notify("initialized", &json!({}));
        peer
    }

    /// Opens a file.
    pub(crate) fn open(&mut self, file: &str, language: &str) {
        let text = std::fs::read_to_string(self.root.join(file)).expect("reads");
        let document = json!({ "uri": self.uri(file), "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// Waits until it has said something that holds `word`.
    pub(crate) fn wait_for(&mut self, word: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.heard.iter().any(|heard| heard.contains(word)) {
            assert!(Instant::now() < deadline, "it never said {word}: {:?}", self.heard);
            let message = self.receive();
            self.take(&message);
        }
    }

    /// What every file of `files` becomes when the thing at a place (0-based, UTF-16) is renamed; by their new names.
    pub(crate) fn renamed(
        &mut self,
        files: &BTreeMap<String, String>,
        (file, line, column): (&str, usize, usize),
        new_name: &str,
    ) -> BTreeMap<String, String> {
        let params = json!({
            "textDocument": { "uri": self.uri(file) }, "position": { "line": line, "character": column }, "newName": new_name,
        });
        let edit = self.request("textDocument/rename", &params);
        let steps = match &edit["documentChanges"] {
            Value::Array(steps) => steps.clone(),
            _ => {
                let changes = edit["changes"].as_object().unwrap_or_else(|| panic!("no edit: {edit}"));
                let one = |(uri, edits): (&String, &Value)| json!({ "textDocument": { "uri": uri }, "edits": edits });
                changes.iter().map(one).collect()
            }
        };
        let mut files = files.clone();
        for step in &steps {
            if step["kind"] == "rename" {
                let text = files.remove(&self.name(&step["oldUri"])).expect("there");
                files.insert(self.name(&step["newUri"]), text);
                continue;
            }
            let text = files.get_mut(&self.name(&step["textDocument"]["uri"])).expect("a file of the project");
            let mut edits = step["edits"].as_array().expect("edits").clone();
            edits.sort_by_key(|edit| std::cmp::Reverse((at(&edit["range"]["start"]), at(&edit["range"]["end"]))));
            for edit in &edits {
                let span = offset(text, at(&edit["range"]["start"]))..offset(text, at(&edit["range"]["end"]));
                text.replace_range(span, edit["newText"].as_str().expect("a text"));
            }
        }
        files
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}", self.root.join(file).display())
    }

    fn name(&self, uri: &Value) -> String {
        let path = uri.as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
        path.strip_prefix(&format!("{}/", self.root.display()))
            .unwrap_or_else(|| panic!("{path} is outside"))
            .to_owned()
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.take(&message);
        }
    }

    /// Answers a request, notes a notification.
    fn take(&mut self, message: &Value) {
        match (message["method"].as_str(), message.get("id")) {
            (Some("workspace/configuration"), Some(id)) => {
                let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": vec![Value::Null; items] }));
            }
            (Some(_), Some(id)) => self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null })),
            (Some(method), None) => self.heard.push(format!("{method} {}", message["params"]["type"])),
            _ => {}
        }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len())
            .and_then(|()| self.input.flush())
            .expect("it reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("reads") > 0, "the language server ended");
            match line.trim().strip_prefix("Content-Length:") {
                Some(number) => length = number.trim().parse().expect("a number"),
                None if line.trim().is_empty() && length > 0 => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("reads");
        serde_json::from_slice(&body).expect("JSON")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn at(position: &Value) -> (usize, usize) {
    let number = |name: &str| position[name].as_u64().expect("a number") as usize;
    (number("line"), number("character"))
}

/// The byte of a position whose column counts UTF-16 units.
fn offset(text: &str, (line, column): (usize, usize)) -> usize {
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = 0;
    for (at, character) in text[start..].char_indices() {
        if units >= column {
            return start + at;
        }
        units += character.len_utf16();
    }
    text.len()
}
