//! Webhook endpoints and deliveries.

use serde::{Deserialize, Serialize};

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::{Delivery, EventTypes, WebhookEndpoint, WebhookSecret};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct WebhookEndpointRecordV1 {
    id: IdBytes,
    url: String,
    events: u8,
    description: String,
    status: u8,
    disabled_reason: Option<u8>,
    disabled_at: Option<i64>,
    epoch: u32,
    secret: [u8; 32],
    created_at: i64,
    updated_at: i64,
}

record!(WebhookEndpoint, "webhook_endpoint", 1 => WebhookEndpointRecordV1);

impl Layout<WebhookEndpoint> for WebhookEndpointRecordV1 {
    fn freeze(value: &WebhookEndpoint) -> Self {
        Self {
            id: bytes_of(value.id),
            url: value.url.clone(),
            events: value.events.bits(),
            description: value.description.clone(),
            status: value.status.number(),
            disabled_reason: value.disabled_reason.map(Numbered::number),
            disabled_at: value.disabled_at.map(|at| at.millis()),
            epoch: value.epoch,
            secret: *value.secret.bytes(),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<WebhookEndpoint, StoreError> {
        let events = EventTypes::from_bits(self.events);
        Ok(WebhookEndpoint {
            id: id_of(self.id),
            url: self.url,
            events: events.ok_or_else(|| StoreError::damaged(record, "an event type is not known"))?,
            description: self.description,
            status: word(record, self.status)?,
            disabled_reason: self.disabled_reason.map(|number| word(record, number)).transpose()?,
            disabled_at: self.disabled_at.map(|at| instant(record, at)).transpose()?,
            epoch: self.epoch,
            secret: WebhookSecret::new(self.secret),
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct DeliveryRecordV1 {
    event_id: IdBytes,
    event: u8,
    status: u8,
    epoch: u32,
    attempts: u32,
    reached_before: Option<u64>,
    last_response_status: Option<u16>,
    last_response_body: Option<String>,
    last_error: Option<String>,
    last_attempt_at: Option<i64>,
    next_attempt_at: Option<i64>,
    created_at: i64,
}

record!(Delivery, "delivery", 1 => DeliveryRecordV1);

impl Layout<Delivery> for DeliveryRecordV1 {
    fn freeze(value: &Delivery) -> Self {
        Self {
            event_id: bytes_of(value.event_id),
            event: value.event.number(),
            status: value.status.number(),
            epoch: value.epoch,
            attempts: value.attempts,
            reached_before: value.reached_before,
            last_response_status: value.last_response_status,
            last_response_body: value.last_response_body.clone(),
            last_error: value.last_error.clone(),
            last_attempt_at: value.last_attempt_at.map(|at| at.millis()),
            next_attempt_at: value.next_attempt_at.map(|at| at.millis()),
            created_at: value.created_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Delivery, StoreError> {
        Ok(Delivery {
            event_id: id_of(self.event_id),
            event: word(record, self.event)?,
            status: word(record, self.status)?,
            epoch: self.epoch,
            attempts: self.attempts,
            reached_before: self.reached_before,
            last_response_status: self.last_response_status,
            last_response_body: self.last_response_body,
            last_error: self.last_error,
            last_attempt_at: self.last_attempt_at.map(|at| instant(record, at)).transpose()?,
            next_attempt_at: self.next_attempt_at.map(|at| instant(record, at)).transpose()?,
            created_at: instant(record, self.created_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::{DeliveryStatus, DisabledReason, EventType, Timestamp, WebhookStatus};

    fn endpoint() -> WebhookEndpoint {
        WebhookEndpoint {
            id: id_of([1; 16]),
            url: "https://a.example/h".into(),
            events: EventTypes::all(),
            description: String::new(),
            status: WebhookStatus::Disabled,
            disabled_reason: Some(DisabledReason::Failures),
            disabled_at: Some(Timestamp::from_millis(3)),
            epoch: 2,
            secret: WebhookSecret::new([9; 32]),
            created_at: Timestamp::from_millis(1),
            updated_at: Timestamp::from_millis(3),
        }
    }

    fn delivery() -> Delivery {
        Delivery {
            event_id: id_of([2; 16]),
            event: EventType::AppointmentBooked,
            status: DeliveryStatus::Pending,
            epoch: 1,
            attempts: 2,
            reached_before: Some(7),
            last_response_status: Some(500),
            last_response_body: Some("no".into()),
            last_error: Some("the receiver answered 500".into()),
            last_attempt_at: Some(Timestamp::from_millis(4)),
            next_attempt_at: Some(Timestamp::from_millis(5)),
            created_at: Timestamp::from_millis(1),
        }
    }

    #[test]
    fn the_bytes_of_an_endpoint_never_change() {
        check(
            &endpoint(),
            "01010101010101010101010101010101011368747470733a2f2f612e6578616d706c652f683f000201010106020909\
             0909090909090909090909090909090909090909090909090909090909090206",
        );
    }

    #[test]
    fn the_bytes_of_a_delivery_never_change() {
        check(
            &delivery(),
            "010202020202020202020202020202020202010102010701fbf40101026e6f01197468652072656365697665722061\
             6e737765726564203530300108010a02",
        );
    }

    #[test]
    fn what_is_no_word_is_damage() {
        check_damage(&endpoint(), |bytes| replace(bytes, b"/h\x3f\x00\x02", b"/h\x3f\x00\x07"));
        check_damage(&endpoint(), |bytes| replace(bytes, b"/h\x3f", b"/h\x7f"));
        check_damage(&delivery(), |bytes| bytes[17] = 0x7f);
    }
}
