//! Which workspaces a client means: named in a header or in the address, and inside the roots.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use axum::extract::Query;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::Response;

use super::answer::plain;
use crate::report::one_line;
use crate::service::{Connecting, Service};
use crate::session::{Allowed, Roots, Session};

/// Names a workspace; may come several times.
const WORKSPACE: HeaderName = HeaderName::from_static("landfall-workspace");
/// Tells agents apart whose protocol has no sessions.
const SESSION: HeaderName = HeaderName::from_static("landfall-session");
/// Asks for structured results.
const STRUCTURED: HeaderName = HeaderName::from_static("landfall-structured");
/// More workspaces than these are not opened at once.
const MOST_WORKSPACES: usize = 32;
/// Most characters of a session's name, and of a path in a refusal.
const MOST_NAME: usize = 200;

/// The workspaces that a session is begun with, and its name where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// Absolute; the first is that of calls which name none.
    workspaces: Vec<PathBuf>,
    name: Option<String>,
}

impl Place {
    /// What a request names, which must lie in `roots`; `None` when it names nothing and there are several roots.
    ///
    /// # Errors
    /// The answer to give when a workspace lies elsewhere, or is none.
    pub(super) fn of(uri: &Uri, headers: &HeaderMap, roots: &Roots) -> Result<Option<Place>, Box<Response>> {
        let refused = |status, text: String| Box::new(plain(status, text));
        let query = Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map_err(|error| refused(StatusCode::BAD_REQUEST, format!("the address cannot be read: {error}")))?;
        let asked = |key: &'static str| {
            query.iter().filter(move |(name, _)| name == key).map(|(_, value)| PathBuf::from(value.as_str()))
        };
        let headed = headers.get_all(&WORKSPACE).iter().map(|value| PathBuf::from(OsStr::from_bytes(value.as_bytes())));
        let named: Vec<PathBuf> = headed.chain(asked("workspace")).collect();
        if named.len() > MOST_WORKSPACES {
            let text = format!("{} workspaces are named; {MOST_WORKSPACES} are opened at once", named.len());
            return Err(refused(StatusCode::BAD_REQUEST, text));
        }
        let workspaces = named.iter().map(|named| admitted(named, roots)).collect::<Result<Vec<_>, _>>()?;
        let workspaces = match (workspaces.is_empty(), roots.folders()) {
            (false, _) => workspaces,
            (true, [only]) => vec![only.clone()],
            (true, _) => return Ok(None),
        };
        let name = headers.get(&SESSION).map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned());
        if name.as_ref().is_some_and(|name| name.len() > MOST_NAME) {
            let text = format!("the name in `Landfall-Session` has more than {MOST_NAME} bytes; give a shorter one");
            return Err(refused(StatusCode::BAD_REQUEST, text));
        }
        Ok(Some(Place { workspaces, name }))
    }

    /// Begins a session there.
    ///
    /// # Errors
    /// When a workspace cannot be opened.
    pub(super) fn connect(&self, service: &Service, allowed: &Allowed) -> io::Result<Session> {
        let (home, others) = self.workspaces.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let session = service.connect(Connecting { face: "http", home: home.clone(), allowed: allowed.clone() })?;
        for other in others {
            session.open(other)?;
        }
        Ok(session)
    }
}

/// Whether structured results are asked for beside the text.
pub(super) fn wants_structured(headers: &HeaderMap) -> bool {
    headers.get(&STRUCTURED).is_some_and(|value| value == "true" || value == "1")
}

/// The absolute path of a workspace that lies in `roots`; a relative one is meant below the only root.
fn admitted(named: &Path, roots: &Roots) -> Result<PathBuf, Box<Response>> {
    let absolute = match roots.folders() {
        [only] => only.join(named),
        _ => named.to_owned(),
    };
    let admitted = roots.admit(&absolute).and_then(|real| match real.is_dir() {
        true => Ok(absolute),
        false => Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a directory")),
    });
    admitted.map_err(|error| {
        let status = match error.kind() {
            io::ErrorKind::PermissionDenied => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_REQUEST,
        };
        let named = one_line(&named.display().to_string(), MOST_NAME);
        Box::new(plain(status, format!("the workspace {named} cannot be opened: {error}")))
    })
}

/// The answer to a client that has named no workspace where it must.
pub(super) fn unnamed(roots: &Roots) -> Response {
    let roots: Vec<String> =
        roots.folders().iter().map(|folder| one_line(&folder.display().to_string(), MOST_NAME)).collect();
    let text = format!(
        "no workspace is named; send the header `Landfall-Workspace: DIR`, or add `?workspace=DIR` to the address, with a directory below {}",
        roots.join(" or ")
    );
    plain(StatusCode::BAD_REQUEST, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(roots: &Roots, uri: &str, headers: &[(HeaderName, &str)]) -> Result<Vec<PathBuf>, StatusCode> {
        let headers: HeaderMap =
            headers.iter().map(|(name, value)| (name.clone(), value.parse().expect("a value"))).collect();
        match Place::of(&uri.parse().expect("an address"), &headers, roots) {
            Ok(place) => Ok(place.map(|place| place.workspaces).unwrap_or_default()),
            Err(response) => Err(response.status()),
        }
    }

    #[test]
    fn workspaces_are_named_in_headers_and_in_the_address() {
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().canonicalize().expect("real");
        for made in ["a b", "c"] {
            std::fs::create_dir(real.join(made)).expect("made");
        }
        std::fs::write(real.join("file"), "").expect("written");
        let one = Roots::new(std::slice::from_ref(&real)).expect("roots");
        let two = Roots::new(&[real.join("a b"), real.join("c")]).expect("roots");
        let [spaced, c] = ["a b", "c"].map(|name| real.join(name).display().to_string());
        let escaped = format!("/mcp?workspace={}", spaced.replace(' ', "%20"));
        for (roots, uri, headers, expected) in [
            (&one, "/mcp", vec![], Ok(vec![real.clone()])),
            (&two, "/mcp", vec![], Ok(vec![])),
            (&two, escaped.as_str(), vec![], Ok(vec![real.join("a b")])),
            (&two, escaped.as_str(), vec![(WORKSPACE, c.as_str())], Ok(vec![real.join("c"), real.join("a b")])),
            (&one, "/mcp?workspace=c&workspace=a+b", vec![], Ok(vec![real.join("c"), real.join("a b")])),
            (&two, "/mcp?workspace=c", vec![], Err(StatusCode::FORBIDDEN)),
            (&one, "/mcp?workspace=..", vec![], Err(StatusCode::FORBIDDEN)),
            (&one, "/mcp?workspace=/", vec![], Err(StatusCode::FORBIDDEN)),
            (&one, "/mcp?workspace=missing", vec![], Err(StatusCode::BAD_REQUEST)),
            (&one, "/mcp?workspace=file", vec![], Err(StatusCode::BAD_REQUEST)),
            (&one, "/mcp?workspace=%00", vec![], Err(StatusCode::BAD_REQUEST)),
        ] {
            assert_eq!(place(roots, uri, &headers), expected, "{uri} {headers:?}");
        }
        let many = format!("/mcp?{}", "workspace=c&".repeat(MOST_WORKSPACES + 1));
        assert_eq!(place(&one, &many, &[]), Err(StatusCode::BAD_REQUEST));
    }
}
