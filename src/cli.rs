//! The command line: one file a subcommand.

mod call;
mod calls;
mod changes;
mod completions;
mod config;
mod definition;
mod demo;
mod diagnostics;
mod doctor;
mod fix;
mod grep;
mod hook;
mod hover;
mod implementations;
mod lsp;
mod man;
mod mcp;
mod one_call;
mod place;
mod references;
mod rename;
mod replace;
mod report;
mod serve;
mod servers;
mod service;
mod sessions;
mod status;
mod stop;
mod symbols;
mod trust;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A sidecar between a coding agent and the files it edits.
#[derive(Debug, Parser)]
#[command(name = "landfall", version, about, max_term_width = 100)]
pub struct Cli {
    /// What is logged to standard error (`debug` also times each step of a call) [default: LANDFALL_LOG, else warn]
    #[arg(long, global = true, value_name = "FILTER")]
    pub log: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve an agent over MCP on standard input and output
    Mcp(mcp::Arguments),
    /// Answer a harness's hook: its message on standard input, the answer on standard output
    Hook(hook::Arguments),
    /// Serve an editor, or a harness with an LSP client of its own, on standard input and output
    Lsp(lsp::Arguments),
    /// Be the daemon that all sessions share; `landfall mcp` starts one by itself
    Serve(serve::Arguments),
    /// Say what the daemon is doing: sessions, workspaces, language servers
    Status(status::Arguments),
    /// End the daemon
    Stop(stop::Arguments),
    /// Show the main job on bundled Go, Java and Zig projects, as an agent sees it
    Demo(demo::Arguments),
    /// Say what each language would get on this machine, and what mends each lack
    Doctor(doctor::Arguments),
    /// List, install and look at language servers
    Servers(servers::Arguments),
    /// Call one tool as an agent does, with its arguments as JSON
    Call(call::Arguments),
    /// Search in the files of a workspace, each hit with the function it stands in
    Grep(grep::Arguments),
    /// Say where a name is declared, also in libraries
    ///
    /// This and the five below: exit code 0 when something was found, 1 when there is nothing, 2 on an error and when
    /// nobody can say.
    Definition(definition::Arguments),
    /// List where a name is used, by its language server
    References(references::Arguments),
    /// Rename a symbol wherever it is used; all files or none
    Rename(rename::Arguments),
    /// Apply a language server's quick fix to what is wrong on a line
    Fix(fix::Arguments),
    /// Say what a name is: its type and its documentation
    Hover(hover::Arguments),
    /// List the declarations of a file, or those of the workspace by a part of their names
    Symbols(symbols::Arguments),
    /// List what implements an interface, a class or one of its methods
    Implementations(implementations::Arguments),
    /// List who calls a function, or what it calls
    Calls(calls::Arguments),
    /// Say what is wrong now in a file, or in the workspace
    Diagnostics(diagnostics::Arguments),
    /// Say what a session has changed on disk, and which of its edits were refused
    ///
    /// Exit code 0 when there is something to tell, 1 when there is nothing, 2 on an error.
    Changes(changes::Arguments),
    /// Draw what a session did: what landed with its verdicts, what was refused, as one HTML file
    Report(report::Arguments),
    /// Let a workspace's own .landfall.toml name programs, as it is now
    Trust(trust::Arguments),
    /// Print a script that makes a shell complete this command line
    Completions(completions::Arguments),
    /// Print the manual page, or write the pages of all subcommands
    Man(man::Arguments),
    /// Attach a client: print what belongs into its configuration, or merge it in
    Config(config::Arguments),
    /// Run the replacer alone as a filter: JSON lines in, JSON lines out
    Replace,
}

/// Says something on standard error. That nobody hears it is no reason to end, as it is for `eprintln!`.
pub fn say(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

impl Cli {
    /// How much is logged unless `LANDFALL_LOG` says otherwise.
    pub fn log_level(&self) -> &'static str {
        // Of a daemon nobody sees the results: its log is all there is.
        if matches!(self.command, Command::Serve(_)) { "info" } else { "warn" }
    }

    /// Carries out the command.
    ///
    /// # Errors
    /// What kept it from being carried out, for standard error.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut out = std::io::stdout();
        match self.command {
            Command::Mcp(arguments) => mcp::run(arguments),
            Command::Hook(arguments) => Ok(hook::run(&arguments, std::io::stdin().lock(), &mut out)),
            Command::Lsp(arguments) => lsp::run(&arguments),
            Command::Serve(arguments) => serve::run(arguments, &mut out),
            Command::Status(arguments) => status::run(&arguments, &mut out),
            Command::Stop(arguments) => stop::run(&arguments, &mut out),
            Command::Demo(arguments) => demo::run(arguments, &mut out),
            Command::Doctor(arguments) => doctor::run(arguments, &mut out),
            Command::Servers(arguments) => servers::run(arguments, &mut out),
            Command::Call(arguments) => call::run(&arguments, std::io::stdin().lock(), &mut out),
            Command::Grep(arguments) => grep::run(arguments, &mut out),
            Command::Definition(arguments) => definition::run(&arguments, &mut out),
            Command::References(arguments) => references::run(&arguments, &mut out),
            Command::Rename(arguments) => rename::run(&arguments, &mut out),
            Command::Fix(arguments) => fix::run(&arguments, &mut out),
            Command::Hover(arguments) => hover::run(&arguments, &mut out),
            Command::Symbols(arguments) => symbols::run(&arguments, &mut out),
            Command::Implementations(arguments) => implementations::run(&arguments, &mut out),
            Command::Calls(arguments) => calls::run(&arguments, &mut out),
            Command::Diagnostics(arguments) => diagnostics::run(&arguments, &mut out),
            Command::Changes(arguments) => changes::run(arguments, &mut out),
            Command::Report(arguments) => report::run(&arguments, &mut out),
            Command::Trust(arguments) => trust::run(&arguments, &mut out),
            Command::Completions(arguments) => completions::run(&arguments, &mut out),
            Command::Man(arguments) => man::run(&arguments, &mut out),
            Command::Config(arguments) => config::run(arguments, &mut out),
            Command::Replace => {
                replace::run(std::io::stdin().lock(), out.lock())?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
