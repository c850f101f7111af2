//! What one language server has said so far: its publishes, progress and status, and our answers to its requests.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::connection::Inbox;
use super::diagnostic::{Diagnostic, Pulled, read_publish};
use super::frames::AnsweredError;
use super::settings::Settings;
use super::uri;
use crate::config::DiagnosticsSource;

/// JSON-RPC 2.0, section 5.1.
const METHOD_NOT_FOUND: i64 = -32601;
/// The request for a document's diagnostics (LSP 3.17).
pub(super) const PULL: &str = "textDocument/diagnostic";
/// More files than these are not kept; a language server that publishes for more is not to be believed.
const MOST_FILES: usize = 50_000;

/// The last publish for one file.
#[derive(Debug, Clone)]
pub struct Publish {
    /// When it came, in the count of [`Heard::count`].
    pub at: u64,
    /// How many publishes there have been for the file, this one included.
    pub times: u32,
    /// The document version it is about, if it says so.
    pub version: Option<i32>,
    /// What is wrong.
    pub items: Arc<[Diagnostic]>,
}

/// The last answer to a question about one file.
#[derive(Debug, Clone)]
pub(super) struct PullAnswer {
    /// When it came, in the count of [`Heard::count`].
    pub(super) at: u64,
    pub(super) items: Arc<[Diagnostic]>,
    pub(super) result_id: Option<String>,
}

/// A piece of work a language server reports on.
#[derive(Debug, Clone)]
pub(super) struct Work {
    /// When it began, in the count of [`Heard::count`].
    pub(super) begun: u64,
    pub(super) title: String,
    told: String,
}

/// Everything heard.
#[derive(Debug, Default)]
pub struct Heard {
    /// Messages heard so far: the clock of this connection.
    pub count: u64,
    /// The last publish of every file.
    pub publishes: HashMap<PathBuf, Publish>,
    /// The last answer about every file that was asked about.
    pub(super) answers: HashMap<PathBuf, PullAnswer>,
    /// Whether it has said, after the start, that it may be asked.
    pub(super) offers_pull: bool,
    /// How often it has said that its answers do not hold any more.
    pub(super) refreshes: u64,
    /// Work that has begun and not ended, by token.
    pub(super) works: HashMap<String, Work>,
    /// Of the work titled so that has ended: when the latest of it had begun.
    pub(super) ended_works: HashMap<String, u64>,
    /// Types of `language/status` messages (jdtls).
    pub(super) statuses: Vec<String>,
    /// The last complaint in a status or an error shown to the user.
    pub complaint: Option<String>,
    /// When the last message came.
    pub(super) last_at: Option<Instant>,
    /// Why the connection ended, once it has.
    pub ended: Option<String>,
}

impl Heard {
    /// Whether work whose title holds one of `words` is under way.
    pub(super) fn is_working_on(&self, words: &[&str]) -> bool {
        self.works.values().any(|work| words.iter().any(|word| work.title.contains(word)))
    }

    /// What is wrong in each file and since when it is known, in the count of [`Heard::count`]: by `source`, published,
    /// answered, or both.
    pub fn problems(&self, source: DiagnosticsSource) -> HashMap<&Path, (u64, Arc<[Diagnostic]>)> {
        let mut all: HashMap<&Path, (u64, Arc<[Diagnostic]>)> = HashMap::new();
        if source != DiagnosticsSource::Pull {
            let published = self.publishes.iter();
            all.extend(published.map(|(path, last)| (path.as_path(), (last.at, Arc::clone(&last.items)))));
        }
        if source == DiagnosticsSource::Push {
            return all;
        }
        for (path, answer) in &self.answers {
            let entry = all.entry(path).or_insert_with(|| (answer.at, Arc::clone(&answer.items)));
            match source {
                DiagnosticsSource::Both => {
                    let more = answer.items.iter().filter(|item| !entry.1.contains(item)).cloned();
                    *entry = (answer.at.max(entry.0), entry.1.iter().cloned().chain(more).collect());
                }
                _ => *entry = (answer.at, Arc::clone(&answer.items)),
            }
        }
        all
    }

    /// What the language server says it is doing, if anything.
    pub fn activity(&self) -> Option<String> {
        self.works.values().max_by_key(|work| work.begun).map(|work| work.told.clone())
    }
}

/// The place where everything heard is kept and can be waited for.
#[derive(Debug)]
pub struct Board {
    root: PathBuf,
    settings: Mutex<Settings>,
    heard: Mutex<Heard>,
    news: watch::Sender<u64>,
}

/// The connection ended while something was waited for.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the language server ended: {0}")]
pub struct Ended(pub String);

impl Board {
    pub(super) fn new(root: PathBuf, settings: Settings) -> Board {
        Board { root, settings: Mutex::new(settings), heard: Mutex::default(), news: watch::Sender::new(0) }
    }

