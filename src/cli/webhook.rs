//! `receptionist webhook`: the webhook endpoints of a business, their delivery log, and sending again.

use actors::domain::EventType;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::arguments::{InBusiness, ListInBusiness, OneInBusiness, Paging};
use super::request::Body;
use super::task::Task;

const COLUMNS: &[&str] = &["id", "status", "disabled_reason", "url", "events", "description"];
const DELIVERY_COLUMNS: &[&str] = &[
    "event_id",
    "type",
    "status",
    "attempts",
    "last_response_status",
    "last_error",
    "next_attempt_at",
    "created_at",
];

/// Commands on webhook endpoints.
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// List the endpoints
    List(ListInBusiness),
    /// Show an endpoint
    Show(OneInBusiness),
    /// Subscribe an endpoint to events, and print its secret; it is shown only this once
    Create(Create),
    /// Remove an endpoint; what waits for it is never sent
    Delete(OneInBusiness),
    /// Turn an endpoint on again; what it missed stays missed until it is resent
    Enable(OneInBusiness),
    /// Turn an endpoint off
    Disable(OneInBusiness),
    /// Show the delivery log of an endpoint, newest first
    Deliveries(Deliveries),
    /// Send one event again
    Resend(Resend),
    /// Send every missed and failed event again
    ResendMissed(OneInBusiness),
    /// Give an endpoint a new secret, which is shown this once
    RotateSecret(OneInBusiness),
}

/// What a new endpoint is sent.
#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    of: InBusiness,
    /// Where events are sent: an https URL on a public address
    #[arg(long)]
    url: String,
    /// A type of events, such as appointment.booked; once for each
    #[arg(long, value_name = "TYPE", required_unless_present = "all_events",
        value_parser = PossibleValuesParser::new(EventType::ALL.iter().map(|event| event.as_str())))]
    event: Vec<String>,
    /// Every type of events there is
    #[arg(long, conflicts_with = "event")]
    all_events: bool,
    /// What it is
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
}

/// Which deliveries to show.
#[derive(Debug, Args)]
pub struct Deliveries {
    #[command(flatten)]
    one: OneInBusiness,
    /// Only those that stand like this: pending, delivered, failed or missed
    #[arg(long)]
    status: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

/// Which event to send again.
#[derive(Debug, Args)]
pub struct Resend {
    #[command(flatten)]
    of: InBusiness,
    /// The endpoint's id
    id: String,
    /// The event's id
    event: String,
}

impl WebhookCommand {
    pub(super) fn into_task(self) -> Task {
        let status = |one: OneInBusiness, status: &str| {
            Task::patch(one.path("webhooks"), Body::default().with("status", status))
        };
        match self {
            Self::List(list) => Task::list(list.of.path(&["webhooks"]), COLUMNS, list.paging),
            Self::Show(one) => Task::get(one.path("webhooks")),
            Self::Create(Create { of, url, event, all_events, description }) => {
                let every = || EventType::ALL.iter().map(EventType::to_string).collect();
                let events: Vec<String> = if all_events { every() } else { event };
                let body = Body::default().with("url", url).with("events", events);
                Task::post(of.path(&["webhooks"]), body.given("description", description))
                    .with_note("the secret is shown only this once; receivers check signatures with it")
            }
            Self::Delete(one) => Task::delete(one.path("webhooks"), "deleted"),
            Self::Enable(one) => status(one, "enabled"),
            Self::Disable(one) => status(one, "disabled"),
            Self::Deliveries(Deliveries { one, status, paging }) => {
                Task::list(one.path("webhooks").then("deliveries"), DELIVERY_COLUMNS, paging)
                    .narrowed("status", status)
            }
            Self::Resend(Resend { of, id, event }) => {
                Task::act(of.path(&["webhooks", &id, "deliveries", &event, "resend"]))
            }
            Self::ResendMissed(one) => Task::act(one.path("webhooks").then("resend-missed")),
            Self::RotateSecret(one) => Task::act(one.path("webhooks").then("rotate-secret"))
                .with_note("the secret is shown only this once; the old one has stopped working"),
        }
    }
}
