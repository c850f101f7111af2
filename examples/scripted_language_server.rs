//! A language server that misbehaves on cue: the far end of the tests of our own connection. Not part of the product.
//!
//!     scripted_language_server SCRIPT.toml
//!
//! It calls every line with `BAD` in it an error. What it does, and when it says so, is in the script: lists of steps
//! for `start`, for each document that is opened (`open`) and for each change (`change`, one list a change, the last
//! again and again). It speaks the protocol by hand, so that our codec is not tested against itself.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    script: Script,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Script {
    #[serde(default)]
    capabilities: Option<Value>,
    #[serde(default)]
    start: Vec<Step>,
    open: Option<Vec<Step>>,
    #[serde(default)]
    change: Vec<Vec<Step>>,
    /// For each time that it is asked for diagnostics, the last again and again.
    #[serde(default)]
    pull: Vec<Vec<Step>>,
    /// By the method of any other request: what it answers, one a request, the last again and again.
    #[serde(default)]
    answers: HashMap<String, Vec<Given>>,
}

/// An answer. Without a result and an error it gives none.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Given {
    /// JSON; `HERE` stands for the document that was asked about, `FOLDER` for the one it lies in.
    result: Option<String>,
    error: Option<i64>,
    #[serde(default)]
    pause_ms: u64,
    #[serde(default)]
    exit: bool,
}

#[derive(Deserialize, Clone)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Step {
    /// Publishes what is wrong with the document.
    Publish {
        /// `own` (default), `none`, or a number to add to the own version.
        #[serde(default)]
        version: Option<Value>,
        /// Of which text: `now` (default) or `before`.
        #[serde(default)]
        text: Option<String>,
        /// The whole list instead, as JSON.
        #[serde(default)]
        diagnostics: Option<String>,
        /// For this file beside the document instead.
        #[serde(default)]
        file: Option<String>,
    },
    /// Answers the request for diagnostics.
    Answer {
        /// `full` (default) or another.
        kind: Option<String>,
        /// The list instead, as JSON.
        items: Option<String>,
        /// This file is broken too.
        related: Option<String>,
    },
    /// Answers it with an error.
    Refuse { code: i64 },
    /// Says that it may be asked.
    Register { method: String },
    /// Publishes errors until so many megabytes are full.
    PublishMuch { megabytes: usize },
    /// Takes so much memory and keeps it.
    Grow { megabytes: usize },
    /// Prints this as it is.
    Print { text: String },
    /// Sends a body with this length in its header.
    Frame { length: String, body: String },
    /// Waits.
    Pause { ms: u64 },
    /// Asks the client and does nothing until it has answered.
    Ask { method: String },
    /// Asks so many times before it reads an answer.
    Flood { times: usize },
    /// Ends without a word, if this file is not there yet; then it is.
    ExitOnce { mark: PathBuf },
    /// Ends without a word.
    Exit,
    /// Reads nothing any more.
    Hang,
}

fn publish_at_once() -> Vec<Step> {
    vec![Step::Publish { version: None, text: None, diagnostics: None, file: None }]
}

struct Document {
    version: i64,
    text: String,
    before: String,
}

struct Server {
    script: Script,
    input: std::io::StdinLock<'static>,
    output: std::io::StdoutLock<'static>,
    documents: HashMap<String, Document>,
    /// Messages that came while an answer was waited for.
    later: VecDeque<Value>,
    changes: usize,
    pulls: usize,
    /// How often each method was asked.
    times: HashMap<String, usize>,
    /// The request for diagnostics that is to be answered.
    pulled: Value,
    asked: i64,
}

fn main() {
    let path = std::env::args().nth(1).expect("a script");
    let text = std::fs::read_to_string(&path).expect("the script can be read");
    let File { script } = toml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let documents = HashMap::new();
    let later = VecDeque::new();
    let (times, pulled) = (HashMap::new(), Value::Null);
    let mut server = Server { script, input, output, documents, later, changes: 0, pulls: 0, times, pulled, asked: 0 };
    while let Some(message) = server.later.pop_front().or_else(|| server.read()) {
        server.take(&message);
    }
}

