//! `landfall symbols`: the declarations of a file, or of the workspace by name.

use std::io::Write;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::one_call::{self, CallOptions};
use super::place::{Limit, Patience};

/// What is looked for, and where.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Part of a name, upper and lower case alike, or a path such as Store.Put; not needed with --in
    #[arg(required_unless_present = "file")]
    query: Option<String>,
    /// The file whose declarations are listed
    #[arg(long = "in", value_name = "FILE")]
    file: Option<String>,
    #[command(flatten)]
    limit: Limit,
    #[command(flatten)]
    patience: Patience,
    #[command(flatten)]
    options: CallOptions,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let call = json!({ "query": arguments.query, "file_path": arguments.file, "limit": arguments.limit.argument() });
    let call: Map<String, Value> = call.as_object().cloned().unwrap_or_default();
    one_call::run_patiently(&arguments.options, arguments.patience.duration(), "symbols", call, out)
}
