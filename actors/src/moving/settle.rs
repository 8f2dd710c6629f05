//! Ending an import: opening the businesses that it brought, or taking them back; and what one that broke off left.
//!
//! What always holds: every step leaves a store from which the next run comes to the same end.

use super::record::MoveError;
use crate::domain::{Business, BusinessId, ResourceId};
use crate::store::keys::{installation_kind, kind};
use crate::store::records::MetaRecord;
use crate::store::{Batch, Key, KeyRange, Order, Record, Store, StoreError, keys};
use crate::upgrade;

/// How many rows are deleted in one step.
const ROWS_PER_STEP: usize = 512;

/// What was done about an import that broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// There was none.
    Nothing,
    /// What it had written of so many businesses is gone.
    TakenBack(u64),
    /// It had read everything: so many businesses were still to be opened, and are open.
    Finished(u64),
}

/// Whether an import has begun and not ended.
pub(super) fn is_unfinished(store: &Store) -> Result<bool, StoreError> {
    Ok(store.scan(&rows(), Order::Ascending).next().transpose()?.is_some())
}

/// Refuses a store on which an import was begun and has not come to its end.
pub(crate) fn check_finished(store: &Store) -> Result<(), StoreError> {
    if is_unfinished(store)? { Err(StoreError::ImportUnfinished) } else { Ok(()) }
}

/// Refuses a store of another format, which has to be converted first, and one whose stamps are under repair.
pub(super) fn check_store(store: &Store) -> Result<(), StoreError> {
    if let Some(meta) = store.get::<MetaRecord>(&keys::meta())? {
        upgrade::check(&meta)?;
    }
    crate::repair::check_finished(store)
}

/// Finishes or takes back what an import left that broke off.
///
/// # Errors
/// When the store fails, or its stamps are under repair.
pub async fn settle(store: &Store) -> Result<Settled, MoveError> {
    check_store(store)?;
    if !is_unfinished(store)? {
        return Ok(Settled::Nothing);
    }
    if store.contains(&all_good())? {
        return Ok(Settled::Finished(open_all(store).await?));
    }
    Ok(Settled::TakenBack(take_back(store).await?))
}

/// Says that everything that was read is good and on the disk, and opens the businesses.
pub(super) async fn finish(store: &Store) -> Result<u64, StoreError> {
    let mut batch = Batch::default();
    batch.put(all_good(), Vec::new());
    write(store, BusinessId::INSTALLATION, batch).await?;
    open_all(store).await
}

/// Opens each business in one batch: its profile, its place and its endpoints' in the lists of all.
async fn open_all(store: &Store) -> Result<u64, StoreError> {
    let mut opened = 0;
    while let Some((id, value)) = next_staged(store)? {
        let business = Business::decode(&value)?;
        assert!(business.id == id, "what business {} will be stands under {id}", business.id);
        let mut batch = Batch::default();
        batch.put(keys::profile(id), business.encode());
        batch.put(keys::business_index(id), Vec::new());
        for row in store.scan(&keys::of_kind(id, kind::WEBHOOK), Order::Ascending) {
            batch.put(keys::endpoint_index(id, keys::id_at_end(&row?.0)?), Vec::new());
        }
        batch.delete(keys::moving(id));
        write(store, id, batch).await?;
        opened += 1;
    }
    let mut batch = Batch::default();
    batch.delete(all_good());
    write(store, BusinessId::INSTALLATION, batch).await?;
    Ok(opened)
}

/// Deletes everything of the businesses that are not open yet.
pub(super) async fn take_back(store: &Store) -> Result<u64, StoreError> {
    let mut taken_back = 0;
    while let Some((id, _)) = next_staged(store)? {
        // What is on its way is not there to be deleted yet.
        store.settled(id).await?;
        let mut left = keys::all(id);
        // The rows of a long value's pieces have greater keys than its head, which goes before them.
        while let Some((batch, rest)) = step(store, &left)? {
            write(store, id, batch).await?;
            left = rest;
        }
        let mut batch = Batch::default();
        batch.delete(keys::moving(id));
        write(store, id, batch).await?;
        taken_back += 1;
    }
    Ok(taken_back)
}

/// The deletion of the next rows of a range, and what is left of it.
fn step(store: &Store, left: &KeyRange) -> Result<Option<(Batch, KeyRange)>, StoreError> {
    let (mut batch, mut last) = (Batch::default(), None);
    for row in store.scan(left, Order::Ascending).take(ROWS_PER_STEP) {
        let key = Key::new(&row?.0);
        batch.delete(key);
        last = Some(key);
    }
    Ok(last.map(|last| (batch, left.after(last))))
}

/// A business that is not open yet, and what it will be.
fn next_staged(store: &Store) -> Result<Option<(BusinessId, Vec<u8>)>, StoreError> {
    for row in store.scan(&rows(), Order::Ascending).take(2) {
        let (key, value) = row?;
        let id: BusinessId = keys::id_at_end(&key)?;
        if id != BusinessId::INSTALLATION {
            return Ok(Some((id, value)));
        }
    }
    Ok(None)
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

/// Whether a business is there: as an open one, one that is not open yet, or by anything that one left behind.
pub(super) fn is_there(store: &Store, id: BusinessId) -> Result<bool, StoreError> {
    let index = store.contains(&keys::business_index(id))? || store.contains(&keys::moving(id))?;
    Ok(index || store.scan(&keys::all(id), Order::Ascending).next().transpose()?.is_some())
}

/// Whether an id can be that of a business.
pub(super) fn can_be(id: BusinessId) -> bool {
    id.uuid().get_version_num() == 7
}