impl Server {
    fn read(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.input.read_line(&mut line).expect("input") == 0 {
                return None;
            }
            match line.trim() {
                "" => break,
                header => {
                    if let Some(number) = header.strip_prefix("Content-Length: ") {
                        length = number.parse().expect("a length");
                    }
                }
            }
        }
        let mut body = vec![0; length];
        self.input.read_exact(&mut body).expect("a body");
        Some(serde_json::from_slice(&body).expect("JSON"))
    }

    fn take(&mut self, message: &Value) {
        let params = &message["params"];
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                for step in self.script.start.clone() {
                    self.perform(&step, "");
                }
                let capabilities = self.script.capabilities.clone().unwrap_or(json!({ "textDocumentSync": 1 }));
                self.send(&json!({ "id": message["id"], "result": { "capabilities": capabilities } }));
            }
            "shutdown" => self.send(&json!({ "id": message["id"], "result": null })),
            "exit" => std::process::exit(0),
            "textDocument/didOpen" => {
                let document = &params["textDocument"];
                let text = document["text"].as_str().expect("a text").to_owned();
                let version = document["version"].as_i64().expect("a version");
                self.documents.insert(uri.clone(), Document { version, before: text.clone(), text });
                for step in self.script.open.clone().unwrap_or_else(publish_at_once) {
                    self.perform(&step, &uri);
                }
            }
            "textDocument/didChange" => {
                let document = self.documents.get_mut(&uri).expect("an open document");
                let text = applied(&document.text, &params["contentChanges"][0]);
                document.before = std::mem::replace(&mut document.text, text);
                document.version = params["textDocument"]["version"].as_i64().expect("a version");
                let steps = self.script.change.get(self.changes).or(self.script.change.last());
                self.changes += 1;
                for step in steps.cloned().unwrap_or_else(publish_at_once) {
                    self.perform(&step, &uri);
                }
            }
            "textDocument/diagnostic" if !self.script.pull.is_empty() => {
                self.pulled = message["id"].clone();
                let steps = self.script.pull.get(self.pulls).or(self.script.pull.last());
                self.pulls += 1;
                for step in steps.cloned().unwrap_or_default() {
                    self.perform(&step, &uri);
                }
            }
            method if self.script.answers.contains_key(method) => self.give(method, message, &uri),
            _ if message.get("id").is_some() && message.get("method").is_some() => {
                let error = json!({ "code": -32601, "message": "not in the script" });
                self.send(&json!({ "id": message["id"], "error": error }));
            }
            _ => {}
        }
    }

    fn give(&mut self, method: &str, message: &Value, uri: &str) {
        let times = self.times.entry(method.to_owned()).or_default();
        let answers = &self.script.answers[method];
        let Some(given) = answers.get(*times).or(answers.last()).cloned() else { return };
        *times += 1;
        std::thread::sleep(Duration::from_millis(given.pause_ms));
        if given.exit {
            std::process::exit(7);
        }
        let folder = uri.rsplit_once('/').map_or("", |(folder, _)| folder);
        if let Some(result) = given.result {
            let result: Value =
                serde_json::from_str(&result.replace("HERE", uri).replace("FOLDER", folder)).expect("JSON");
            self.send(&json!({ "id": message["id"], "result": result }));
        } else if let Some(code) = given.error {
            self.send(&json!({ "id": message["id"], "error": { "code": code, "message": "not now" } }));
        }
    }

    fn perform(&mut self, step: &Step, uri: &str) {
        match step {
            Step::Publish { version, text, diagnostics, file } => {
                let params =
                    self.publish(uri, version.as_ref(), text.as_deref(), diagnostics.as_deref(), file.as_deref());
                self.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }));
            }
            Step::Answer { kind, items, related } => {
                let list = items.as_ref().map_or_else(
                    || problems(&self.documents[uri].text),
                    |items| serde_json::from_str(items).expect("JSON"),
                );
                let kind = kind.as_deref().unwrap_or("full");
                let mut result = json!({ "kind": kind, "resultId": self.pulls.to_string(), "items": list });
                if let Some(file) = related {
                    let report = json!({ "kind": "full", "items": [problem(0, "broken too")] });
                    result["relatedDocuments"] = json!({ beside(uri, file): report });
                }
                self.send(&json!({ "id": self.pulled, "result": result }));
            }
            Step::Refuse { code } => {
                let error = json!({ "code": code, "message": "not now" });
                self.send(&json!({ "id": self.pulled, "error": error }));
            }
            Step::Register { method } => {
                self.asked += 1;
                let params = json!({ "registrations": [{ "id": "1", "method": method }] });
                self.send(&json!({ "id": self.asked, "method": "client/registerCapability", "params": params }));
                self.wait_for(self.asked);
            }
            Step::PublishMuch { megabytes } => {
                let item = problem(0, &"x".repeat(1000));
                let items = vec![item; megabytes * 1000];
                let version = self.documents[uri].version;
                let params = json!({ "uri": uri, "version": version, "diagnostics": items });
                self.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }));
            }
            Step::Grow { megabytes } => std::mem::forget(std::hint::black_box(vec![1_u8; megabytes << 20])),
            Step::Print { text } => self.print(text),
            Step::Frame { length, body } => self.print(&format!("Content-Length: {length}\r\n\r\n{body}")),
            Step::Pause { ms } => std::thread::sleep(Duration::from_millis(*ms)),
            Step::Ask { method } => {
                let id = self.ask(method);
                self.wait_for(id);
            }
            Step::Flood { times } => {
                for _ in 0..*times {
                    self.ask("workspace/configuration");
                }
                for id in self.asked - *times as i64 + 1..=self.asked {
                    self.wait_for(id);
                }
            }
            Step::ExitOnce { mark } if mark.exists() => {}
            Step::ExitOnce { mark } => {
                std::fs::write(mark, "").expect("the mark can be made");
                std::process::exit(7);
            }
            Step::Exit => std::process::exit(7),
            Step::Hang => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
        }
    }

    fn publish(
        &self,
        uri: &str,
        version: Option<&Value>,
        text: Option<&str>,
        diagnostics: Option<&str>,
        file: Option<&str>,
    ) -> Value {
        let document = &self.documents[uri];
        let of = if text == Some("before") { &document.before } else { &document.text };
        let list = match diagnostics {
            Some(list) => serde_json::from_str(list).expect("JSON"),
            None => problems(of),
        };
        let uri = file.map_or_else(|| uri.to_owned(), |file| beside(uri, file));
        let mut params = json!({ "uri": uri, "diagnostics": list });
        match version {
            Some(Value::String(_)) => {}
            other => params["version"] = (document.version + other.and_then(Value::as_i64).unwrap_or(0)).into(),
        }
        params
    }

    fn ask(&mut self, method: &str) -> i64 {
        self.asked += 1;
        let params = json!({ "registrations": [], "items": [{ "section": "scripted" }] });
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    fn wait_for(&mut self, id: i64) {
        while let Some(message) = self.read() {
            if message.get("method").is_none() && message["id"] == id {
                return;
            }
            self.later.push_back(message);
        }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.print(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    }

    fn print(&mut self, text: &str) {
        // Whoever is not listened to any more ends.
        if self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush()).is_err() {
            std::process::exit(1);
        }
    }
}

/// What is wrong with a text.
fn problems(text: &str) -> Value {
    let bad = text.lines().enumerate().filter(|(_, line)| line.contains("BAD"));
    bad.map(|(number, line)| problem(number, &format!("bad: {}", line.trim()))).collect()
}

/// The URI of another file in the same folder.
fn beside(uri: &str, file: &str) -> String {
    format!("{}/{file}", uri.rsplit_once('/').map_or("", |(folder, _)| folder))
}

/// A text after a change, of whole lines or of all of it.
fn applied(text: &str, change: &Value) -> String {
    let new = change["text"].as_str().expect("a text");
    let Some(range) = change.get("range") else { return new.to_owned() };
    let offset = |end: &str| {
        assert_eq!(range[end]["character"], 0, "whole lines");
        let line = range[end]["line"].as_u64().expect("a line") as usize;
        text.split_inclusive('\n').take(line).map(str::len).sum::<usize>()
    };
    format!("{}{new}{}", &text[..offset("start")], &text[offset("end")..])
}

fn problem(line: usize, message: &str) -> Value {
    let at = |column: usize| json!({ "line": line, "character": column });
    json!({ "range": { "start": at(0), "end": at(3) }, "severity": 1, "source": "scripted", "message": message })
}
