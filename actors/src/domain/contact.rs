//! A contact: someone who called, wrote or booked.

use chrono_tz::Tz;

use super::{ContactId, Email, Locale, Phone, Text, Timestamp};

/// A contact of a business. Phone and email are each unique within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// Their id.
    pub id: ContactId,
    /// Their name, 1 to 200 characters.
    pub name: Option<String>,
    /// Their phone number in E.164 form.
    pub phone: Option<String>,
    /// Their email address in lower case.
    pub email: Option<String>,
    /// The language they speak.
    pub locale: Option<Locale>,
    /// The zone they live in.
    pub zone: Option<Tz>,
    /// When they first appeared.
    pub created_at: Timestamp,
    /// When they last changed.
    pub updated_at: Timestamp,
}

/// What a request says of a contact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContactDetails {
    /// Their name.
    pub name: Option<Text<1, 200>>,
    /// Their phone number.
    pub phone: Option<Phone>,
    /// Their email address.
    pub email: Option<Email>,
    /// The language they speak.
    pub locale: Option<Locale>,
    /// The zone they live in.
    pub zone: Option<Tz>,
}

impl ContactDetails {
    /// The contact these details make.
    pub fn into_contact(self, id: ContactId, now: Timestamp) -> Contact {
        Contact {
            id,
            name: self.name.map(Text::into_string),
            phone: self.phone.map(|phone| phone.as_str().to_owned()),
            email: self.email.map(|email| email.as_str().to_owned()),
            locale: self.locale,
            zone: self.zone,
            created_at: now,
            updated_at: now,
        }
    }
}
