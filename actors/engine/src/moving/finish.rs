//! Ends an import, also after an interruption: either *opens* the imported businesses, which makes them
//! visible, or rolls the import back, which deletes the businesses.
//!
//! Invariants:
//!
//! - After an interruption, the functions of this module can be called again. The result is the same.
//! - The rows of a business are deleted in bounded steps, so other work continues.
//! - A slug belongs to one business: [`open_all`] runs while the slugs of the businesses are locked.
//! - The batch that opens an imported business also writes a [`Tombstone::ImportedBusiness`]. The batch is written only
//!   after the point of no return ([`crate::moving`]).

use std::collections::HashSet;
use std::sync::Arc;

use domain::{Business, BusinessId, Slug, SlugOwner, Timestamp, Website};
use store::kept;
use store::keys::{installation_kind, kind};
use store::{Batch, BulkWriter, Key, KeyRange, Order, Record, Store, StoreError, Tombstone, Weight, keys};

use super::service::Moving;
use crate::actor::Claim;
use crate::error::EngineError;
use crate::shared::Shared;

const ROWS_PER_STEP: usize = 256;
/// The maximum number of lost slugs that the result of an import lists.
const LOST_SLUGS_MAX: usize = 100;

/// True if an import has begun and not ended.
pub(crate) fn is_unfinished(store: &Store) -> Result<bool, StoreError> {
    Ok(store.scan(&rows(), Order::Ascending).next().transpose()?.is_some())
}

/// True if an import is finishing: all its records were valid, but some of its businesses may not be open yet.
pub(crate) fn is_finishing(store: &Store) -> Result<bool, StoreError> {
    store.contains(&all_good())
}

/// Writes the row that marks all records of the import as valid, and opens the businesses. `batch` contains other rows
/// of the installation, which are written together with this row.
pub(crate) async fn finish(moving: &Moving, mut batch: Batch, claim: &Claim) -> Result<(), EngineError> {
    batch.put(all_good(), Vec::new());
    moving.shared.store.write(BusinessId::INSTALLATION, batch).await?;
    open_all(moving, claim).await?;
    Ok(())
}

/// Locks the slugs of the imported booking pages until the returned claim is dropped. If a slug belongs to another
/// business, the imported page loses the slug and is disabled. Also returns the lost slugs.
pub(crate) async fn claim_slugs(moving: &Moving) -> Result<(Claim, Vec<String>), EngineError> {
    let (store, now) = (&moving.shared.store, moving.shared.clocks.now());
    let mut pages = Vec::new();
    for row in store.scan(&rows(), Order::Ascending) {
        let of: BusinessId = keys::id_at_end(&row?.0)?;
        if of == BusinessId::INSTALLATION {
            continue;
        }
        let website = store.get::<Website>(&keys::website(of))?;
        pages.extend(website.and_then(|website| website.slug).map(|slug| (of, slug)));
    }
    let names: Vec<_> = pages.iter().map(|(_, slug)| slug.as_str()).collect();
    let claim = moving.slugs.on(&names).await;
    let (mut claimed, mut lost) = (HashSet::new(), Vec::new());
    for (of, slug) in &pages {
        if claimed.insert(slug) && !is_taken(store, *of, slug, now)? {
            continue;
        }
        let website = store.get::<Website>(&keys::website(*of))?.unwrap_or_default();
        let mut batch = Batch::default();
        kept::put(*of, None, &Website { enabled: false, slug: None, ..website }, &mut batch);
        store.write(*of, batch).await?;
        if lost.len() < LOST_SLUGS_MAX {
            lost.push(slug.as_str().to_owned());
        }
    }
    Ok((claim, lost))
}

fn is_taken(store: &Store, of: BusinessId, slug: &Slug, now: Timestamp) -> Result<bool, StoreError> {
    let owner = store.get::<SlugOwner>(&keys::slug(slug.as_str()))?;
    Ok(owner.is_some_and(|owner| owner.excludes(of, now)))
}

