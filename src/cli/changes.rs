//! `landfall changes`: what a session has done to a workspace, from its ledger.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::dirs::Dirs;
use crate::landing;
use crate::report::{self, SessionChanges};
use crate::workspace::ledger::{Entry, Ledger, net_of};
use crate::workspace::paths::PathRules;

/// Sessions named when the one that was asked for is not there.
const MOST_NAMED: usize = 5;

/// Which session, and how.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The session, by the name that `changes` tells, or its ledger file [default: the last one that did anything in this workspace]
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// The workspace [default: the current directory]
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    /// Compare each changed file with what it was when the session began
    #[arg(long)]
    since_start: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Carries out `landfall changes`.
///
/// # Errors
/// A workspace or session that is not there, a ledger that cannot be read, output that cannot be written.
pub(super) fn run(arguments: Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let given = &arguments.workspace;
    let rules =
        PathRules::for_root(given).with_context(|| format!("the workspace {} cannot be opened", given.display()))?;
    let state = Dirs::from_env()?.state().to_owned();
    let found = match &arguments.session {
        Some(name) => Some(named(&state, name, &rules.root)?),
        None => latest(&state, &rules.root),
    };
    let (session, entries) = found.unwrap_or_default();
    let nets = arguments.since_start.then(|| net_of(&entries, |file| landing::now(&rules, file)));
    let told = SessionChanges { session: &session, entries: &entries, since_start: nets.as_deref() };
    let reply = report::changes(&told);
    match (arguments.json, &*entries) {
        (true, _) => writeln!(out, "{:#}", serde_json::Value::Object(reply.structured))?,
        (false, []) => writeln!(out, "No session has changed anything in {}.", rules.root.display())?,
        (false, [first, .., last] | [first @ last]) => {
            writeln!(out, "session {session} in {}, {} to {}", rules.root.display(), first.at, last.at)?;
            writeln!(out, "{}", reply.text)?;
        }
    }
    Ok(if entries.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The last session with entries of the workspace at `root`: its name, and those.
fn latest(state: &Path, root: &Path) -> Option<(String, Vec<Entry>)> {
    let mut of_root = Ledger::sessions(state).into_iter().filter_map(|path| {
        let entries = entries_of(&Ledger::read(&path).ok()?.entries, root);
        (!entries.is_empty()).then(|| (name_of(&path), entries))
    });
    of_root.next()
}

/// The session called `name`, and its entries of the workspace at `root`.
fn named(state: &Path, name: &str, root: &Path) -> anyhow::Result<(String, Vec<Entry>)> {
    let sessions = Ledger::sessions(state);
    let known = sessions.iter().find(|path| name_of(path) == name).cloned();
    let file = PathBuf::from(name);
    let Some(path) = known.or_else(|| file.is_file().then_some(file)) else {
        let names: Vec<String> = sessions.iter().take(MOST_NAMED).map(|path| name_of(path)).collect();
        match names.as_slice() {
            [] => bail!("there is no session {name}; no session has changed anything yet"),
            names => bail!("there is no session {name}; the last ones are {}", names.join(", ")),
        }
    };
    let record = Ledger::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok((name_of(&path), entries_of(&record.entries, root)))
}

fn entries_of(entries: &[Entry], root: &Path) -> Vec<Entry> {
    let root = root.to_string_lossy();
    entries.iter().filter(|entry| entry.workspace == root).cloned().collect()
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
