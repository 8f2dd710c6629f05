//! `receptionist call`: calls that have ended, and saving them.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, OneInBusiness, Paging, Span};
use super::request::Body;
use super::task::Task;
use super::typed::{Kind, Typed};

const COLUMNS: &[&str] = &[
    "id",
    "started_at",
    "direction",
    "status",
    "outcome",
    "duration_seconds",
    "from_number",
    "to_number",
    "contact_name",
    "summary",
];

/// Commands on calls.
#[derive(Debug, Subcommand)]
pub enum CallCommand {
    /// List calls, the newest first
    List(List),
    /// Show a call
    Show(OneInBusiness),
    /// Save a call that has ended
    Create(Box<Create>),
}

/// Which calls to show.
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    of: InBusiness,
    /// Only those in this direction: inbound or outbound
    #[arg(long)]
    direction: Option<String>,
    /// Only those of which this came, such as message_taken
    #[arg(long)]
    outcome: Option<String>,
    /// Only those of the contact of this id
    #[arg(long, value_name = "ID")]
    contact: Option<String>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    paging: Paging,
}

/// How the call went.
#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    of: InBusiness,
    /// Who called whom: inbound or outbound
    #[arg(long)]
    direction: String,
    /// How it ended: completed, missed or failed
    #[arg(long)]
    status: String,
    /// What came of it, such as appointment_booked, message_taken or hangup
    #[arg(long)]
    outcome: String,
    /// When it started, such as '2026-03-02 9:00' of the business, or 2026-03-02T09:00:00Z
    #[arg(long, value_name = "TIME")]
    started_at: String,
    /// When it ended
    #[arg(long, value_name = "TIME")]
    ended_at: String,
    /// How long the talk took, in seconds [default: from start to end]
    #[arg(long, value_name = "SECONDS")]
    duration_seconds: Option<u32>,
    /// The number that called
    #[arg(long, value_name = "PHONE")]
    from_number: Option<String>,
    /// The number that was called
    #[arg(long, value_name = "PHONE")]
    to_number: Option<String>,
    /// The contact's id [default: whoever has the number at the other end]
    #[arg(long, value_name = "ID")]
    contact: Option<String>,
    /// The name of the contact if one is created
    #[arg(long, value_name = "NAME")]
    contact_name: Option<String>,
    /// The language that was spoken: en or fr
    #[arg(long)]
    locale: Option<String>,
    /// What was said
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Where the recording is
    #[arg(long, value_name = "URL")]
    recording_url: Option<String>,
    /// The id of the appointment that it was about
    #[arg(long, value_name = "ID")]
    appointment: Option<String>,
    /// The id of the message that was taken
    #[arg(long, value_name = "ID")]
    message: Option<String>,
}

impl CallCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::List(List { of, direction, outcome, contact, span, paging }) => {
                let task = Task::list(of.path(&["calls"]), COLUMNS, paging).narrowed("direction", direction);
                let task = task.narrowed("outcome", outcome).narrowed("contact_id", contact);
                task.narrowed_by(span.filters())
            }
            Self::Show(one) => Task::get(one.path("calls")),
            Self::Create(call) => call.into_task(),
        }
    }
}

impl Create {
    fn into_task(self) -> Task {
        let call = self;
        let body = Body::default()
            .with("direction", call.direction)
            .with("status", call.status)
            .with("outcome", call.outcome)
            .with("started_at", Typed::new("--started-at", Kind::Instant, call.started_at))
            .with("ended_at", Typed::new("--ended-at", Kind::Instant, call.ended_at))
            .given("duration_seconds", call.duration_seconds)
            .given("from_number", call.from_number)
            .given("to_number", call.to_number)
            .given("contact_id", call.contact)
            .given("contact_name", call.contact_name)
            .given("locale", call.locale)
            .given("summary", call.summary)
            .given("recording_url", call.recording_url)
            .given("appointment_id", call.appointment)
            .given("message_id", call.message);
        Task::post(call.of.path(&["calls"]), body)
    }
}
