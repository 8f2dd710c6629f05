//! `receptionist retention`: for how many days a business keeps what has happened.

use clap::{Args, Subcommand};
use serde_json::Value;

use super::arguments::InBusiness;
use super::request::Body;
use super::task::Task;

/// Commands on how long things are kept.
#[derive(Debug, Subcommand)]
pub enum RetentionCommand {
    /// Show for how many days each kind is kept
    Show(InBusiness),
    /// Set for how many days some kinds are kept; what is not given stays as it is
    Set(Set),
}

/// For how many days each kind is kept.
#[derive(Debug, Args)]
pub struct Set {
    #[command(flatten)]
    of: InBusiness,
    /// Calls, from when they were saved: a number, or `forever`
    #[arg(long, value_name = "DAYS", value_parser = Days::parse)]
    calls_days: Option<Days>,
    /// Messages, from when they were taken: a number, or `forever`
    #[arg(long, value_name = "DAYS", value_parser = Days::parse)]
    messages_days: Option<Days>,
    /// Entries of the audit log: a number of at least 90, or `forever`
    #[arg(long, value_name = "DAYS", value_parser = Days::parse)]
    audit_days: Option<Days>,
    /// Appointments, from their end: a number, or `forever`
    #[arg(long, value_name = "DAYS", value_parser = Days::parse)]
    appointments_days: Option<Days>,
}

/// A number of days, or for ever.
#[derive(Clone, Copy, Debug)]
struct Days(Option<u32>);

impl Days {
    fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "forever" => Ok(Self(None)),
            days => days.parse().map(|days| Self(Some(days))).map_err(|_| "a whole number, or `forever`"),
        }
    }
}

impl From<Days> for Value {
    fn from(days: Days) -> Self {
        days.0.into()
    }
}

impl RetentionCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::Show(of) => Task::get(of.path(&["retention"])),
            Self::Set(Set { of, calls_days, messages_days, audit_days, appointments_days }) => {
                let body = Body::default()
                    .given("calls_days", calls_days)
                    .given("messages_days", messages_days)
                    .given("audit_days", audit_days)
                    .given("appointments_days", appointments_days);
                Task::patch(of.path(&["retention"]), body)
            }
        }
    }
}
