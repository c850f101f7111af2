//! The thin end of an MCP client, which outlives its daemon.
//!
//! When the daemon ends, calls under way are answered: whether they changed anything is not known. The next message
//! finds or starts another daemon, to which the protocol is opened as our client opened it. Invariant: a message is sent
//! to one daemon at most, so that nothing is done twice.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use super::Connection;
use super::bridge::{FAREWELL, file};
use super::wire::line;

/// The longest message that is looked into; of longer ones the daemon takes none. Bytes.
const LONGEST: u64 = 64 << 20;
/// What is said of a call that was under way when the daemon ended.
const CUT_OFF: &str = "the service ended while it was at this call: whether anything was changed is not known\n\
    Hint: call `read` on the file to see";

/// What a message is, as far as that matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Head {
    id: Option<Value>,
    method: Option<String>,
}

impl Head {
    fn of(line: &[u8]) -> Head {
        serde_json::from_slice(line).unwrap_or_default()
    }
}

/// What both directions know.
struct Shared {
    output: Mutex<File>,
    /// Requests that were sent and not answered, with their methods; by id.
    open: Mutex<HashMap<String, (Value, String)>>,
    /// The way to the daemon; `None` while there is none. Locked before the others.
    to_daemon: Mutex<Option<UnixStream>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes lines on between standard input and output and `connection`, and those that come after it, until our client
/// ends.
///
/// # Errors
/// When standard input or output cannot be used.
pub fn lasting_bridge(
    connection: Connection,
    reconnect: impl Fn() -> Result<Connection, String> + Send + 'static,
) -> io::Result<()> {
    let again = move || reconnect()?.into_stream().map_err(|error| error.to_string());
    let (client, daemon) = ends(connection.into_stream()?, file(io::stdout())?, again)?;
    let input = BufReader::with_capacity(64 << 10, file(io::stdin())?);
    std::thread::spawn(move || {
        client.forward(input);
        // What is under way may still be answered, but nobody waits for a daemon that hangs.
        std::thread::sleep(FAREWELL);
        std::process::exit(0);
    });
    daemon.follow_all();
    Ok(())
}

/// The two directions, which end together.
fn ends<R>(stream: UnixStream, output: File, reconnect: R) -> io::Result<(Client<R>, Daemon)> {
    let to_daemon = Mutex::new(Some(stream.try_clone()?));
    let shared = Arc::new(Shared { output: Mutex::new(output), open: Mutex::default(), to_daemon });
    let (streams, arriving) = channel();
    let client = Client { shared: Arc::clone(&shared), reconnect, streams, opening: Vec::new() };
    Ok((client, Daemon { shared, stream, arriving }))
}

/// Our client's side.
struct Client<R> {
    shared: Arc<Shared>,
    /// Makes a connection to a daemon, or says why there is none.
    reconnect: R,
    /// New connections, with the id of the opening that was sent over it.
    streams: Sender<(UnixStream, Option<Value>)>,
    /// How our client opened the protocol.
    opening: Vec<Vec<u8>>,
}

impl<R: Fn() -> Result<UnixStream, String>> Client<R> {
    /// Passes on what our client says until it ends, and says that it has ended.
    fn forward(mut self, mut input: impl BufRead) {
        let mut text = Vec::new();
        loop {
            text.clear();
            match (&mut input).take(LONGEST).read_until(b'\n', &mut text) {
                Ok(length) if length > 0 => self.send(&text),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => break,
            }
        }
        if let Some(stream) = &*lock(&self.shared.to_daemon) {
            let _ = stream.shutdown(Shutdown::Write);
        }
    }

    fn send(&mut self, text: &[u8]) {
        let head = Head::of(text);
        let shared = Arc::clone(&self.shared);
        let mut to_daemon = lock(&shared.to_daemon);
        if to_daemon.is_none() {
            match self.connect_again() {
                Ok(stream) => *to_daemon = Some(stream),
                Err(why) => {
                    let said = format!("Nothing was written: the service cannot be reached ({why})");
                    return shared.answer(&head, &said);
                }
            }
        }
        if matches!(head.method.as_deref(), Some("initialize" | "notifications/initialized")) {
            self.opening.push(text.to_vec());
        }
        if let (Some(id), Some(method)) = (head.id, head.method) {
            lock(&shared.open).insert(id.to_string(), (id, method));
        }
        if let Some(mut stream) = to_daemon.as_ref() {
            // If it cannot be sent the daemon is gone, and whoever follows it answers.
            let _ = stream.write_all(text);
        }
    }

