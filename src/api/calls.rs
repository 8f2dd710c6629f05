//! `/calls`: list and get.

use std::convert::identity;

use actors::business::CallFilter;
use actors::domain::{CallId, CallOutcome, ContactId, Direction, Refusal, Timestamp};

use crate::http::call::Call;
use crate::http::cursor::CursorText;
use crate::http::query::Limit;
use crate::http::routes::Handled;
use crate::query_object;

query_object! {
    /// Which calls are asked for.
    pub(super) struct CallsQuery {
        /// Only those that started at or after this instant.
        from: Option<Timestamp>,
        /// Only those that started before this instant.
        to: Option<Timestamp>,
        /// Only those in this direction.
        direction: Option<Direction>,
        /// Only those with this outcome.
        outcome: Option<CallOutcome>,
        /// Only this contact's.
        contact_id: Option<ContactId>,
        /// Only those changed at or after this instant, in the order of their changes.
        updated_since: Option<Timestamp>,
        /// At most so many.
        limit: Limit<50, 100>,
        /// Where an earlier page ended.
        cursor: Option<CursorText>,
    }
}

pub(super) async fn list(call: Call) -> Handled {
    let query: CallsQuery = call.query()?;
    let binding = call
        .binding("calls")?
        .with_filter(query.from)
        .with_filter(query.to)
        .with_filter(query.direction)
        .with_filter(query.outcome)
        .with_filter(query.contact_id)
        .with_filter(query.updated_since);
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let filter = CallFilter {
        from: query.from,
        to: query.to,
        direction: query.direction,
        outcome: query.outcome,
        contact_id: query.contact_id,
        updated_since: query.updated_since,
    };
    let found = call.business()?.calls(&filter, &page).await?;
    call.list(found, &binding, identity)
}

pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let id: CallId = call.id("call_id", "call")?;
    let found = call.business()?.call_record(id).await?;
    call.one(&found.ok_or(Refusal::NotFound("call"))?)
}
