//! The start of deliveries with the engine.
//!
//! Invariants:
//!
//! - The start registers waiting deliveries with the dispatcher in bounded steps.
//! - An actor starts only with an attempt permit, or to correct its due times.
//! - A row that cannot be decoded is set aside.

use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{BusinessId, Delivery, EventId};
use store::keys::installation_kind;
use store::{Key, KeyRange, Order, StoreError, keys};

use super::dispatch::Host;
use super::due::is_beyond_schedule;
use super::key::EndpointKey;
use super::message::Message;
use super::service::Deliveries;
use crate::shared::Shared;

const ENDPOINTS_PER_TURN: usize = 64;

impl Deliveries {
    pub(crate) fn begin(self: &Arc<Self>) {
        self.dispatcher.begin(Arc::downgrade(self) as Weak<dyn Host>);
        // A separate task, so that slow receivers do not delay the caller.
        tokio::spawn(Arc::clone(self).register_all());
    }

    /// Registers every endpoint with waiting deliveries. Then it corrects due times that an earlier wrong
    /// clock set too late. Endpoints with unreadable rows are skipped.
    async fn register_all(self: Arc<Self>) {
        let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::ENDPOINT_INDEX);
        let mut range = all;
        while let Some(endpoints) = self.next_endpoints(&mut range) {
            for key in endpoints {
                match self.pending_of(key) {
                    Ok(None) => {}
                    Ok(Some((wait, failed_before))) => self.dispatcher.register(key, wait, failed_before),
                    Err(error) => cannot_be_read(key, &error),
                }
            }
            tokio::task::yield_now().await;
        }
        range = all;
        while let Some(endpoints) = self.next_endpoints(&mut range) {
            for key in endpoints {
                match is_beyond_schedule(&self.shared, key).await {
                    Ok(true) => self.tell(key, Message::ClampDueTimes),
                    Ok(false) => {}
                    Err(error) => cannot_be_read(key, &error),
                }
            }
            tokio::task::yield_now().await;
        }
    }

    /// The next endpoints of the list of all endpoints. `None` at the end of the list, or when the engine
    /// closes. A row without an endpoint is set aside.
    fn next_endpoints(&self, range: &mut KeyRange) -> Option<Vec<EndpointKey>> {
        self.shared.check_open().ok()?;
        let store = &self.shared.store;
        let (mut endpoints, mut last) = (Vec::new(), None);
        for row in store.scan(range, Order::Ascending).take(ENDPOINTS_PER_TURN) {
            let row =
                row.inspect_err(|error| tracing::error!(%error, "the endpoints cannot be read")).ok()?.0;
            let row = Key::new(&row);
            last = Some(row);
            let named = keys::business_and_endpoint(&row).and_then(|(business, endpoint)| {
                if keys::endpoint_index(business, endpoint) == row {
                    return Ok(EndpointKey { business, endpoint });
                }
                Err(StoreError::damaged("key", "it is longer than one that names an endpoint"))
            });
            match store.usable(&row, named) {
                Ok(named) => {
                    endpoints.extend(named.filter(|key| !store.is_business_set_aside(key.business)));
                }
                Err(error) => tracing::error!(%error, "the endpoints cannot be read"),
            }
        }
        *range = range.after(last?);
        Some(endpoints)
    }

    /// When the remaining work of an endpoint is due, and whether an earlier attempt failed.
    fn pending_of(&self, key: EndpointKey) -> Result<Option<(Duration, bool)>, StoreError> {
        let (EndpointKey { business, endpoint }, Shared { store, steady, .. }) = (key, &*self.shared);
        if !store.contains(&keys::webhook(business, endpoint))? {
            return Ok(Some((Duration::ZERO, false))); // its rows must be deleted
        }
        let due = keys::deliveries_due(business, endpoint);
        let mut rows = store.walk(&due, Order::Ascending, |row, _| {
            let (at, event) = keys::instant_and_id::<EventId>(row)?;
            Ok((at, store.get::<Delivery>(&keys::delivery(business, endpoint, event))?))
        });
        Ok(rows.next().transpose()?.map(|(_, (at, delivery))| {
            let wait = (at - steady.now()).to_std().unwrap_or_default();
            (wait, delivery.is_some_and(|delivery| delivery.attempts > 0))
        }))
    }
}

fn cannot_be_read(key: EndpointKey, error: &StoreError) {
    let EndpointKey { business, endpoint } = key;
    tracing::error!(business.id = %business, webhook.id = %endpoint, %error, "the deliveries of an endpoint cannot be read");
}
