//! Contacts, and the team's notes on contacts and appointments, as the APIs show them.

use std::borrow::Cow;

use domain::{Contact, ContactId, Locale, ServiceId, SkipReason, StaffId, Timestamp, Visits};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::View;

/// A contact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Contact")]
pub struct ContactView {
    /// The contact's id.
    pub id: ContactId,
    /// The contact's name.
    pub name: Option<String>,
    /// The phone number in E.164 form.
    pub phone: Option<String>,
    /// The email address.
    pub email: Option<String>,
    /// The contact's language.
    pub locale: Option<Locale>,
    /// The IANA name of the contact's time zone.
    pub timezone: Option<Cow<'static, str>>,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// A contact, as the team sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorContact")]
pub struct OperatorContactView {
    /// The fields that integrations see.
    #[serde(flatten)]
    pub contact: ContactView,
    /// The team's notes.
    #[serde(flatten)]
    pub notes: NotesView,
    /// A text that the team sees next to the name, up to 100 characters, for example about an allergy.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub alert: Option<Option<String>>,
}

/// A contact, with figures about its appointments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ContactWithVisits")]
pub struct ContactWithVisitsView {
    /// The fields of the contact. The entity tag depends only on these fields.
    #[serde(flatten)]
    pub contact: OperatorContactView,
    /// Figures about the appointments of the contact.
    pub visits: VisitsView,
}

/// Figures about the appointments of a contact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Visits")]
pub struct VisitsView {
    /// The start of the next pending or confirmed appointment.
    pub next_at: Option<Timestamp>,
    /// The start of the last confirmed appointment that has begun and is not marked as a no-show.
    pub last_at: Option<Timestamp>,
    /// The number of confirmed appointments in the past and in the future.
    pub confirmed: u32,
    /// The number of cancelled appointments.
    pub cancelled: u32,
    /// The number of appointments to which the customer did not come.
    pub no_show: u32,
    /// The service with the most confirmed appointments.
    pub usual_service_id: Option<ServiceId>,
    /// The staff member with the most confirmed appointments.
    pub usual_staff_id: Option<StaffId>,
}

impl From<Visits> for VisitsView {
    fn from(visits: Visits) -> Self {
        let Visits { next_at, last_at, confirmed, cancelled, no_show, usual_service_id, usual_staff_id } =
            visits;
        Self { next_at, last_at, confirmed, cancelled, no_show, usual_service_id, usual_staff_id }
    }
}

/// The result of an import of contacts, or of a dry run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContactsImported")]
pub struct ContactsImportedView {
    /// The number of created contacts.
    pub created: u64,
    /// The rows for which no contact was created, in the order of the file.
    pub skipped: Vec<SkippedRowView>,
}

/// A row for which no contact was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SkippedRow")]
pub struct SkippedRowView {
    /// The line of the file on which the row begins.
    pub line: u64,
    /// The reason: the row's phone number or email address exists in the business or in an earlier row.
    pub reason: SkipReason,
}

pub trait SomeContactView: View + for<'a> From<&'a Contact> {}

impl<V: View + for<'a> From<&'a Contact>> SomeContactView for V {}

impl From<&Contact> for OperatorContactView {
    fn from(contact: &Contact) -> Self {
        Self { contact: contact.into(), notes: (&contact.notes).into(), alert: Some(contact.alert.clone()) }
    }
}

impl From<&Contact> for ContactView {
    fn from(contact: &Contact) -> Self {
        Self {
            id: contact.id,
            name: contact.name.clone(),
            phone: contact.phone.as_deref().map(str::to_owned),
            email: contact.email.as_deref().map(str::to_owned),
            locale: contact.locale,
            timezone: contact.zone.map(|zone| zone.name().into()),
            created_at: contact.created_at,
            updated_at: contact.updated_at,
        }
    }
}

/// The team's notes. The property is absent only in a repeated response that an earlier version stored without it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotesView {
    /// The team's notes, up to 1,000 characters.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    notes: Option<Option<String>>,
}

impl NotesView {
    pub fn get(&self) -> Option<&str> {
        self.notes.as_ref()?.as_deref()
    }
}

impl From<&Option<String>> for NotesView {
    fn from(notes: &Option<String>) -> Self {
        Self { notes: Some(notes.clone()) }
    }
}

/// Deserialises null as `Some(None)`. The field also has `#[serde(default)]`, so an absent property becomes `None`. The
/// difference matters for stored responses: if an earlier version stored a response without the property, the repeated
/// response must not contain the property either.
pub(super) fn said<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}
