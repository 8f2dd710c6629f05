//! The rows of a delivery.

use domain::{Delivery, Timestamp};
use store::{Batch, Record, keys};

use super::key::EndpointKey;

/// Writes a delivery and moves its row in the due index.
pub(crate) fn write_delivery(
    batch: &mut Batch,
    key: EndpointKey,
    after: &Delivery,
    due_before: Option<Timestamp>,
) {
    let EndpointKey { business, endpoint } = key;
    if let Some(due) = due_before {
        batch.delete(keys::delivery_due(business, endpoint, due, after.event_id));
    }
    if let Some(due) = after.next_attempt_at {
        batch.put(keys::delivery_due(business, endpoint, due, after.event_id), Vec::new());
    }
    batch.put(keys::delivery(business, endpoint, after.event_id), after.encode());
}
