//! The audit logs. Each business has its own log. The log of the installation lists changes that belong to no
//! single business, for example exports and backups.

use view::AuditView;

use crate::http::cursor::Binding;
use crate::rest::prelude::*;

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<AuditView>, ApiError> {
    let asked = query.open(&context, business.list("operator audit"))?;
    Ok(asked.listed_as(business.audit(&asked.page).await?, AuditView::from))
}

pub(super) async fn installation(
    context: Context,
    Query(query): Query<PlainList>,
) -> Result<Listed<AuditView>, ApiError> {
    let asked = query.open(&context, Binding::list("installation audit"))?;
    Ok(asked.listed_as(context.engine.people().audit(&asked.page).await?, AuditView::from))
}
