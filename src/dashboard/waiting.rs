//! Counts the tasks for the team. The navigation and the title of each page show the counts.

use chrono::TimeDelta;
use domain::{
    Access, DisabledReason, ENDPOINTS_MAX, FAILING_ALERT_AFTER, MessageStatus, Right, Role, Timestamp,
    WebhookEndpoint,
};
use engine::EngineError;
use engine::business::{BusinessHandle, CallFilter, MessageFilter, PageRequest};

/// The largest number that is shown. Larger numbers are shown as `99+`.
const COUNTED_MAX: usize = 99;
/// The time for which a missed call counts as a task, unless it is handled.
pub(super) const MISSED_FOR: TimeDelta = TimeDelta::days(30);

/// The counts of tasks. Counting stops at [`COUNTED_MAX`] + 1.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    pub(super) today: usize,
    pub(super) messages: usize,
}

impl Waiting {
    pub(super) async fn read(business: &BusinessHandle, role: Role) -> Result<Self, EngineError> {
        if role.access(Right::Day) == Access::Hidden {
            return Ok(Self::default());
        }
        let now = business.now();
        let some = PageRequest { limit: COUNTED_MAX + 1, after: None };
        let messages = business.messages(&new_messages(now), &some).await?.items.len();
        let (requests, more) = business.requests(COUNTED_MAX + 1).await?;
        let calls = business.calls(&missed_calls(now), &some).await?.items.len();
        let sees_endpoints = role.access(Right::Integrations) != Access::Hidden;
        let endpoints = if sees_endpoints { endpoints_in_trouble(business).await?.len() } else { 0 };
        let today = messages + requests.len() + usize::from(more) + calls + endpoints;
        Ok(Self { today: today.min(COUNTED_MAX + 1), messages })
    }
}

/// The new messages that are not snoozed.
pub(super) fn new_messages(now: Timestamp) -> MessageFilter {
    MessageFilter { status: Some(MessageStatus::New), awake_at: Some(now), ..MessageFilter::default() }
}

/// The missed calls of the last [`MISSED_FOR`] that are not handled.
pub(super) fn missed_calls(now: Timestamp) -> CallFilter {
    CallFilter { from: Some(now - MISSED_FOR), unhandled: true, ..CallFilter::default() }
}

/// The missed calls that are not handled and are too old to be tasks.
fn older_missed_calls(now: Timestamp) -> CallFilter {
    CallFilter { to: Some(now - MISSED_FOR), unhandled: true, ..CallFilter::default() }
}

/// The number of missed calls that are not handled and are too old to be tasks, at most [`COUNTED_MAX`] + 1.
pub(super) async fn count_older_missed_calls(business: &BusinessHandle) -> Result<usize, EngineError> {
    let some = PageRequest { limit: COUNTED_MAX + 1, after: None };
    Ok(business.calls(&older_missed_calls(business.now()), &some).await?.items.len())
}

/// The reason why an endpoint needs attention, with the time at which the problem began.
#[derive(Clone, Copy)]
pub(super) enum Trouble {
    Off(Timestamp),
    Failing(Timestamp),
}

/// The endpoints that were disabled after failures, and those that have been failing for an hour.
pub(super) async fn endpoints_in_trouble(
    business: &BusinessHandle,
) -> Result<Vec<(WebhookEndpoint, Trouble)>, EngineError> {
    let all = business.webhooks(&PageRequest { limit: ENDPOINTS_MAX, after: None }).await?.items;
    let outages = business.outages(all.iter().map(|endpoint| endpoint.id)).await?;
    let (now, mut found) = (business.now(), Vec::new());
    for endpoint in all {
        let outage = outages.get(&endpoint.id).filter(|_| endpoint.is_enabled());
        let off = endpoint.disabled_at.filter(|_| endpoint.disabled_reason == Some(DisabledReason::Failures));
        let failing = outage.filter(|outage| outage.since + FAILING_ALERT_AFTER <= now);
        let trouble = off.map(Trouble::Off).or(failing.map(|outage| Trouble::Failing(outage.since)));
        found.extend(trouble.map(|trouble| (endpoint, trouble)));
    }
    Ok(found)
}

/// A number for the navigation. It is empty for 0.
pub(super) fn counted(count: usize) -> String {
    match count {
        0 => String::new(),
        count if count > COUNTED_MAX => format!("{COUNTED_MAX}+"),
        count => count.to_string(),
    }
}
