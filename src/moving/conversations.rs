//! The export lines of calls and messages.

use domain::{
    AppointmentId, CallId, CallOutcome, CallRecord, CallStatus, ContactId, Direction, Locale, MessageId,
    MessageStatus, StaffId, TakenMessage, Text, Timestamp, Urgency,
};

use super::line::{RecordLine, Written, put};
use super::values::E164;
use crate::http::numbers::Whole;
use crate::json_object;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A call.
    pub(super) struct CallLine {
        /// Its id.
        id: CallId,
        /// Who called whom.
        direction: Direction,
        /// How it ended.
        status: CallStatus,
        /// What came of it.
        outcome: CallOutcome,
        /// The number that called.
        from_number: Option<E164>,
        /// The number that was called.
        to_number: Option<E164>,
        /// The contact.
        contact_id: Option<ContactId>,
        /// When it started.
        started_at: Timestamp,
        /// When it ended.
        ended_at: Timestamp,
        /// How long the talk took.
        duration_seconds: Whole<0, { u32::MAX }>,
        /// The language that was spoken.
        locale: Option<Locale>,
        /// What was said.
        summary: Option<Text<0, 20_000>>,
        /// Where the recording is.
        recording_url: Option<WebsiteUrl>,
        /// The appointment that it was about.
        appointment_id: Option<AppointmentId>,
        /// The message that was taken.
        message_id: Option<MessageId>,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl RecordLine for CallLine {
    type Record = CallRecord;

    fn write(it: &CallRecord, line: Written) -> Written {
        let line = put!(line, it: id, direction, status, outcome, from_number, to_number, contact_id);
        let line = put!(line, it: started_at, ended_at, duration_seconds, locale, summary, recording_url);
        put!(line, it: appointment_id, message_id, created_at, updated_at)
    }

    fn made(self) -> CallRecord {
        CallRecord {
            id: self.id,
            direction: self.direction,
            status: self.status,
            outcome: self.outcome,
            from_number: self.from_number.map(E164::get),
            to_number: self.to_number.map(E164::get),
            contact_id: self.contact_id,
            started_at: self.started_at,
            ended_at: self.ended_at,
            duration_seconds: self.duration_seconds.get(),
            locale: self.locale,
            summary: self.summary.map(Text::into_string),
            recording_url: self.recording_url.map(WebsiteUrl::into_string),
            appointment_id: self.appointment_id,
            message_id: self.message_id,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

json_object! {
    /// A message.
    pub(super) struct MessageLine {
        /// Its id.
        id: MessageId,
        /// The call in which it was taken.
        call_id: Option<CallId>,
        /// The contact who left it.
        contact_id: Option<ContactId>,
        /// Who left it, as they said.
        caller_name: Option<Text<1, 200>>,
        /// The number to call back.
        caller_phone: Option<E164>,
        /// The text of the message. Empty if the contact who left it was erased.
        body: Text<0, 10_000>,
        /// How soon the team should see it.
        urgency: Urgency,
        /// For whom it is.
        staff_id: Option<StaffId>,
        /// How far the team is with it.
        status: MessageStatus,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl RecordLine for MessageLine {
    type Record = TakenMessage;

    fn write(it: &TakenMessage, line: Written) -> Written {
        let line =
            put!(line, it: id, call_id, contact_id, caller_name, caller_phone, body, urgency, staff_id);
        put!(line, it: status, created_at, updated_at)
    }

    fn made(self) -> TakenMessage {
        TakenMessage {
            id: self.id,
            call_id: self.call_id,
            contact_id: self.contact_id,
            caller_name: self.caller_name.map(Text::into_string),
            caller_phone: self.caller_phone.map(E164::get),
            body: self.body.into_string(),
            urgency: self.urgency,
            staff_id: self.staff_id,
            status: self.status,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}
