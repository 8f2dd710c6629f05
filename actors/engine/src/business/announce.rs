//! What a change announces: the event, and a delivery of it for each endpoint that subscribes to it.

use domain::{Amount, BudgetKind, Delivery, EventId, EventType, Timestamp};
use store::{Batch, keys};

use super::state::State;
use crate::delivery::{EndpointKey, write_delivery};

/// What the events of a change have come to so far.
pub(super) struct Announced {
    /// How much waits, or is promised room, with what the batch adds.
    pub(super) waits: Amount,
    /// The endpoints for which something waits now.
    pub(super) deliveries: Vec<EndpointKey>,
    /// How many deliveries found no room among what waits.
    pub(super) missed: u64,
}

/// Writes an event, and a delivery of it for each endpoint that subscribes to it; without one, nothing is written.
/// What finds no room in the budget of what waits is missed at once, and the change goes on.
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
            if state.accounts.budget.has_room(kind, announced.waits, more) {
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
