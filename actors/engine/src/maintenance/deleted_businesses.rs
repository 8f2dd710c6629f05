//! A background task that deletes the rows of ended businesses and starts businesses with an unfinished
//! erasure.
//!
//! An ended business is in a list of the installation (`keys::ending`) from the batch that ends it to the
//! batch that deletes its last row. Invariants: a step deletes at most [`ROWS_PER_STEP`] rows in one batch,
//! together with the installation's rows that belong to them; the next step waits until it is durable; a
//! restart continues. Only writes that were already in progress can add rows to an ended business, and the
//! list entry stays until a step finds no row.

use std::sync::{Arc, Weak};

use domain::{BusinessId, KeyId};
use store::keys::{installation_kind, kind};
use store::{Batch, Key, KeyRange, Order, Store, StoreError, Weight, keys};

use super::{Maintenance, open};
use crate::business::Businesses;

const ROWS_PER_STEP: usize = 256;
const LOOKED_AT_ONCE: usize = 64;

fn listed() -> KeyRange {
    keys::of_kind(BusinessId::INSTALLATION, installation_kind::ENDING)
}

/// Runs at the engine's start and at each notification, which is sent once a minute and when a business is
/// ended. It ends with the engine.
pub(crate) async fn run(maintenance: Weak<Maintenance>) {
    let mut looked_at = None;
    loop {
        let Some(engine) = open(&maintenance) else { return };
        // Erasures first. A failure of one does not prevent the other.
        let started = start_unfinished(&engine.businesses, &mut looked_at).await;
        let did = end_all(&engine.businesses).await.and(started);
        if let Err(error) = did
            && !engine.shared.store.failed()
        {
            tracing::error!(%error, "deletions and erasures are postponed");
        }
        let ending = Arc::clone(&engine.businesses.deleted);
        drop(engine);
        ending.notified().await;
    }
}

async fn start_unfinished(businesses: &Businesses, looked_at: &mut Option<Key>) -> Result<(), StoreError> {
    let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::UNFINISHED);
    let range = looked_at.take().map_or(all, |at| all.after(at));
    let rows = businesses.shared.store.scan(&range, Order::Ascending).take(LOOKED_AT_ONCE);
    for (row, _) in rows.collect::<Result<Vec<_>, _>>()? {
        *looked_at = Some(Key::new(&row));
        let id = keys::id_at_end(&row)?;
        // The error of a failed start is logged; the next round tries again.
        if businesses.directory.if_running(id).is_none() {
            let _ = businesses.directory.enter(id).await;
        }
    }
    Ok(())
}

/// Deletes the rows of every ended business while there is disk space.
async fn end_all(businesses: &Businesses) -> Result<(), StoreError> {
    let Businesses { shared, key_usage, .. } = businesses;
    let store = &shared.store;
    let mut left = listed();
    while let Some((row, _)) = store.scan(&left, Order::Ascending).next().transpose()? {
        let id: BusinessId = keys::id_at_end(&row)?;
        left = left.after(Key::new(&row));
        if store.is_business_set_aside(id) {
            continue;
        }
        tracing::info!(business.id = %id, "deleting the rows of an ended business");
        let mut is_gone = false;
        loop {
            if shared.check_open().is_err() || store.check_room(Weight::Frees).is_err() {
                return Ok(());
            }
            // A submitted batch must be applied before its rows can be deleted.
            store.settled(id).await?;
            let (mut batch, api_keys) = step(store, id)?;
            if !api_keys.is_empty() {
                api_keys.into_iter().for_each(|key| key_usage.forget(key));
                store.settled(BusinessId::INSTALLATION).await?;
            }
            let finished = batch.is_empty();
            if finished {
                if !is_gone {
                    // Tries once more, for rows of writes that were in progress.
                    is_gone = true;
                    tokio::task::yield_now().await;
                    continue;
                }
                batch.delete(keys::ending(id));
                batch.delete(keys::unfinished(id));
            }
            store.submit(id, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
            store.settled(id).await?;
            if finished {
                tracing::info!(business.id = %id, "all rows of an ended business are deleted");
                break;
            }
        }
    }
    Ok(())
}

/// The deletion of the next rows of a business and of the installation's rows for them, with the ids of the
/// deleted keys.
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
