//! The names under which the service may be reached: against names that were made to lead here (DNS rebinding), and
//! against pages of other sites.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};

use crate::report::one_line;

/// Most characters of a name in a refusal.
const MOST_NAME: usize = 100;

/// The names under which the service may be reached.
#[derive(Debug, Clone)]
pub struct Names {
    bound: IpAddr,
    /// In lower case, without ports.
    more: Vec<String>,
}

/// The address of ours that a client has connected to.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnAddress(pub(super) IpAddr);

impl Names {
    /// Those of a service bound to `bound`, and `more` of them.
    pub fn new(bound: IpAddr, more: &[String]) -> Names {
        let more = more.iter().map(|name| host(name).unwrap_or_else(|| name.to_ascii_lowercase())).collect();
        Names { bound, more }
    }

    /// Sees to it that a request was meant for this service, and comes from no page but its own.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap, own: Option<OwnAddress>) -> Result<(), String> {
        let mut named = headers.get_all(header::HOST).iter();
        let named_twice = headers.get_all(header::HOST).iter().count() > 1;
        let header = named.next().map(|value| value.to_str().ok().and_then(|text| text.parse::<Authority>().ok()));
        let asked = match (header, uri.authority()) {
            _ if named_twice => return Err("the request has more than one Host header".to_owned()),
            (Some(None), _) => return Err("the Host header is no name".to_owned()),
            (Some(Some(host)), None) => host,
            (Some(Some(host)), Some(target)) if *target == host => host,
            (Some(Some(_)), Some(_)) => {
                return Err("the Host header is not the host of the request's target".to_owned());
            }
            (None, Some(target)) => target.clone(),
            (None, None) => return Err("the request has no Host header".to_owned()),
        };
        if !self.are(asked.host(), own) {
            return Err(format!(
                "this service is not reached as {0}.\nHint: use its address, or start it with --allow-host {0} if that name is its own",
                one_line(asked.host(), MOST_NAME)
            ));
        }
        self.check_origin(&asked, headers)
    }

    /// A browser says which site's page sends a request; anything else has no origin.
    fn check_origin(&self, asked: &Authority, headers: &HeaderMap) -> Result<(), String> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(()) };
        let text = origin.to_str().unwrap_or_default();
        let uri: Option<Uri> = text.parse().ok();
        let parts = uri.as_ref().and_then(|uri| Some((uri.scheme_str()?, uri.authority()?)));
        let own = parts.is_some_and(|(scheme, authority)| {
            let port = match scheme {
                "http" => 80,
                "https" => 443,
                _ => return false,
            };
            let same = authority.host().eq_ignore_ascii_case(asked.host())
                && authority.port_u16().unwrap_or(port) == asked.port_u16().unwrap_or(port);
            same || self.given(authority.host())
        });
        if own && origins.next().is_none() {
            return Ok(());
        }
        Err(format!("a page of {} may not use this service", one_line(text, MOST_NAME)))
    }

    /// Whether `name` is one of them, of a client that has connected to `own`.
    fn are(&self, name: &str, own: Option<OwnAddress>) -> bool {
        let name = bare(name);
        let Ok(address) = name.parse::<IpAddr>() else {
            return name.eq_ignore_ascii_case("localhost") || self.given(name);
        };
        let bound = if self.bound.is_unspecified() { own.map(|own| own.0.to_canonical()) } else { Some(self.bound) };
        address == Ipv4Addr::LOCALHOST || address == Ipv6Addr::LOCALHOST || bound == Some(address) || self.given(name)
    }

    fn given(&self, name: &str) -> bool {
        self.more.iter().any(|given| given.eq_ignore_ascii_case(bare(name)))
    }
}

/// The host of `HOST[:PORT]`.
fn host(written: &str) -> Option<String> {
    let authority: Authority = written.trim().parse().ok()?;
    Some(bare(authority.host()).to_ascii_lowercase())
}

