//! A web server on this machine that answers each path with fixed bytes.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// What a path is answered with.
#[derive(Clone)]
pub(crate) enum Answer {
    /// All of it.
    Whole(Vec<u8>),
    /// The head and these first bytes of a longer body, then silence with the connection open.
    Stalls(Vec<u8>),
}

/// The server; its thread ends with the process.
pub(crate) struct Http {
    address: String,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    stalled: Receiver<()>,
}

impl Http {
    pub(crate) fn start() -> Http {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers = Arc::new(Mutex::new(HashMap::new()));
        let (sender, stalled) = channel();
        let known = Arc::clone(&answers);
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming().flatten() {
                open.extend(answer(stream, &known, &sender));
            }
        });
        Http { address, answers, stalled }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    pub(crate) fn set(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(path.to_string(), answer);
    }

    /// Waits until a client has been left waiting.
    pub(crate) fn wait_for_stall(&self) {
        self.stalled.recv_timeout(std::time::Duration::from_secs(20)).expect("nobody came for the download");
    }
}

/// Answers one request; a stalled connection is given back to be kept open.
fn answer(mut stream: TcpStream, answers: &Mutex<HashMap<String, Answer>>, stalled: &Sender<()>) -> Option<TcpStream> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let request = lines.next()?.ok()?;
    for line in lines.map_while(Result::ok) {
        if line.is_empty() {
            break;
        }
    }
    let found = answers.lock().unwrap().get(request.split(' ').nth(1)?).cloned();
    match found {
        Some(Answer::Whole(body)) => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len()).ok()?;
            stream.write_all(&body).ok()?;
            None
        }
        Some(Answer::Stalls(body)) => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len() + 1).ok()?;
            stream.write_all(&body).ok()?;
            stalled.send(()).ok()?;
            Some(stream)
        }
        None => {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").ok()?;
            None
        }
    }
}
