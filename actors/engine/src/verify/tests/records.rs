//! Tests with damage to records of the kinds that the other test modules do not cover.

use super::*;

pub(super) const DAMAGES: &[Damage] = &[
    (
        "a missing call",
        |m| {
            let key = m.first(kind::CALL);
            m.remove(&key);
        },
        "no record has this index row",
    ),
    (
        "a call without its index row by start",
        |m| {
            let key = m.first(kind::CALL_BY_START);
            m.remove(&key);
        },
        "its index row by start is missing",
    ),
    (
        "an unhandled call that is not in the list of unhandled calls",
        |m| {
            let key = m.first(kind::CALL);
            m.edit::<CallRecord>(&key, |call| call.status = CallStatus::Missed);
        },
        "its index row in the list of unhandled calls is missing",
    ),
    (
        "a completed call in the list of unhandled calls",
        |m| {
            let key = m.first(kind::CALL);
            let (of, call) = (m.of(), m.record::<CallRecord>(&key));
            m.put(&keys::call_unhandled(of, call.started_at, call.id), vec![]);
        },
        "no record has this index row",
    ),
    (
        "an index row by contact of a call without a contact",
        |m| {
            let key = m.first(kind::CALL);
            m.edit::<CallRecord>(&key, |call| call.contact_id = None);
        },
        "no record has this index row",
    ),
    (
        "a call with a missing contact",
        |m| {
            let key = m.first(kind::CALL);
            m.edit::<CallRecord>(&key, |call| call.contact_id = Some(other()));
        },
        "the contact that it names is missing",
    ),
    (
        "a message without its index row by creation",
        |m| {
            let key = m.first(kind::MESSAGE_BY_CREATION);
            m.remove(&key);
        },
        "its index row by creation is missing",
    ),
    (
        "a message in the index of another status",
        |m| {
            let (of, key) = (m.of(), m.first(kind::MESSAGE_BY_STATUS));
            let (at, id) = keys::instant_and_id(&key).unwrap();
            m.move_row(&key, &keys::message_in(of, MessagesOf::Status(3), at, id));
        },
        "its index row by status is missing",
    ),
    (
        "a message about a missing call",
        |m| m.edit_where::<TakenMessage>(kind::MESSAGE, |_| true, |message| message.call_id = Some(other())),
        "the call that it names is missing",
    ),
    (
        "an item of knowledge whose id differs from the id in its key",
        |m| {
            let key = m.first(kind::KNOWLEDGE);
            m.edit::<Knowledge>(&key, |k| k.id = other());
        },
        "its record belongs to the key",
    ),
    (
        "a missing piece of a long text",
        |m| {
            let key = m.last(kind::KNOWLEDGE | 0x80);
            m.remove(&key);
        },
        "its pieces do not belong together",
    ),
    (
        "a changed byte in a long text",
        |m| {
            let key = m.last(kind::KNOWLEDGE | 0x80);
            m.0.get_mut(&key).unwrap()[0] ^= 1;
        },
        "its pieces do not belong together",
    ),
    (
        "a long text without its first piece",
        |m| {
            let key = m.last(kind::KNOWLEDGE);
            m.remove(&key);
        },
        "a piece of a missing value",
    ),
    (
        "an endpoint that is missing in the list",
        |m| {
            let key = m.installation(installation_kind::ENDPOINT_INDEX);
            m.remove(&key);
        },
        "its index row in the list of endpoints is missing",
    ),
    (
        "an endpoint that is missing together with its list row",
        |m| {
            let (key, listed) = (m.first(kind::WEBHOOK), m.installation(installation_kind::ENDPOINT_INDEX));
            m.remove(&key);
            m.remove(&listed);
        },
        "the webhook endpoint that it belongs to is missing",
    ),
    (
        "a missing event",
        |m| {
            let key = m.first(kind::EVENT);
            m.remove(&key);
        },
        "the event that it names is missing",
    ),
    (
        "an event with the bytes of another event",
        |m| {
            let (one, two) = (m.first(kind::EVENT), m.last(kind::EVENT));
            let value = m.0[&two].clone();
            m.put(&one, value);
        },
        "its bytes are damaged or belong to another event",
    ),
    (
        "a delivery under another event",
        |m| {
            let key = m.first(kind::DELIVERY);
            m.edit::<Delivery>(&key, |d| d.event_id = other());
        },
        "its record belongs to the key",
    ),
    (
        "a pending delivery without a due row",
        |m| {
            let endpoint: WebhookEndpoint = m.record(&m.first(kind::WEBHOOK));
            let key = m.first(kind::DELIVERY);
            m.edit::<Delivery>(&key, |d| {
                (d.epoch, d.next_attempt_at) = (endpoint.epoch, Some(Timestamp::from_millis(5)));
            });
        },
        "in the list of due deliveries is missing",
    ),
    (
        "a due row without a delivery",
        |m| {
            let (of, key) = (m.of(), m.first(kind::WEBHOOK));
            let endpoint: WebhookEndpoint = m.record(&key);
            m.put(&keys::delivery_due(of, endpoint.id, Timestamp::from_millis(5), other()), vec![]);
        },
        "the delivery that is due is missing",
    ),
    (
        "a call that is missing together with its index rows",
        |m| {
            let key = m.last(kind::CALL);
            let of = m.of();
            let call: CallRecord = m.record(&key);
            m.remove(&key);
            for row in [
                keys::call_by_start(of, call.started_at, call.id),
                keys::call_by_update(of, call.updated_at, call.id),
            ] {
                m.remove(&row);
            }
            m.0.remove(&*keys::call_by_contact(of, call.contact_id.unwrap(), call.started_at, call.id));
        },
        "differs from the rows found",
    ),
    (
        "an audit entry with a later timestamp than the next one",
        |m| {
            let key = m.first(kind::AUDIT);
            m.edit::<AuditRecord>(&key, |record| record.entry.at = record.entry.at + TimeDelta::days(1));
        },
        "earlier than the timestamp of the previous entry",
    ),
    (
        "an audit entry whose id differs from the id in its key",
        |m| {
            let key = m.first(kind::AUDIT);
            m.edit::<AuditRecord>(&key, |record| record.entry.id = other());
        },
        "its record belongs to the key",
    ),
    (
        "a stored response that expires a day late",
        |m| {
            let key = m.first(kind::IDEMPOTENCY);
            let (day, hash) = keys::day_and_hash(&key).unwrap();
            let to = keys::idempotency(m.of(), day + 1, &hash);
            m.move_row(&key, &to);
        },
        "is not the day of the response",
    ),
    (
        "a damaged stored response",
        |m| {
            let key = m.first(kind::IDEMPOTENCY);
            let bytes = m.record::<IdempotencyRecord>(&key).encode();
            m.put(&key, bytes[..bytes.len() - 3].to_vec());
        },
        "kind idempotency",
    ),
    (
        "an age row of a missing entry",
        |m| {
            let key = keys::age(m.of(), domain::SteadyTime::from_millis(5));
            m.put(&key, vec![3; 16]);
        },
        "a missing entry of the audit log",
    ),
];
