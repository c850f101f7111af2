//! The service as a picture.

use std::path::Path;
use std::time::SystemTime;

use crate::picture::{self, Earlier, Moment, Origin, Picture, ServerPicture, SessionPicture};
use crate::service::{Service, SessionStatus};
use crate::workspace::ServerStatus;
use crate::workspace::ledger::{Ledger, Record};

/// Lines of one session on the page that is kept up to date.
const MOST_LINES: usize = 200;
/// Lines of the report of one.
const MOST_REPORTED: usize = 5_000;
/// Sessions that have ended, by name.
const MOST_EARLIER: usize = 12;

/// What is going on now. Reads /proc, and holds each ledger for the moment that it takes.
pub(super) fn picture(service: &Service) -> Picture {
    let open = service.open();
    let sessions = open.iter().map(|(status, ledger)| ledger.look(|record| session(status, record, MOST_LINES)));
    Picture {
        taken: SystemTime::now().into(),
        sessions: sessions.collect(),
        language_servers: servers(service, |_| true),
    }
}

/// The last sessions that have ended and left something behind. Reads the folder of ledgers.
pub(super) fn earlier(service: &Service) -> Earlier {
    let open: Vec<String> = service.open().into_iter().map(|(status, _)| status.name).collect();
    let names = Ledger::sessions(service.state()).into_iter().map(|path| name_of(&path));
    Earlier { names: names.filter(|name| !open.contains(name)).take(MOST_EARLIER).collect() }
}

/// The report of the session called `name`, open or ended; nothing when there is none.
pub(super) fn report(service: &Service, name: &str) -> Option<String> {
    let open = service.open().into_iter().find(|(status, _)| status.name == name);
    let session = match open {
        Some((status, ledger)) => ledger.look(|record| session(&status, record, MOST_REPORTED)),
        None => {
            // By the list of names alone: what was typed into an address is no path.
            let path = Ledger::sessions(service.state()).into_iter().find(|path| name_of(path) == name)?;
            let origin = Origin { name: name.to_owned(), ..Origin::default() };
            picture::session(origin, &Ledger::read(&path).ok()?, MOST_REPORTED)
        }
    };
    let language_servers = servers(service, |root| session.roots.iter().any(|own| Path::new(own) == root));
    Some(picture::report(&Picture { taken: SystemTime::now().into(), sessions: vec![session], language_servers }))
}

fn session(status: &SessionStatus, record: &Record, most: usize) -> SessionPicture {
    let origin = Origin {
        name: status.name.clone(),
        face: Some(status.face.to_owned()),
        home: Some(status.home.display().to_string()),
        began: Some(Moment::from(status.began)),
    };
    picture::session(origin, record, most)
}

/// The language servers of the workspaces whose roots are `wanted`.
fn servers(service: &Service, wanted: impl Fn(&Path) -> bool) -> Vec<ServerPicture> {
    let mut workspaces = service.registry().workspaces();
    workspaces.retain(|workspace| wanted(workspace.root()));
    workspaces.sort_by(|a, b| a.root().cmp(b.root()));
    workspaces.iter().flat_map(|workspace| workspace.servers()).map(server).collect()
}

fn server(status: ServerStatus) -> ServerPicture {
    ServerPicture {
        name: status.name,
        root: status.root.display().to_string(),
        state: status.state.to_owned(),
        detail: status.detail,
        memory_bytes: status.memory,
        restarts: status.crashes,
        uptime_seconds: status.uptime.map(|uptime| uptime.as_secs()),
    }
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
