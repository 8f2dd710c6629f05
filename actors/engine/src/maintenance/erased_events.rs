//! *Wipes* the events that contain data of an erased contact: deletes the bytes of these events. The erasure marks each
//! of these events with a wipe row (`keys::wipe`).
//!
//! Invariants:
//! - A marked event cannot be resent.
//! - A marked event is not wiped while one of its deliveries is waiting or contains a receiver's response. The
//!   endpoints' actors delete these responses. If a delivery has not ended 24 hours (of steady time) after the erasure,
//!   the endpoint's actor ends it.
//! - If an event has no bytes, it was wiped. Such an event is never sent.

use domain::{Delivery, DeliveryStatus, EventId};
use store::keys::kind;
use store::records::WipeRecord;
use store::{Batch, Key, LONG_VALUE_BYTES_MAX, Order, StoreError, keys, unless_set_aside};

use super::business::Step;
use crate::business::{State, Write};
use crate::delivery::EndpointKey;

/// The maximum number of events per step. Each event may have a delivery for each endpoint.
const EVENTS_MAX: usize = 64;

/// Wipes the next marked events that can be wiped now. After the last event, deletes the row `keys::unfinished` if no
/// other work is unfinished.
pub(super) fn step(state: &mut State) -> Result<Step, StoreError> {
    let all = keys::of_kind(state.id, kind::WIPE);
    let range = state.jobs.wiped.map_or(all, |at| all.after(at));
    let (mut rows, mut stepped) = (Batch::default(), Step::default());
    state.jobs.wiped = None;
    for (looked_at, row) in state.store.scan(&range, Order::Ascending).enumerate() {
        if looked_at == EVENTS_MAX {
            stepped.more = true;
            break;
        }
        let (key, value) = row?;
        let key = Key::new(&key);
        state.jobs.wiped = Some(key);
        let Some(event) = state.store.usable(&key, keys::id_at_end::<EventId>(&key))? else { continue };
        // If the wipe row cannot be decoded, its deadline counts as passed.
        let record = state.store.find_in::<WipeRecord>(&key, &value)?;
        let is_late = record.is_none_or(|WipeRecord { until }| state.clocks.steady() >= until);
        if waits(state, event, is_late, &mut stepped.clean)? {
            continue;
        }
        let bytes = keys::event(state.id, event);
        match unless_set_aside(state.store.get_raw(&bytes))? {
            Some(Some(before)) => rows.put_over(bytes, Vec::new(), before.len()),
            Some(None) => {}
            // The stored pieces of the event are inconsistent, so their number is unknown. The deletion covers the
            // largest possible number of pieces.
            None => rows.put_over(bytes, Vec::new(), LONG_VALUE_BYTES_MAX),
        }
        rows.delete(key);
    }
    if !stepped.more {
        state.jobs.wiped = None;
        let unfinished = keys::unfinished(state.id);
        if state.store.contains(&unfinished)? && is_finished(state, &rows)? {
            rows.delete(unfinished);
        }
    }
    if !rows.is_empty() {
        stepped.writes.push(Write::Rows(rows));
    }
    Ok(stepped)
}

/// True if the event has a delivery that is not clean: an attempt is pending or planned, or a response body is stored.
/// A pending delivery may stay as it is until the deadline, if its endpoint is enabled and the business is not
/// suspended. For every other delivery that is not clean, this function adds the endpoint to the list `clean`. The
/// actor of the endpoint then cleans the delivery: it ends the delivery or deletes the response body.
fn waits(
    state: &State,
    event: EventId,
    is_late: bool,
    clean: &mut Vec<EndpointKey>,
) -> Result<bool, StoreError> {
    let mut waits = false;
    for endpoint in state.webhooks.values() {
        let delivery = state.store.find::<Delivery>(&keys::delivery(state.id, endpoint.id, event))?;
        let Some(delivery) = delivery.filter(|delivery| !delivery.is_clean()) else { continue };
        waits = true;
        let is_pending = delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending;
        let may_wait = is_pending && endpoint.is_enabled() && !state.business.suspended && !is_late;
        let key = EndpointKey { business: state.id, endpoint: endpoint.id };
        if !may_wait && !clean.contains(&key) {
            clean.push(key);
        }
    }
    Ok(waits)
}

/// True if no unfinished work is left after the deletions in `rows`. Unfinished work is an erasure, a merge, missing
/// reminders, an event to wipe or an open conversation.
fn is_finished(state: &State, rows: &Batch) -> Result<bool, StoreError> {
    for range in kind::UNFINISHED.map(|kind| keys::of_kind(state.id, kind)) {
        if state.overlay.range(&range).any(|(_, value)| value.is_some()) {
            return Ok(false);
        }
        for row in state.store.scan(&range, Order::Ascending) {
            let key = row?.0;
            if !rows.writes().any(|(gone, value)| value.is_none() && gone[..] == key[..]) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
