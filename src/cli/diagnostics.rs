//! `landfall diagnostics`: what is wrong now in a file, or in the workspace.

use std::io::Write;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::one_call::{self, CallOptions};
use super::place::Patience;

/// What is looked at.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file; without one the whole workspace
    file: Option<String>,
    #[command(flatten)]
    patience: Patience,
    #[command(flatten)]
    options: CallOptions,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let call = json!({ "file_path": arguments.file });
    let call: Map<String, Value> = call.as_object().cloned().unwrap_or_default();
    one_call::run_patiently(&arguments.options, arguments.patience.duration(), "diagnostics", call, out)
}
