//! The thin end: bytes from our client to the daemon and back, whatever the protocol.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::Connection;

/// How long the daemon has to end the session once our client is gone.
pub(super) const FAREWELL: Duration = Duration::from_secs(10);

/// Copies between standard input and output and `connection` until either side ends. Returns whether it was our client
/// that ended it.
///
/// # Errors
/// When standard input or output cannot be used.
pub fn bridge(connection: Connection) -> io::Result<bool> {
    let mut stream = connection.into_stream()?;
    let (input, mut output) = (file(io::stdin())?, file(io::stdout())?);
    let to_daemon = stream.try_clone()?;
    std::thread::spawn(move || {
        forward(input, &to_daemon);
        // What is under way may still be answered, but nobody waits for a daemon that hangs.
        std::thread::sleep(FAREWELL);
        std::process::exit(0);
    });
    let mut buffer = vec![0; 64 << 10];
    loop {
        let length = match stream.read(&mut buffer) {
            Ok(0) => return Ok(true),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(false),
        };
        if output.write_all(&buffer[..length]).is_err() {
            // Our client does not read any more: it is gone.
            let _ = stream.shutdown(Shutdown::Both);
            return Ok(true);
        }
    }
}

/// Copies what our client says until it ends, and says that it has ended.
fn forward(mut input: File, mut to_daemon: &UnixStream) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match input.read(&mut buffer) {
            Ok(length) if length > 0 && to_daemon.write_all(&buffer[..length]).is_ok() => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => break,
        }
    }
    let _ = to_daemon.shutdown(Shutdown::Write);
}

/// A standard stream without the buffers and locks around it.
pub(super) fn file(stream: impl AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}