/// An IPv6 address without its brackets.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bound: &str, own: &str, headers: &[(&str, &str)]) -> Result<(), String> {
        let names = Names::new(bound.parse().expect("an address"), &["Box.Example:8443".into(), "fe80::1".into()]);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: axum::http::HeaderName = name.parse().expect("a name");
            map.append(name, value.parse().expect("a value"));
        }
        names.check(&Uri::from_static("/mcp"), &map, Some(OwnAddress(own.parse().expect("an address"))))
    }

    #[test]
    fn only_names_of_its_own_reach_it() {
        for (bound, own, host, expected) in [
            ("127.0.0.1", "127.0.0.1", "127.0.0.1:7000", true),
            ("127.0.0.1", "127.0.0.1", "localhost", true),
            ("127.0.0.1", "127.0.0.1", "LocalHost:7000", true),
            ("127.0.0.1", "127.0.0.1", "[::1]:7000", true),
            ("127.0.0.1", "127.0.0.1", "box.example", true),
            ("127.0.0.1", "127.0.0.1", "BOX.example:1", true),
            ("127.0.0.1", "127.0.0.1", "[fe80::1]", true),
            ("127.0.0.1", "127.0.0.1", "evil.example", false),
            ("127.0.0.1", "127.0.0.1", "localhost.evil.example", false),
            ("127.0.0.1", "127.0.0.1", "evil-box.example", false),
            ("127.0.0.1", "127.0.0.1", "127.0.0.1.evil.example", false),
            ("127.0.0.1", "127.0.0.1", "10.0.0.7", false),
            ("127.0.0.1", "127.0.0.1", "user@evil.example", false),
            ("127.0.0.1", "127.0.0.1", "", false),
            ("10.0.0.7", "10.0.0.7", "10.0.0.7:7000", true),
            ("0.0.0.0", "10.0.0.7", "10.0.0.7:7000", true),
            ("0.0.0.0", "10.0.0.7", "10.0.0.8:7000", false),
            ("::", "::ffff:10.0.0.7", "10.0.0.7:7000", true),
            ("0.0.0.0", "10.0.0.7", "0.0.0.0", false),
        ] {
            assert_eq!(check(bound, own, &[("host", host)]).is_ok(), expected, "{bound} {own} {host}");
        }
        let said = check("127.0.0.1", "127.0.0.1", &[("host", "evil.example:1")]).expect_err("is refused");
        assert!(said.contains("--allow-host evil.example"), "{said}");
        assert!(check("127.0.0.1", "127.0.0.1", &[]).is_err());
        let twice = [("host", "localhost"), ("host", "evil.example")];
        assert!(check("127.0.0.1", "127.0.0.1", &twice).is_err());
    }

    #[test]
    fn only_pages_of_its_own_may_use_it() {
        for (origin, expected) in [
            ("http://localhost:7000", true),
            ("https://localhost:7000", true),
            ("https://box.example", true),
            ("http://localhost:7001", false),
            ("http://localhost", false),
            ("http://127.0.0.1:7000", false),
            ("https://evil.example", false),
            ("null", false),
            ("file://", false),
            ("ftp://localhost:7000", false),
            ("", false),
        ] {
            let headers = [("host", "localhost:7000"), ("origin", origin)];
            assert_eq!(check("127.0.0.1", "127.0.0.1", &headers).is_ok(), expected, "{origin}");
        }
        let plain = [("host", "localhost"), ("origin", "http://localhost")];
        assert!(check("127.0.0.1", "127.0.0.1", &plain).is_ok(), "the port that goes without saying");
        let twice = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")];
        assert!(check("127.0.0.1", "127.0.0.1", &twice).is_err());
    }

    #[test]
    fn a_target_with_a_host_of_its_own_must_agree() {
        let names = Names::new(Ipv4Addr::LOCALHOST.into(), &[]);
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "localhost".parse().expect("a value"));
        assert!(names.check(&Uri::from_static("http://localhost/mcp"), &headers, None).is_ok());
        assert!(names.check(&Uri::from_static("http://evil.example/mcp"), &headers, None).is_err());
        assert!(names.check(&Uri::from_static("http://evil.example/mcp"), &HeaderMap::new(), None).is_err());
    }
}
