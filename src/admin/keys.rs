//! API keys of a business. Only the response that creates a key contains the complete key.

use domain::{KeyId, Scope, Text};
use engine::business::commands::keys::{CreateKey, RevokeKey};
use view::{NewKeyView, OperatorKeyView};

use crate::http::lists::DistinctList;
use crate::json_object;
use crate::rest::prelude::*;

json_object! {
    /// A new API key.
    pub(crate) struct KeyBody {
        /// The name of the key.
        name: Text<1, 200>,
        /// The scopes of the key.
        scopes: DistinctList<Scope, 1, 10>,
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<KeyBody>,
) -> Result<Created<NewKeyView>, ApiError> {
    let change = CreateKey { name: body.name, scopes: body.scopes.into_vec().into_iter().collect() };
    let created: Created<NewKeyView> = context.change(change).await?;
    // The ETag covers the description of the key, not the key itself, which later responses omit.
    Ok(created.tagged_as(|shown| &shown.created))
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<OperatorKeyView>, ApiError> {
    let asked = query.open(&context, business.list("operator keys"))?;
    Ok(asked.listed(business.keys(&asked.page).await?))
}

pub(super) async fn revoke(context: Context, Path(id): Path<KeyId>) -> Result<Gone, ApiError> {
    context.change(RevokeKey { id }).await
}
