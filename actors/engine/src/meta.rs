//! The store's metadata: its format and its secrets.
//!
//! Invariant: a new store has the current format from its first batch on.

use domain::{BusinessId, Timestamp};
use net::Ports;
use store::records::{MetaRecord, STORE_FORMAT};
use store::{Batch, Record, Store, StoreError, keys};

pub(crate) async fn read_or_create(
    store: &Store,
    ports: &Ports,
    now: Timestamp,
) -> Result<MetaRecord, StoreError> {
    if let Some(meta) = store.get::<MetaRecord>(&keys::meta())? {
        return Ok(meta);
    }
    store.keep_format()?;
    let secret = ports.random_bytes();
    let meta = MetaRecord { format: STORE_FORMAT, secret, link_secret: secret, created_at: now };
    let mut batch = Batch::default();
    batch.put(keys::meta(), meta.encode());
    store.write(BusinessId::INSTALLATION, batch).await?;
    Ok(meta)
}

pub(crate) async fn renew_link_secret(store: &Store, ports: &Ports) -> Result<(), StoreError> {
    let Some(meta) = store.get::<MetaRecord>(&keys::meta())? else { return Ok(()) };
    let mut batch = Batch::default();
    batch.put(keys::meta(), MetaRecord { link_secret: ports.random_bytes(), ..meta }.encode());
    store.write(BusinessId::INSTALLATION, batch).await
}
