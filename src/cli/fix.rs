//! `landfall fix`: a language server's quick fix of what is wrong on a line.

use std::io::Write;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::one_call::{self, CallOptions};
use super::place::Patience;

/// Where something is wrong, and which fix is taken.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The place of the problem, as `landfall diagnostics` prints it
    #[arg(value_name = "FILE:LINE")]
    place: String,
    /// Which fix, when several are listed: 1 for the first
    #[arg(long, value_name = "NUMBER")]
    choice: Option<usize>,
    #[command(flatten)]
    patience: Patience,
    #[command(flatten)]
    options: CallOptions,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let call = json!({ "file_path": arguments.place, "choice": arguments.choice });
    let call: Map<String, Value> = call.as_object().cloned().unwrap_or_default();
    one_call::run_patiently(&arguments.options, arguments.patience.duration(), "fix", call, out)
}
