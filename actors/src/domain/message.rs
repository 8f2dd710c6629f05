//! A message that the receptionist took for the team.

use super::words::words;
use super::{CallId, ContactId, MessageId, Phone, StaffId, Text, Timestamp};

words! {
    /// How soon the team should see a message.
    Urgency {
        /// In its turn.
        Normal = "normal",
        /// Before others.
        Urgent = "urgent",
    }
}

words! {
    /// How far the team is with a message.
    MessageStatus {
        /// Nobody has read it.
        New = "new",
        /// Somebody has read it.
        Read = "read",
        /// It is dealt with.
        Resolved = "resolved",
    }
}

/// A message for the team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenMessage {
    /// Its id.
    pub id: MessageId,
    /// The call in which it was taken.
    pub call_id: Option<CallId>,
    /// The contact who left it.
    pub contact_id: Option<ContactId>,
    /// Who left it, as they said.
    pub caller_name: Option<String>,
    /// The number to call back, E.164.
    pub caller_phone: Option<String>,
    /// What it says, 1 to 10,000 characters; nothing once whoever left it was erased.
    pub body: String,
    /// How soon the team should see it.
    pub urgency: Urgency,
    /// For whom it is.
    pub staff_id: Option<StaffId>,
    /// How far the team is with it.
    pub status: MessageStatus,
    /// When it was taken.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl TakenMessage {
    /// The same without who left it and what it says, once they were erased.
    #[must_use]
    pub fn erased(&self) -> Self {
        Self { contact_id: None, caller_name: None, caller_phone: None, body: String::new(), ..self.clone() }
    }
}

/// What a request says of a message.
#[derive(Clone, Debug)]
pub struct MessageDetails {
    /// The call in which it was taken.
    pub call_id: Option<CallId>,
    /// The contact, when it is known.
    pub contact_id: Option<ContactId>,
    /// Who left it, as they said.
    pub caller_name: Option<Text<1, 200>>,
    /// The number to call back.
    pub caller_phone: Option<Phone>,
    /// What it says.
    pub body: Text<1, 10_000>,
    /// How soon the team should see it.
    pub urgency: Urgency,
    /// For whom it is.
    pub staff_id: Option<StaffId>,
    /// How far the team is with it.
    pub status: MessageStatus,
}

impl MessageDetails {
    /// A new message that says this, of which nothing else is known.
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

    /// The message that these details make.
    pub fn into_message(self, id: MessageId, contact_id: Option<ContactId>, now: Timestamp) -> TakenMessage {
        TakenMessage {
            id,
            call_id: self.call_id,
            contact_id,
            caller_name: self.caller_name.map(Text::into_string),
            caller_phone: self.caller_phone.map(|phone| phone.as_str().to_owned()),
            body: self.body.into_string(),
            urgency: self.urgency,
            staff_id: self.staff_id,
            status: self.status,
            created_at: now,
            updated_at: now,
        }
    }
}
