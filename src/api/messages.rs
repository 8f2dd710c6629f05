//! `GET /messages`: what callers left for the team.

use std::convert::identity;

use actors::business::MessageFilter;
use actors::domain::{CallId, ContactId, MessageStatus, Timestamp};

use crate::http::call::Call;
use crate::http::cursor::CursorText;
use crate::http::query::Limit;
use crate::http::routes::Handled;
use crate::query_object;

query_object! {
    /// Which messages are asked for.
    pub(super) struct MessagesQuery {
        /// Only those taken at or after this instant.
        from: Option<Timestamp>,
        /// Only those taken before this instant.
        to: Option<Timestamp>,
        /// Only those with this status.
        status: Option<MessageStatus>,
        /// Only those of this call.
        call_id: Option<CallId>,
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
    let query: MessagesQuery = call.query()?;
    let binding = call
        .binding("messages")?
        .with_filter(query.from)
        .with_filter(query.to)
        .with_filter(query.status)
        .with_filter(query.call_id)
        .with_filter(query.contact_id)
        .with_filter(query.updated_since);
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let filter = MessageFilter {
        from: query.from,
        to: query.to,
        status: query.status,
        call_id: query.call_id,
        contact_id: query.contact_id,
        updated_since: query.updated_since,
    };
    let found = call.business()?.messages(&filter, &page).await?;
    call.list(found, &binding, identity)
}
