//! Sessions as clients of the socket want them, among them those that outlive a connection.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::SessionAsk;
use crate::service::{Connecting, Kept, Service};
use crate::session::{Allowed, Session};
use crate::workspace::paths::AllowRule;

/// How long a named session waits for its next connection.
const KEPT: Duration = Duration::from_secs(30 * 60);

/// What a session's client calls itself, by what it said.
fn face(said: &str) -> &'static str {
    ["stdio", "hook", "shell", "lsp"].into_iter().find(|face| *face == said).unwrap_or("socket")
}

/// Begins the session that is asked for.
///
/// # Errors
/// A workspace that cannot be opened, or a glob that is none.
pub(super) fn begin(service: &Service, ask: &SessionAsk) -> io::Result<Session> {
    let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    let home = ask.workspaces.first().ok_or_else(|| invalid("no workspace is named".to_owned()))?;
    if let Some(relative) = ask.workspaces.iter().find(|workspace| !workspace.is_absolute()) {
        return Err(invalid(format!("the workspace {} is not absolute", relative.display())));
    }
    let rule = |glob: &String| AllowRule::parse(glob).map_err(|error| invalid(format!("--allow-path: {error}")));
    let mut allowed =
        Allowed { paths: ask.allow_paths.iter().map(rule).collect::<io::Result<_>>()?, ..Allowed::default() };
    if ask.commands {
        allowed = allowed.with_commands(service.state())?;
        allowed.environment = Some(Arc::new(ask.environment.clone()));
    }
    let session = service.connect(Connecting { face: face(&ask.face), home: home.clone(), allowed })?;
    for other in &ask.workspaces[1..] {
        session.open(other)?;
    }
    if let Some(note) = &ask.note {
        session.announce(note.clone());
    }
    Ok(session)
}

/// Named sessions, kept for their next connection.
#[derive(Debug, Clone)]
pub(super) struct Named {
    kept: Kept<(String, String, Vec<PathBuf>)>,
}

impl Default for Named {
    fn default() -> Named {
        Named { kept: Kept::for_so_long(KEPT) }
    }
}

impl Named {
    /// The session that `ask` names, begun if it was not; without a name a new one.
    ///
    /// # Errors
    /// As [`begin`].
    pub(super) fn session(&self, service: &Service, ask: &SessionAsk) -> io::Result<Session> {
        let Some(name) = &ask.name else { return begin(service, ask) };
        self.kept.session((ask.face.clone(), name.clone(), ask.workspaces.clone()), || begin(service, ask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;
    use crate::dirs::Dirs;
    use crate::workspace::{Registry, WorkspaceOptions};

    #[tokio::test(start_paused = true)]
    async fn a_named_session_waits_for_its_next_connection_and_not_for_ever() {
        let folder = tempfile::tempdir().expect("a folder");
        let dirs = Dirs::from(|_| Some(folder.path().into())).expect("folders");
        let service =
            Service::new(Registry::new(WorkspaceOptions::new(Servers::built_in(), false, &dirs)), dirs.state());
        let kept = Named::default();
        let ask = |name: Option<&str>| SessionAsk {
            face: "hook".into(),
            workspaces: vec![folder.path().into()],
            name: name.map(str::to_owned),
            ..SessionAsk::default()
        };
        let name = |ask: &SessionAsk| kept.session(&service, ask).expect("begins").name();
        let first = name(&ask(Some("a")));
        assert_eq!(name(&ask(Some("a"))), first);
        assert_ne!(name(&ask(Some("b"))), first);
        assert_ne!(name(&ask(None)), first);
        assert_eq!(service.sessions().len(), 2, "the one without a name has ended");
        tokio::time::sleep(KEPT + Duration::from_secs(1)).await;
        assert_eq!(service.sessions().len(), 0);
        for (workspaces, why) in [(vec![], "no workspace"), (vec![PathBuf::from("x")], "not absolute")] {
            let ask = SessionAsk { workspaces, ..SessionAsk::default() };
            let error = begin(&service, &ask).expect_err("is refused").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
