//! Messages for the team of a business, their status and the team's notes.

use domain::{
    CallId, ContactId, MessageDetails, MessageId, MessageStatus, Phone, StaffId, Text, Timestamp, Urgency,
};
use engine::business::commands::messages::{PatchMessage, TakeMessage};
use view::OperatorMessageView;

use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::*;

json_object! {
    /// A new message.
    pub(crate) struct MessageBody {
        /// The call in which the message was taken.
        call_id: Option<CallId>,
        /// The contact. The default is the contact with the caller's number, if there is one.
        contact_id: Option<ContactId>,
        /// The caller's name, as stated by the caller.
        caller_name: Option<Text<1, 200>>,
        /// The number to call back, E.164 or national.
        caller_phone: Option<Phone>,
        /// The text of the message.
        body: Text<1, 10_000>,
        /// The urgency of the message. The default is `normal`.
        urgency: Option<Urgency>,
        /// The staff member to whom the message is addressed.
        staff_id: Option<StaffId>,
        /// The team's progress with the message. The default is `new`.
        status: Option<MessageStatus>,
    }
}

json_object! {
    /// A change to a message; a property that is absent keeps its value.
    pub(crate) struct MessagePatch {
        /// The team's progress with the message.
        status: Patch<MessageStatus>,
        /// The staff member to whom the message is addressed; null clears it.
        staff_id: Patch<Option<StaffId>>,
        /// The team's notes; null clears them. A change to the notes alone keeps `updated_at`.
        notes: Patch<Option<Text<1, 1000>>>,
        /// Until this time, lists of tasks omit the message; null ends the snooze. A change to this time
        /// alone keeps `updated_at`.
        snoozed_until: Patch<Option<Timestamp>>,
    }
}

impl MessageBody {
    pub(crate) fn change(self) -> TakeMessage {
        let details = MessageDetails {
            call_id: self.call_id,
            contact_id: self.contact_id,
            caller_name: self.caller_name,
            caller_phone: self.caller_phone,
            body: self.body,
            urgency: self.urgency.unwrap_or(Urgency::Normal),
            staff_id: self.staff_id,
            status: self.status.unwrap_or(MessageStatus::New),
        };
        TakeMessage { details }
    }
}

impl MessagePatch {
    pub(crate) fn of(self, id: MessageId) -> PatchMessage {
        PatchMessage {
            id,
            status: self.status.set(),
            staff_id: self.staff_id.set(),
            notes: self.notes.set(),
            snoozed_until: self.snoozed_until.set(),
        }
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<MessageBody>,
) -> Result<Created<OperatorMessageView>, ApiError> {
    context.change(body.change()).await
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<MessagePatch>,
    Path(id): Path<MessageId>,
) -> Result<Changed<OperatorMessageView>, ApiError> {
    context.change(patch.of(id)).await
}
