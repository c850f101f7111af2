//! `landfall man`: manual pages, from the same table as the command line itself.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;

use super::Cli;

/// Where the pages go.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Write a page for landfall and one for each subcommand into this directory, instead of printing the first
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    match &arguments.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
                .with_context(|| format!("the manual pages cannot be written to {}", dir.display()))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            out.write_all(&page)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_subcommand_and_each_has_its_own() {
        let mut out = Vec::new();
        run(&Arguments { dir: None }, &mut out).expect("writes");
        let page = String::from_utf8(out).expect("UTF-8");
        assert!(page.contains(".TH landfall 1"), "{page}");
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("man1");
        run(&Arguments { dir: Some(dir.clone()) }, &mut Vec::new()).expect("writes");
        for subcommand in Cli::command().get_subcommands().map(|command| command.get_name().to_owned()) {
            assert!(page.contains(&format!("landfall\\-{subcommand}(1)")), "{subcommand} in {page}");
            let own = std::fs::read_to_string(dir.join(format!("landfall-{subcommand}.1"))).expect("a page of its own");
            assert!(own.contains(".SH SYNOPSIS"), "{own}");
        }
    }
}
