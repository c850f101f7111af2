//! `landfall hover`: what there is to say of a name.

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
    place::ask(&arguments.asking, "hover", json!({}), out)
}
