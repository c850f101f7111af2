//! `landfall definition`: where a name is declared.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;

use super::place::{self, Asking};

/// What is asked about.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    asking: Asking,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    place::ask(&arguments.asking, "definition", json!({}), out)
}
