//! `/calls`: list and get.

use domain::{CallId, CallOutcome, ContactId, Direction, Timestamp};
use engine::business::CallFilter;
use view::CallView;

use crate::list_query;
use crate::rest::prelude::{ApiError, Business, Context, ListQuery, Listed, One, Path, Query, RecordId};

list_query! {
    /// The filters of a list of calls.
    pub(crate) struct CallsQuery => CallFilter {
        /// Only calls that started at or after this instant.
        from: Option<Timestamp>,
        /// Only calls that started before this instant.
        to: Option<Timestamp>,
        /// Only calls in this direction.
        direction: Option<Direction>,
        /// Only calls with this outcome.
        outcome: Option<CallOutcome>,
        /// Only calls of this contact.
        contact_id: Option<ContactId>,
        /// Only calls changed at or after this instant, in the order of their changes.
        updated_since: Option<Timestamp>,
    }
}

pub(crate) async fn list(
    context: Context,
    Query(query): Query<CallsQuery>,
    business: Business,
) -> Result<Listed<CallView>, ApiError> {
    let asked = query.open(&context, business.list("calls"))?;
    Ok(asked.listed(business.calls(&asked.filter, &asked.page).await?))
}

pub(crate) async fn show(
    _: Context,
    Path(id): Path<CallId>,
    business: Business,
) -> Result<One<CallView>, ApiError> {
    Ok(One::of(&business.call_record(id).await?.ok_or(CallId::NOT_FOUND)?))
}
