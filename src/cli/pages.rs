//! `completions`, `man` and `openapi`: shell completions, manual pages and the OpenAPI documents.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use super::print;
use crate::openapi::{document, operator_document, without_webhooks};

#[derive(Clone, Copy, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// The directory for one page per command [default: print only the first page]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

/// Prints a completion script. Exit code 1 if writing fails.
pub fn completions(args: CompletionsArgs, command: &mut Command) -> ExitCode {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, name, &mut script);
    exit(print::output(&String::from_utf8_lossy(&script)))
}

/// Prints the first page of the manual, or writes one page per command. Exit code 1 if writing fails.
pub fn man(args: ManArgs, command: Command) -> ExitCode {
    exit(match args.to {
        Some(dir) => std::fs::create_dir_all(&dir).and_then(|()| clap_mangen::generate_to(command, &dir)),
        None => {
            let mut page = Vec::new();
            let made = clap_mangen::Man::new(command).render(&mut page);
            made.and_then(|()| print::output(&String::from_utf8_lossy(&page)))
        }
    })
}

fn exit(written: io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::note(&format!("cannot write the output: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub struct OpenapiArgs {
    /// Print the document of the operator API instead
    #[arg(long)]
    operator: bool,
    /// Omit the section `webhooks`, since some client generators treat webhooks as operations of the API
    #[arg(long, conflicts_with = "operator")]
    without_webhooks: bool,
}

/// Prints the document. Exit code 1 if writing fails.
pub fn openapi(args: OpenapiArgs) -> ExitCode {
    let mut document = if args.operator { operator_document() } else { document() };
    if args.without_webhooks {
        without_webhooks(&mut document);
    }
    let written = print::written(&format!("{document:#}\n"));
    written.map_or_else(|failure| failure.exit(false), |()| ExitCode::SUCCESS)
}
