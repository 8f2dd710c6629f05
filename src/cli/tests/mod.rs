//! Each command's call, and the calls against a service that is played by a script.

mod calls;
mod exchanges;
mod stub;

use clap::Parser;

use super::OperatorCommand;

/// The program, as far as it is these commands.
#[derive(Debug, Parser)]
#[command(name = "receptionist")]
struct Cli {
    #[command(subcommand)]
    command: OperatorCommand,
}

/// Reads a command line, split at the white space outside of single quotes.
fn parse(line: &str) -> Result<OperatorCommand, clap::Error> {
    let words = line.split('\'').enumerate().flat_map(|(at, piece)| match at % 2 {
        0 => piece.split_whitespace().collect(),
        _ => vec![piece],
    });
    Cli::try_parse_from(std::iter::once("receptionist").chain(words)).map(|cli| cli.command)
}
