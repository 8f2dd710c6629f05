//! The contact in the body of a booking, for the public API and the operator API.

use domain::{ContactDetails, ContactId, Email, Locale, Phone, ProblemCode, Text};
use engine::business::commands::appointments::BookingContact;
use schemars::Schema;

use super::error::ApiError;
use super::values::time::Zone;
use crate::http::object::one_of;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::Properties;
use crate::json_object;

json_object! {
    /// The contact of a booking.
    pub(crate) struct ContactBody {
        /// The contact's name.
        name: Option<Text<1, 200>>,
        /// The phone number, in E.164 or national form.
        phone: Option<Phone>,
        /// The email address.
        email: Option<Email>,
        /// The language that the contact speaks.
        locale: Option<Locale>,
        /// The contact's IANA time zone.
        timezone: Option<Zone>,
    }
    check phone_or_email
}

/// Reports a problem if both phone and email are absent, since no later booking could find such a contact.
fn phone_or_email(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    if !properties.has("phone") && !properties.has("email") {
        problems.add(at, ProblemCode::PhoneOrEmail);
    }
}

/// Reports a problem if the body has both `contact_id` and `contact`, or neither of them.
pub(crate) fn one_contact(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    match (properties.has("contact_id"), properties.has("contact")) {
        (true, true) => problems.add(&at.property("contact"), ProblemCode::NotWith(&["contact_id"])),
        (false, false) => problems.add(&at.property("contact"), ProblemCode::RequiredOr("contact_id")),
        _ => {}
    }
}

pub(crate) fn one_contact_described(object: &mut Schema) {
    one_of(object, &[("BookWithContactId", &["contact_id"]), ("BookWithContact", &["contact"])]);
}

impl From<ContactBody> for ContactDetails {
    fn from(body: ContactBody) -> Self {
        let ContactBody { name, phone, email, locale, timezone } = body;
        Self { name, phone, email, locale, zone: timezone.map(Zone::get) }
    }
}

/// Returns the contact of a booking body that has passed [`one_contact`].
pub(crate) fn booking_contact(
    contact_id: Option<ContactId>,
    contact: Option<impl Into<ContactDetails>>,
) -> Result<BookingContact, ApiError> {
    match (contact_id, contact) {
        (Some(id), _) => Ok(BookingContact::Known(id)),
        (None, Some(contact)) => Ok(BookingContact::Described(contact.into())),
        (None, None) => Err(ApiError::invalid("contact", ProblemCode::RequiredOr("contact_id"))),
    }
}
