//! `B/calls`: a telephony adapter saves a finished call.

use domain::{
    AppointmentId, CallDetails, CallOutcome, CallStatus, ContactId, Direction, Locale, MessageId, Phone,
    Text, Timestamp,
};
use engine::business::commands::calls::RecordCall;
use view::CallView;

use crate::http::numbers::Whole;
use crate::json_object;
use crate::rest::prelude::{ApiError, Body, Context, Created};
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A call that has ended.
    pub(crate) struct CallBody {
        /// Who called whom.
        direction: Direction,
        /// How it ended.
        status: CallStatus,
        /// What came of it.
        outcome: CallOutcome,
        /// The number that called, E.164 or national.
        from_number: Option<Phone>,
        /// The number that was called, E.164 or national.
        to_number: Option<Phone>,
        /// The contact; without it whoever has the number at the other end, who is created if need be.
        contact_id: Option<ContactId>,
        /// The name of the contact if one is created; no contact that exists is renamed.
        contact_name: Option<Text<1, 200>>,
        /// When it started.
        started_at: Timestamp,
        /// When it ended, not before it started.
        ended_at: Timestamp,
        /// How long the talk took, in seconds; from start to end when absent.
        duration_seconds: Option<Whole<0, { u32::MAX }>>,
        /// The language that was spoken.
        locale: Option<Locale>,
        /// What was said.
        summary: Option<Text<0, 20_000>>,
        /// Where the recording is.
        recording_url: Option<WebsiteUrl>,
        /// The appointment that the call was about.
        appointment_id: Option<AppointmentId>,
        /// The message that was taken.
        message_id: Option<MessageId>,
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<CallBody>,
) -> Result<Created<CallView>, ApiError> {
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
