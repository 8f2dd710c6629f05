//! `openapi`: prints the document of the public API or the operator API.

use std::process::ExitCode;

use clap::Args;

use super::print;
use crate::openapi::{document, operator_document, without_webhooks};

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
