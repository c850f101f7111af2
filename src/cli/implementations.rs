//! `landfall implementations`: what implements a type or method.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;

use super::place::{self, Asking, Limit};

/// What is asked about.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    limit: Limit,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    place::ask(&arguments.asking, "implementations", json!({ "limit": arguments.limit.argument() }), out)
}
