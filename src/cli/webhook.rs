//! `receptionist webhook`: the webhook endpoints of a business, their delivery log, and sending again.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, ListInBusiness, OneInBusiness, Paging};
use super::task::{Body, Task, in_business};

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
        let at = |one: &OneInBusiness, more: &[&str]| {
            in_business(&one.of.business, &[&["webhooks", one.id.as_str()], more].concat())
        };
        match self {
            Self::List(list) => {
                Task::list(in_business(&list.of.business, &["webhooks"]), COLUMNS, list.paging)
            }
            Self::Show(one) => Task::get(at(&one, &[])),
            Self::Enable(one) => {
                Task::patch(at(&one, &[]), Body::default().with("status", "enabled".to_owned()))
            }
            Self::Disable(one) => {
                Task::patch(at(&one, &[]), Body::default().with("status", "disabled".to_owned()))
            }
            Self::Deliveries(Deliveries { one, status, paging }) => {
                Task::list(at(&one, &["deliveries"]), DELIVERY_COLUMNS, paging).narrowed("status", status)
            }
            Self::Resend(Resend { of, id, event }) => {
                Task::act(in_business(&of.business, &["webhooks", &id, "deliveries", &event, "resend"]))
            }
            Self::ResendMissed(one) => Task::act(at(&one, &["resend-missed"])),
            Self::RotateSecret(one) => Task::act(at(&one, &["rotate-secret"]))
                .with_note("the secret is shown only this once; the old one has stopped working"),
        }
    }
}
