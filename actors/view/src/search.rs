//! The records that a search has found, as the APIs show them.

use domain::{Direction, FoundKind, KeyId, ResourceId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AppointmentView, CallView, ContactView, MessageView};

/// A record that a search has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SearchResult")]
pub struct FoundView {
    /// The kind of the record.
    pub kind: FoundKind,
    /// The record's id.
    #[schemars(with = "KeyId")]
    pub id: Uuid,
    /// The name of the contact or caller. If there is no name, it is the phone number or the e-mail address.
    pub title: String,
    /// More about the record: the phone number and the e-mail address, or the service and the staff member.
    pub subtitle: String,
    /// The start of the appointment or call, or the time of the message. It is null for a contact.
    pub at: Option<Timestamp>,
}

impl FoundView {
    /// Uses the first non-empty text as the title, and joins the other texts into the subtitle. Returns
    /// `None` if all texts are empty.
    fn new(
        kind: FoundKind,
        id: impl ResourceId,
        texts: [Option<&str>; 3],
        at: Option<Timestamp>,
    ) -> Option<Self> {
        let mut texts = texts.into_iter().flatten().filter(|text| !text.trim().is_empty());
        let title = texts.next()?.to_owned();
        let more: Vec<_> = texts.filter(|text| *text != title).collect();
        Some(Self { kind, id: id.uuid(), subtitle: more.join(" · "), title, at })
    }

    pub fn contact(contact: &ContactView) -> Option<Self> {
        let ContactView { id, name, phone, email, .. } = contact;
        Self::new(FoundKind::Contact, *id, [name.as_deref(), phone.as_deref(), email.as_deref()], None)
    }

    pub fn appointment(appointment: &AppointmentView, contact: Option<&str>) -> Option<Self> {
        let AppointmentView { id, service_name, staff_name, starts_at, .. } = appointment;
        let texts = [contact, Some(service_name.as_str()), Some(staff_name.as_str())];
        Self::new(FoundKind::Appointment, *id, texts, Some(*starts_at))
    }

    pub fn call(call: &CallView, contact: Option<&str>) -> Option<Self> {
        let number = match call.direction {
            Direction::Inbound => &call.from_number,
            Direction::Outbound => &call.to_number,
        };
        let name = call.contact_name.as_deref().or(contact);
        Self::new(FoundKind::Call, call.id, [name, number.as_deref(), None], Some(call.started_at))
    }

    pub fn message(message: &MessageView, contact: Option<&str>) -> Option<Self> {
        let name = message.caller_name.as_deref().or(contact);
        let texts = [name, message.caller_phone.as_deref(), None];
        Self::new(FoundKind::Message, message.id, texts, Some(message.created_at))
    }
}
