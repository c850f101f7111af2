//! The options of serving over HTTP, and what is said of them before it begins.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use anyhow::Context;

use super::super::say;
use super::super::service::{ServiceArguments, allowed};
use super::{Idle, idle};
use crate::dirs::Dirs;
use crate::http::{HttpFace, HttpOptions, Token};
use crate::session::Roots;

/// The token's file in the state folder, unless another is given.
const TOKEN_FILE: &str = "http-token";

/// How to serve over HTTP.
#[derive(Debug, clap::Args)]
pub(super) struct HttpArguments {
    /// Serve MCP over HTTP too, under `/mcp`: `127.0.0.1:7420`, or a port of the loopback address
    #[arg(long, value_name = "ADDR", value_parser = address, requires = "root")]
    http: Option<SocketAddr>,
    /// The file with the token that clients must send, of mode 0600; made when missing [default: http-token in the
    /// state folder]
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// A directory that workspaces opened over HTTP must lie in; may be given several times
    #[arg(long, value_name = "DIR", requires = "http")]
    root: Vec<PathBuf>,
    /// A further name under which the service is reached, for example that of a proxy
    #[arg(long, value_name = "NAME", requires = "http")]
    allow_host: Vec<String>,
    /// End sessions over HTTP that are not used for so long
    #[arg(long, value_name = "TIME", value_parser = idle, default_value = "30m", requires = "http")]
    session_idle: Idle,
}

/// An address, a name with a port, or a port of the loopback address.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let wrong = || format!("write it as 127.0.0.1:7420, localhost:7420 or 7420, not {text}");
    text.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or_else(wrong)
}

impl HttpArguments {
    /// Whether there is anything to serve.
    pub(super) fn is_wanted(&self) -> bool {
        self.http.is_some()
    }

    /// Takes the address and finds the token; what a person should know goes to standard error.
    pub(super) async fn bind(&self, service: &ServiceArguments, dirs: &Dirs) -> anyhow::Result<Option<HttpFace>> {
        let Some(address) = self.http else { return Ok(None) };
        let roots = Roots::new(&self.root).context("--root")?;
        let file = self.token_file.clone().unwrap_or_else(|| dirs.state().join(TOKEN_FILE));
        let (token, made) = Token::load_or_make(&file)?;
        let never = std::time::Duration::from_secs(u64::from(u32::MAX));
        let options = HttpOptions {
            token,
            roots,
            allowed: allowed(service)?,
            names: self.allow_host.clone(),
            idle: self.session_idle.0.unwrap_or(never),
        };
        let face = HttpFace::bind(address, options).await.with_context(|| format!("--http {address}"))?;
        if made {
            let file = file.display();
            say(format_args!("landfall: made a token in {file}; clients send it as `Authorization: Bearer TOKEN`"));
        }
        warn_of_reach(face.address()?.ip());
        Ok(Some(face))
    }
}

fn warn_of_reach(address: IpAddr) {
    if !address.is_loopback() {
        say(format_args!(
            "landfall: WARNING: {address} is reached from other machines, and what is sent is not encrypted: whoever \
             listens can read the token and then change files. Put a proxy with TLS in front of it, or use 127.0.0.1"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_their_short_forms() {
        for (text, expected) in [
            ("7420", "127.0.0.1:7420"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:7420", "[::1]:7420"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert_eq!(address(text).map(|address| address.to_string()), Ok(expected.to_owned()));
        }
        for text in ["", "127.0.0.1", "70000", "http://127.0.0.1:7420", ":"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
