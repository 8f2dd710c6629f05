//! `/services` and `/staff`: what can be booked and with whom.

use actors::view::{ServiceView, StaffView};

use crate::http::call::Call;
use crate::http::query::ListQuery;
use crate::http::routes::Handled;

pub(super) async fn services(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = call.binding("services")?;
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.business()?.services(false, &page).await?;
    call.list(found, &binding, |service| ServiceView::from(&service))
}

pub(super) async fn staff(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = call.binding("staff")?;
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.business()?.staff(&page).await?;
    call.list(found, &binding, |member| StaffView::from(&member))
}
