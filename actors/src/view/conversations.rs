//! Calls, messages and knowledge as the API shows them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{
    AppointmentId, CallId, CallOutcome, CallRecord, CallStatus, ContactId, Direction, Knowledge, KnowledgeId,
    Locale, MessageId, MessageStatus, StaffId, TakenMessage, Timestamp, Urgency,
};

/// A call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PhoneCall")]
pub struct CallView {
    /// Its id.
    pub id: CallId,
    /// Who called whom.
    pub direction: Direction,
    /// How it ended.
    pub status: CallStatus,
    /// What came of it.
    pub outcome: CallOutcome,
    /// The number that called, E.164.
    pub from_number: Option<String>,
    /// The number that was called, E.164.
    pub to_number: Option<String>,
    /// The contact who called or was called.
    pub contact_id: Option<ContactId>,
    /// Their name.
    pub contact_name: Option<String>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// How long the talk took, in seconds.
    pub duration_seconds: u32,
    /// The language that was spoken.
    pub locale: Option<Locale>,
    /// What was said.
    pub summary: Option<String>,
    /// Where the recording is.
    #[schemars(extend("format" = "uri"))]
    pub recording_url: Option<String>,
    /// The appointment that the call was about.
    pub appointment_id: Option<AppointmentId>,
    /// The message that was taken.
    pub message_id: Option<MessageId>,
    /// When it was saved.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl CallView {
    /// The call with the name of its contact.
    pub fn new(call: &CallRecord, contact_name: Option<&str>) -> Self {
        Self {
            id: call.id,
            direction: call.direction,
            status: call.status,
            outcome: call.outcome,
            from_number: call.from_number.clone(),
            to_number: call.to_number.clone(),
            contact_id: call.contact_id,
            contact_name: contact_name.map(str::to_owned),
            started_at: call.started_at,
            ended_at: call.ended_at,
            duration_seconds: call.duration_seconds,
            locale: call.locale,
            summary: call.summary.clone(),
            recording_url: call.recording_url.clone(),
            appointment_id: call.appointment_id,
            message_id: call.message_id,
            created_at: call.created_at,
            updated_at: call.updated_at,
        }
    }
}

/// A message for the team.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TakenMessage")]
pub struct MessageView {
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
    /// What it says.
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

impl From<&TakenMessage> for MessageView {
    fn from(message: &TakenMessage) -> Self {
        Self {
            id: message.id,
            call_id: message.call_id,
            contact_id: message.contact_id,
            caller_name: message.caller_name.clone(),
            caller_phone: message.caller_phone.clone(),
            body: message.body.clone(),
            urgency: message.urgency,
            staff_id: message.staff_id,
            status: message.status,
            created_at: message.created_at,
            updated_at: message.updated_at,
        }
    }
}

/// A piece of knowledge.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Knowledge")]
pub struct KnowledgeView {
    /// Its id.
    pub id: KnowledgeId,
    /// What it is about.
    pub title: String,
    /// What it says.
    pub content: String,
    /// Where it comes from.
    #[schemars(extend("format" = "uri"))]
    pub source_url: Option<String>,
    /// The language it is in.
    pub locale: Option<Locale>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl From<&Knowledge> for KnowledgeView {
    fn from(knowledge: &Knowledge) -> Self {
        Self {
            id: knowledge.id,
            title: knowledge.title.clone(),
            content: knowledge.content.clone(),
            source_url: knowledge.source_url.clone(),
            locale: knowledge.locale,
            created_at: knowledge.created_at,
            updated_at: knowledge.updated_at,
        }
    }
}
