//! `DELETE B/contacts/{id}`: erasing a person.

use actors::business::commands::erasure::EraseContact;
use actors::domain::ContactId;

use crate::rest::prelude::{ApiError, Context, Gone, Path};

pub(super) async fn erase(context: Context, Path(id): Path<ContactId>) -> Result<Gone, ApiError> {
    context.change(EraseContact { id }).await
}
