//! `GET /me`: the key and its business.

use domain::BusinessId;
use schemars::JsonSchema;
use serde::Serialize;
use view::KeyView;

use crate::http::authorization::BadCredential;
use crate::rest::prelude::{ApiError, Context, One};

/// The key and its business.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CallerIdentity {
    /// The key.
    api_key: KeyView,
    /// The business of the key.
    business: BusinessName,
}

/// A business with its name.
#[derive(Debug, Serialize, JsonSchema)]
struct BusinessName {
    /// The id of the business.
    id: BusinessId,
    /// The name of the business.
    name: String,
}

/// Any scope is enough, even for a suspended business.
pub(super) async fn show(context: Context) -> Result<One<CallerIdentity>, ApiError> {
    let principal = context.caller.principal.as_ref().ok_or(ApiError::NoKey(BadCredential::Missing))?;
    Ok(One::of(&CallerIdentity {
        api_key: KeyView::from(&principal.key),
        business: BusinessName { id: principal.business.id, name: principal.business.name.clone() },
    }))
}
