//! Deletes the rows of deleted businesses.
//!
//! A deleted business is in a list of the installation (`keys::ending`) from the batch that deletes it to the
//! batch that deletes its last row. Invariants: a step deletes at most [`ROWS_PER_STEP`] rows in one batch,
//! together with the installation's rows that refer to them; the next step waits until the batch is durable;
//! a restart continues. Only writes that were already in progress can add rows to a deleted business, and the
//! list entry stays until two steps find no row.

use std::sync::Arc;
use std::time::Duration;

use domain::{BusinessId, KeyId};
use store::keys::{installation_kind, kind};
use store::{Batch, Key, Order, Store, StoreError, Weight, keys};

use super::Job;
use crate::business::Businesses;
use crate::engine::Parts;
use crate::error::EngineError;

const ROWS_PER_STEP: usize = 256;

#[derive(Default)]
pub(super) struct DeletedBusinesses {
    /// The business of the last step, and whether the step found no row.
    last: Option<(BusinessId, bool)>,
}

impl Job for DeletedBusinesses {
    const NAME: &'static str = "deleted businesses";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let Businesses { shared, key_usage, .. } = &*engine.businesses;
        let store = &shared.store;
        if store.check_room(Weight::Frees).is_err() {
            return Ok(None);
        }
        let Some(id) = next(store)? else { return Ok(None) };
        let last = self.last.filter(|(last, _)| *last == id);
        if last.is_none() {
            tracing::info!(business.id = %id, "deleting the rows of an ended business");
        }
        // A submitted batch must be applied before its rows can be deleted.
        store.settled(id).await?;
        let (mut batch, api_keys) = step(store, id)?;
        if !api_keys.is_empty() {
            api_keys.into_iter().for_each(|key| key_usage.forget(key));
            store.settled(BusinessId::INSTALLATION).await?;
        }
        let is_gone = batch.is_empty();
        self.last = Some((id, is_gone));
        if is_gone {
            // Another step finds the rows of writes that were in progress.
            if last != self.last {
                return Ok(Some(Duration::ZERO));
            }
            batch.delete(keys::ending(id));
            batch.delete(keys::unfinished(id));
        }
        store.submit(id, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        store.settled(id).await?;
        if is_gone {
            tracing::info!(business.id = %id, "all rows of an ended business are deleted");
        }
        Ok(Some(Duration::ZERO))
    }
}

/// The first deleted business that is not set aside.
fn next(store: &Store) -> Result<Option<BusinessId>, StoreError> {
    let listed = keys::of_kind(BusinessId::INSTALLATION, installation_kind::ENDING);
    for row in store.scan(&listed, Order::Ascending) {
        let id = keys::id_at_end(&row?.0)?;
        if !store.is_business_set_aside(id) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// A batch that deletes the next rows of a business and the installation's rows that refer to them. Also
/// returns the ids of the deleted API keys.
fn step(store: &Store, of: BusinessId) -> Result<(Batch, Vec<KeyId>), StoreError> {
    let (mut batch, mut api_keys) = (Batch::default(), Vec::new());
    for row in store.rows().scan(&keys::all(of), Order::Ascending).take(ROWS_PER_STEP) {
        let (key, value) = row?;
        if keys::kind_of(&key)? == kind::KEY
            && let Ok(prefix) = keys::prefix_from_value(&value)
        {
            let id = keys::id_at_end::<KeyId>(&key)?;
            batch.delete(keys::api_key(prefix));
            batch.delete(keys::key_used(id));
            api_keys.push(id);
        }
        if keys::kind_of(&key)? == kind::MEMBERSHIP {
            batch.delete(keys::member_of(keys::id_at_end(&key)?, of));
        }
        batch.delete(Key::new(&key));
    }
    if batch.is_empty() {
        let endpoints = keys::endpoints_of(of);
        for row in store.scan(&endpoints, Order::Ascending).take(ROWS_PER_STEP) {
            batch.delete(Key::new(&row?.0));
        }
    }
    Ok((batch, api_keys))
}
