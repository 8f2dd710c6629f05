//! How many deliveries of a business wait, known in memory while somebody watches.
//!
//! The rows of what is due are written by the business and by the actors of its endpoints alike, so they are counted
//! where all of them pass: every batch is looked at when it is queued. What always holds, once what lay in the store was
//! added: the count is that of the rows that the store will hold once everything queued so far is applied.
//!
//! A row is told apart by 64 bits of a hash: 100,000 that wait take about 2 MB.

use std::collections::HashSet;
use std::collections::hash_map::{DefaultHasher, Entry, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};

use super::keys::{self, kind};
use super::{Batch, Key, KeyRange, Order, Store, StoreError};
use crate::domain::{Amount, BusinessId, EventId};

/// The businesses that are watched.
pub(super) type Watched = RwLock<HashMap<BusinessId, Weak<Waiting>>>;

/// What waits in one business.
#[derive(Default)]
pub struct Waiting(Mutex<Rows>);

#[derive(Default)]
struct Rows {
    /// The bytes of its event, for each row.
    rows: HashMap<u64, u32>,
    bytes: u64,
    /// For how many more rows room is promised.
    promised: u64,
    /// The rows that were deleted while what lies in the store is being added: they may be read there still.
    deleted: Option<HashSet<u64>>,
}

impl Rows {
    fn add(&mut self, row: u64, bytes: u32) {
        if let Entry::Vacant(entry) = self.rows.entry(row) {
            entry.insert(bytes);
            self.bytes += u64::from(bytes);
        }
    }

    fn remove(&mut self, row: u64) -> Option<u32> {
        if let Some(deleted) = &mut self.deleted {
            deleted.insert(row);
        }
        let bytes = self.rows.remove(&row)?;
        self.bytes -= u64::from(bytes);
        Some(bytes)
    }
}

impl Waiting {
    /// How many deliveries wait, and the bytes of their events, each counted for every endpoint it waits for.
    pub fn amount(&self) -> Amount {
        let rows = self.0.lock();
        Amount { rows: rows.rows.len() as u64, bytes: rows.bytes }
    }

    /// The same with the rows for which room is promised.
    pub fn claimed(&self) -> Amount {
        let rows = self.0.lock();
        Amount { rows: rows.rows.len() as u64 + rows.promised, bytes: rows.bytes }
    }

    /// Sets room for so many rows aside.
    pub fn promise(self: &Arc<Self>, rows: u64) -> Promised {
        self.0.lock().promised += rows;
        Promised { waiting: Arc::clone(self), rows }
    }

