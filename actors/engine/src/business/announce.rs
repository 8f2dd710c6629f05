//! The event of a change, and one delivery of it for each subscribed endpoint.

use domain::{Amount, BudgetKind, Delivery, EventId, EventType, Timestamp};
use store::{Batch, keys};

use super::state::State;
use crate::delivery::{EndpointKey, write_delivery};

pub(super) struct Announced {
    /// Waiting and reserved deliveries, including those of this batch.
    pub(super) waits: Amount,
    pub(super) deliveries: Vec<EndpointKey>,
    pub(super) missed: u64,
}

/// Writes an event and one delivery for each subscribed endpoint. Writes nothing without a subscribed
/// endpoint. A delivery that exceeds the budget is written as missed; the change still succeeds.
pub(super) fn write_event(
    state: &mut State,
    event: EventType,
    resource: &[u8],
    at: Timestamp,
    batch: &mut Batch,
    announced: &mut Announced,
) {
    if !state.webhooks.values().any(|endpoint| endpoint.events.contains(event)) {
        return;
    }
    let id: EventId = state.mint.next(at, state.ports.random_bytes());
    let bytes = view::event(id, event, at, state.id, resource);
    let (kind, more) = (BudgetKind::WaitingDeliveries, Amount::row(bytes.len()));
    batch.put(keys::event(state.id, id), bytes);
    for endpoint in state.webhooks.values().filter(|endpoint| endpoint.events.contains(event)) {
        let key = EndpointKey { business: state.id, endpoint: endpoint.id };
        let mut delivery = Delivery::of_event(id, event, endpoint, (at, state.steady.now()));
        if endpoint.is_enabled() {
            if state.budget.limits.has_room(kind, announced.waits, more) {
                announced.waits = announced.waits.plus(more);
                if !announced.deliveries.contains(&key) {
                    announced.deliveries.push(key);
                }
            } else {
                delivery = delivery.missed();
                announced.missed += 1;
            }
        }
        write_delivery(batch, key, &delivery, None);
    }
}
