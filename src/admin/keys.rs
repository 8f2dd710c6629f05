//! `B/keys`: creating, listing and revoking API keys. A key is shown whole only in the answer that creates it.

use std::convert::identity;

use actors::business::commands::keys::{CreateKey, RevokeKey};
use actors::domain::{Scope, Text};

use crate::http::call::Call;
use crate::http::query::ListQuery;
use crate::http::routes::Handled;
use crate::http::values::DistinctList;
use crate::json_object;

json_object! {
    /// A key as it is created.
    pub(crate) struct KeyBody {
        /// What its owner calls it.
        name: Text<1, 200>,
        /// What it may do.
        scopes: DistinctList<Scope, 1, 10>,
    }
}

pub(super) async fn create(mut call: Call) -> Handled {
    let body: KeyBody = call.body().await?;
    call.change(CreateKey { name: body.name, scopes: body.scopes.into_vec().into_iter().collect() }).await
}

pub(super) async fn list(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = call.binding("operator keys")?;
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.business()?.keys(&page).await?;
    call.list(found, &binding, identity)
}

pub(super) async fn revoke(mut call: Call) -> Handled {
    call.no_body().await?;
    let id = call.id("key_id", "API key")?;
    call.change(RevokeKey { id }).await
}
