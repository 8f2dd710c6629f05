//! Removes personal data of erased contacts from an endpoint's deliveries: response bodies are deleted, and
//! deliveries that still wait become missed. The business wipes an event once no endpoint has such data left.

use std::sync::Arc;

use domain::{Delivery, DeliveryStatus, EventId};
use ractor::ActorRef;
use store::keys::kind;
use store::records::WipeRecord;
use store::{Batch, Order, Record, StoreError, keys};

use super::key::EndpointKey;
use super::message::Message;
use super::service::Deliveries;
use super::state::{ROWS_PER_TURN, State};
use super::target::Target;
use super::write::write_delivery;
use crate::shared::Shared;

impl State {
    /// Cleans the deliveries of the next events to be wiped. A delivery with an attempt in progress is
    /// cleaned after the attempt.
    pub(super) async fn clean(
        &mut self,
        deliveries: &Arc<Deliveries>,
        myself: &ActorRef<Message>,
        after: Option<EventId>,
    ) -> Result<(), StoreError> {
        let EndpointKey { business, endpoint: id } = self.key;
        let shared = &deliveries.shared;
        shared.store.settled(business).await?;
        let Some(Target { endpoint, suspended }) = Target::read(&shared.store, self.key, &self.suspended)?
        else {
            return Ok(());
        };
        let (mut batch, mut last, mut looked_at) = (Batch::default(), None, 0);
        let mut range = keys::of_kind(business, kind::WIPE);
        if let Some(after) = after {
            range = range.after(keys::wipe(business, after));
        }
        for row in shared.store.scan(&range, Order::Ascending).take(ROWS_PER_TURN) {
            let (key, value) = row?;
            looked_at += 1;
            let Some(event) = shared.store.usable(&key, keys::id_at_end::<EventId>(&key))? else { continue };
            last = Some(event);
            // A wipe record that cannot be decoded counts as due now.
            let record = shared.store.usable(&key, WipeRecord::decode(&value))?;
            let delivery = shared.store.find::<Delivery>(&keys::delivery(business, id, event))?;
            let Some(delivery) = delivery.filter(|delivery| !delivery.is_clean()) else { continue };
            let is_pending = delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending;
            let is_late = record.is_none_or(|WipeRecord { until }| shared.clocks.steady() >= until);
            if self.is_under_way(event) || is_pending && endpoint.is_enabled() && !suspended && !is_late {
                continue;
            }
            write_delivery(&mut batch, self.key, &delivery.cleaned(), delivery.next_attempt_at);
        }
        let more = last.filter(|_| looked_at == ROWS_PER_TURN);
        if batch.is_empty() {
            if more.is_some() {
                let _ = myself.cast(Message::Cleaned(more));
            }
            return Ok(());
        }
        let (myself, deliveries) = (myself.clone(), Arc::downgrade(deliveries));
        let done = move || {
            if more.is_some() {
                let _ = myself.cast(Message::Cleaned(more));
            } else if let Some(deliveries) = deliveries.upgrade() {
                deliveries.maintain(business);
            }
        };
        shared.store.submit(business, batch, Box::new(done));
        shared.store.settled(business).await // otherwise a turn would read the old rows
    }

    pub(super) fn is_to_be_wiped(&self, shared: &Shared, event: EventId) -> Result<bool, StoreError> {
        shared.store.contains(&keys::wipe(self.key.business, event))
    }

    /// A wiped event, or one that is to be wiped, is never sent again on request.
    pub(super) fn is_wiped(&self, shared: &Shared, event: EventId) -> Result<bool, StoreError> {
        let bytes = shared.store.get_raw(&keys::event(self.key.business, event))?;
        Ok(bytes.is_some_and(|bytes| bytes.is_empty()) || self.is_to_be_wiped(shared, event)?)
    }
}
