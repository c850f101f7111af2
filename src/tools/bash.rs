//! `bash`: one command line. Only there when the service was started with `--allow bash`.

mod mistyped;
mod outside;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Arguments, Kind, Parameter, Tool, searching};
use crate::lsp::guard;
use crate::report::{self, RanCommand, Reply, ToolError};
use crate::session::Call;
use crate::shell::{self, CommandLine, Finished, Guard};
use crate::workspace::ledger::{Outcome, OutsideEntry};
use crate::workspace::paths::{self, Purpose};

/// How long a command may take unless it is said. Milliseconds.
const USUAL_TIMEOUT: usize = 120_000;
/// How long it may take at most. Milliseconds.
const LONGEST_TIMEOUT: usize = 3_600_000;

pub(super) const NAME: &str = "bash";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    about: "Run a shell command (execute command, terminal, build, run tests, git) in the workspace and get its exit code and output, \
            stdout and stderr together. Standard input is empty. Of a long output the beginning and the end are shown and all of it is \
            kept in a file.",
    parameters: &[
        Parameter::required(
            "command",
            &["cmd", "script", "command_line", "shell_command", "code"],
            Kind::Text,
            "The command line",
        ),
        Parameter::optional(
            "workdir",
            &["cwd", "dir", "directory", "working_directory", "path"],
            Kind::Text,
            "Directory to run it in, relative to the workspace; default: the workspace",
        ),
        Parameter::optional(
            "timeout_ms",
            &["timeout", "timeout_millis"],
            Kind::Count,
            "Milliseconds after which it is ended (default 120000)",
        ),
        Parameter::optional(
            "limit",
            &["max_lines", "lines", "tail", "head_limit", "max_output_lines"],
            Kind::Count,
            "Show so many of the last lines of its output, at most 2000 (default: some 6 KB, its beginning and its end)",
        ),
        Parameter::unlisted("description", &["explanation", "reason"], Kind::Text),
    ],
    read_only: false,
    run: |call, arguments| Box::pin(bash(call, arguments)),
};

async fn bash(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let Some(spills) = call.session.allowed().commands.clone() else {
        return Err(ToolError::caller("not_allowed", "commands may not be run in this session"));
    };
    let command = arguments.required_text("command").to_owned();
    if command.trim().is_empty() || command.contains('\0') {
        return Err(ToolError::caller("bad_arguments", "not run: `command` is empty or has a NUL character"));
    }
    let rules = call.workspace.paths();
    let typed = arguments.text("workdir").filter(|typed| !typed.trim().is_empty()).unwrap_or(".");
    let workdir = paths::resolve(rules, typed, Purpose::Directory).map_err(|refused| {
        let mut error = report::path_refused(&refused);
        error.message.insert_str(0, "not run: ");
        error
    })?;
    let timeout =
        arguments.count("timeout_ms").filter(|timeout| *timeout > 0).unwrap_or(USUAL_TIMEOUT).min(LONGEST_TIMEOUT);
    let timeout = Duration::from_millis(timeout as u64);
    let mistyped = mistyped::paths_in(&command, rules);
    let before = call.session.ledger().entries_of(call.workspace.root());
    let run = Run {
        command,
        directory: workdir.absolute.clone(),
        root: call.workspace.root().to_owned(),
        spills,
        timeout,
        environment: call.session.allowed().environment.clone(),
    };
    let (finished, changes) = searching::blocking(call, move |cancel| run.carry_out(cancel)).await?;
    let finished =
        finished.map_err(|error| ToolError::environment("io", format!("not run: no shell can be started: {error}")))?;
    let changed = changes.map(|changes| {
        outside::entry(
            changes,
            call.workspace.root(),
            &call.session.ledger().entries_of(call.workspace.root())[before.len()..],
        )
    });
    if let Some(changed) = changed.as_ref().filter(|changed| changed.total > 0) {
        call.session.ledger().append(NAME, call.workspace.root(), Outcome::Outside(OutsideEntry::clone(changed)));
    }
    let ran = RanCommand {
        finished: &finished,
        timeout,
        limit: arguments.count("limit").filter(|limit| *limit > 0),
        workdir: searching::shown(&workdir),
        before: &before,
        changed: changed.as_ref(),
        mistyped: &mistyped,
    };
    let mut reply = report::command(&ran);
    if let Some(note) = &workdir.note {
        reply.structured.insert("path_note".into(), note.as_str().into());
        reply.put_on_top(note);
    }
    Ok(reply)
}

/// A run, with all that it takes.
struct Run {
    command: String,
    directory: PathBuf,
    root: PathBuf,
    spills: PathBuf,
    timeout: Duration,
    environment: Option<Arc<BTreeMap<String, String>>>,
}

impl Run {
    fn carry_out(
        &self,
        cancel: &std::sync::atomic::AtomicBool,
    ) -> (std::io::Result<Finished>, Option<outside::Changes>) {
        let watch = outside::Watch::begin(&self.root);
        let finished = shell::run(&CommandLine {
            text: &self.command,
            environment: self.environment.as_deref(),
            directory: &self.directory,
            timeout: self.timeout,
            spills: &self.spills,
            cancel,
            guard: Guard { began: guard::watch, ended: guard::forget },
        });
        let changes = watch.end();
        (finished, changes)
    }
}
