//! The due times of attempts, and the effects of an outcome on the delivery and its endpoint. The module is
//! pure.

use chrono::TimeDelta;
use domain::{ATTEMPTS_KEPT, Attempted, Delivery, DeliveryStatus, Timestamp};
use net::{Attempt, Outcome};

/// The time for which the log shows a delivery.
pub(crate) const LOG_DAYS: TimeDelta = TimeDelta::days(30);

/// The delay after each failure. The failure after the last delay is final.
pub const RETRY_AFTER: [TimeDelta; 8] = [
    TimeDelta::seconds(30),
    TimeDelta::minutes(2),
    TimeDelta::minutes(10),
    TimeDelta::minutes(30),
    TimeDelta::hours(1),
    TimeDelta::hours(3),
    TimeDelta::hours(6),
    TimeDelta::hours(12),
];

/// The delay of the next attempt after `attempts` attempts have ended.
pub(crate) fn delay_before(attempts: u32) -> TimeDelta {
    let before = attempts.checked_sub(1).and_then(|last| RETRY_AFTER.get(last as usize));
    before.copied().unwrap_or_default()
}

/// Returns the changed delivery after an attempt, and whether the endpoint must be disabled. The endpoint must be
/// disabled if the last attempt of the schedule failed and no other delivery has reached the endpoint since the first
/// attempt of this delivery. `reached` is the number of deliveries that have reached the endpoint. The caller adds the
/// response body to the delivery.
pub(super) fn after_attempt(
    delivery: &Delivery,
    attempt: &Attempt,
    (began, ended): (Timestamp, Timestamp),
    reached: u64,
) -> (Delivery, bool) {
    let retry = RETRY_AFTER.get(delivery.attempts as usize);
    let retry = retry.filter(|_| attempt.outcome != Outcome::Delivered);
    let status = match retry {
        _ if attempt.outcome == Outcome::Delivered => DeliveryStatus::Delivered,
        Some(_) => DeliveryStatus::Pending,
        None => DeliveryStatus::Failed,
    };
    let was_reached = delivery.reached_before.is_some_and(|before| before < reached);
    let mut tried = delivery.tried.clone();
    tried.push(Attempted {
        at: began,
        status: attempt.status,
        error: attempt.error.clone(),
        duration_ms: u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX),
    });
    tried.drain(..tried.len().saturating_sub(ATTEMPTS_KEPT));
    let after = Delivery {
        tried,
        status,
        attempts: delivery.attempts + 1,
        last_response_status: attempt.status,
        last_error: attempt.error.clone(),
        last_attempt_at: Some(began),
        next_attempt_at: retry.map(|delay| ended + *delay),
        ..delivery.clone()
    };
    (after, status == DeliveryStatus::Failed && !was_reached)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::{EventId, EventType};

    use super::*;

    #[test]
    fn the_last_failure_turns_off_only_if_nothing_arrived_since_the_first_attempt() {
        let at = Timestamp::from_millis(0);
        let mut delivery = Delivery {
            event_id: EventId::from(uuid::Uuid::nil()),
            event: EventType::ContactCreated,
            status: DeliveryStatus::Pending,
            attempts: 8,
            last_response_status: None,
            last_response_body: None,
            last_error: None,
            created_at: at,
            last_attempt_at: None,
            next_attempt_at: Some(at),
            epoch: 1,
            reached_before: Some(5),
            tried: Vec::new(),
        };
        let attempt =
            Attempt { outcome: Outcome::Failed, status: None, error: None, duration: Duration::ZERO };
        for (attempts, reached, status, turns_off) in [
            (8, 5, DeliveryStatus::Failed, true),
            (8, 6, DeliveryStatus::Failed, false),
            (7, 5, DeliveryStatus::Pending, false),
        ] {
            delivery.attempts = attempts;
            let (after, off) = after_attempt(&delivery, &attempt, (at, at), reached);
            assert_eq!((after.status, off), (status, turns_off));
            assert_eq!(after.tried.len(), 1);
        }
    }

    #[test]
    fn a_delivery_lists_its_newest_attempts() {
        let endpoint_at = Timestamp::from_millis;
        let mut delivery = Delivery {
            event_id: EventId::from(uuid::Uuid::nil()),
            event: EventType::ContactCreated,
            status: DeliveryStatus::Pending,
            attempts: 0,
            last_response_status: None,
            last_response_body: None,
            last_error: None,
            created_at: endpoint_at(0),
            last_attempt_at: None,
            next_attempt_at: Some(endpoint_at(0)),
            epoch: 1,
            reached_before: None,
            tried: Vec::new(),
        };
        for number in 1..=20_u64 {
            let attempt = Attempt {
                outcome: Outcome::Failed,
                status: Some(500),
                error: None,
                duration: Duration::from_millis(number),
            };
            let at = endpoint_at(number.cast_signed());
            delivery = after_attempt(&delivery, &attempt, (at, at), 0).0.again(1, at);
        }
        let durations: Vec<_> = delivery.tried.iter().map(|one| (one.at.millis(), one.duration_ms)).collect();
        assert_eq!(
            durations,
            (3..=20).map(|number: i64| (number, number.cast_unsigned())).collect::<Vec<_>>()
        );
    }
}
