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
        /// The contact. When absent, the service finds or creates it by the other party's number.
        contact_id: Option<ContactId>,
        /// The name for a contact that the service creates; an existing contact keeps its name.
        contact_name: Option<Text<1, 200>>,
        /// The start of the call.
        started_at: Timestamp,
        /// The end of the call, not before its start.
        ended_at: Timestamp,
        /// The duration of the conversation in seconds; the time from start to end when absent.
        duration_seconds: Option<Whole<0, { u32::MAX }>>,
        /// The language of the conversation.
        locale: Option<Locale>,
        /// A summary of the conversation.
        summary: Option<Text<0, 20_000>>,
        /// The URL of the recording.
        recording_url: Option<WebsiteUrl>,
        /// The appointment of the call.
        appointment_id: Option<AppointmentId>,
        /// The message that was taken.
        message_id: Option<MessageId>,
    }
}

json_object! {
    /// The team's mark of a call.
    pub(crate) struct CallPatch {
        /// Whether the team has handled the call. `updated_at` does not change.
        handled: bool,
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
    let details = CallDetails {
        direction: body.direction,
        status: body.status,
        outcome: body.outcome,
        from_number: body.from_number,
        to_number: body.to_number,
        contact_id: body.contact_id,
        started_at: body.started_at,
        ended_at: body.ended_at,
        duration_seconds: body.duration_seconds.map(Whole::get),
        locale: body.locale,
        summary: body.summary,
        recording_url: body.recording_url.map(WebsiteUrl::into_string),
        appointment_id: body.appointment_id,
        message_id: body.message_id,
    };
    context.change(RecordCall { details, contact_name: body.contact_name }).await
}
