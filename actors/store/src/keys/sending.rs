//! Webhook endpoints, events and deliveries; the outbox and the log of mails. A mail that belongs to no business is a row
//! of the installation.

use domain::{BusinessId, EventId, MailId, MailKind, PersonId, ResourceId, Timestamp, WebhookId};

use super::parts::{id_at_end, minted, of_id, of_instant, of_kind, ordered, start};
use super::{installation_kind, kind};
use crate::records::mail_kind_number;
use crate::{Key, KeyRange, StoreError};

pub fn webhook(business: BusinessId, id: WebhookId) -> Key {
    of_id(business, kind::WEBHOOK, id)
}

pub fn event(business: BusinessId, id: EventId) -> Key {
    of_id(business, kind::EVENT, id)
}

pub fn delivery(business: BusinessId, endpoint: WebhookId, event: EventId) -> Key {
    of_id(business, kind::DELIVERY, endpoint).with(event.uuid().as_bytes())
}

pub fn deliveries(business: BusinessId, endpoint: WebhookId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::DELIVERY, endpoint))
}

/// The deliveries whose events happened within `from..until`.
pub fn deliveries_within(
    business: BusinessId,
    endpoint: WebhookId,
    (from, until): (Option<Timestamp>, Option<Timestamp>),
) -> KeyRange {
    minted(of_id(business, kind::DELIVERY, endpoint), from, until)
}

pub fn delivery_due(business: BusinessId, endpoint: WebhookId, due: Timestamp, event: EventId) -> Key {
    of_id(business, kind::DELIVERY_DUE, endpoint).with(&ordered(due)).with(event.uuid().as_bytes())
}

pub fn deliveries_due(business: BusinessId, endpoint: WebhookId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::DELIVERY_DUE, endpoint))
}

pub fn delivery_reached(business: BusinessId, endpoint: WebhookId) -> Key {
    of_id(business, kind::DELIVERY_REACHED, endpoint)
}

pub fn endpoint_index(business: BusinessId, endpoint: WebhookId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::ENDPOINT_INDEX, business)
        .with(endpoint.uuid().as_bytes())
}

pub fn endpoints_of(business: BusinessId) -> KeyRange {
    KeyRange::prefix(of_id(BusinessId::INSTALLATION, installation_kind::ENDPOINT_INDEX, business))
}

/// Reads a key of the list of all endpoints.
pub fn business_and_endpoint(key: &[u8]) -> Result<(BusinessId, WebhookId), StoreError> {
    let business = key.len().checked_sub(16).map(|end| &key[..end]).unwrap_or_default();
    Ok((id_at_end(business)?, id_at_end(key)?))
}

/// Whether a delivery attempt writes rows of this kind: deliveries, due times, numbers of successful deliveries, and
/// mails with their rows.
pub fn is_of_outcome(key: &[u8]) -> bool {
    let kinds = [
        kind::DELIVERY,
        kind::DELIVERY_DUE,
        kind::DELIVERY_REACHED,
        kind::MAIL,
        kind::MAIL_DUE,
        kind::MAIL_GATHERED,
    ];
    key.get(16).is_some_and(|kind| kinds.contains(kind))
}

pub fn mail(of: BusinessId, id: MailId) -> Key {
    of_id(of, kind::MAIL, id)
}

pub fn mails(of: BusinessId) -> KeyRange {
    of_kind(of, kind::MAIL)
}

/// All rows of mails and alerts, whose kinds are adjacent.
pub fn mails_and_alerts(of: BusinessId) -> KeyRange {
    KeyRange { from: mails(of).from, to: of_kind(of, kind::ALERTS_READ).to }
}

pub fn mail_due(of: BusinessId, due: Timestamp, id: MailId) -> Key {
    of_instant(start(of, kind::MAIL_DUE), due, id)
}

pub fn mails_due(of: BusinessId) -> KeyRange {
    of_kind(of, kind::MAIL_DUE)
}

pub fn mail_gathered(of: BusinessId, mails: MailKind, person: PersonId, id: MailId) -> Key {
    gathered_of(of, mails, person).with(id.uuid().as_bytes())
}

/// The mails of a kind that are sent to a person together, oldest first.
pub fn mails_gathered(of: BusinessId, mails: MailKind, person: PersonId) -> KeyRange {
    KeyRange::prefix(gathered_of(of, mails, person))
}

fn gathered_of(of: BusinessId, mails: MailKind, person: PersonId) -> Key {
    start(of, kind::MAIL_GATHERED).with(&[mail_kind_number(mails)]).with(person.uuid().as_bytes())
}
