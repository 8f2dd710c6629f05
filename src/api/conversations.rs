//! `/calls` and `/messages` show calls and messages, and `/knowledge` adds knowledge entries.

use domain::{
    CallId, CallOutcome, ContactId, Direction, Knowledge, KnowledgeDetails, Locale, MessageStatus, Text,
    Timestamp,
};
use engine::business::commands::knowledge::AddKnowledge;
use engine::business::{CallFilter, MessageFilter};
use view::{SomeCallView, SomeMessageView};

use crate::rest::prelude::*;
use crate::rest::values::web::WebsiteUrl;
use crate::{json_object, list_query};

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

pub(crate) async fn calls<V: SomeCallView>(
    context: Context,
    Query(query): Query<CallsQuery>,
    business: Business,
) -> Result<Listed<V>, ApiError> {
    let asked = query.open(&context, business.list("calls"))?;
    Ok(asked.listed(business.calls_as(&asked.filter, &asked.page).await?))
}

pub(crate) async fn call<V: SomeCallView>(
    _: Context,
    Path(id): Path<CallId>,
    business: Business,
) -> Result<One<V>, ApiError> {
    Ok(One::of(&business.call_record_as::<V>(id).await?.ok_or(CallId::NOT_FOUND)?))
}

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

pub(crate) async fn messages<V: SomeMessageView>(
    context: Context,
    Query(query): Query<MessagesQuery>,
    business: Business,
) -> Result<Listed<V>, ApiError> {
    let asked = query.open(&context, business.list("messages"))?;
    Ok(asked.listed(business.messages_as(&asked.filter, &asked.page).await?))
}

json_object! {
    /// A new knowledge entry.
    pub(crate) struct KnowledgeBody {
        /// The title.
        title: Text<1, 200>,
        /// The content.
        content: Text<1, 50_000>,
        /// The address of the source.
        source_url: Option<WebsiteUrl>,
        /// The language of the entry.
        locale: Option<Locale>,
    }
}

impl From<KnowledgeBody> for KnowledgeDetails {
    fn from(body: KnowledgeBody) -> Self {
        Self {
            title: body.title,
            content: body.content,
            source_url: body.source_url.map(WebsiteUrl::into_string),
            locale: body.locale,
        }
    }
}

pub(crate) async fn add_knowledge(
    context: Context,
    Body(body): Body<KnowledgeBody>,
) -> Result<Created<Knowledge>, ApiError> {
    context.change(AddKnowledge { details: body.into() }).await
}
