//! The operator's commands: `receptionist business create …` and its like, each one request to the operator API, after
//! those that tell what its words stand for.
//!
//! A command is translated into a [`Task`], the request and how its answer is shown, by a pure function of its
//! arguments; `resolve` puts ids and instants in the place of names and of times of the business, and `run` carries
//! tasks out. What always holds in it:
//!
//! - a command sends what was given, or what that stands for, and nothing else but the region of a new business's phone
//!   numbers; what the rules say about it, the service answers;
//! - standard output carries the answer and nothing else, whole or not at all; notes and errors go to standard error;
//! - the operator's token is never printed.

mod appointment;
mod arguments;
mod audit;
mod availability;
mod backup;
mod bridge;
mod budget;
mod business;
mod call;
mod client;
mod confirm;
mod connect;
mod contact;
mod contact_import;
mod demo;
mod doctor;
mod export;
mod holiday_import;
mod holidays;
mod ics;
mod import;
mod key;
mod knowledge;
mod mail;
mod mcp;
mod message;
mod open_files;
mod openapi;
mod options;
mod pages;
mod person;
mod print;
mod problems;
mod record;
mod repair;
mod request;
mod resolve;
mod restore;
mod retention;
mod rotation;
mod run;
mod salvage;
mod serve;
mod service;
mod shown;
mod special_day;
mod staff;
mod stopped;
mod supervisor;
mod task;
#[cfg(test)]
mod tests;
mod time_off;
mod typed;
mod walk;
mod webhook;
mod whole_file;
mod yearly;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

pub use backup::{BackupArgs, backup};
pub use demo::demo;
pub use doctor::{DoctorArgs, doctor};
pub use export::{ExportArgs, export};
pub use import::{ImportArgs, import};
pub use mail::{MailCommand, mail};
pub use mcp::{McpArgs, mcp};
pub use openapi::{OpenapiArgs, openapi};
pub use options::OperatorOptions;
pub use pages::{CompletionsArgs, ManArgs, completions, man};
pub use problems::Flags;
pub use repair::{RepairArgs, repair};
pub use restore::{RestoreArgs, VerifyArgs, restored, verified};
pub use run::operate;
pub use salvage::{SalvageArgs, salvage};
pub use serve::serve;
use task::Task;

/// The operator's commands on a running service.
#[derive(Debug, Subcommand)]
pub enum OperatorCommand {
    /// Businesses: create, list, show, update, delete.
    Business(Resource<business::BusinessCommand>),
    /// Services of a business: what can be booked.
    Service(Resource<service::ServiceCommand>),
    /// Staff members of a business: who carries services out.
    Staff(Resource<staff::StaffCommand>),
    /// Special days of a business: dates on which it is closed, or open at other hours.
    SpecialDay(Resource<special_day::SpecialDayCommand>),
    /// Time off of a business's staff: when they are away.
    TimeOff(Resource<time_off::TimeOffCommand>),
    /// People of a business: add and change them, and make links by which they sign in.
    Person(Resource<person::PersonCommand>),
    /// API keys of a business.
    Key(Resource<key::KeyCommand>),
    /// Appointments of a business: see them, and book and move them as its own team does.
    Appointment(Resource<appointment::AppointmentCommand>),
    /// Open times of a business: when a service can be booked.
    Availability(Box<availability::AvailabilityArgs>),
    /// Contacts of a business: see, create, change and erase them.
    Contact(Resource<contact::ContactCommand>),
    /// Calls of a business: see them, and save those that have ended.
    Call(Resource<call::CallCommand>),
    /// Messages for the team of a business: see, take and settle them.
    Message(Resource<message::MessageCommand>),
    /// What the receptionist of a business knows: see, add, change and delete it.
    Knowledge(Resource<knowledge::KnowledgeCommand>),
    /// Webhook endpoints of a business, their delivery log, and sending again.
    Webhook(Resource<webhook::WebhookCommand>),
    /// The budget of a business: how much it may keep of each kind, and how much it keeps.
    Budget(Resource<budget::BudgetCommand>),
    /// For how many days a business keeps what has happened.
    Retention(Resource<retention::RetentionCommand>),
    /// The audit log of a business, or of the installation: who changed what.
    Audit(Resource<audit::AuditCommand>),
}

impl OperatorCommand {
    fn into_parts(self) -> (Task, OperatorOptions) {
        match self {
            Self::Business(Resource { command, options }) => (command.into_task(), options),
            Self::Service(Resource { command, options }) => (command.into_task(), options),
            Self::Staff(Resource { command, options }) => (command.into_task(), options),
            Self::SpecialDay(Resource { command, options }) => (command.into_task(), options),
            Self::TimeOff(Resource { command, options }) => (command.into_task(), options),
            Self::Person(Resource { command, options }) => (command.into_task(), options),
            Self::Key(Resource { command, options }) => (command.into_task(), options),
            Self::Appointment(Resource { command, options }) => (command.into_task(), options),
            Self::Availability(args) => {
                let options = args.options.clone();
                (args.into_task(), options)
            }
            Self::Contact(Resource { command, options }) => (command.into_task(), options),
            Self::Call(Resource { command, options }) => (command.into_task(), options),
            Self::Message(Resource { command, options }) => (command.into_task(), options),
            Self::Knowledge(Resource { command, options }) => (command.into_task(), options),
            Self::Webhook(Resource { command, options }) => (command.into_task(), options),
            Self::Budget(Resource { command, options }) => (command.into_task(), options),
            Self::Retention(Resource { command, options }) => (command.into_task(), options),
            Self::Audit(Resource { command, options }) => (command.into_task(), options),
        }
    }
}

/// The commands on one kind of record, and the options that all of them take.
#[derive(Debug, Args)]
pub struct Resource<C: Subcommand> {
    #[command(subcommand)]
    command: C,
    #[command(flatten)]
    options: OperatorOptions,
}

/// Tells why the arguments cannot be used, or prints the help that they ask for, and gives the exit code. The error is
/// JSON where an argument is `--json`.
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

/// Warns of environment variables that look like settings and are none.
pub fn warn_of_misspelt_variables() {
    for problem in crate::config::variables::all_misspelt() {
        print::note(&format!("warning: {problem}"));
    }
}
