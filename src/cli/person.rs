//! `receptionist person`: who belongs to a business, and links by which they sign in. A link is shown once, by the call
//! that makes it.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;

use super::arguments::{InBusiness, ListInBusiness, staff};
use super::record::Record;
use super::request::{Body, Path};
use super::task::Task;
use super::typed::{Kind, Typed};

const COLUMNS: &[&str] = &["id", "email", "name", "role", "status", "staff_id", "last_sign_in_at"];
const ALERTS: &[&str] = &["kind", "email", "in_app", "scope"];

/// What is told beside a record of its link.
pub(super) fn about_link(record: &Record) -> &'static str {
    match record.get("no_link_reason").and_then(Value::as_str) {
        Some("has_password") => {
            "there is no link: the account has a password, and its person signs in as always"
        }
        Some("no_public_url") => {
            "there is no link, for people reach the service nowhere: set RECEPTIONIST_PUBLIC_URL, then make one with \
             `receptionist person link`"
        }
        _ if record.get("link").is_some_and(Value::is_null) => {
            "the answer is given again, without its link: make another with `receptionist person link`"
        }
        _ => "the link is shown only this once, and works once",
    }
}

/// Commands on people.
#[derive(Debug, Subcommand)]
pub(super) enum PersonCommand {
    /// Add a person, and print the link where they choose a password
    Add(Add),
    /// List the people of a business
    List(ListInBusiness),
    /// Show a person
    Show(One),
    /// Change a person; what is not given stays as it is
    Change(Change),
    /// Take a person's membership away; their account stays
    Remove(One),
    /// Make a link and print it; it voids the person's earlier ones
    Link(Link),
    /// Show how a person is alerted, or change it for one kind
    Notifications(Notifications),
}

/// One person.
#[derive(Debug, Args)]
pub(super) struct One {
    #[command(flatten)]
    of: InBusiness,
    /// The person, by their id or e-mail address
    #[arg(value_name = "PERSON")]
    person: String,
}

impl One {
    fn path(self) -> Path {
        self.of.path(&["people"]).then(Typed::new("PERSON", Kind::Person, self.person))
    }
}

/// Who a new person is.
#[derive(Debug, Args)]
pub(super) struct Add {
    #[command(flatten)]
    of: InBusiness,
    /// Their e-mail address
    #[arg(long)]
    email: String,
    /// Their name
    #[arg(long)]
    name: Option<String>,
    /// What they are: owner, admin or member
    #[arg(long)]
    role: String,
    /// Which staff member they are, by their id or name
    #[arg(long)]
    staff: Option<String>,
    /// Their language: en or fr
    #[arg(long)]
    locale: Option<String>,
}

/// What changes in a person.
#[derive(Debug, Args)]
pub(super) struct Change {
    #[command(flatten)]
    one: One,
    /// What they are: owner, admin or member
    #[arg(long)]
    role: Option<String>,
    /// Which staff member they are, by their id or name
    #[arg(long, conflicts_with = "clear_staff")]
    staff: Option<String>,
    /// They are no staff member
    #[arg(long)]
    clear_staff: bool,
    /// Their name
    #[arg(long)]
    name: Option<String>,
    /// Whether they come in: active or disabled
    #[arg(long)]
    status: Option<String>,
}

/// What a link is for.
#[derive(Debug, Args)]
pub(super) struct Link {
    #[command(flatten)]
    one: One,
    /// What it is for: invitation, reset or enter [default: an invitation or a reset, whichever fits]
    #[arg(long)]
    kind: Option<String>,
}

/// How a person is alerted of one kind.
#[derive(Debug, Args)]
pub(super) struct Notifications {
    #[command(flatten)]
    one: One,
    /// Of what kind to change it
    #[arg(long, value_enum)]
    kind: Option<AlertKind>,
    /// When it is mailed: now, daily or off
    #[arg(long, requires = "kind")]
    email: Option<String>,
    /// Whether it is shown in the dashboard
    #[arg(long, value_name = "BOOL", requires = "kind")]
    in_app: Option<bool>,
    /// Of all of the business's, or of what concerns the person's own staff member: all or mine
    #[arg(long, requires = "kind")]
    scope: Option<String>,
}

/// A kind of alert, as the operator API calls it.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum AlertKind {
    /// An endpoint was turned off for its failures
    WebhookDisabled,
    /// An urgent message was taken
    UrgentMessage,
    /// Another message was taken
    MessageTaken,
    /// A booking or a move waits for the team
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
                Task::post(of.path(&["people"]), body).with_link()
            }
            Self::List(list) => Task::list(list.of.path(&["people"]), COLUMNS, list.paging),
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
            Self::Remove(one) => Task::delete(one.path(), "removed"),
            Self::Link(Link { one, kind }) => {
                Task::post(one.path().then("link"), Body::default().given("kind", kind)).with_link()
            }
            Self::Notifications(Notifications { one, kind, email, in_app, scope }) => {
                let path = one.path().then("notifications");
                let Some(kind) = kind else { return Task::get(path).by_field(ALERTS) };
                let choice =
                    Body::default().given("email", email).given("in_app", in_app).given("scope", scope);
                let name =
                    kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
                Task::patch(path, Body::default().with_object(&name, choice)).by_field(ALERTS)
            }
        }
    }
}