    /// Finds another daemon and opens the protocol there.
    fn connect_again(&self) -> Result<UnixStream, String> {
        let mut stream = (self.reconnect)()?;
        let opened = self.opening.iter().try_for_each(|text| stream.write_all(text));
        let follow = opened.and_then(|()| stream.try_clone()).map_err(|error| error.to_string())?;
        let greeting = self.opening.iter().find_map(|text| Head::of(text).id);
        self.streams.send((follow, greeting)).map_err(|error| error.to_string())?;
        Ok(stream)
    }
}

/// The daemon's side: one daemon after the other.
struct Daemon {
    shared: Arc<Shared>,
    /// The first one.
    stream: UnixStream,
    arriving: Receiver<(UnixStream, Option<Value>)>,
}

impl Daemon {
    /// Passes on what daemons say, until our client has ended and the last of them has.
    fn follow_all(self) {
        self.shared.follow(self.stream, None);
        while let Ok((stream, greeting)) = self.arriving.recv() {
            self.shared.follow(stream, greeting);
        }
    }
}

impl Shared {
    /// Passes on what the daemon says until it ends, without its answer to an opening our client has an answer to; then
    /// answers for it.
    fn follow(&self, stream: UnixStream, mut greeting: Option<Value>) {
        let mut lines = BufReader::with_capacity(64 << 10, &stream);
        let mut text = Vec::new();
        loop {
            text.clear();
            match lines.read_until(b'\n', &mut text) {
                // Half a line is no answer.
                Ok(_) if text.ends_with(b"\n") => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Ok(_) | Err(_) => break,
            }
            let head = Head::of(&text);
            if head.method.is_none() && head.id.is_some() {
                if greeting.is_some() && greeting == head.id {
                    greeting = None;
                    continue;
                }
                lock(&self.open).remove(&head.id.unwrap_or_default().to_string());
            }
            self.say(&text);
        }
        let _ = stream.shutdown(Shutdown::Both);
        // Held until all are answered, so that none of them is a request to the next daemon.
        let mut to_daemon = lock(&self.to_daemon);
        *to_daemon = None;
        let open: Vec<(Value, String)> = lock(&self.open).drain().map(|(_, request)| request).collect();
        for (id, method) in open {
            let head = Head { id: Some(id), method: Some(method) };
            self.answer(&head, CUT_OFF);
        }
    }

    /// Answers a request in the daemon's place.
    fn answer(&self, head: &Head, text: &str) {
        let Some(id) = &head.id else { return };
        let answer = match head.method.as_deref() {
            // A model sees results only.
            Some("tools/call") => json!({
                "jsonrpc": "2.0",
                "id": id,
                "result": { "content": [{ "type": "text", "text": text }], "isError": true },
            }),
            Some(_) => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": text } }),
            // It was an answer itself.
            None => return,
        };
        self.say(&line(&answer));
    }

    fn say(&self, text: &[u8]) {
        if lock(&self.output).write_all(text).is_err() {
            // Our client does not read any more: it is gone.
            std::process::exit(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use super::*;

    fn pair() -> (UnixStream, UnixStream) {
        let (one, other) = UnixStream::pair().expect("a pair");
        other.set_read_timeout(Some(std::time::Duration::from_secs(60))).expect("set");
        (one, other)
    }

    fn read(lines: &mut BufReader<UnixStream>) -> Value {
        let mut text = String::new();
        lines.read_line(&mut text).expect("a line");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    #[test]
    fn the_next_daemon_goes_on_where_the_first_ended() {
        let (input, mut client) = pair();
        let (output, answers) = pair();
        let (first, at_first) = pair();
        let (second, at_second) = pair();
        let mut later = vec![second];
        let later = Mutex::new(std::iter::from_fn(move || later.pop()));
        let reconnect = move || lock(&later).next().ok_or("there is none".to_owned());
        let (ours, daemon) = ends(first, File::from(OwnedFd::from(output)), reconnect).expect("begins");
        let following = std::thread::spawn(move || daemon.follow_all());
        std::thread::spawn(move || ours.forward(BufReader::new(input)));
        let (mut answers, mut at_first, mut at_second) =
            (BufReader::new(answers), BufReader::new(at_first), BufReader::new(at_second));
        let mut say = |message: Value| writeln!(client, "{message}").expect("said");

        say(json!({ "id": 0, "method": "initialize" }));
        assert_eq!(read(&mut at_first)["method"], "initialize");
        writeln!(at_first.get_mut(), "{}", json!({ "id": 0, "result": "hello" })).expect("said");
        assert_eq!(read(&mut answers)["result"], "hello");
        say(json!({ "method": "notifications/initialized" }));
        say(json!({ "id": "x", "method": "tools/call" }));
        say(json!({ "id": 8, "method": "tools/list" }));
        for method in ["notifications/initialized", "tools/call", "tools/list"] {
            assert_eq!(read(&mut at_first)["method"], method);
        }
        // Half an answer is none.
        at_first.get_mut().write_all(b"{\"id\": 8, ").expect("said");
        drop(at_first);
        let mut cut_off = [read(&mut answers), read(&mut answers)];
        cut_off.sort_by_key(|answer| answer["id"].is_string());
        assert_eq!((&cut_off[0]["id"], &cut_off[0]["error"]["code"]), (&json!(8), &json!(-32603)));
        assert_eq!((&cut_off[1]["id"], &cut_off[1]["result"]["isError"]), (&json!("x"), &json!(true)));

        say(json!({ "id": 9, "method": "tools/call" }));
        for method in ["initialize", "notifications/initialized", "tools/call"] {
            assert_eq!(read(&mut at_second)["method"], method, "what was cut off is not sent again");
        }
        for said in [json!({ "id": 0, "result": "hello" }), json!({ "id": 9, "result": "done" })] {
            writeln!(at_second.get_mut(), "{said}").expect("said");
        }
        assert_eq!(read(&mut answers), json!({ "id": 9, "result": "done" }), "it was greeted before");
        drop(at_second);
        // Whether that has been noticed or not, the call is answered once.
        say(json!({ "id": 10, "method": "tools/call" }));
        let answer = read(&mut answers);
        assert!(answer["id"] == 10 && answer["result"]["isError"] == true, "{answer}");
        drop(client);
        following.join().expect("ends with its client");
    }
}
