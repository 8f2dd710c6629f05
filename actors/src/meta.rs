//! What the store says of itself: its format, and the secret that belongs to it.
//!
//! What always holds: the mark of the present format is on the disk before anything is written that an earlier version
//! of the service cannot read, so that such a version refuses the store instead of taking it for damaged.

use tokio::sync::oneshot;

use crate::domain::{BusinessId, Timestamp};
use crate::ports::Ports;
use crate::store::records::MetaRecord;
use crate::store::{Batch, Record, Store, StoreError, keys};

/// Marks a store of an earlier format as one of this, before anything is written that an earlier version cannot read.
pub(crate) async fn mark_format(store: &Store) -> Result<(), StoreError> {
    let Some(meta) = store.get::<MetaRecord>(&keys::meta())? else { return Ok(()) };
    if store.get_raw(&keys::meta())?.is_some_and(|stored| stored == meta.encode()) {
        return Ok(());
    }
    write_meta(store, &meta).await
}

async fn write_meta(store: &Store, meta: &MetaRecord) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    batch.put(keys::meta(), meta.encode());
    let (done, written) = oneshot::channel();
    store.submit(BusinessId::INSTALLATION, batch, Box::new(move || _ = done.send(())));
    written.await.map_err(|_| StoreError::Stopped)
}

/// The store's secret, drawn at the first opening.
pub(crate) async fn secret(store: &Store, ports: &Ports, now: Timestamp) -> Result<[u8; 32], StoreError> {
    if let Some(meta) = store.get::<MetaRecord>(&keys::meta())? {
        return Ok(meta.secret);
    }
    let meta = MetaRecord { secret: ports.random_bytes(), created_at: now };
    write_meta(store, &meta).await?;
    Ok(meta.secret)
}
