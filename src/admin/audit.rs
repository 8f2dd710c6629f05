//! `B/audit`: who changed what, newest first.

use actors::view::AuditView;

use crate::http::call::Call;
use crate::http::query::ListQuery;
use crate::http::routes::Handled;

pub(super) async fn list(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = call.binding("operator audit")?;
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.business()?.audit(&page).await?;
    call.list(found, &binding, AuditView::from)
}
