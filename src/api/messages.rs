//! `GET /messages`.

use domain::{CallId, ContactId, MessageStatus, Timestamp};
use engine::business::MessageFilter;
use view::MessageView;

use crate::list_query;
use crate::rest::prelude::{ApiError, Business, Context, ListQuery, Listed, Query};

list_query! {
    /// The filters of a list of messages.
    pub(crate) struct MessagesQuery => MessageFilter {
        /// Only messages taken at or after this instant.
        from: Option<Timestamp>,
        /// Only messages taken before this instant.
        to: Option<Timestamp>,
        /// Only messages with this status.
        status: Option<MessageStatus>,
        /// Only messages of this call.
        call_id: Option<CallId>,
        /// Only messages of this contact.
        contact_id: Option<ContactId>,
        /// Only messages changed at or after this instant, in the order of their changes.
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
