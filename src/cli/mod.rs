//! The operator's commands: `receptionist business create …` and its like, each one request to the operator API.
//!
//! A command is translated into a [`Task`], the request and how its answer is shown, by a pure function of its
//! arguments; `run` carries tasks out. What always holds in it:
//!
//! - a command sends what was given and nothing else; what the rules say about it, the service answers;
//! - standard output carries the answer and nothing else, whole or not at all; notes and errors go to standard error;
//! - the operator's token is never printed.

mod appointment;
mod arguments;
mod audit;
mod backup;
mod budget;
mod business;
mod call;
mod client;
mod demo;
mod key;
mod message;
mod open_files;
mod openapi;
mod options;
mod print;
mod record;
mod repair;
mod restore;
mod run;
mod serve;
mod service;
mod staff;
mod task;
#[cfg(test)]
mod tests;
mod webhook;

use clap::{Args, Subcommand};

pub use backup::{BackupArgs, backup};
pub use demo::demo;
pub use openapi::{OpenapiArgs, openapi};
pub use options::OperatorOptions;
pub use repair::{RepairArgs, repair};
pub use restore::{RestoreArgs, VerifyArgs, restored, verified};
pub use run::operate;
pub use serve::serve;
use task::Task;

/// The operator's commands, each one request to the operator API of a running service.
#[derive(Debug, Subcommand)]
pub enum OperatorCommand {
    /// Businesses: create, list, show, update.
    Business(Resource<business::BusinessCommand>),
    /// Services of a business: what can be booked.
    Service(Resource<service::ServiceCommand>),
    /// Staff members of a business: who carries services out.
    Staff(Resource<staff::StaffCommand>),
    /// API keys of a business.
    Key(Resource<key::KeyCommand>),
    /// Appointments of a business, as its own team books and moves them.
    Appointment(Resource<appointment::AppointmentCommand>),
    /// Calls of a business: saved when they have ended.
    Call(Resource<call::CallCommand>),
    /// Messages for the team of a business.
    Message(Resource<message::MessageCommand>),
    /// Webhook endpoints of a business: their delivery log, and sending again.
    Webhook(Resource<webhook::WebhookCommand>),
    /// The budget of a business: how much it may keep of each kind, and how much it keeps.
    Budget(Resource<budget::BudgetCommand>),
    /// The audit log of a business: who changed what.
    Audit(Resource<audit::AuditCommand>),
}

impl OperatorCommand {
    fn into_parts(self) -> (Task, OperatorOptions) {
        match self {
            Self::Business(Resource { command, options }) => (command.into_task(), options),
            Self::Service(Resource { command, options }) => (command.into_task(), options),
            Self::Staff(Resource { command, options }) => (command.into_task(), options),
            Self::Key(Resource { command, options }) => (command.into_task(), options),
            Self::Appointment(Resource { command, options }) => (command.into_task(), options),
            Self::Call(Resource { command, options }) => (command.into_task(), options),
            Self::Message(Resource { command, options }) => (command.into_task(), options),
            Self::Webhook(Resource { command, options }) => (command.into_task(), options),
            Self::Budget(Resource { command, options }) => (command.into_task(), options),
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
