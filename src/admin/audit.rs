//! `B/audit`: who changed what, newest first.

use actors::view::AuditView;

use crate::rest::prelude::{ApiError, Business, Context, ListQuery, Listed, PlainList, Query};

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<AuditView>, ApiError> {
    let asked = query.open(&context, business.list("operator audit"))?;
    Ok(asked.listed_as(business.audit(&asked.page).await?, AuditView::from))
}
