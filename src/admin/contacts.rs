//! `B/contacts`: what the team writes of contacts, and erasing a person.

use actors::business::commands::ForOperator;
use actors::business::commands::contacts::{CreateContact, PatchContact};
use actors::business::commands::erasure::EraseContact;
use actors::domain::{ContactId, ContactPatch, Email, Locale, Phone, Text};
use actors::view::OperatorContactView;

use crate::api::contacts::{ContactPatchBody, NewContactBody};
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::{ApiError, Body, Changed, Context, Created, Gone, Path};
use crate::rest::values::time::Zone;

json_object! {
    /// What of a contact the team changes: what is absent stays, null clears. A name, a phone or an email must remain.
    pub(crate) struct OperatorContactPatchBody {
        /// Their name.
        name: Patch<Option<Text<1, 200>>>,
        /// Their phone number, E.164 or national; no other contact has it.
        phone: Patch<Option<Phone>>,
        /// Their email address; no other contact has it.
        email: Patch<Option<Email>>,
        /// The language they speak.
        locale: Patch<Option<Locale>>,
        /// Their IANA time zone.
        timezone: Patch<Option<Zone>>,
        /// What the team notes of them. A change of this alone keeps `updated_at`.
        notes: Patch<Option<Text<1, 1000>>>,
    }
}

impl From<OperatorContactPatchBody> for ContactPatch {
    fn from(body: OperatorContactPatchBody) -> Self {
        let OperatorContactPatchBody { name, phone, email, locale, timezone, notes } = body;
        Self { notes: notes.set(), ..ContactPatchBody { name, phone, email, locale, timezone }.into() }
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<NewContactBody>,
) -> Result<Created<OperatorContactView>, ApiError> {
    context.change(ForOperator(CreateContact { details: body.into() })).await
}

pub(super) async fn update(
    context: Context,
    Body(body): Body<OperatorContactPatchBody>,
    Path(id): Path<ContactId>,
) -> Result<Changed<OperatorContactView>, ApiError> {
    context.change(ForOperator(PatchContact { id, patch: body.into() })).await
}

pub(super) async fn erase(context: Context, Path(id): Path<ContactId>) -> Result<Gone, ApiError> {
    context.change(EraseContact { id }).await
}
