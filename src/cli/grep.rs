//! `landfall grep`: the tool of that name for a shell.

use std::io::Write;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::one_call::{self, CallOptions};

/// What to look for, and where.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Regular expression (Rust, as in ripgrep)
    pattern: String,
    /// Directory or file to search in, relative to the workspace
    path: Option<String>,
    /// Which files: *.go, '*.{java,zig}', src/**; '!*_test.go' leaves out
    #[arg(long, short = 'g', value_name = "GLOB")]
    include: Option<String>,
    /// What is shown
    #[arg(long, short, value_parser = ["lines", "files", "count"])]
    output: Option<String>,
    /// Lines to show before and after each hit
    #[arg(long, short = 'C', value_name = "LINES")]
    context: Option<usize>,
    /// Letter case does not matter
    #[arg(long, short = 'i')]
    ignore_case: bool,
    /// The pattern is plain text
    #[arg(long, short = 'F')]
    literal: bool,
    /// A match may go over several lines
    #[arg(long, short = 'U')]
    multiline: bool,
    /// Also hidden files and those that .gitignore leaves out
    #[arg(long)]
    all: bool,
    /// How many results to show
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    #[command(flatten)]
    options: CallOptions,
}

pub(super) fn run(arguments: Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let case = if arguments.ignore_case { "insensitive" } else { "sensitive" };
    let call = json!({
        "pattern": arguments.pattern, "path": arguments.path, "include": arguments.include, "output": arguments.output,
        "context": arguments.context, "case": case, "literal": arguments.literal, "multiline": arguments.multiline,
        "all": arguments.all, "limit": arguments.limit,
    });
    let call: Map<String, Value> = call.as_object().cloned().unwrap_or_default();
    one_call::run(&arguments.options, "grep", call, out)
}
