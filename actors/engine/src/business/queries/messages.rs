//! Reads messages.

use domain::{BusinessId, CallId, ContactId, MessageId, MessageStatus, TakenMessage, Timestamp, Urgency};
use store::keys::{MessagesOf, kind};
use store::records::status_number;
use store::{Order, StoreError, keys};
use view::{MessageView, SomeMessageView};

use super::{Page, PageRequest, of_contact, walk, walk_theirs};
use crate::business::{BusinessHandle, Whose, survivor};
use crate::error::Result;
use crate::scans::Reader;

#[derive(Clone, Debug, Default)]
pub struct MessageFilter {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub status: Option<MessageStatus>,
    pub urgency: Option<Urgency>,
    pub call_id: Option<CallId>,
    pub contact_id: Option<ContactId>,
    /// Omits the messages that are snoozed at this instant.
    pub awake_at: Option<Timestamp>,
    /// Lists the messages that were changed at or after this instant, in the order of their changes.
    pub updated_since: Option<Timestamp>,
}

impl MessageFilter {
    fn admits(&self, message: &TakenMessage, whose: Option<Whose>) -> bool {
        self.from.is_none_or(|from| message.created_at >= from)
            && self.to.is_none_or(|to| message.created_at < to)
            && self.status.is_none_or(|status| message.status == status)
            && self.urgency.is_none_or(|urgency| message.urgency == urgency)
            && self.call_id.is_none_or(|id| message.call_id == Some(id))
            && whose.is_none_or(|whose| whose.has(message.contact_id))
            && self.awake_at.is_none_or(|at| message.snoozed_until.is_none_or(|until| until <= at))
    }

    /// The shortest index that contains all matching messages.
    fn list(&self) -> MessagesOf {
        let of_call = self.call_id.map(MessagesOf::Call);
        let of_contact = self.contact_id.map(MessagesOf::Contact);
        let of_status = self.status.map(|status| MessagesOf::Status(status_number(status)));
        of_call.or(of_contact).or(of_status).unwrap_or(MessagesOf::Business)
    }
}

impl BusinessHandle {
    pub async fn message(&self, id: MessageId) -> Result<Option<MessageView>> {
        self.message_as(id).await
    }

    pub async fn message_as<V: SomeMessageView>(&self, id: MessageId) -> Result<Option<V>> {
        self.read(|store| {
            let message = store.get::<TakenMessage>(&keys::message(self.id, id))?;
            message.map(|message| show(&Reader::unbounded(store), self.id, &message)).transpose()
        })
        .await
    }

    /// The matching messages, newest first, or ordered by `updated_at` if `updated_since` is set.
    pub async fn messages(&self, filter: &MessageFilter, page: &PageRequest) -> Result<Page<MessageView>> {
        self.messages_as(filter, page).await
    }

    pub async fn messages_as<V: SomeMessageView>(
        &self,
        filter: &MessageFilter,
        page: &PageRequest,
    ) -> Result<Page<V>> {
        let (from, to) = (filter.from.unwrap_or(Timestamp::MIN), filter.to.unwrap_or(Timestamp::MAX));
        let (of, filter) = (self.id, filter.clone());
        let record = move |id: MessageId| keys::message(of, id);
        let since = filter.updated_since;
        let (index, order) = match since {
            Some(since) => {
                let changed = keys::changed(of, kind::MESSAGE_BY_UPDATE, since, self.fence().await?);
                (changed, Order::Ascending)
            }
            None => (keys::messages(of, filter.list(), from, to), Order::Descending),
        };
        self.list(page, move |reader, page| {
            of_contact(reader, (of, filter.contact_id), (page, order), |whose| {
                let admits = |at, message: &TakenMessage| {
                    (since.is_none() || message.updated_at == at) && filter.admits(message, whose)
                };
                let show = |message: &TakenMessage| show(reader, of, message);
                let record = |_, id| record(id);
                match (whose, filter.list()) {
                    (Some(whose), MessagesOf::Contact(_)) if since.is_none() => {
                        let range_of = |contact| keys::messages(of, MessagesOf::Contact(contact), from, to);
                        walk_theirs(reader, (whose, order), range_of, page, record, admits, show)
                    }
                    _ => walk(reader, (index, order), page, record, admits, show),
                }
            })
        })
        .await
    }
}

/// Renders a message with its current contact. If its contact was erased, omits the contact's data.
pub(super) fn show<V: SomeMessageView>(
    reader: &Reader<'_>,
    of: BusinessId,
    message: &TakenMessage,
) -> Result<V, StoreError> {
    let Some(id) = message.contact_id else { return Ok(V::from(message)) };
    Ok(match survivor(reader, of, id)? {
        Some(id) => V::from(&TakenMessage { contact_id: Some(id), ..message.clone() }),
        None => V::from(&message.erased()),
    })
}
