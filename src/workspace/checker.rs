//! A compiler as a second source of diagnostics, run by us: one run at a time, the newest wins.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::checker_output::{Message, read_as, read_gnu};
use super::launch::check_cache;

use super::verdict::Severity;
use crate::config::{CheckSpec, Evidence, ServerSpec};
use crate::lsp::{Program, run};
use crate::programs;

/// What a checker is run with.
#[derive(Debug, Clone)]
pub(super) struct Checker {
    kind: Kind,
    /// Where it is run.
    root: PathBuf,
    /// Where it may keep what it needs between runs; nobody else's.
    cache: PathBuf,
}

#[derive(Debug, Clone)]
enum Kind {
    /// `zig build check`, with `zig ast-check` to tell apart what it could not see.
    Zig { zig: PathBuf },
    /// A command of `servers.toml`.
    Command { program: PathBuf, check: CheckSpec },
}

/// What a run found.
#[derive(Debug, Clone, Default)]
pub(super) struct Checked {
    pub(super) messages: Arc<[Message]>,
    /// Whether a syntax error (or a missing file) kept it from seeing the rest.
    pub(super) stopped_at: Option<PathBuf>,
}

/// Why a run says nothing.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum CheckError {
    /// There is nothing it could check.
    #[error("{0}")]
    NoProject(String),
    /// It could not be run.
    #[error("{0}")]
    Failed(String),
}

impl Checker {
    /// The checker of a language server's specification; `None` when it has none or the program is not there.
    pub(super) fn of(spec: &ServerSpec, root: &Path, cache: &Path, installed: &[PathBuf]) -> Option<Checker> {
        let check = spec.check.as_ref()?;
        let program = programs::find(check.command.first()?, installed)?.program;
        let kind = match spec.evidence {
            Evidence::Zls => Kind::Zig { zig: program },
            _ => Kind::Command { program, check: check.clone() },
        };
        Some(Checker { kind, root: root.to_owned(), cache: check_cache(cache, &spec.name, root) })
    }

    /// What it is called in reports.
    pub(super) fn name(&self) -> String {
        match &self.kind {
            Kind::Zig { .. } if self.has_check_step() => "zig build check".to_owned(),
            Kind::Zig { .. } => "zig build".to_owned(),
            Kind::Command { program, check } => {
                let name = program.file_name().unwrap_or_default().to_string_lossy();
                let words = check.command[1..].iter().take_while(|word| !word.starts_with(['-', '{', '/']));
                words.fold(name.into_owned(), |name, word| format!("{name} {word}"))
            }
        }
    }

    /// Whether it is a command of the configuration, of which nothing is known but its messages.
    pub(super) fn is_command(&self) -> bool {
        matches!(self.kind, Kind::Command { .. })
    }

    /// Runs it. Dropping the future kills the run.
    ///
    /// # Errors
    /// [`CheckError`] when there is no evidence.
    pub(super) async fn check(&self) -> Result<Checked, CheckError> {
        match &self.kind {
            Kind::Zig { zig } => self.zig_build(zig).await,
            Kind::Command { program, check } => {
                let printed = self.run(program, check.command[1..].to_vec()).await?;
                // Which of the two a compiler writes to is its own affair.
                let output = format!("{}\n{}", printed.stdout, printed.stderr);
                self.judged(printed.success, &output, read_as(check, &output, &self.root, Path::exists))
            }
        }
    }

    /// Syntax problems of one text, by a program that is quick enough for the floor.
    pub(super) async fn quick(&self, path: &Path, text: &str) -> Option<Vec<Message>> {
        let Kind::Zig { zig } = &self.kind else { return None };
        let zon = path.extension().is_some_and(|extension| extension == "zon");
        let args = ["ast-check", "--color", "off"].into_iter().chain(zon.then_some("--zon"));
        let printed = run(&self.program(zig, args.map(str::to_owned).collect()), Some(text.as_bytes())).await.ok()?;
        // It reads standard input and calls it `<stdin>`.
        let output = printed.stderr.replace("<stdin>", &path.to_string_lossy());
        Some(read_gnu(&output, &self.root, |_| true))
    }

    async fn zig_build(&self, zig: &Path) -> Result<Checked, CheckError> {
        if !self.root.join("build.zig").is_file() {
            return Err(CheckError::NoProject("there is no build.zig, so only syntax was checked".to_owned()));
        }
        let mut args: Vec<String> =
            ["build", "--color", "off", "--summary", "none", "--cache-dir"].map(str::to_owned).to_vec();
        args.push(self.cache.to_string_lossy().into_owned());
        if self.has_check_step() {
            args.insert(1, "check".to_owned());
        } else {
            args.push("--prefix".to_owned());
            args.push(self.cache.join("out").to_string_lossy().into_owned());
        }
        let printed = self.run(zig, args).await?;
        let messages = read_gnu(&printed.stderr, &self.root, Path::exists);
        let mut checked = self.judged(printed.success, &printed.stderr, messages)?;
        checked.stopped_at = self.zig_stopped_at(&checked.messages).await;
        Ok(checked)
    }

    /// Textual, because asking Zig for its steps compiles build.zig once more.
    fn has_check_step(&self) -> bool {
        std::fs::read_to_string(self.root.join("build.zig")).is_ok_and(|text| text.contains("step(\"check\""))
    }

    /// Where Zig stopped before it looked at types: at a file that does not parse, or one that is not there. Then
    /// nothing but such errors is told.
    async fn zig_stopped_at(&self, messages: &[Message]) -> Option<PathBuf> {
        let errors = || messages.iter().filter(|message| message.severity == Severity::Error);
        for message in errors() {
            if message.text.starts_with("unable to load") {
                return Some(message.path.clone());
            }
        }
        let mut first = None;
        let mut files: Vec<&Path> = errors().map(|message| message.path.as_path()).collect();
        files.dedup();
        for path in files {
            let text = tokio::fs::read_to_string(path).await.ok()?;
            let syntax = self.quick(path, &text).await?;
            let is_syntax = |message: &Message| {
                syntax.iter().any(|other| (other.line, &other.text) == (message.line, &message.text))
            };
            if !errors().filter(|message| message.path == path).all(is_syntax) {
                return None;
            }
            first.get_or_insert_with(|| path.to_owned());
        }
        first
    }

    /// A run that failed without naming an error has said nothing.
    fn judged(&self, success: bool, output: &str, messages: Vec<Message>) -> Result<Checked, CheckError> {
        if !success && !messages.iter().any(|message| message.severity <= Severity::Warning) {
            let mut lines = output.lines().filter(|line| !line.trim().is_empty());
            let said = lines.clone().find(|line| line.contains("error")).or_else(|| lines.next_back());
            return Err(CheckError::Failed(said.unwrap_or("it failed without a word").to_owned()));
        }
        Ok(Checked { messages: messages.into(), stopped_at: None })
    }

    async fn run(&self, program: &Path, args: Vec<String>) -> Result<crate::lsp::Printed, CheckError> {
        std::fs::create_dir_all(&self.cache).map_err(|error| CheckError::Failed(error.to_string()))?;
        let cache = self.cache.to_string_lossy();
        let args = args.into_iter().map(|word| word.replace("{cache_dir}", &cache)).collect();
        run(&self.program(program, args), None).await.map_err(|error| CheckError::Failed(error.to_string()))
    }

    fn program(&self, path: &Path, args: Vec<String>) -> Program {
        Program {
            path: path.to_owned(),
            args: args.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            directory: self.root.clone(),
        }
    }
}
