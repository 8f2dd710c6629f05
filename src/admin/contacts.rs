//! Contacts of a business: the team's notes, and the erasure of a contact.

use domain::ContactId;
use engine::business::commands::ForOperator;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::erasure::EraseContact;
use view::OperatorContactView;

use crate::api::contacts::{NewContactBody, OperatorContactPatchBody};
use crate::rest::prelude::*;

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
