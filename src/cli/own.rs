//! The commands whose arguments are not derived from the API: `availability`, `insights`, `appointment book`
//! and `person link`.

use clap::Args;
use serde_json::Value;

use super::arguments::{InBusiness, Paging, service, staff};
use super::options::OperatorOptions;
use super::record::Record;
use super::request::Terms;
use super::task::{Show, Task};
use super::typed::{Kind, Typed, zone};

const INSIGHTS: &str = "from bookings cancellations no_shows new_customers returning_customers \
                        lead_time_minutes calls calls_answered calls_converted";

/// The default number of days. It is also the maximum that the service accepts.
const DAYS: u64 = 7;

#[derive(Args)]
pub(super) struct AvailabilityArgs {
    #[command(flatten)]
    of: InBusiness,
    /// The id or name of the service
    #[arg(long)]
    service: String,
    /// Show only times when the staff member with this id or name is free
    #[arg(long)]
    staff: Option<String>,
    /// The first day, such as 2026-03-02, tomorrow or tue
    #[arg(long, visible_alias = "from", value_name = "DAY", default_value = "today")]
    start_date: String,
    /// The last day; the range has at most 7 days [default: 6 days after the first]
    #[arg(long, visible_alias = "to", value_name = "DAY")]
    end_date: Option<String>,
    /// Also show times within the buffers around appointments
    #[arg(long)]
    ignore_buffers: bool,
    /// Also show times that overlap the busy times of connected calendars
    #[arg(long)]
    ignore_calendars: bool,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    pub(super) options: OperatorOptions,
}

impl AvailabilityArgs {
    pub(super) fn into_task(self) -> Task {
        let first = Typed::new("--start-date", Kind::Day { later_by: 0 }, self.start_date.as_str());
        let last = match self.end_date {
            Some(day) => Typed::new("--end-date", Kind::Day { later_by: 0 }, day),
            None => Typed::new("--start-date", Kind::Day { later_by: DAYS - 1 }, self.start_date),
        };
        Task::list(self.of.path(&["availability"]), Show::Times, self.paging)
            .narrowed("service_id", Some(service(self.service)))
            .narrowed("staff_id", self.staff.map(staff))
            .narrowed("start_date", Some(first))
            .narrowed("end_date", Some(last))
            .narrowed("ignore_buffers", self.ignore_buffers.then_some(true))
            .narrowed("ignore_calendars", self.ignore_calendars.then_some(true))
    }
}

#[derive(Args)]
pub(super) struct InsightsArgs {
    #[command(flatten)]
    of: InBusiness,
    /// The first day, such as 2026-03-02
    #[arg(long, value_name = "DAY")]
    from: String,
    /// The last day, at most 24 months after the first
    #[arg(long, value_name = "DAY", default_value = "today")]
    to: String,
    /// The length of the periods: week or month
    #[arg(long, value_name = "PERIOD", default_value = "week")]
    by: String,
    /// Print a CSV file, with the figures of each staff member
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    pub(super) options: OperatorOptions,
}

impl InsightsArgs {
    pub(super) fn into_task(self) -> Task {
        let day = |flag, day: String| Some(Typed::new(flag, Kind::Day { later_by: 0 }, day));
        let (path, show) = if self.csv {
            ("insights.csv", Show::File)
        } else {
            ("insights", Show::Within("periods", INSIGHTS))
        };
        Task::get(self.of.path(&[path]))
            .shown(show)
            .narrowed("from", day("--from", self.from))
            .narrowed("to", day("--to", self.to))
            .narrowed("by", Some(self.by))
    }
}

/// A booking by the team, which every booking mode allows.
#[derive(Debug, Args)]
pub(super) struct Book {
    #[command(flatten)]
    of: InBusiness,
    /// The id or name of the service
    #[arg(long)]
    service: String,
    /// The start time, such as '2026-03-02 9:00' or 'tue 9:00' in the zone of the business, or
    /// 2026-03-02T09:00:00Z
    #[arg(long, visible_alias = "at", value_name = "TIME")]
    starts_at: String,
    /// The id or name of the staff member
    #[arg(long)]
    staff: Option<String>,
    /// The duration in minutes [default: the duration of the service]
    #[arg(long)]
    duration_minutes: Option<u32>,
    /// Allow a time within the buffers around other appointments
    #[arg(long)]
    ignore_buffers: bool,
    /// Allow a time that overlaps the busy times of connected calendars
    #[arg(long)]
    ignore_calendars: bool,
    /// Allow a time that is not bookable, even up to 30 days ago; requires --staff. The appointment must not
    /// overlap another appointment of the staff member
    #[arg(long = "override", requires = "staff")]
    overrides: bool,
    /// The id of an existing contact
    #[arg(long, value_name = "ID", conflicts_with = "NewContact")]
    contact: Option<String>,
    #[command(flatten)]
    new_contact: NewContact,
    /// The source of the booking, such as voice, sms or website [default: dashboard]
    #[arg(long)]
    source: Option<String>,
}

/// The customer. If a contact has this phone number or email, the booking is for this contact. If there is no such
/// contact, or if only a name is given, the service creates a contact.
#[derive(Debug, Args)]
#[group(multiple = true)]
struct NewContact {
    /// The contact's name
    #[arg(long, value_name = "NAME")]
    contact_name: Option<String>,
    /// The contact's phone number
    #[arg(long, value_name = "PHONE")]
    contact_phone: Option<String>,
    /// The contact's email address
    #[arg(long, value_name = "EMAIL")]
    contact_email: Option<String>,
    /// The contact's language: en or fr
    #[arg(long, value_name = "LOCALE")]
    contact_locale: Option<String>,
    /// The contact's time zone
    #[arg(long, value_name = "ZONE", value_parser = zone::parse)]
    contact_timezone: Option<String>,
}

impl Book {
    pub(super) fn into_task(self) -> Task {
        let contact = self.new_contact;
        let body = Terms::default()
            .with("service_id", service(self.service))
            .with("starts_at", Typed::new("--starts-at", Kind::Instant, self.starts_at))
            .given("staff_id", self.staff.map(staff))
            .given("duration_minutes", self.duration_minutes)
            .given("ignore_buffers", self.ignore_buffers.then_some(true))
            .given("ignore_calendars", self.ignore_calendars.then_some(true))
            .given("override", self.overrides.then_some(true))
            .given("contact_id", self.contact)
            .given("contact.name", contact.contact_name)
            .given("contact.phone", contact.contact_phone)
            .given("contact.email", contact.contact_email)
            .given("contact.locale", contact.contact_locale)
            .given("contact.timezone", contact.contact_timezone)
            .given("source", self.source);
        Task::post(self.of.path(&["appointments"]), body)
    }
}

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
pub(super) struct Link {
    #[command(flatten)]
    of: InBusiness,
    /// The id or email address of the person
    #[arg(value_name = "PERSON")]
    person: String,
    /// The kind of link: invitation, reset or enter [default: invitation or reset, depending on the account]
    #[arg(long)]
    kind: Option<String>,
}

impl Link {
    pub(super) fn into_task(self) -> Task {
        let person = Typed::new("PERSON", Kind::Person, self.person);
        let path = self.of.path(&["people"]).then(person).then("link");
        Task::post(path, Terms::default().given("kind", self.kind)).shown(Show::RecordWithLink)
    }
}
