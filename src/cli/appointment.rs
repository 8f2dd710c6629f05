//! `receptionist appointment book`: a booking by the team, which every booking mode allows.

use clap::Args;

use super::arguments::{InBusiness, service, staff};
use super::request::Body;
use super::task::Task;
use super::typed::{Kind, Typed, zone};

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
    /// Allow a time within the buffers around other appointments
    #[arg(long)]
    ignore_buffers: bool,
    /// The id of an existing contact
    #[arg(long, value_name = "ID", conflicts_with = "NewContact")]
    contact: Option<String>,
    #[command(flatten)]
    new_contact: NewContact,
    /// The source of the booking, such as voice, sms or website [default: dashboard]
    #[arg(long)]
    source: Option<String>,
}

/// The customer: an existing contact with this phone number or email, otherwise a new contact.
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

impl Book {
    pub(super) fn into_task(self) -> Task {
        let body = Body::default()
            .with("service_id", service(self.service))
            .with("starts_at", Typed::new("--starts-at", Kind::Instant, self.starts_at))
            .given("staff_id", self.staff.map(staff))
            .given("ignore_buffers", self.ignore_buffers.then_some(true))
            .given("contact_id", self.contact)
            .given_object("contact", self.new_contact.body())
            .given("source", self.source);
        Task::post(self.of.path(&["appointments"]), body)
    }
}