    /// Takes note of a batch that is going to be queued. `length` reads the length of an event that is not in it.
    fn note(&self, batch: &Batch, length: impl Fn(EventId) -> u32) {
        let due = |key: &Key| key.get(16) == Some(&kind::DELIVERY_DUE);
        if !batch.writes().any(|(key, _)| due(key)) {
            return;
        }
        let mut rows = self.0.lock();
        let mut lengths = HashMap::new();
        for (key, value) in batch.writes() {
            let Ok(event) = keys::id_at_end::<EventId>(key) else { continue };
            match (key.get(16), value) {
                (Some(&kind::EVENT), Some(value)) => _ = lengths.insert(event, length_of(value)),
                (Some(&kind::DELIVERY_DUE), None) => {
                    if let Some(bytes) = rows.remove(row(key)) {
                        lengths.insert(event, bytes);
                    }
                }
                (Some(&kind::DELIVERY_DUE), Some(_)) => {
                    let bytes = *lengths.entry(event).or_insert_with(|| length(event));
                    rows.add(row(key), bytes);
                    if let Some(deleted) = &mut rows.deleted {
                        deleted.remove(&row(key));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Room for rows that somebody is about to queue: it counts as taken until this is dropped.
pub struct Promised {
    waiting: Arc<Waiting>,
    rows: u64,
}

impl Promised {
    /// For how many rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

impl Drop for Promised {
    fn drop(&mut self) {
        self.waiting.0.lock().promised -= self.rows;
    }
}

/// What stands for the key of a row.
fn row(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

fn length_of(event: &[u8]) -> u32 {
    u32::try_from(event.len()).unwrap_or(u32::MAX)
}

impl Store {
    /// Watches what waits in a business until the last handle is dropped. Nothing is counted yet; see
    /// [`Store::add_waiting`].
    pub fn watch(&self, business: BusinessId) -> Arc<Waiting> {
        let waiting = Arc::new(Waiting::default());
        waiting.0.lock().deleted = Some(HashSet::new());
        let mut watched = self.watched().write();
        watched.retain(|_, waiting| waiting.strong_count() > 0);
        watched.insert(business, Arc::downgrade(&waiting));
        waiting
    }

    /// Adds the next rows that lie in the store to what is watched, at most so many; gives the range that is left, or
    /// `None` when all of them are counted. Everything that was queued before the watching began must be applied.
    ///
    /// # Errors
    /// When reading fails.
    pub fn add_waiting(
        &self,
        waiting: &Waiting,
        range: KeyRange,
        rows_max: usize,
    ) -> Result<Option<KeyRange>, StoreError> {
        let (mut last, mut found) = (None, 0);
        for pair in self.scan(&range, Order::Ascending).take(rows_max) {
            let key = pair?.0;
            let bytes = self.event_bytes(&key)?;
            let mut rows = waiting.0.lock();
            // What was noted since the watching began is newer than what was read.
            if rows.deleted.as_ref().is_none_or(|deleted| !deleted.contains(&row(&key))) {
                rows.add(row(&key), bytes);
            }
            (last, found) = (Some(Key::new(&key)), found + 1);
        }
        match last {
            Some(last) if found == rows_max => Ok(Some(range.after(last))),
            _ => {
                waiting.0.lock().deleted = None;
                Ok(None)
            }
        }
    }

    /// The length of the event of a row of what is due.
    fn event_bytes(&self, due: &[u8]) -> Result<u32, StoreError> {
        let business = keys::business_of(due)?;
        let event = self.get_raw(&keys::event(business, keys::id_at_end(due)?))?;
        Ok(event.map_or(0, |event| length_of(&event)))
    }

    /// Takes note of a batch if its business is watched.
    pub(super) fn note_waiting(&self, business: BusinessId, waiting: &Waiting, batch: &Batch) {
        // A store that cannot read has failed, and takes nothing any more.
        let length = |event| match self.get_raw(&keys::event(business, event)) {
            Ok(event) => event.map_or(0, |event| length_of(&event)),
            Err(_) => 0,
        };
        waiting.note(batch, length);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use uuid::Uuid;

    use super::super::MemoryBackend;
    use super::*;
    use crate::domain::{Timestamp, WebhookId};

    fn business() -> BusinessId {
        Uuid::from_u128(7).into()
    }

    fn key(endpoint: u8, due: u8, event: u8) -> Key {
        let endpoint: WebhookId = Uuid::from_u128(endpoint.into()).into();
        keys::delivery_due(business(), endpoint, Timestamp::from_millis(due.into()), id(event))
    }

    fn id(event: u8) -> EventId {
        Uuid::from_u128(event.into()).into()
    }

    fn store() -> Store {
        Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap()
    }

    fn submit(store: &Store, batch: Batch) {
        store.submit(business(), batch, Box::new(|| ()));
    }

    fn all() -> KeyRange {
        keys::of_kind(business(), kind::DELIVERY_DUE)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        // Rows are put, deleted and moved at any moment of the counting, some before the store has applied the ones
        // before; in the end the count is that of the rows.
        #[test]
        fn the_count_is_that_of_the_rows(
            steps in proptest::collection::vec((0_u8..3, 0_u8..4, 0_u8..6, 0_u8..10), 1..120),
            watched_at in 0_usize..60,
            every in 1_usize..6,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                let store = store();
                let mut model: BTreeMap<Key, u64> = BTreeMap::new();
                let (mut waiting, mut range) = (None, Some(all()));
                for event in 0..6 {
                    let mut batch = Batch::new();
                    batch.put(keys::event(business(), id(event)), vec![0; usize::from(event) + 1]);
                    submit(&store, batch);
                }
                for (number, (endpoint, due, event, what)) in steps.into_iter().enumerate() {
                    let (row, moved) = (key(endpoint, due, event), key(endpoint, due + 9, event));
                    let mut batch = Batch::new();
                    match what {
                        0..=4 => batch.put(row, Vec::new()),
                        5..=6 => batch.delete(row),
                        _ => {
                            batch.delete(row);
                            batch.put(moved, Vec::new());
                        }
                    }
                    for (key, value) in batch.writes() {
                        match value {
                            Some(_) => _ = model.insert(*key, u64::from(event) + 1),
                            None => _ = model.remove(key),
                        }
                    }
                    submit(&store, batch);
                    if number == watched_at {
                        waiting = Some(store.watch(business()));
                        store.settled(business()).await.unwrap();
                    }
                    if let (Some(waiting), Some(left)) = (&waiting, range)
                        && number % every == 0
                    {
                        range = store.add_waiting(waiting, left, 2).unwrap();
                    }
                }
                let waiting = match waiting {
                    Some(waiting) => waiting,
                    None => {
                        let waiting = store.watch(business());
                        store.settled(business()).await.unwrap();
                        waiting
                    }
                };
                while let Some(left) = range {
                    range = store.add_waiting(&waiting, left, 2).unwrap();
                }
                let amount = Amount { rows: model.len() as u64, bytes: model.values().sum() };
                assert_eq!(waiting.amount(), amount);
            });
        }
    }

    #[tokio::test]
    async fn what_is_promised_is_taken_until_it_is_given_back() {
        let waiting = store().watch(business());
        let (some, more) = (waiting.promise(3), waiting.promise(4));
        assert_eq!((waiting.claimed().rows, waiting.amount().rows), (7, 0));
        assert_eq!(some.rows(), 3);
        drop(some);
        assert_eq!(waiting.claimed().rows, 4);
        drop(more);
        assert_eq!(waiting.claimed().rows, 0);
    }

    #[tokio::test]
    async fn who_is_not_watched_is_not_counted_and_the_newest_watch_counts() {
        let store = store();
        let put = |event| {
            let mut batch = Batch::new();
            batch.put(keys::event(business(), id(event)), vec![0; 5]);
            batch.put(key(1, 1, event), Vec::new());
            submit(&store, batch);
        };
        let first = store.watch(business());
        put(1);
        assert_eq!(first.amount(), Amount { rows: 1, bytes: 5 });
        let second = store.watch(business());
        put(2);
        assert_eq!(first.amount().rows, 1);
        store.settled(business()).await.unwrap();
        assert_eq!(store.add_waiting(&second, all(), 9).unwrap(), None);
        assert_eq!(second.amount(), Amount { rows: 2, bytes: 10 });
        drop((first, second));
        put(3);
    }
}
