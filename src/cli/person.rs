//! `receptionist person`: the people of a business and their sign-in links. A link is shown only by the call
//! that creates it.

use clap::{Args, Subcommand, ValueEnum};
use hyper::Method;
use serde_json::Value;

use super::arguments::{InBusiness, ListInBusiness, staff};
use super::record::Record;
use super::request::{Body, Path};
use super::task::{Show, Task};
use super::typed::{Kind, Typed};

const COLUMNS: &[&str] = &["id", "email", "name", "role", "status", "staff_id", "last_sign_in_at"];
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

#[derive(Debug, Subcommand)]
pub(super) enum PersonCommand {
    /// Add a person and print a link to choose a password
    Add(Add),
    /// List the people of a business
    List(ListInBusiness),
    /// Show a person
    Show(One),
    /// Change a person; omitted values stay the same
    Change(Change),
    /// Remove a person from the business; the account stays
    Remove(One),
    /// Create a link and print it; earlier links of the person stop working
    Link(Link),
    /// Show the alert settings of a person, or change those of one kind
    Notifications(Notifications),
}

#[derive(Debug, Args)]
pub(super) struct One {
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
pub(super) struct Add {
    #[command(flatten)]
    of: InBusiness,
    /// The e-mail address
    #[arg(long)]
    email: String,
    /// The name
    #[arg(long)]
    name: Option<String>,
    /// The role: owner, admin or member
    #[arg(long)]
    role: String,
    /// The id or name of the staff member that the person is
    #[arg(long)]
    staff: Option<String>,
    /// The language: en or fr
    #[arg(long)]
    locale: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Change {
    #[command(flatten)]
    one: One,
    /// The role: owner, admin or member
    #[arg(long)]
    role: Option<String>,
    /// The id or name of the staff member that the person is
    #[arg(long, conflicts_with = "clear_staff")]
    staff: Option<String>,
    /// The person is not a staff member
    #[arg(long)]
    clear_staff: bool,
    /// The name
    #[arg(long)]
    name: Option<String>,
    /// The access of the person: active or disabled
    #[arg(long)]
    status: Option<String>,
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

impl PersonCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::Add(Add { of, email, name, role, staff: member, locale }) => {
                let body = Body::default()
                    .with("email", email)
                    .given("name", name)
                    .with("role", role)
                    .given("staff_id", member.map(staff))
                    .given("locale", locale);
                Task::post(of.path(&["people"]), body).shown(Show::RecordWithLink)
            }
            Self::List(list) => Task::list(list.of.path(&["people"]), Show::List(COLUMNS), list.paging),
            Self::Show(one) => Task::get(one.path()),
            Self::Change(Change { one, role, staff: member, clear_staff, name, status }) => {
                let body = Body::default()
                    .given("role", role)
                    .given("staff_id", member.map(staff))
                    .cleared("staff_id", clear_staff)
                    .given("name", name)
                    .given("status", status);
                Task::patch(one.path(), body)
            }
            Self::Remove(one) => Task::new(Method::DELETE, one.path(), None).shown(Show::Done("removed")),
            Self::Link(Link { one, kind }) => {
                Task::post(one.path().then("link"), Body::default().given("kind", kind))
                    .shown(Show::RecordWithLink)
            }
            Self::Notifications(Notifications { one, kind, email, in_app, scope }) => {
                let path = one.path().then("notifications");
                let Some(kind) = kind else { return Task::get(path).shown(Show::ByField(ALERTS)) };
                let choice =
                    Body::default().given("email", email).given("in_app", in_app).given("scope", scope);
                let name =
                    kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
                Task::patch(path, Body::default().with_object(&name, choice)).shown(Show::ByField(ALERTS))
            }
        }
    }
}
