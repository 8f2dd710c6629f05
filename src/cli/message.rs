//! `receptionist message`: messages for the team.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, OneInBusiness, Paging, Span, staff};
use super::request::Body;
use super::task::Task;

const COLUMNS: &[&str] = &["id", "created_at", "status", "urgency", "caller_name", "caller_phone", "body"];

/// Commands on messages.
#[derive(Debug, Subcommand)]
pub enum MessageCommand {
    /// List messages, the newest first
    List(List),
    /// Take a message for the team
    Create(Create),
    /// Change a message; what is not given stays as it is
    Update(Update),
}

/// Which messages to show.
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    of: InBusiness,
    /// Only those that the team is so far with: new, read or resolved
    #[arg(long)]
    status: Option<String>,
    /// Only those that were taken in the call of this id
    #[arg(long, value_name = "ID")]
    call: Option<String>,
    /// Only those of the contact of this id
    #[arg(long, value_name = "ID")]
    contact: Option<String>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    paging: Paging,
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
    /// The staff member whom it is for, by their id or name
    #[arg(long)]
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
    /// The staff member whom it is for, by their id or name
    #[arg(long, conflicts_with = "clear_staff")]
    staff: Option<String>,
    /// It is for nobody in particular
    #[arg(long)]
    clear_staff: bool,
}

impl MessageCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::List(List { of, status, call, contact, span, paging }) => {
                let task = Task::list(of.path(&["messages"]), COLUMNS, paging).narrowed("status", status);
                let task = task.narrowed("call_id", call).narrowed("contact_id", contact);
                task.narrowed_by(span.filters())
            }
            Self::Create(message) => {
                let body = Body::default()
                    .with("body", message.body)
                    .given("caller_name", message.caller_name)
                    .given("caller_phone", message.caller_phone)
                    .given("contact_id", message.contact)
                    .given("call_id", message.call)
                    .given("urgency", message.urgency)
                    .given("staff_id", message.staff.map(staff))
                    .given("status", message.status);
                Task::post(message.of.path(&["messages"]), body)
            }
            Self::Update(Update { one, status, staff: name, clear_staff }) => {
                let body = Body::default()
                    .given("status", status)
                    .given("staff_id", name.map(staff))
                    .cleared("staff_id", clear_staff);
                Task::patch(one.path("messages"), body)
            }
        }
    }
}
