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
    /// The name of the contact or caller. If there is no name, it is the phone number or the email address.
    pub title: String,
    /// More about the record: the phone number and the email address, or the service and the staff member.
    pub subtitle: String,
    /// The start of the appointment or call, or the time of the message. It is null for a contact.
    pub at: Option<Timestamp>,
    /// The parts of the title and the subtitle. The first part is the title.
    #[serde(skip)]
    pub texts: Vec<FoundText>,
}

/// A part of the title or the subtitle of a search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundText {
    pub text: String,
    pub is_phone: bool,
}

fn text(text: impl Into<String>) -> FoundText {
    FoundText { text: text.into(), is_phone: false }
}

fn phone(text: impl Into<String>) -> FoundText {
    FoundText { text: text.into(), is_phone: true }
}

impl FoundView {
    /// Uses the first non-empty text as the title, and joins the other texts into the subtitle. Returns
    /// `None` if all texts are empty.
    fn new(
        kind: FoundKind,
        id: impl ResourceId,
        texts: [Option<FoundText>; 3],
        at: Option<Timestamp>,
    ) -> Option<Self> {
        let mut texts = texts.into_iter().flatten().filter(|it| !it.text.trim().is_empty());
        let first = texts.next()?;
        let more: Vec<_> = texts.filter(|it| it.text != first.text).collect();
        let subtitle = more.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" · ");
        let title = first.text.clone();
        Some(Self {
            kind,
            id: id.uuid(),
            title,
            subtitle,
            at,
            texts: [first].into_iter().chain(more).collect(),
        })
    }

    pub fn contact(contact: &ContactView) -> Option<Self> {
        let ContactView { id, name, phone: number, email, .. } = contact;
        let texts = [name.as_deref().map(text), number.as_deref().map(phone), email.as_deref().map(text)];
        Self::new(FoundKind::Contact, *id, texts, None)
    }

    pub fn appointment(appointment: &AppointmentView, contact: Option<&FoundText>) -> Option<Self> {
        let AppointmentView { id, service_name, staff_name, starts_at, .. } = appointment;
        let texts = [contact.cloned(), Some(text(service_name)), Some(text(staff_name))];
        Self::new(FoundKind::Appointment, *id, texts, Some(*starts_at))
    }

    pub fn call(call: &CallView, contact: Option<&FoundText>) -> Option<Self> {
        let number = match call.direction {
            Direction::Inbound => &call.from_number,
            Direction::Outbound => &call.to_number,
        };
        let name = call.contact_name.as_deref().map(text).or_else(|| contact.cloned());
        let texts = [name, number.as_deref().map(phone), None];
        Self::new(FoundKind::Call, call.id, texts, Some(call.started_at))
    }

    pub fn message(message: &MessageView, contact: Option<&FoundText>) -> Option<Self> {
        let name = message.caller_name.as_deref().map(text).or_else(|| contact.cloned());
        let texts = [name, message.caller_phone.as_deref().map(phone), None];
        Self::new(FoundKind::Message, message.id, texts, Some(message.created_at))
    }
}
