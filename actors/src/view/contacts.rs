//! Contacts.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NotesView, View};
use crate::domain::{Contact, ContactId, Locale, Timestamp};

/// A contact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Contact")]
pub struct ContactView {
    /// Their id.
    pub id: ContactId,
    /// Their name.
    pub name: Option<String>,
    /// Their phone number, E.164.
    pub phone: Option<String>,
    /// Their email address.
    pub email: Option<String>,
    /// The language they speak.
    pub locale: Option<Locale>,
    /// IANA name of the zone they live in.
    pub timezone: Option<Cow<'static, str>>,
    /// When they first appeared.
    pub created_at: Timestamp,
    /// When they last changed.
    pub updated_at: Timestamp,
}

/// A contact, as the business's team sees them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorContact")]
pub struct OperatorContactView {
    /// What integrations see.
    #[serde(flatten)]
    pub contact: ContactView,
    /// What the team notes of them.
    #[serde(flatten)]
    pub notes: NotesView,
}

/// Some view of a contact.
pub trait SomeContactView: View + for<'a> From<&'a Contact> {}

impl<V: View + for<'a> From<&'a Contact>> SomeContactView for V {}

impl From<&Contact> for OperatorContactView {
    fn from(contact: &Contact) -> Self {
        Self { contact: contact.into(), notes: (&contact.notes).into() }
    }
}

impl From<&Contact> for ContactView {
    fn from(contact: &Contact) -> Self {
        Self {
            id: contact.id,
            name: contact.name.clone(),
            phone: contact.phone.clone(),
            email: contact.email.clone(),
            locale: contact.locale,
            timezone: contact.zone.map(|zone| zone.name().into()),
            created_at: contact.created_at,
            updated_at: contact.updated_at,
        }
    }
}
