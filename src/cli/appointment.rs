//! `receptionist appointment`: what is booked, and the team's own bookings and moves, which every booking mode lets
//! through.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, OneInBusiness, Paging, Span, service, staff};
use super::request::Body;
use super::task::Task;
use super::typed::{Kind, Typed, zone};

const COLUMNS: &[&str] = &[
    "id",
    "starts_at@timezone",
    "status",
    "service_name",
    "staff_name",
    "contact_name",
    "contact_phone",
    "source",
];

/// Commands on appointments.
#[derive(Debug, Subcommand)]
pub enum AppointmentCommand {
    /// List appointments, by their start
    List(List),
    /// Show an appointment
    Show(OneInBusiness),
    /// Book an appointment
    Book(Box<Book>),
    /// Confirm a pending appointment
    Confirm(OneInBusiness),
    /// Decline a pending appointment
    Decline(OneInBusiness),
    /// Cancel an appointment
    Cancel(OneInBusiness),
    /// Move an appointment to another time or staff member
    Reschedule(Reschedule),
    /// Change what the team notes of an appointment
    Update(Update),
}

/// Which appointments to show.
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    of: InBusiness,
    /// Only those that stand like this: pending, confirmed, declined or cancelled; several with commas
    #[arg(long)]
    status: Option<String>,
    /// Only those for this service, by its id or name
    #[arg(long)]
    service: Option<String>,
    /// Only those with this staff member, by their id or name
    #[arg(long)]
    staff: Option<String>,
    /// Only those of the contact of this id
    #[arg(long, value_name = "ID")]
    contact: Option<String>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    paging: Paging,
}

/// What is booked, when, with whom and for whom.
#[derive(Debug, Args)]
pub struct Book {
    #[command(flatten)]
    of: InBusiness,
    /// The service, by its id or name
    #[arg(long)]
    service: String,
    #[command(flatten)]
    time: Time,
    /// The id of the contact it is for
    #[arg(long, value_name = "ID", conflicts_with = "NewContact")]
    contact: Option<String>,
    #[command(flatten)]
    new_contact: NewContact,
    /// Where the booking came from, such as voice, sms or website [default: dashboard]
    #[arg(long)]
    source: Option<String>,
}

/// Where an appointment moves to.
#[derive(Debug, Args)]
pub struct Reschedule {
    #[command(flatten)]
    one: OneInBusiness,
    #[command(flatten)]
    time: Time,
}

/// What changes in an appointment as it stands.
#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    one: OneInBusiness,
    /// What the team notes of it
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
    /// Delete what the team notes of it
    #[arg(long, conflicts_with = "notes")]
    clear_notes: bool,
}

/// A time and who takes it.
#[derive(Debug, Args)]
struct Time {
    /// When it starts, such as '2026-03-02 9:00' or 'tue 9:00' of the business, or 2026-03-02T09:00:00Z
    #[arg(long, visible_alias = "at", value_name = "TIME")]
    starts_at: String,
    /// The staff member who takes it, by their id or name
    #[arg(long)]
    staff: Option<String>,
    /// Even where it lies in what appointments keep free around them
    #[arg(long)]
    ignore_buffers: bool,
}

impl Time {
    fn add_to(self, body: Body) -> Body {
        body.with("starts_at", Typed::new("--starts-at", Kind::Instant, self.starts_at))
            .given("staff_id", self.staff.map(staff))
            .given("ignore_buffers", self.ignore_buffers.then_some(true))
    }
}

/// Whom it is for, found by phone or email, else created.
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

impl List {
    fn into_task(self) -> Task {
        Task::list(self.of.path(&["appointments"]), COLUMNS, self.paging)
            .narrowed("status", self.status)
            .narrowed("service_id", self.service.map(service))
            .narrowed("staff_id", self.staff.map(staff))
            .narrowed("contact_id", self.contact)
            .narrowed_by(self.span.filters())
    }
}

impl NewContact {
    fn body(self) -> Body {
        Body::default()
            .given("name", self.contact_name)
            .given("phone", self.contact_phone)
            .given("email", self.contact_email)
            .given("locale", self.contact_locale)
            .given("timezone", self.contact_timezone)
    }
}

impl AppointmentCommand {
    pub(super) fn into_task(self) -> Task {
        let path = |one: OneInBusiness, action: &str| one.path("appointments").then(action);
        match self {
            Self::List(list) => list.into_task(),
            Self::Show(one) => Task::get(one.path("appointments")),
            Self::Book(book) => {
                let body = book
                    .time
                    .add_to(Body::default().with("service_id", service(book.service)))
                    .given("contact_id", book.contact)
                    .given_object("contact", book.new_contact.body())
                    .given("source", book.source);
                Task::post(book.of.path(&["appointments"]), body)
            }
            Self::Confirm(one) => Task::act(path(one, "confirm")),
            Self::Decline(one) => Task::act(path(one, "decline")),
            Self::Cancel(one) => Task::act(path(one, "cancel")),
            Self::Update(Update { one, notes, clear_notes }) => {
                let body = Body::default().given("notes", notes).cleared("notes", clear_notes);
                Task::patch(one.path("appointments"), body)
            }
            Self::Reschedule(Reschedule { one, time }) => {
                Task::post(path(one, "reschedule"), time.add_to(Body::default()))
            }
        }
    }
}
