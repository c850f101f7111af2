//! Arguments, logging to stderr, outcome to exit code; nothing else.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

fn main() -> ExitCode {
    let cli = landfall::cli::Cli::parse();
    let given = cli.log.clone().or_else(|| std::env::var("LANDFALL_LOG").ok());
    let filter = given.and_then(|given| EnvFilter::try_new(given).ok()).unwrap_or_else(|| cli.log_level().into());
    // The end of a span tells how long it took: where each millisecond of a call went.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_span_events(FmtSpan::CLOSE);
    log.with_writer(landfall::daemon::log::Writer::default).with_ansi(std::io::stderr().is_terminal()).init();
    match cli.run() {
        Ok(code) => code,
        Err(error) => {
            tracing::debug!(?error, "failed");
            eprintln!("landfall: {error:#}");
            ExitCode::from(2)
        }
    }
}
