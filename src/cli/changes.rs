//! `landfall changes`: what a session has done to a workspace, from its ledger.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use super::sessions;
use crate::dirs::Dirs;
use crate::landing;
use crate::report::{self, SessionChanges};
use crate::workspace::ledger::{Entry, net_of};
use crate::workspace::paths::PathRules;

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
        Some(name) => {
            let (name, record) = sessions::named(&state, name)?;
            Some((name, entries_of(&record.entries, &rules.root)))
        }
        None => sessions::latest(&state, |record| {
            Some(entries_of(&record.entries, &rules.root)).filter(|entries| !entries.is_empty())
        }),
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

fn entries_of(entries: &[Entry], root: &Path) -> Vec<Entry> {
    let root = root.to_string_lossy();
    entries.iter().filter(|entry| entry.workspace == root).cloned().collect()
}
