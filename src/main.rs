//! Arguments, logging to stderr, outcome to exit code; nothing else.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = landfall::cli::Cli::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("LANDFALL_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match cli.run() {
        Ok(code) => code,
        Err(error) => {
            tracing::debug!(?error, "failed");
            eprintln!("landfall: {error:#}");
            ExitCode::from(2)
        }
    }
}
