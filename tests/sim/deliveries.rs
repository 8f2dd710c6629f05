//! Compares the deliveries on the disk with the expected ones and their due times.

use domain::{Delivery, DeliveryStatus, EventId, WebhookId};

use crate::hooks::{ATTEMPT_MILLIS, Hook, RETRY_MILLIS};
use crate::model::{Model, Span};
use crate::rows::Rows;

/// The maximum number of concurrent attempts of one endpoint.
const AT_ONCE: i64 = 8;

impl Model {
    /// Checks every delivery of the endpoints that exist.
    pub(crate) fn check_deliveries(&mut self, rows: &Rows, span: Span) {
        for (endpoint, event) in self.owed.keys().filter(|(endpoint, _)| self.hooks[endpoint].is_there()) {
            assert!(rows.deliveries.contains_key(&(*endpoint, *event)), "{event} for {endpoint} is lost");
        }
        for ((endpoint, event), delivery) in &rows.deliveries {
            let Some(hook) = self.hooks.get(endpoint).filter(|hook| hook.is_there()) else { continue };
            let owed = self.owed.get(&(*endpoint, *event));
            let owed = owed.unwrap_or_else(|| panic!("{event} is not owed to {endpoint}"));
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
                    assert!(hook.got.contains_key(event), "nothing says that it was taken: {}", told());
                }
                DeliveryStatus::Failed => {
                    assert_eq!(delivery.attempts, 9, "{}", told());
                    // Otherwise the endpoint would have been disabled, which starts a new epoch.
                    let reached = hook.taken.is_some_and(|taken| taken >= owed.since);
                    assert!(reached || delivery.epoch < epoch, "it should be off: {}", told());
                }
                DeliveryStatus::Missed => {}
            }
            if status == DeliveryStatus::Pending {
                // The times of attempts come from the wall clock. They cannot be compared within a life in which the
                // clock jumped, or across lives.
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

/// The next attempt is due after the documented delay.
fn check_plan(delivery: &Delivery, told: &impl Fn() -> String) {
    let next = delivery.next_attempt_at.unwrap_or_else(|| panic!("it is never due: {}", told()));
    let Some(last) = delivery.last_attempt_at else { return };
    if delivery.attempts == 0 {
        return;
    }
    let waits = (next - last).num_milliseconds();
    let delay = RETRY_MILLIS[delivery.attempts as usize - 1];
    assert!((delay..=delay + ATTEMPT_MILLIS).contains(&waits), "it waits {waits} ms: {}", told());
}

/// No delivery is long overdue without a new attempt.
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
    // The deliveries that may be attempted first: those of the endpoint, eight at once; with few permits, those of all
    // endpoints of the business, one after another.
    let may_have_gone_before = |of: &WebhookId, other: &Delivery| {
        let tried = other.last_attempt_at.is_some_and(|at| span.jumped || at.millis() >= span.wall);
        (*of == endpoint || span.few_places) && (tried || other.status == DeliveryStatus::Pending)
    };
    let others = rows.deliveries.iter().filter(|((of, _), other)| may_have_gone_before(of, other)).count();
    let at_once = if span.few_places { 1 } else { AT_ONCE };
    let turns = i64::try_from(others).unwrap() / at_once + 4;
    let late =
        lived.min(now - next).min(span.worked.saturating_sub(span.held_until)) - suspended - span.suspended;
    assert!(late < turns * ATTEMPT_MILLIS + 2_000, "{event} is {late} ms late: {}", told());
}

/// A delivery that the endpoint accepted long enough ago in this life is not attempted again.
fn check_got(hook: &Hook, event: EventId, delivery: &Delivery, span: Span, told: &impl Fn() -> String) {
    let Some(at) = hook.got_quickly(event) else { return };
    let resent = hook.resends.iter().any(|asked| *asked >= at - ATTEMPT_MILLIS);
    // Disabling the endpoint ends an attempt with an unknown outcome.
    if at >= span.began
        && span.worked - at > ATTEMPT_MILLIS + span.suspended
        && !resent
        && !hook.was_ended_at(at)
    {
        assert_eq!(delivery.status, DeliveryStatus::Delivered, "{}", told());
    }
}
