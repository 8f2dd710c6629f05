//! Compares the deliveries on the disk with the expected deliveries, and checks that each is due at the right time.

use domain::{Delivery, DeliveryStatus, EventId, WebhookId};

use crate::hooks::{ATTEMPT_MILLIS, Hook, RETRY_MILLIS};
use crate::model::{Model, Span};
use crate::rows::Rows;

/// The maximum number of concurrent attempts of one endpoint.
const AT_ONCE: i64 = 8;

impl Model {
    /// Checks all deliveries of the endpoints that exist.
    pub(crate) fn check_deliveries(&mut self, rows: &Rows, span: Span) {
        for (endpoint, event) in self.owed.keys().filter(|(endpoint, _)| self.hooks[endpoint].is_there()) {
            assert!(
                rows.deliveries.contains_key(&(*endpoint, *event)),
                "the delivery of {event} to {endpoint} is missing"
            );
        }
        for ((endpoint, event), delivery) in &rows.deliveries {
            let Some(hook) = self.hooks.get(endpoint).filter(|hook| hook.is_there()) else { continue };
            let owed = self.owed.get(&(*endpoint, *event));
            let owed =
                owed.unwrap_or_else(|| panic!("the delivery of {event} to {endpoint} is not expected"));
            let told = || format!("{endpoint} {delivery:?} {owed:?} {hook:?}");
            let epoch = rows.endpoints[endpoint].epoch;
            assert_eq!(epoch, hook.epoch, "{}", told());
            let status = delivery.status_in(epoch);
            if hook.resends.is_empty() {
                let missed = delivery.status == DeliveryStatus::Missed;
                assert_eq!(missed, !owed.on, "{}", told());
                assert_eq!(delivery.epoch, owed.epoch, "{}", told());
            }
            match delivery.status {
                DeliveryStatus::Pending => assert!(delivery.attempts < 9, "{}", told()),
                DeliveryStatus::Delivered => {
                    assert!((1..=9).contains(&delivery.attempts), "{}", told());
                    assert!(
                        hook.got.contains_key(event),
                        "the delivery is recorded as successful, but the receiver did not accept the event: {}",
                        told()
                    );
                }
                DeliveryStatus::Failed => {
                    assert_eq!(delivery.attempts, 9, "{}", told());
                    // All attempts of this delivery have failed. If the endpoint has accepted no event since the
                    // event of this delivery, the service must have disabled the endpoint. The epoch of the endpoint
                    // counts how often the endpoint was disabled. So it must be higher than the epoch of the delivery.
                    let reached = hook.taken.is_some_and(|taken| taken >= owed.since);
                    assert!(reached || delivery.epoch < epoch, "the endpoint must be disabled: {}", told());
                }
                DeliveryStatus::Missed => {}
            }
            if status == DeliveryStatus::Pending {
                // Attempts have timestamps of the wall clock. These timestamps cannot be compared between
                // runs, or within a run in which the clock has jumped. So the schedule is checked only for
                // attempts of this run, and only if the clock has not jumped.
                let earlier = self.attempted.get(&(*endpoint, *event)).copied().flatten();
                if !span.jumped && earlier != delivery.last_attempt_at {
                    check_plan(delivery, &told);
                }
                if hook.is_on() {
                    let suspended = self.suspended_for(span.began, span.worked);
                    check_in_time(rows, (*endpoint, *event), delivery, (span, suspended), &told);
                }
            }
            check_got(hook, *event, delivery, span, &told);
        }
        self.attempted =
            rows.deliveries.iter().map(|(of, delivery)| (*of, delivery.last_attempt_at)).collect();
    }
}

/// Checks that the time until the next attempt is the documented delay.
fn check_plan(delivery: &Delivery, told: &impl Fn() -> String) {
    let next = delivery
        .next_attempt_at
        .unwrap_or_else(|| panic!("the pending delivery has no due time: {}", told()));
    let Some(last) = delivery.last_attempt_at else { return };
    if delivery.attempts == 0 {
        return;
    }
    let waits = (next - last).num_milliseconds();
    let delay = RETRY_MILLIS[delivery.attempts as usize - 1];
    assert!(
        (delay..=delay + ATTEMPT_MILLIS).contains(&waits),
        "the next attempt is due after {waits} ms: {}",
        told()
    );
}

/// Checks that no delivery has been due for too long.
fn check_in_time(
    rows: &Rows,
    (endpoint, event): (WebhookId, EventId),
    delivery: &Delivery,
    (span, suspended): (Span, i64),
    told: &impl Fn() -> String,
) {
    let lived = span.worked - span.began;
    let now = span.wall + lived;
    let next = delivery.next_attempt_at.unwrap().millis();
    // In most seeds, the service makes up to eight attempts at an endpoint at the same time, and a delivery waits only
    // for other deliveries of its endpoint. In a seed with few permits for attempts, the service may make only one
    // attempt at a time, and a delivery may also wait for deliveries of other endpoints.
    let may_have_gone_before = |of: &WebhookId, other: &Delivery| {
        let tried = other.last_attempt_at.is_some_and(|at| span.jumped || at.millis() >= span.wall);
        (*of == endpoint || span.few_permits) && (tried || other.status == DeliveryStatus::Pending)
    };
    let others = rows.deliveries.iter().filter(|((of, _), other)| may_have_gone_before(of, other)).count();
    let at_once = if span.few_permits { 1 } else { AT_ONCE };
    let turns = i64::try_from(others).unwrap() / at_once + 4;
    // While the network fails, `held_until` is `i64::MAX`, so no delivery counts as late.
    let late = lived.min(now - next).min(span.worked.saturating_sub(span.held_until));
    let late = late.saturating_sub(suspended + span.suspended);
    assert!(late < turns * ATTEMPT_MILLIS + 2_000, "{event} is {late} ms late: {}", told());
}

/// Checks the status of a delivery that the endpoint accepted in this run of the engine. If it was accepted long enough
/// ago, it must be recorded as successful.
fn check_got(hook: &Hook, event: EventId, delivery: &Delivery, span: Span, told: &impl Fn() -> String) {
    let Some(at) = hook.got_quickly(event) else { return };
    let resent = hook.resends.iter().any(|asked| *asked >= at - ATTEMPT_MILLIS);
    // `was_ended_at` is true if the endpoint may have been disabled or deleted during the attempt. In this case, the
    // service may have recorded no success, so the test does not check the status.
    if at >= span.began
        && span.worked - at > ATTEMPT_MILLIS + span.suspended
        && !resent
        && !hook.was_ended_at(at)
    {
        assert_eq!(delivery.status, DeliveryStatus::Delivered, "{}", told());
    }
}
