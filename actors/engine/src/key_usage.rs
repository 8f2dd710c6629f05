//! The last use of each API key and the last request for each feed, to the minute.
//!
//! The uses are collected in memory, so a request needs no commit. They are written once a minute and before
//! a list shows them. A crash loses at most the uses of the last minute.

use dashmap::DashMap;
use domain::{BusinessId, Timestamp};
use store::{Batch, Key, Store, StoreError, Weight, keys};

use crate::scans::Reader;

const MINUTE_MILLIS: i64 = 60_000;
const BATCH_KEYS_MAX: usize = 1_024;

#[derive(Debug, Default)]
pub(crate) struct KeyUsage {
    /// The collected uses, by the key of the row to which they are written.
    pending: DashMap<Key, Timestamp>,
}

impl KeyUsage {
    pub(crate) fn note(&self, row: Key, now: Timestamp) {
        let minute = Timestamp::from_millis(now.millis().div_euclid(MINUTE_MILLIS) * MINUTE_MILLIS);
        if self.pending.get(&row).is_none_or(|noted| *noted != minute) {
            self.pending.insert(row, minute);
        }
    }

    pub(crate) fn forget(&self, row: Key) {
        self.pending.remove(&row);
    }

    /// Writes the collected uses and waits until they are durable. On a full disk they stay in memory.
    pub(crate) async fn write(&self, store: &Store) -> Result<(), StoreError> {
        if store.check_room(Weight::Keeps).is_err() {
            return Ok(());
        }
        let mut uses = Vec::new();
        self.pending.retain(|row, used| {
            uses.push((*row, *used));
            false
        });
        for uses in uses.chunks(BATCH_KEYS_MAX) {
            let mut batch = Batch::default();
            for (row, used) in uses {
                batch.put(*row, keys::millis_value(*used));
            }
            store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        }
        store.wait_durable(BusinessId::INSTALLATION).await
    }
}

pub(crate) fn last_used(reader: &Reader<'_>, row: &Key) -> Result<Option<Timestamp>, StoreError> {
    let Some(value) = reader.get_raw(row)? else { return Ok(None) };
    reader.usable(row, keys::millis_from_value(&value))
}

#[cfg(test)]
mod tests {
    use store::MemoryBackend;
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn the_uses_of_any_number_of_keys_are_written() {
        let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
        let (usage, now) = (KeyUsage::default(), Timestamp::from_millis(119_999));
        let key = |number| keys::key_used(Uuid::from_u128(number).into());
        for number in 0..30_000 {
            usage.note(key(number), now);
        }
        usage.write(&store).await.unwrap();
        let reader = Reader::unbounded(&store);
        for number in [0, 1_023, 1_024, 29_999] {
            assert_eq!(last_used(&reader, &key(number)).unwrap(), Some(Timestamp::from_millis(60_000)));
        }
        assert_eq!(last_used(&reader, &key(30_000)).unwrap(), None);
    }
}
