//! A message that the receptionist of the business has taken for the team.

use super::words::words;
use super::{CallId, ContactId, MessageId, Phone, StaffId, Text, Timestamp, search_text};

words! {
    Urgency {
        Normal = "normal",
        Urgent = "urgent",
    }

    MessageStatus {
        New = "new",
        Read = "read",
        Resolved = "resolved",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenMessage {
    pub id: MessageId,
    pub call_id: Option<CallId>,
    pub contact_id: Option<ContactId>,
    pub caller_name: Option<String>,
    pub caller_phone: Option<Phone>,
    /// The text, 1 to 10,000 characters. It is empty after an erasure.
    pub body: String,
    pub urgency: Urgency,
    pub staff_id: Option<StaffId>,
    pub status: MessageStatus,
    /// The team's notes, 1 to 1,000 characters. Integrations do not see them.
    pub notes: Option<String>,
    /// The time until which the message is hidden from lists of tasks. Integrations do not see it.
    pub snoozed_until: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl TakenMessage {
    pub fn search_text(&self) -> String {
        search_text(self.caller_name.as_deref(), self.caller_phone.as_deref(), None)
    }

    #[must_use]
    pub fn erased(&self) -> Self {
        Self {
            contact_id: None,
            caller_name: None,
            caller_phone: None,
            body: String::new(),
            notes: None,
            ..self.clone()
        }
    }

    /// True if an erasure has emptied the message. All other messages have a text.
    pub fn is_erased(&self) -> bool {
        self.body.is_empty()
    }
}

#[derive(Clone, Debug)]
pub struct MessageDetails {
    pub call_id: Option<CallId>,
    pub contact_id: Option<ContactId>,
    pub caller_name: Option<Text<1, 200>>,
    pub caller_phone: Option<Phone>,
    pub body: Text<1, 10_000>,
    pub urgency: Urgency,
    pub staff_id: Option<StaffId>,
    pub status: MessageStatus,
}

impl MessageDetails {
    pub fn of(body: Text<1, 10_000>) -> Self {
        Self {
            call_id: None,
            contact_id: None,
            caller_name: None,
            caller_phone: None,
            body,
            urgency: Urgency::Normal,
            staff_id: None,
            status: MessageStatus::New,
        }
    }

    pub fn into_message(self, id: MessageId, contact_id: Option<ContactId>, now: Timestamp) -> TakenMessage {
        TakenMessage {
            id,
            call_id: self.call_id,
            contact_id,
            caller_name: self.caller_name.map(Text::into_string),
            caller_phone: self.caller_phone,
            body: self.body.into_string(),
            urgency: self.urgency,
            staff_id: self.staff_id,
            status: self.status,
            notes: None,
            snoozed_until: None,
            created_at: now,
            updated_at: now,
        }
    }
}