    /// What has been heard, for a moment's look; never held across an await.
    pub fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `holds` gives something of what has been heard.
    ///
    /// # Errors
    /// [`Ended`] when the connection ends first.
    pub async fn wait<T>(&self, mut holds: impl FnMut(&Heard) -> Option<T>) -> Result<T, Ended> {
        let mut news = self.news.subscribe();
        loop {
            news.borrow_and_update();
            {
                let heard = self.heard();
                if let Some(found) = holds(&heard) {
                    return Ok(found);
                }
                if let Some(why) = &heard.ended {
                    return Err(Ended(why.clone()));
                }
            }
            // The sender lives as long as the board.
            let _ = news.changed().await;
        }
    }

    /// Waits for the end of the connection.
    pub async fn ended(&self) -> Ended {
        match self.wait(|_| None::<std::convert::Infallible>).await {
            Err(ended) => ended,
            Ok(never) => match never {},
        }
    }

    fn hear(&self, note: impl FnOnce(&mut Heard)) {
        let count = {
            let mut heard = self.heard();
            heard.count += 1;
            heard.last_at = Some(Instant::now());
            note(&mut heard);
            heard.count
        };
        self.news.send_replace(count);
    }

    fn publish(&self, params: &RawValue) {
        let Some(published) = read_publish(params) else { return };
        self.hear(|heard| {
            if heard.publishes.len() >= MOST_FILES && !heard.publishes.contains_key(&published.path) {
                return;
            }
            let (at, times) = (heard.count, heard.publishes.get(&published.path).map_or(0, |last| last.times));
            let publish = Publish { at, times: times + 1, version: published.version, items: published.items.into() };
            heard.publishes.insert(published.path, publish);
        });
    }

    /// Keeps the answer to a question about `path`.
    pub(super) fn answered(&self, path: &Path, pulled: Pulled) {
        self.hear(|heard| {
            let at = heard.count;
            let known = |items: Vec<Diagnostic>, result_id| PullAnswer { at, items: items.into(), result_id };
            match (pulled.items, heard.answers.get_mut(path)) {
                (Some(items), _) => {
                    heard.answers.insert(path.to_owned(), known(items, pulled.result_id));
                }
                (None, Some(answer)) => (answer.at, answer.result_id) = (at, pulled.result_id),
                (None, None) => {}
            }
            for (path, items) in pulled.related {
                heard.answers.insert(path, known(items, None));
            }
        });
    }

    /// Forgets what was said of a document that is closed.
    pub(super) fn forget_answer(&self, path: &Path) {
        self.heard().answers.remove(path);
    }

    fn registered(&self, params: &Value) {
        let registrations = params["registrations"].as_array().map_or(&[][..], Vec::as_slice);
        if registrations.iter().any(|registration| registration["method"] == PULL) {
            self.hear(|heard| heard.offers_pull = true);
        }
    }

    fn progress(&self, params: &RawValue) {
        let Ok(params) = serde_json::from_str::<Value>(params.get()) else { return };
        let (token, value) = (params["token"].to_string(), &params["value"]);
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        self.hear(|heard| match value["kind"].as_str() {
            Some("begin") => {
                let work = Work { begun: heard.count, title: text("title"), told: told(value, &text("title")) };
                heard.works.insert(token, work);
            }
            Some("report") => {
                if let Some(work) = heard.works.get_mut(&token) {
                    work.told = told(value, &work.title);
                }
            }
            Some("end") => {
                if let Some(work) = heard.works.remove(&token) {
                    let latest = heard.ended_works.entry(work.title).or_default();
                    *latest = work.begun.max(*latest);
                }
            }
            _ => {}
        });
    }

    fn status(&self, params: &RawValue) {
        let Ok(params) = serde_json::from_str::<Value>(params.get()) else { return };
        let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        self.hear(|heard| {
            if text("type") == "Error" {
                heard.complaint = Some(text("message"));
            }
            if heard.statuses.last() != Some(&text("type")) {
                heard.statuses.push(text("type"));
            }
        });
    }

    /// Settings that have changed after the start.
    pub(super) fn replace_settings(&self, settings: Settings) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    fn configuration(&self, params: &Value) -> Value {
        let settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
        items.iter().map(|item| settings.section(item["section"].as_str().unwrap_or_default())).collect()
    }

    fn folders(&self) -> Value {
        json!([{ "uri": uri::of_path(&self.root), "name": folder_name(&self.root) }])
    }
}

