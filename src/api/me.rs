//! `GET /me`: what the key is and what it opens.

use actors::domain::BusinessId;
use actors::view::KeyView;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::routes::Handled;

/// The key and its business.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Me {
    /// The key.
    api_key: KeyView,
    /// The business it opens.
    business: BusinessName,
}

/// A business by name.
#[derive(Debug, Serialize, ToSchema)]
struct BusinessName {
    /// Its id.
    id: BusinessId,
    /// Its name.
    name: String,
}

/// Answers even for a suspended business, and whatever the key's scopes.
pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let principal = call.caller.principal.as_ref().ok_or(ApiError::Unauthorized)?;
    // The gate read both without waiting; what is shown has to be on the disk.
    call.business()?.settled().await?;
    call.one(&Me {
        api_key: KeyView::from(&principal.key),
        business: BusinessName { id: principal.business.id, name: principal.business.name.clone() },
    })
}