/// Opens each business with one batch, which writes the profile of the business and the installation's rows about the
/// business. Returns the number of businesses that were not open yet. Each batch holds the claim of [`claim_slugs`]
/// until its commit, even if the caller is cancelled.
pub(crate) async fn open_all(moving: &Moving, claim: &Claim) -> Result<u64, EngineError> {
    let Shared { store, steady, .. } = &*moving.shared;
    let mut opened = 0;
    while let Some((id, value)) = next_staged(store)? {
        // An earlier run of this function, which was cancelled, may have submitted the batch that opens the business.
        // Opening the business again would overwrite later changes, so this run first waits for that batch.
        // It then skips the business if the batch has opened it.
        store.wait_durable(id).await?;
        if !store.contains(&keys::moving(id))? {
            continue;
        }
        let business = Business::decode(&value)?;
        assert!(
            business.id == id,
            "the record of the imported business {} has the key of business {id}",
            business.id
        );
        let mut batch = Batch::default();
        batch.put(keys::profile(id), business.encode());
        batch.put(keys::business_index(id), Vec::new());
        for row in store.scan(&keys::of_kind(id, kind::WEBHOOK), Order::Ascending) {
            batch.put(keys::endpoint_index(id, keys::id_at_end(&row?.0)?), Vec::new());
        }
        let website = store.get::<Website>(&keys::website(id))?;
        if let Some(slug) = website.and_then(|website| website.slug) {
            let owner = SlugOwner { business_id: id, reserved_until: None };
            batch.put(keys::slug(slug.as_str()), owner.encode());
        }
        batch.delete(keys::moving(id));
        let entry =
            store.newest_entry(id)?.expect("the log of an imported business begins with its import").id;
        batch.add_tombstone(Tombstone::ImportedBusiness(id, entry));
        let (outbox, due, claim) = (Arc::clone(&moving.outbox), steady.now(), claim.clone());
        let then = move || {
            outbox.waits(id, due); // the imported appointments may have reminders
            drop(claim);
        };
        moving.shared.write_then(id, batch, then).await?;
        opened += 1;
    }
    store.write(BusinessId::INSTALLATION, deletion(all_good())).await?;
    Ok(opened)
}

/// Deletes the rows of all imported businesses that are not open yet. Returns the number of these businesses, or an
/// error if the engine closes.
pub(crate) async fn take_back(shared: &Shared) -> Result<u64, EngineError> {
    let (store, mut taken_back) = (&shared.store, 0);
    while let Some((id, _)) = next_staged(store)? {
        // The scan below does not see rows whose batch has not been applied yet, so the rollback waits for all
        // submitted batches.
        store.wait_durable(id).await?;
        let mut writer = BulkWriter::new(store, id);
        // A long value has several rows with successive keys, and a step may end between these rows. The next step then
        // continues with the next key, so it deletes the other rows of the value.
        let mut left = keys::all(id);
        loop {
            shared.check_open()?;
            store.check_room(Weight::Frees)?;
            let mut batch = Batch::default();
            for row in store.rows().scan(&left, Order::Ascending).take(ROWS_PER_STEP) {
                let key = Key::new(&row?.0);
                batch.delete(key);
                left = left.after(key);
            }
            if batch.is_empty() {
                break;
            }
            writer.write(batch).await?;
            tokio::task::yield_now().await;
        }
        writer.wait_durable().await?; // `keys::moving` must be the last row of the business
        writer.write(deletion(keys::moving(id))).await?;
        writer.wait_durable().await?;
        taken_back += 1;
    }
    Ok(taken_back)
}

fn deletion(key: Key) -> Batch {
    let mut batch = Batch::default();
    batch.delete(key);
    batch
}

/// Returns the id and the profile of the next imported business that is not open yet. Skips businesses that are set
/// aside. If only such businesses are left, returns an error.
fn next_staged(store: &Store) -> Result<Option<(BusinessId, Vec<u8>)>, StoreError> {
    let mut left = Ok(None);
    for row in store.scan(&rows(), Order::Ascending) {
        let (key, value) = row?;
        let id: BusinessId = keys::id_at_end(&key)?;
        match store.check_business(id) {
            Ok(()) if id == BusinessId::INSTALLATION => {}
            Ok(()) => return Ok(Some((id, value))),
            Err(error) => left = Err(error),
        }
    }
    left
}

fn rows() -> KeyRange {
    keys::of_kind(BusinessId::INSTALLATION, installation_kind::MOVING)
}

/// The key of the row that marks all imported businesses as valid, so that they can be opened.
fn all_good() -> Key {
    keys::moving(BusinessId::INSTALLATION)
}
