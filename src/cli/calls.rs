//! `landfall calls`: who calls a function, and what it calls.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;

use super::place::{self, Asking, Limit};

/// What is asked about, and which way.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    asking: Asking,
    /// What the function calls, instead of who calls it
    #[arg(long)]
    outgoing: bool,
    #[command(flatten)]
    limit: Limit,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    place::ask(
        &arguments.asking,
        "calls",
        json!({
            "limit": arguments.limit.argument(),
            "direction": if arguments.outgoing { "outgoing" } else { "incoming" },
        }),
        out,
    )
}
