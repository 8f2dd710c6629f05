//! `receptionist person link` and `notifications`. A link is shown only by the call that creates it.

use clap::{Args, ValueEnum};
use hyper::Method;
use serde_json::Value;

use super::arguments::InBusiness;
use super::record::Record;
use super::request::{Body, Path};
use super::task::{Show, Task};
use super::typed::{Kind, Typed};

const ALERTS: &[&str] = &["kind", "email", "in_app", "scope"];

/// The note about the link in a response.
pub(super) fn about_link(record: &Record) -> &'static str {
    match record.get("no_link_reason").and_then(Value::as_str) {
        Some("has_password") => {
            "no link was created: the account has a password, so the person signs in with it"
        }
        Some("no_public_url") => {
            "no link was created, since the service has no public URL: set RECEPTIONIST_PUBLIC_URL, then create a link with \
             `receptionist person link`"
        }
        _ if record.get("link").is_some_and(Value::is_null) => {
            "this is a repeated response without its link: create another with `receptionist person link`"
        }
        _ => "store the link now: it is not shown again and works once",
    }
}

#[derive(Debug, Args)]
struct One {
    #[command(flatten)]
    of: InBusiness,
    /// The id or e-mail address of the person
    #[arg(value_name = "PERSON")]
    person: String,
}

impl One {
    fn path(self) -> Path {
        self.of.path(&["people"]).then(Typed::new("PERSON", Kind::Person, self.person))
    }
}

#[derive(Debug, Args)]
pub(super) struct Link {
    #[command(flatten)]
    one: One,
    /// The kind of link: invitation, reset or enter [default: invitation or reset, depending on the account]
    #[arg(long)]
    kind: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Notifications {
    #[command(flatten)]
    one: One,
    /// The kind of alert to change
    #[arg(long, value_enum)]
    kind: Option<AlertKind>,
    /// When to send mails: now, daily or off
    #[arg(long, requires = "kind")]
    email: Option<String>,
    /// Whether the dashboard shows the alerts
    #[arg(long, value_name = "BOOL", requires = "kind")]
    in_app: Option<bool>,
    /// Alerts of the whole business, or only of the person's own staff member: all or mine
    #[arg(long, requires = "kind")]
    scope: Option<String>,
}

/// The kinds of alerts, with the names of the operator API.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum AlertKind {
    /// An endpoint was disabled because of failures
    WebhookDisabled,
    /// An urgent message was taken
    UrgentMessage,
    /// A normal message was taken
    MessageTaken,
    /// A booking or a move waits for the team's answer
    AppointmentRequested,
    /// An appointment was booked
    AppointmentBooked,
    /// An appointment was moved
    AppointmentRescheduled,
    /// An appointment was cancelled
    AppointmentCancelled,
    /// A call was missed or failed
    CallMissed,
}

impl Link {
    pub(super) fn into_task(self) -> Task {
        let body = Body::default().given("kind", self.kind);
        Task::post(self.one.path().then("link"), body).shown(Show::RecordWithLink)
    }
}

impl Notifications {
    pub(super) fn into_task(self) -> Task {
        let Self { one, kind, email, in_app, scope } = self;
        let path = one.path().then("notifications");
        let kind = kind.and_then(|kind| kind.to_possible_value());
        let task = match kind {
            Some(kind) => {
                let choice =
                    Body::default().given("email", email).given("in_app", in_app).given("scope", scope);
                let body = Body::default().with_object(kind.get_name(), choice);
                Task::new(Method::PATCH, path, Some(body))
            }
            None => Task::get(path),
        };
        task.shown(Show::ByField(ALERTS))
    }
}
