//! The commands. An operator's command, such as `receptionist business create`, calls one operation of the operator
//! API. If the arguments contain names, the command first sends other requests to look up the ids for these names.
//!
//! A pure function translates the arguments into a [`Task`]: the request, and how its response is shown.
//! `resolve` replaces names by ids and local times by instants, and `run` executes the task.
//!
//! Invariants:
//! - A request contains only the values of the command line, with resolved names and times. The service validates
//!   the values. The only addition is the phone region of a new business, which follows from its time zone.
//! - Standard output contains the response only, complete or not at all. Notes and errors go to standard
//!   error.
//! - The operator's token is never printed.

mod arguments;
pub mod backup;
mod bridge;
mod carry_out;
pub mod chat;
mod client;
mod connect;
pub mod demo;
pub mod doctor;
pub mod eval;
mod files;
pub mod mail;
pub mod mcp;
pub mod options;
mod own;
pub mod pages;
mod print;
pub mod problems;
mod process;
mod record;
mod record_import;
pub mod repair;
mod request;
mod resolve;
pub mod restore;
pub mod run;
pub mod salvage;
mod secret;
pub mod serve;
mod shown;
mod table;
mod task;
#[cfg(test)]
mod tests;
pub mod transfer;
mod typed;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use serde_json::json;

use options::OperatorOptions;
use own::{AvailabilityArgs, InsightsArgs};
use table::RESOURCES;
use task::Task;

/// A parsed command that calls a running service.
pub struct OperatorCommand {
    task: Task,
    options: OperatorOptions,
}

impl Subcommand for OperatorCommand {
    fn augment_subcommands(command: Command) -> Command {
        let availability = AvailabilityArgs::augment_args(Command::new("availability"))
            .about("Open times of a business, at which a service can be booked");
        let insights = InsightsArgs::augment_args(Command::new("insights"))
            .about("Figures about the appointments and calls of a business, by week or month");
        RESOURCES
            .iter()
            .fold(command, |command, resource| command.subcommand(resource.command()))
            .subcommand(availability)
            .subcommand(insights)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        ["availability", "insights"].contains(&name) || RESOURCES.iter().any(|resource| resource.name == name)
    }
}

impl FromArgMatches for OperatorCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let (task, options) = match name {
            "availability" => {
                let args = AvailabilityArgs::from_arg_matches(matches)?;
                let options = args.options.clone();
                (args.into_task(), options)
            }
            "insights" => {
                let args = InsightsArgs::from_arg_matches(matches)?;
                let options = args.options.clone();
                (args.into_task(), options)
            }
            name => {
                let resource = RESOURCES.iter().find(|resource| resource.name == name);
                resource.ok_or_else(missing)?.task(matches)?
            }
        };
        Ok(Self { task, options })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Prints a usage error or the requested help, and returns the exit code. The error is JSON if an argument is `--json`.
pub fn unusable(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if json && error.use_stderr() {
        let text = error.render().to_string();
        let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
        print::note(&json!({"error": {"code": "command_failed", "message": message}}).to_string());
    } else if let Err(unwritten) = error.print() {
        print::note(&unwritten.to_string());
    }
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Warns about environment variables that have the prefix of the settings but are not settings.
pub fn warn_of_misspelt_variables() {
    for problem in crate::config::variables::all_misspelt() {
        print::note(&format!("warning: {problem}"));
    }
}
