//! Checks of webhook endpoints, events and deliveries.

use domain::{Delivery, EventId, WebhookEndpoint, WebhookId};
use store::keys;
use store::keys::kind;

use super::business::id_in;
use super::findings::Checker;

pub(super) fn look(checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
    match kind {
        kind::EVENT => event(checker, value),
        _ => {
            let Some(id) = id_in::<WebhookId>(checker) else { return };
            let endpoint = checker.record::<WebhookEndpoint>(&keys::webhook(checker.of, id));
            let Some(endpoint) = endpoint else {
                // A deleted endpoint's rows are deleted in steps. It stays in the list until the end.
                if !checker.is_there(&keys::endpoint_index(checker.of, id)) {
                    checker.wrong("the webhook endpoint that it belongs to is missing");
                }
                return;
            };
            match kind {
                kind::DELIVERY => delivery(checker, &endpoint, value),
                kind::DELIVERY_DUE => due(checker, &endpoint, value),
                _ if value.len() != 8 => checker.wrong("it does not have 8 bytes"),
                _ => {}
            }
        }
    }
}

/// Checks the event id and the business in an event's bytes.
fn event(checker: &mut Checker<'_>, value: &[u8]) {
    let of = checker.of.to_string();
    let Some(id) = id_in::<EventId>(checker) else { return };
    let id = id.to_string();
    let event: Option<serde_json::Value> = serde_json::from_slice(value).ok();
    if value.is_empty() {
        return; // the event was wiped
    }
    let says = |field: &str, expected: &str| event.as_ref().is_some_and(|event| event[field] == *expected);
    if !says("id", &id) || !says("business_id", &of) || !says("api_version", "v1") {
        checker.wrong("its bytes are not those of this event");
    }
}

fn delivery(checker: &mut Checker<'_>, endpoint: &WebhookEndpoint, value: &[u8]) {
    let Some(delivery) = checker.decoded::<Delivery>(value) else { return };
    let of = checker.of;
    checker.stands_at(&keys::delivery(of, endpoint.id, delivery.event_id));
    checker.refers("event", &keys::event(of, delivery.event_id));
    // A delivery that waited when its endpoint was disabled is missed and not due any more.
    if let Some(at) = delivery.next_attempt_at
        && delivery.epoch == endpoint.epoch
    {
        checker.expect(
            "in the list of due deliveries",
            &keys::delivery_due(of, endpoint.id, at, delivery.event_id),
            b"",
        );
    }
}

fn due(checker: &mut Checker<'_>, endpoint: &WebhookEndpoint, value: &[u8]) {
    let key = checker.key;
    let Some((at, event)) = checker.read(keys::instant_and_id::<EventId>(&key)) else { return };
    let row = keys::delivery(checker.of, endpoint.id, event);
    let Some(delivery) = checker.record::<Delivery>(&row) else {
        return checker.wrong("the delivery that is due is missing");
    };
    if delivery.next_attempt_at != Some(at) && delivery.epoch == endpoint.epoch {
        checker.wrong("the delivery is due at another time");
    }
    if !value.is_empty() {
        checker.wrong("it has a value");
    }
}
