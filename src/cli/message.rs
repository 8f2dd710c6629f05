//! `receptionist message`: messages for the team.

use clap::{Args, Subcommand};
use serde_json::Value;

use super::arguments::{InBusiness, OneInBusiness};
use super::task::{Body, Task, in_business};

/// Commands on messages.
#[derive(Debug, Subcommand)]
pub enum MessageCommand {
    /// Take a message for the team
    Create(Create),
    /// Change a message; what is not given stays as it is
    Update(Update),
}

/// What a message says, and from whom and for whom it is.
#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    of: InBusiness,
    /// What it says
    #[arg(long, value_name = "TEXT")]
    body: String,
    /// Who left it
    #[arg(long, value_name = "NAME")]
    caller_name: Option<String>,
    /// The number to call back
    #[arg(long, value_name = "PHONE")]
    caller_phone: Option<String>,
    /// The contact's id [default: whoever has the caller's number, if anyone]
    #[arg(long, value_name = "ID")]
    contact: Option<String>,
    /// The id of the call in which it was taken
    #[arg(long, value_name = "ID")]
    call: Option<String>,
    /// How soon the team should see it: normal or urgent [default: normal]
    #[arg(long)]
    urgency: Option<String>,
    /// The id of the staff member whom it is for
    #[arg(long, value_name = "ID")]
    staff: Option<String>,
    /// How far the team is with it: new, read or resolved [default: new]
    #[arg(long)]
    status: Option<String>,
}

/// What changes in a message.
#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    one: OneInBusiness,
    /// How far the team is with it: new, read or resolved
    #[arg(long)]
    status: Option<String>,
    /// The id of the staff member whom it is for
    #[arg(long, value_name = "ID", conflicts_with = "clear_staff")]
    staff: Option<String>,
    /// It is for nobody in particular
    #[arg(long)]
    clear_staff: bool,
}

impl MessageCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::Create(message) => {
                let body = Body::default()
                    .with("body", message.body)
                    .given("caller_name", message.caller_name)
                    .given("caller_phone", message.caller_phone)
                    .given("contact_id", message.contact)
                    .given("call_id", message.call)
                    .given("urgency", message.urgency)
                    .given("staff_id", message.staff)
                    .given("status", message.status);
                Task::post(in_business(&message.of.business, &["messages"]), body)
            }
            Self::Update(Update { one, status, staff, clear_staff }) => {
                let body = Body::default()
                    .given("status", status)
                    .given("staff_id", staff)
                    .given("staff_id", clear_staff.then_some(Value::Null));
                Task::patch(in_business(&one.of.business, &["messages", &one.id]), body)
            }
        }
    }
}
