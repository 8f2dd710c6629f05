//! Calls and messages as the APIs show them.

use domain::{
    AppointmentId, CallId, CallOutcome, CallRecord, CallStatus, ContactId, Direction, Locale, MessageId,
    MessageStatus, StaffId, TakenMessage, Timestamp, Urgency,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contacts::said;
use super::{NotesView, View};

/// A call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PhoneCall")]
pub struct CallView {
    /// The call's id.
    pub id: CallId,
    /// The direction of the call.
    pub direction: Direction,
    /// The status at the end of the call.
    pub status: CallStatus,
    /// The outcome of the call, for example `appointment_booked`.
    pub outcome: CallOutcome,
    /// The number from which the call was made, in E.164 form.
    pub from_number: Option<String>,
    /// The number that was called, in E.164 form.
    pub to_number: Option<String>,
    /// The contact who called or was called.
    pub contact_id: Option<ContactId>,
    /// The contact's name.
    pub contact_name: Option<String>,
    /// The start of the call.
    pub started_at: Timestamp,
    /// The end of the call.
    pub ended_at: Timestamp,
    /// The duration of the conversation, in seconds.
    pub duration_seconds: u32,
    /// The language of the conversation.
    pub locale: Option<Locale>,
    /// A summary of the conversation.
    pub summary: Option<String>,
    /// The address of the recording.
    #[schemars(extend("format" = "uri"))]
    pub recording_url: Option<String>,
    /// The appointment that was the subject of the call.
    pub appointment_id: Option<AppointmentId>,
    /// The message that was taken during the call.
    pub message_id: Option<MessageId>,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// A call, as the team sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorPhoneCall")]
pub struct OperatorCallView {
    /// The fields that integrations see.
    #[serde(flatten)]
    pub call: CallView,
    /// The time at which the team marked the call as handled. It is null if the call is not marked.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Timestamp>")]
    pub handled_at: Option<Option<Timestamp>>,
}

pub trait SomeCallView: View {
    fn new(call: &CallRecord, contact_name: Option<&str>) -> Self;
}

impl SomeCallView for OperatorCallView {
    fn new(call: &CallRecord, contact_name: Option<&str>) -> Self {
        Self { call: SomeCallView::new(call, contact_name), handled_at: Some(call.handled_at) }
    }
}

impl SomeCallView for CallView {
    fn new(call: &CallRecord, contact_name: Option<&str>) -> Self {
        Self {
            id: call.id,
            direction: call.direction,
            status: call.status,
            outcome: call.outcome,
            from_number: call.from_number.as_deref().map(str::to_owned),
            to_number: call.to_number.as_deref().map(str::to_owned),
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
    /// The message's id.
    pub id: MessageId,
    /// The call in which the message was taken.
    pub call_id: Option<CallId>,
    /// The contact who left the message.
    pub contact_id: Option<ContactId>,
    /// The caller's name, as stated by the caller.
    pub caller_name: Option<String>,
    /// The phone number to call back, in E.164 form.
    pub caller_phone: Option<String>,
    /// The text of the message.
    pub body: String,
    /// The urgency of the message.
    pub urgency: Urgency,
    /// The staff member to whom the message is addressed.
    pub staff_id: Option<StaffId>,
    /// The team's progress with the message.
    pub status: MessageStatus,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// A message, as the team sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorTakenMessage")]
pub struct OperatorMessageView {
    /// The fields that integrations see.
    #[serde(flatten)]
    pub message: MessageView,
    /// The team's notes.
    #[serde(flatten)]
    pub notes: NotesView,
    /// The time until which the message is hidden from lists of tasks. It is null if the message is not snoozed.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Timestamp>")]
    pub snoozed_until: Option<Option<Timestamp>>,
}

pub trait SomeMessageView: View + for<'a> From<&'a TakenMessage> {}

impl<V: View + for<'a> From<&'a TakenMessage>> SomeMessageView for V {}

impl From<&TakenMessage> for OperatorMessageView {
    fn from(message: &TakenMessage) -> Self {
        Self {
            message: message.into(),
            notes: (&message.notes).into(),
            snoozed_until: Some(message.snoozed_until),
        }
    }
}

impl From<&TakenMessage> for MessageView {
    fn from(message: &TakenMessage) -> Self {
        Self {
            id: message.id,
            call_id: message.call_id,
            contact_id: message.contact_id,
            caller_name: message.caller_name.clone(),
            caller_phone: message.caller_phone.as_deref().map(str::to_owned),
            body: message.body.clone(),
            urgency: message.urgency,
            staff_id: message.staff_id,
            status: message.status,
            created_at: message.created_at,
            updated_at: message.updated_at,
        }
    }
}
