//! Arguments, logging to stderr, outcome to exit code; nothing else.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use landfall::cli::{Cli, say};
use landfall::daemon::log;
use tracing_subscriber::fmt::format::FmtSpan;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let given = cli.log.clone().or_else(|| std::env::var("LANDFALL_LOG").ok());
    let filter = log::filter(given, cli.log_level());
    // The end of a span tells how long it took: where each millisecond of a call went.
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_span_events(FmtSpan::CLOSE);
    subscriber.with_writer(log::Writer::default).with_ansi(std::io::stderr().is_terminal()).init();
    match cli.run() {
        Ok(code) => code,
        Err(error) => {
            tracing::debug!(?error, "failed");
            say(format_args!("landfall: {error:#}"));
            ExitCode::from(2)
        }
    }
}
