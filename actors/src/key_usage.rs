//! When each API key was last used, to the minute.
//!
//! Uses are noted in memory and written together, once a minute and before they are shown, so that a request costs
//! no commit. A crash may forget the last minute of them.

use dashmap::DashMap;

use crate::domain::{BusinessId, KeyId, Timestamp};
use crate::scans::Reader;
use crate::store::{Batch, Store, StoreError, Weight, keys};

/// Milliseconds of the minute to which a use is rounded down.
const MINUTE_MILLIS: i64 = 60_000;
/// How many uses one batch holds at most; a minute of a busy day has more than the store takes in one.
const BATCH_KEYS_MAX: usize = 1_024;

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

    /// Forgets the use of a key that is no more.
    pub(crate) fn forget(&self, key: KeyId) {
        self.pending.remove(&key);
    }

    /// Writes what was noted and waits until it is on the disk. Where the disk has no room it stays noted.
    pub(crate) async fn write(&self, store: &Store) -> Result<(), StoreError> {
        if store.check_room(Weight::Keeps).is_err() {
            return Ok(());
        }
        let mut uses = Vec::new();
        self.pending.retain(|key, used| {
            uses.push((*key, *used));
            false
        });
        for uses in uses.chunks(BATCH_KEYS_MAX) {
            let mut batch = Batch::default();
            for (key, used) in uses {
                batch.put(keys::key_used(*key), keys::millis_value(*used));
            }
            store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        }
        store.settled(BusinessId::INSTALLATION).await
    }
}

/// When a key was last used, as far as it is written.
pub(crate) fn last_used(reader: &Reader<'_>, key: KeyId) -> Result<Option<Timestamp>, StoreError> {
    let at = keys::key_used(key);
    let Some(value) = reader.get_raw(&at)? else { return Ok(None) };
    reader.usable(&at, keys::millis_from_value(&value))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::store::MemoryBackend;

    #[tokio::test]
    async fn the_uses_of_any_number_of_keys_are_written() {
        let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
        let (usage, now) = (KeyUsage::default(), Timestamp::from_millis(119_999));
        let key = |number| KeyId::from(Uuid::from_u128(number));
        for number in 0..30_000 {
            usage.note(key(number), now);
        }
        usage.write(&store).await.unwrap();
        let reader = Reader::unbounded(&store);
        for number in [0, 1_023, 1_024, 29_999] {
            assert_eq!(last_used(&reader, key(number)).unwrap(), Some(Timestamp::from_millis(60_000)));
        }
        assert_eq!(last_used(&reader, key(30_000)).unwrap(), None);
    }
}
