//! Ending an import: opening the businesses that it brought, or taking them back; and what one that broke off left.
//!
//! What always holds: every step leaves a store from which the next run comes to the same end. Taking back deletes a page of
//! rows at a time in the lane of the business, so everything else goes on beside it. That a business was imported is listed
//! beside the store before it is open, and once nothing can take it back any more.

use domain::{Business, BusinessId};
use store::keys::{installation_kind, kind};
use store::{Batch, BulkWriter, Key, KeyRange, Order, Record, Store, StoreError, Tombstone, Weight, keys};

use crate::error::EngineError;
use crate::shared::Shared;

/// How many rows one step of taking back deletes.
const ROWS_PER_STEP: usize = 256;

/// Whether an import has begun and not ended.
pub(crate) fn is_unfinished(store: &Store) -> Result<bool, StoreError> {
    Ok(store.scan(&rows(), Order::Ascending).next().transpose()?.is_some())
}

/// Whether an import was good as a whole, and not all of its businesses are known to be open yet.
pub(crate) fn is_finishing(store: &Store) -> Result<bool, StoreError> {
    store.contains(&all_good())
}

/// Says that everything that was read is good and on the disk, in one batch with other rows of the installation, and opens
/// the businesses.
pub(crate) async fn finish(store: &Store, mut batch: Batch) -> Result<(), StoreError> {
    batch.put(all_good(), Vec::new());
    write(store, BusinessId::INSTALLATION, batch).await?;
    open_all(store).await?;
    Ok(())
}

/// Opens each business in one batch: its profile, its place and its endpoints' in the lists of all. Returns how many were
/// still to be opened.
pub(crate) async fn open_all(store: &Store) -> Result<u64, StoreError> {
    let mut opened = 0;
    while let Some((id, value)) = next_staged(store)? {
        // It may be open by now, if whoever finished before was given up meanwhile: then others have changed it since.
        store.settled(id).await?;
        if !store.contains(&keys::moving(id))? {
            continue;
        }
        let business = Business::decode(&value)?;
        assert!(business.id == id, "what business {} will be stands under {id}", business.id);
        let mut batch = Batch::default();
        batch.put(keys::profile(id), business.encode());
        batch.put(keys::business_index(id), Vec::new());
        for row in store.scan(&keys::of_kind(id, kind::WEBHOOK), Order::Ascending) {
            batch.put(keys::endpoint_index(id, keys::id_at_end(&row?.0)?), Vec::new());
        }
        batch.delete(keys::moving(id));
        let entry =
            store.newest_entry(id)?.expect("the log of an imported business begins with its import").id;
        batch.bury(Tombstone::ImportedBusiness(id, entry));
        write(store, id, batch).await?;
        opened += 1;
    }
    write(store, BusinessId::INSTALLATION, deletion(all_good())).await?;
    Ok(opened)
}

/// Deletes everything of the businesses that are not open yet, as long as the engine is open. Returns how many there were.
pub(crate) async fn take_back(shared: &Shared) -> Result<u64, EngineError> {
    let (store, mut taken_back) = (&shared.store, 0);
    while let Some((id, _)) = next_staged(store)? {
        // What is on its way is not there to be deleted yet.
        store.settled(id).await?;
        let mut writer = BulkWriter::new(store, id);
        // The rows of a long value's pieces have greater keys than its head, so by their rows all of them come.
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
        writer.settle().await?; // it is found by this row as long as anything of it is there
        writer.write(deletion(keys::moving(id))).await?;
        writer.settle().await?;
        taken_back += 1;
    }
    Ok(taken_back)
}

fn deletion(key: Key) -> Batch {
    let mut batch = Batch::default();
    batch.delete(key);
    batch
}

/// A business that is not open yet, and what it will be. Those that are set aside come last, as an error: what an import
/// has left is not settled without them.
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

/// The row that says that businesses are to be opened, not taken back.
fn all_good() -> Key {
    keys::moving(BusinessId::INSTALLATION)
}

/// Writes a batch and waits until it is on the disk.
async fn write(store: &Store, of: BusinessId, batch: Batch) -> Result<(), StoreError> {
    store.submit(of, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
    store.settled(of).await
}
