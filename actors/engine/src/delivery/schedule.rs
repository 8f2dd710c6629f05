//! The due times of attempts, and the consequences of an outcome (spec §6 rules 5, 6 and 8). The module is
//! pure.

use chrono::TimeDelta;
use domain::{AttemptError, Delivery, DeliveryStatus, Timestamp};
use net::{Attempt, Outcome};

/// How long a delivery is shown in the log (spec §6 rule 10).
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttemptResult {
    /// `false` if this machine was short of resources, so no attempt was made.
    pub(crate) made: bool,
    /// Whether the receiver responded with 2xx in time.
    pub(crate) delivered: bool,
    pub(crate) response_status: Option<u16>,
    /// The first KiB of the response, if it was read.
    pub(crate) response_body: Option<String>,
    pub(crate) error: Option<AttemptError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Delivered,
    Retry,
    /// The last attempt has failed.
    Failed,
    /// The last attempt has failed, and no delivery reached the endpoint since the first one. The endpoint is
    /// disabled.
    TurnOff,
}

/// The delivery after an attempt between `began` and `ended`. `reached` counts the deliveries that reached
/// the endpoint, this one included.
pub(crate) fn after_attempt(
    delivery: &Delivery,
    result: AttemptResult,
    (began, ended): (Timestamp, Timestamp),
    reached: u64,
) -> (Delivery, Next) {
    let attempts = delivery.attempts + 1;
    let delay = RETRY_AFTER.get(delivery.attempts as usize);
    let next = match delay {
        _ if result.delivered => Next::Delivered,
        Some(_) => Next::Retry,
        None if delivery.reached_before.is_some_and(|before| before < reached) => Next::Failed,
        None => Next::TurnOff,
    };
    let status = match next {
        Next::Delivered => DeliveryStatus::Delivered,
        Next::Retry => DeliveryStatus::Pending,
        Next::Failed | Next::TurnOff => DeliveryStatus::Failed,
    };
    let after = Delivery {
        status,
        attempts,
        last_response_status: result.response_status,
        last_response_body: result.response_body,
        last_error: result.error,
        last_attempt_at: Some(began),
        next_attempt_at: delay.filter(|_| next == Next::Retry).map(|delay| ended + *delay),
        ..delivery.clone()
    };
    (after, next)
}

impl From<Attempt> for AttemptResult {
    fn from(attempt: Attempt) -> Self {
        Self {
            made: attempt.outcome != Outcome::NotMade,
            delivered: attempt.outcome == Outcome::Delivered,
            response_body: None,
            response_status: attempt.status,
            error: attempt.error,
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{EventId, EventType};

    use super::*;

    #[test]
    fn the_last_failure_turns_off_only_if_nothing_arrived_since_the_first_attempt() {
        let at = Timestamp::from_millis(0);
        let failed = AttemptResult {
            made: true,
            delivered: false,
            response_status: None,
            response_body: None,
            error: None,
        };
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
        };
        for (reached, next) in [(5, Next::TurnOff), (6, Next::Failed)] {
            assert_eq!(after_attempt(&delivery, failed.clone(), (at, at), reached).1, next);
        }
        delivery.attempts = 7;
        assert_eq!(after_attempt(&delivery, failed, (at, at), 5).1, Next::Retry);
    }
}
