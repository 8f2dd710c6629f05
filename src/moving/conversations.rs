//! The export lines of calls and messages.

use domain::{
    AppointmentId, CallId, CallOutcome, CallRecord, CallStatus, ContactId, Direction, Locale, MessageId,
    MessageStatus, StaffId, TakenMessage, Text, Timestamp, Urgency,
};

use super::line::export_line;
use super::values::E164;
use crate::http::numbers::Whole;
use crate::rest::values::web::WebsiteUrl;

export_line! {
    CallRecord as it {
        id: CallId,
        direction: Direction,
        status: CallStatus,
        outcome: CallOutcome,
        from_number: Option<E164>,
        to_number: Option<E164>,
        contact_id: Option<ContactId>,
        started_at: Timestamp,
        ended_at: Timestamp,
        duration_seconds: Whole<0, { u32::MAX }>,
        locale: Option<Locale>,
        summary: Option<Text<0, 20_000>>,
        recording_url: Option<WebsiteUrl>,
        appointment_id: Option<AppointmentId>,
        message_id: Option<MessageId>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

export_line! {
    TakenMessage as it {
        id: MessageId,
        call_id: Option<CallId>,
        contact_id: Option<ContactId>,
        caller_name: Option<Text<1, 200>>,
        caller_phone: Option<E164>,
        // Empty after the erasure of the contact.
        body: Text<0, 10_000>,
        urgency: Urgency,
        staff_id: Option<StaffId>,
        status: MessageStatus,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}
