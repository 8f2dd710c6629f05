//! `GET /messages`.

use domain::{CallId, ContactId, MessageStatus, Timestamp};
use engine::business::MessageFilter;
use view::MessageView;

use crate::list_query;
use crate::rest::prelude::{ApiError, Business, Context, ListQuery, Listed, Query};

list_query! {
    /// Which messages are asked for.
    pub(crate) struct MessagesQuery => MessageFilter {
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
    }
}

pub(crate) async fn list(
    context: Context,
    Query(query): Query<MessagesQuery>,
    business: Business,
) -> Result<Listed<MessageView>, ApiError> {
    let asked = query.open(&context, business.list("messages"))?;
    Ok(asked.listed(business.messages(&asked.filter, &asked.page).await?))
}
