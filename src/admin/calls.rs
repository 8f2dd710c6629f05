//! Calls of a business: a telephony adapter saves a finished call, and the team marks calls as handled.

use domain::{
    AppointmentId, CallDetails, CallId, CallOutcome, CallStatus, ContactId, Direction, Locale, MessageId,
    Phone, Text, Timestamp,
};
use engine::business::commands::calls::{MarkCall, RecordCall};
use view::OperatorCallView;

use crate::http::numbers::Whole;
use crate::json_object;
use crate::rest::prelude::*;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A call that has ended.
    pub(crate) struct CallBody {
        /// The direction of the call.
        direction: Direction,
        /// The status at the end of the call.
        status: CallStatus,
        /// The result of the call.
        outcome: CallOutcome,
        /// The calling number, E.164 or national.
        from_number: Option<Phone>,
        /// The called number, E.164 or national.
        to_number: Option<Phone>,
        /// The contact. The default is the contact with the other party's number, which is created if there
        /// is none.
        contact_id: Option<ContactId>,
        /// The name for a contact that the service creates; an existing contact keeps its name.
        contact_name: Option<Text<1, 200>>,
        /// The start of the call.
        started_at: Timestamp,
        /// The end of the call, not before its start.
        ended_at: Timestamp,
        /// The duration of the conversation in seconds. The default is the time from start to end.
        duration_seconds: Option<Whole<0, { u32::MAX }>>,
        /// The language of the conversation.
        locale: Option<Locale>,
        /// A summary of the conversation.
        summary: Option<Text<0, 20_000>>,
        /// The URL of the recording.
        recording_url: Option<WebsiteUrl>,
        /// The appointment that the call is about.
        appointment_id: Option<AppointmentId>,
        /// The message that was taken.
        message_id: Option<MessageId>,
    }
}

json_object! {
    /// A change that the team makes to a call.
    pub(crate) struct CallPatch {
        /// Whether the team has handled the call. A change to this property does not change `updated_at`.
        handled: bool,
    }
}

impl CallBody {
    pub(crate) fn change(self) -> RecordCall {
        let details = CallDetails {
            direction: self.direction,
            status: self.status,
            outcome: self.outcome,
            from_number: self.from_number,
            to_number: self.to_number,
            contact_id: self.contact_id,
            started_at: self.started_at,
            ended_at: self.ended_at,
            duration_seconds: self.duration_seconds.map(Whole::get),
            locale: self.locale,
            summary: self.summary,
            recording_url: self.recording_url.map(WebsiteUrl::into_string),
            appointment_id: self.appointment_id,
            message_id: self.message_id,
        };
        RecordCall { details, contact_name: self.contact_name }
    }
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<CallPatch>,
    Path(id): Path<CallId>,
) -> Result<Changed<OperatorCallView>, ApiError> {
    context.change(MarkCall { id, handled: patch.handled }).await
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<CallBody>,
) -> Result<Created<OperatorCallView>, ApiError> {
    context.change(body.change()).await
}
