//! `receptionist appointment`: the team's own bookings and moves, which every booking mode lets through.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, OneInBusiness};
use super::task::{Body, Task, in_business};

/// Commands on appointments.
#[derive(Debug, Subcommand)]
pub enum AppointmentCommand {
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
}

/// What is booked, when, with whom and for whom.
#[derive(Debug, Args)]
pub struct Book {
    #[command(flatten)]
    of: InBusiness,
    /// The service's id
    #[arg(long, value_name = "ID")]
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

/// A time and who takes it.
#[derive(Debug, Args)]
struct Time {
    /// When it starts, such as 2026-03-02T09:00:00Z
    #[arg(long, value_name = "TIME")]
    starts_at: String,
    /// The id of the staff member who takes it
    #[arg(long, value_name = "ID")]
    staff: Option<String>,
}

impl Time {
    fn add_to(self, body: Body) -> Body {
        body.with("starts_at", self.starts_at).given("staff_id", self.staff)
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
    #[arg(long, value_name = "ZONE")]
    contact_timezone: Option<String>,
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
        let path = |one: &OneInBusiness, action: &str| {
            in_business(&one.of.business, &["appointments", &one.id, action])
        };
        match self {
            Self::Book(book) => {
                let body = book
                    .time
                    .add_to(Body::default().with("service_id", book.service))
                    .given("contact_id", book.contact)
                    .given_object("contact", book.new_contact.body())
                    .given("source", book.source);
                Task::post(in_business(&book.of.business, &["appointments"]), body)
            }
            Self::Confirm(one) => Task::act(path(&one, "confirm")),
            Self::Decline(one) => Task::act(path(&one, "decline")),
            Self::Cancel(one) => Task::act(path(&one, "cancel")),
            Self::Reschedule(Reschedule { one, time }) => {
                Task::post(path(&one, "reschedule"), time.add_to(Body::default()))
            }
        }
    }
}
