//! What the store says of itself: its format, and the secret that belongs to it.
//!
//! What always holds: a store that is created bears the present format from its first batch on.

use tokio::sync::oneshot;

use crate::domain::{BusinessId, Timestamp};
use crate::ports::Ports;
use crate::store::records::{MetaRecord, STORE_FORMAT};
use crate::store::{Batch, Record, Store, StoreError, keys};

/// The store's secret, drawn at the first opening.
pub(crate) async fn secret(store: &Store, ports: &Ports, now: Timestamp) -> Result<[u8; 32], StoreError> {
    if let Some(meta) = store.get::<MetaRecord>(&keys::meta())? {
        return Ok(meta.secret);
    }
    store.keep_format()?;
    let meta = MetaRecord { format: STORE_FORMAT, secret: ports.random_bytes(), created_at: now };
    let mut batch = Batch::default();
    batch.put(keys::meta(), meta.encode());
    let (done, written) = oneshot::channel();
    store.submit(BusinessId::INSTALLATION, batch, Box::new(move || _ = done.send(())));
    written.await.map_err(|_| StoreError::Stopped)?;
    Ok(meta.secret)
}
