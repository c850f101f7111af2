//! `landfall report`: what a session did, as one HTML file to keep.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};

use super::sessions;
use crate::daemon::{self, ServerLine, Status};
use crate::dirs::Dirs;
use crate::picture::{self, Origin, Picture, ServerPicture};
use crate::workspace::ledger::Record;

/// Most lines of each kind in one report; what is more is counted.
const MOST_LINES: usize = 5_000;
/// How long a daemon may take to say how its language servers are.
const PATIENCE: Duration = Duration::from_secs(1);

/// Which session, and where to.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The session by its name, or by a beginning that only it has, or its ledger file [default: the last one that did anything]
    session: Option<String>,
    /// As one HTML page that needs nothing else; `landfall changes` is the same in words
    #[arg(long, required = true)]
    html: bool,
    /// Write it into this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Without a session: the last one that did anything in this workspace
    #[arg(long, value_name = "DIR", conflicts_with = "session")]
    workspace: Option<PathBuf>,
}

/// Carries out `landfall report`.
///
/// # Errors
/// A session that is not there, a ledger that cannot be read, a file that cannot be written.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::from_env()?;
    let (name, record) = found(arguments, &dirs)?;
    let page = picture::report(&picture(name, &record, &dirs));
    match &arguments.output {
        Some(file) => {
            std::fs::write(file, page).with_context(|| format!("{} cannot be written", file.display()))?;
            writeln!(out, "wrote {}", file.display())?;
        }
        None => out.write_all(page.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn found(arguments: &Arguments, dirs: &Dirs) -> anyhow::Result<(String, Record)> {
    if let Some(name) = &arguments.session {
        return sessions::named(dirs.state(), name);
    }
    let root = match &arguments.workspace {
        Some(folder) => {
            let real = folder.canonicalize();
            Some(real.with_context(|| format!("the workspace {} cannot be opened", folder.display()))?)
        }
        None => None,
    };
    let wanted = |record: &Record| match &root {
        Some(root) => record.entries.iter().any(|entry| entry.workspace == root.to_string_lossy()),
        None => !record.entries.is_empty(),
    };
    match (sessions::latest(dirs.state(), |record| Some(record).filter(|record| wanted(record))), &root) {
        (Some(found), _) => Ok(found),
        (None, Some(root)) => bail!("no session has changed anything in {}", root.display()),
        (None, None) => bail!("no session has changed anything yet"),
    }
}

/// The session with the language servers of its workspaces, where a daemon has them still.
fn picture(name: String, record: &Record, dirs: &Dirs) -> Picture {
    let daemons: Vec<Status> =
        daemon::daemons(dirs, PATIENCE).into_iter().filter_map(|(_, status)| status.ok()).collect();
    let open = daemons.iter().flat_map(|status| &status.sessions).find(|session| session.name == name);
    let origin = Origin {
        face: open.map(|session| session.face.clone()),
        home: open.map(|session| session.workspace.display().to_string()),
        name,
        began: None,
    };
    let session = picture::session(origin, record, MOST_LINES);
    let workspaces = daemons.iter().flat_map(|status| &status.workspaces);
    let its_own =
        workspaces.filter(|workspace| session.roots.iter().any(|root| *root == workspace.root.to_string_lossy()));
    let language_servers = its_own.flat_map(|workspace| &workspace.language_servers).map(server).collect();
    Picture { taken: SystemTime::now().into(), sessions: vec![session], language_servers }
}

fn server(line: &ServerLine) -> ServerPicture {
    ServerPicture {
        name: line.name.clone(),
        root: line.root.display().to_string(),
        state: line.state.clone(),
        detail: line.detail.clone(),
        memory_bytes: line.memory_bytes,
        restarts: line.restarts,
        uptime_seconds: line.uptime_seconds,
    }
}
