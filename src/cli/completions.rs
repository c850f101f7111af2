//! `landfall completions`: what a shell completes, from the same table as the command line itself.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;

/// For which shell.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The shell that will read the script
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "landfall", &mut script);
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shell_knows_every_subcommand_and_the_tools_where_it_can() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut out = Vec::new();
            run(&Arguments { shell }, &mut out).expect("writes");
            let script = String::from_utf8(out).expect("UTF-8");
            let command = Cli::command();
            let subcommands = command.get_subcommands().map(clap::Command::get_name);
            // For fish the generator leaves out what may stand in the place of an argument.
            let tools = crate::tools::ALL.iter().map(|tool| tool.name).filter(|_| shell != Shell::Fish);
            for word in subcommands.chain(tools) {
                assert!(script.contains(word), "{shell} does not complete {word}");
            }
        }
    }
}
