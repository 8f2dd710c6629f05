//! When each API key was last used, to the minute.
//!
//! Uses are noted in memory and written together, once a minute and before they are shown, so that a request costs
//! no commit. A crash may forget the last minute of them.

use dashmap::DashMap;
use tokio::sync::oneshot;

use crate::domain::{BusinessId, KeyId, Timestamp};
use crate::store::{Batch, Store, StoreError, keys};

/// Milliseconds of the minute to which a use is rounded down.
const MINUTE_MILLIS: i64 = 60_000;

/// The uses that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct KeyUsage {
    pending: DashMap<KeyId, Timestamp>,
}

impl KeyUsage {
    /// Notes a use.
    pub(crate) fn note(&self, key: KeyId, now: Timestamp) {
        let minute = Timestamp::from_millis(now.millis().div_euclid(MINUTE_MILLIS) * MINUTE_MILLIS);
        if self.pending.get(&key).is_none_or(|noted| *noted != minute) {
            self.pending.insert(key, minute);
        }
    }

    /// Writes what was noted and waits until it is on the disk.
    pub(crate) async fn write(&self, store: &Store) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        self.pending.retain(|key, used| {
            batch.put(keys::key_used(*key), keys::millis_value(*used));
            false
        });
        let (done, written) = oneshot::channel();
        store.submit(BusinessId::HOUSE, batch, Box::new(move || _ = done.send(())));
        written.await.map_err(|_| StoreError::Stopped)
    }
}

/// When a key was last used, as far as it is written.
pub(crate) fn last_used(store: &Store, key: KeyId) -> Result<Option<Timestamp>, StoreError> {
    let value = store.get_raw(&keys::key_used(key))?;
    value.map(|value| keys::millis_from_value(&value)).transpose()
}