/// What a folder is called to a language server.
pub(super) fn folder_name(root: &Path) -> String {
    root.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn told(value: &Value, title: &str) -> String {
    let message = value["message"].as_str().filter(|message| !message.is_empty()).unwrap_or(title);
    match value["percentage"].as_u64() {
        Some(percentage) if percentage > 0 => format!("{message} {percentage} %"),
        _ => message.to_owned(),
    }
}

impl Inbox for Board {
    fn notification(&self, method: &str, params: &RawValue) {
        match method {
            "textDocument/publishDiagnostics" => self.publish(params),
            "$/progress" => self.progress(params),
            "language/status" => self.status(params),
            "window/showMessage" => {
                let shown = serde_json::from_str::<Value>(params.get()).unwrap_or_default();
                // 1 is an error (LSP 3.17, MessageType).
                self.hear(|heard| {
                    if shown["type"] == 1 {
                        heard.complaint = shown["message"].as_str().map(str::to_owned);
                    }
                });
            }
            _ => self.hear(|_| {}),
        }
    }

    /// Total: gopls stands still for good when any of these stays unanswered.
    fn request(&self, method: &str, params: &RawValue) -> Result<Value, AnsweredError> {
        self.hear(|_| {});
        let params = || serde_json::from_str::<Value>(params.get()).unwrap_or_default();
        match method {
            "workspace/configuration" => Ok(self.configuration(&params())),
            "workspace/workspaceFolders" => Ok(self.folders()),
            // Whatever it wants to hear of is sent anyway.
            "client/registerCapability" => {
                self.registered(&params());
                Ok(Value::Null)
            }
            "workspace/diagnostic/refresh" => {
                self.hear(|heard| heard.refreshes += 1);
                Ok(Value::Null)
            }
            "client/unregisterCapability" | "window/workDoneProgress/create" => Ok(Value::Null),
            // Nobody is there to press a button, and nothing is changed but by our own hand.
            "window/showMessageRequest" | "workspace/executeClientCommand" => Ok(Value::Null),
            "window/showDocument" => Ok(json!({ "success": false })),
            "workspace/applyEdit" => Ok(json!({ "applied": false, "failureReason": "not asked for" })),
            _ if method.starts_with("workspace/") && method.ends_with("/refresh") => Ok(Value::Null),
            _ => Err(AnsweredError { code: METHOD_NOT_FOUND, message: format!("{method} is not supported") }),
        }
    }

    fn closed(&self, why: &str) {
        self.hear(|heard| heard.ended = Some(why.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        Board::new("/w".into(), Settings::new("gopls", json!({ "diagnosticsDelay": "10ms" })))
    }

    fn tell(board: &Board, method: &str, params: &Value) {
        board.notification(method, &RawValue::from_string(params.to_string()).expect("JSON"));
    }

    #[test]
    fn every_request_is_answered() {
        let board = board();
        let nothing = RawValue::from_string("{}".to_owned()).expect("JSON");
        for method in [
            "workspace/configuration",
            "workspace/workspaceFolders",
            "client/registerCapability",
            "client/unregisterCapability",
            "window/workDoneProgress/create",
            "window/showMessageRequest",
            "window/showDocument",
            "workspace/applyEdit",
            "workspace/semanticTokens/refresh",
        ] {
            assert!(board.request(method, &nothing).is_ok(), "{method}");
        }
        assert_eq!(board.request("x/unknown", &nothing).expect_err("unknown").code, METHOD_NOT_FOUND);
        let items =
            RawValue::from_string(r#"{"items":[{"section":"gopls"},{"section":"x"},{}]}"#.to_owned()).expect("JSON");
        let settings = json!({ "diagnosticsDelay": "10ms" });
        assert_eq!(
            board.request("workspace/configuration", &items).expect("answered"),
            json!([settings, null, settings])
        );
    }

    #[tokio::test]
    async fn work_is_known_by_when_it_began() {
        let board = board();
        let progress =
            |token: &str, value: Value| tell(&board, "$/progress", &json!({ "token": token, "value": value }));
        progress("1", json!({ "kind": "begin", "title": "Publish Diagnostics" }));
        let mark = board.heard().count;
        progress("2", json!({ "kind": "begin", "title": "Publish Diagnostics" }));
        assert!(board.heard().is_working_on(&["Publish"]));
        progress("2", json!({ "kind": "report", "message": "A.java", "percentage": 40 }));
        assert_eq!(board.heard().activity().as_deref(), Some("A.java 40 %"));
        progress("1", json!({ "kind": "end" }));
        assert!(board.heard().ended_works["Publish Diagnostics"] <= mark);
        progress("2", json!({ "kind": "end" }));
        let begun = board.wait(|heard| heard.ended_works.get("Publish Diagnostics").copied()).await.expect("heard");
        assert!(begun > mark && !board.heard().is_working_on(&["Publish"]));
    }

    #[tokio::test]
    async fn waiting_ends_with_the_connection() {
        let board = board();
        board.closed("it was killed");
        assert_eq!(board.wait(|_| None::<()>).await.expect_err("ended").0, "it was killed");
    }
}
