//! `landfall doctor`: what each language would get now, and the one command that mends each lack.

mod probe;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::servers::Configuration;
use crate::config::{LanguageSpec, Servers, Trusted};
use crate::dirs::Dirs;
use crate::syntax::Language;
use probe::{Lack, Source};

/// Arguments of `landfall doctor`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    configuration: Configuration,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// What was found out.
#[derive(Debug, Serialize)]
struct Findings {
    version: &'static str,
    languages: Vec<LanguageFindings>,
    switched_off: Vec<String>,
    problems: Vec<String>,
}

/// What a language gets.
#[derive(Debug, Serialize)]
struct LanguageFindings {
    language: String,
    language_server: Source,
    #[serde(skip_serializing_if = "Option::is_none")]
    checker: Option<Source>,
    /// Whether new syntax problems are found without any other program.
    syntax_floor: bool,
    /// Whether diagnostics come from a language server or a checker.
    served: bool,
}

/// Carries out `landfall doctor`; exit code 1 when a language has neither a language server nor a checker.
///
/// # Errors
/// A configuration that cannot be used, or output that cannot be written.
pub(super) fn run(arguments: Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let servers = arguments.configuration.servers()?;
    let (servers, wrong) =
        here(&servers).map_or_else(|error| (servers.clone(), Some(error.to_string())), |own| (own, None));
    let mut findings = Findings::of(&servers);
    findings.problems.extend(wrong.map(|wrong| format!("left out: {wrong}")));
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&findings)?)?;
    } else {
        findings.write(out)?;
    }
    let all_served = findings.languages.iter().all(|language| language.served);
    Ok(if all_served { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The language servers as the workspace in the present folder wants them.
fn here(servers: &Servers) -> anyhow::Result<Servers> {
    let root = std::env::current_dir()?;
    Ok(servers.of_workspace(&root, &Trusted::below(Dirs::from_env()?.state()))?)
}

impl Findings {
    fn of(servers: &Servers) -> Findings {
        let (dirs, problems) = match Dirs::from_env() {
            Ok(dirs) => (Some(dirs), Vec::new()),
            Err(error) => (None, vec![error.to_string()]),
        };
        let mut languages = Vec::new();
        for spec in servers {
            let language_server = probe::language_server(spec, dirs.as_ref());
            let checker = spec.check.as_ref().map(probe::checker);
            let served = language_server.works() || checker.as_ref().is_some_and(Source::works);
            languages.extend(spec.languages.iter().map(|language| LanguageFindings {
                language: language.id.clone(),
                language_server: language_server.clone(),
                checker: checker.clone(),
                syntax_floor: has_floor(language),
                served,
            }));
        }
        let switched_off = servers.switched_off().to_vec();
        Findings { version: env!("CARGO_PKG_VERSION"), languages, switched_off, problems }
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "landfall {}", self.version)?;
        for problem in &self.problems {
            writeln!(out, "problem: {problem}")?;
        }
        for language in &self.languages {
            language.write(out)?;
        }
        for name in &self.switched_off {
            writeln!(out, "\n{name} is switched off by `enabled = false`")?;
        }
        Ok(())
    }
}

impl LanguageFindings {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "\n{}", self.language)?;
        write_source("language server", &self.language_server, out)?;
        if let Some(checker) = &self.checker {
            write_source("checker", checker, out)?;
        }
        let floor = if self.syntax_floor { "built in" } else { "none for this language" };
        write_row("syntax floor", floor, out)?;
        let (server, floor) = (self.language_server.works(), self.syntax_floor);
        let now = match (server, self.served, floor) {
            (true, ..) => return Ok(()),
            (false, true, _) => "edits are checked by the checker alone",
            (false, false, true) => "edits get new syntax problems only",
            (false, false, false) => "edits get no diagnostics",
        };
        write_row("", now, out)
    }
}

fn write_source(role: &str, source: &Source, out: &mut impl Write) -> std::io::Result<()> {
    let text = match (&source.path, &source.version) {
        (None, _) => source.name.clone(),
        (Some(path), None) => format!("{}: {}", source.name, path.display()),
        (Some(path), Some(version)) => format!("{} {version}: {}", source.name, path.display()),
    };
    write_row(role, &text, out)?;
    if let Some(Lack { what, mend, .. }) = &source.lack {
        write_row("", &format!("{what}; {mend}"), out)?;
    }
    Ok(())
}

fn write_row(title: &str, text: &str, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "  {title:<16} {text}")
}

fn has_floor(language: &LanguageSpec) -> bool {
    language.extensions.iter().any(|extension| Language::of_path(&Path::new("x").with_extension(extension)).is_some())
}
