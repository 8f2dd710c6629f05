//! `openapi`: prints the document of the public or of the operator API.

use std::process::ExitCode;

use clap::Args;

use super::print;
use crate::openapi::{document, operator_document};

/// Which document to print.
#[derive(Clone, Copy, Debug, Args)]
pub struct OpenapiArgs {
    /// Print the document of the operator API instead
    #[arg(long)]
    operator: bool,
}

/// Prints the document. Exit code 1 if nobody takes it.
pub fn openapi(args: OpenapiArgs) -> ExitCode {
    let document = if args.operator { operator_document() } else { document() };
    match print::output(&format!("{document:#}\n")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::note(&format!("cannot write to standard output: {error}"));
            ExitCode::FAILURE
        }
    }
}
