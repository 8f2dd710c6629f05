//! `B/messages`: the messages for the team and their status.

use domain::{CallId, ContactId, MessageDetails, MessageId, MessageStatus, Phone, StaffId, Text, Urgency};
use engine::business::commands::messages::{PatchMessage, TakeMessage};
use view::MessageView;

use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::{ApiError, Body, Changed, Context, Created, Path};

json_object! {
    /// A message as it is taken.
    pub(crate) struct MessageBody {
        /// The call in which it was taken.
        call_id: Option<CallId>,
        /// The contact; without it whoever has the caller's number, if anyone.
        contact_id: Option<ContactId>,
        /// Who left it, as they said.
        caller_name: Option<Text<1, 200>>,
        /// The number to call back, E.164 or national.
        caller_phone: Option<Phone>,
        /// What it says.
        body: Text<1, 10_000>,
        /// How soon the team should see it; `normal` when absent.
        urgency: Option<Urgency>,
        /// For whom it is.
        staff_id: Option<StaffId>,
        /// How far the team is with it; `new` when absent.
        status: Option<MessageStatus>,
    }
}

json_object! {
    /// What of a message is to change; what is absent stays.
    pub(crate) struct MessagePatch {
        /// How far the team is with it.
        status: Patch<MessageStatus>,
        /// For whom it is; null clears it.
        staff_id: Patch<Option<StaffId>>,
    }
}

impl MessagePatch {
    pub(crate) fn of(self, id: MessageId) -> PatchMessage {
        PatchMessage { id, status: self.status.set(), staff_id: self.staff_id.set() }
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<MessageBody>,
) -> Result<Created<MessageView>, ApiError> {
    let details = MessageDetails {
        call_id: body.call_id,
        contact_id: body.contact_id,
        caller_name: body.caller_name,
        caller_phone: body.caller_phone,
        body: body.body,
        urgency: body.urgency.unwrap_or(Urgency::Normal),
        staff_id: body.staff_id,
        status: body.status.unwrap_or(MessageStatus::New),
    };
    context.change(TakeMessage { details }).await
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<MessagePatch>,
    Path(id): Path<MessageId>,
) -> Result<Changed<MessageView>, ApiError> {
    context.change(patch.of(id)).await
}
