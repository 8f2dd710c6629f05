//! `/services` and `/staff`.

use view::{ServiceView, StaffView};

use crate::rest::prelude::{ApiError, Business, Context, ListQuery, Listed, PlainList, Query};

pub(super) async fn services(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<ServiceView>, ApiError> {
    let asked = query.open(&context, business.list("services"))?;
    let found = business.services(false, &asked.page).await?;
    Ok(asked.listed_as(found, |service| ServiceView::from(&service)))
}

pub(super) async fn staff(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<StaffView>, ApiError> {
    let asked = query.open(&context, business.list("staff"))?;
    let found = business.staff(&asked.page).await?;
    Ok(asked.listed_as(found, |member| StaffView::from(&member)))
}
