//! `landfall rename`: a symbol under another name, wherever it is used.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;

use super::place::{self, Asking};

/// What is renamed, and to what.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    asking: Asking,
    /// The new name, without its path
    #[arg(value_name = "NEW_NAME")]
    new_name: String,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    place::ask(&arguments.asking, "rename", json!({ "new_name": arguments.new_name }), out)
}
