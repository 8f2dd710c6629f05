//! Counts the waiting deliveries, mails and notices of a business in memory, while a caller *watches* the business.
//!
//! Several actors write these rows: the business, its endpoints and the outbox. The store therefore counts the rows of
//! each batch when the batch is queued. [`Store::add_waiting`] adds the rows that were stored before the caller began
//! to watch. Invariant: after these rows are added, the count equals the number of waiting rows that the store will
//! contain when all queued batches are applied.
//!
//! A row is identified by a 64-bit hash of its key, so 100,000 waiting rows take about 2 MB.

use std::collections::HashSet;
use std::collections::hash_map::{DefaultHasher, Entry, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use domain::{Amount, BusinessId, EventId};
use parking_lot::{Mutex, RwLock};

use super::keys::{self, kind};
use super::{Batch, Key, KeyRange, Order, Store, StoreError};

pub(super) type Watched = RwLock<HashMap<BusinessId, Weak<Waiting>>>;

#[derive(Default)]
pub struct Waiting(Mutex<Rows>);

#[derive(Default)]
struct Rows {
    /// For each waiting delivery, the hash of its row and the length of its event.
    deliveries: HashMap<u64, u32>,
    mails: HashSet<u64>,
    notices: HashSet<u64>,
    bytes: u64,
    promised: u64,
    /// The hashes of the rows that batches have deleted since [`Store::watch`]. [`Store::add_waiting`] does not count
    /// these rows. `None` after [`Waiting::end_adding`].
    deleted: Option<HashSet<u64>>,
}

impl Rows {
    /// Returns the set that contains the row with this key: `mails` or `notices`. Returns `None` for the row of a
    /// delivery.
    fn rows_without_bytes(&mut self, key: &[u8]) -> Option<&mut HashSet<u64>> {
        match key.get(16) {
            Some(&kind::MAIL_DUE) => Some(&mut self.mails),
            Some(&kind::NOTICE_WAITS) => Some(&mut self.notices),
            _ => None,
        }
    }

    /// Counts a row. `bytes` is the length of the delivery's event.
    fn add(&mut self, key: &[u8], row: u64, bytes: u32) {
        if let Some(rows) = self.rows_without_bytes(key) {
            rows.insert(row);
        } else if let Entry::Vacant(entry) = self.deliveries.entry(row) {
            entry.insert(bytes);
            self.bytes += u64::from(bytes);
        }
    }

    fn remove(&mut self, key: &[u8], row: u64) -> Option<u32> {
        if let Some(rows) = self.rows_without_bytes(key) {
            rows.remove(&row);
            return None;
        }
        let bytes = self.deliveries.remove(&row)?;
        self.bytes -= u64::from(bytes);
        Some(bytes)
    }
}

impl Waiting {
    /// Counts the waiting deliveries and the bytes of their events. If an event is sent to several endpoints, its bytes
    /// count once for each endpoint.
    pub fn amount(&self) -> Amount {
        let rows = self.0.lock();
        Amount { rows: rows.deliveries.len() as u64, bytes: rows.bytes }
    }

    /// Like [`Waiting::amount`], but includes reserved rows.
    pub fn claimed(&self) -> Amount {
        let rows = self.0.lock();
        Amount { rows: rows.deliveries.len() as u64 + rows.promised, bytes: rows.bytes }
    }

    /// The number of waiting mails that are not notices.
    pub fn mails(&self) -> u64 {
        let rows = self.0.lock();
        rows.mails.len().saturating_sub(rows.notices.len()) as u64
    }

    pub fn notices(&self) -> u64 {
        self.0.lock().notices.len() as u64
    }

    pub fn promise(self: &Arc<Self>, rows: u64) -> Promised {
        self.0.lock().promised += rows;
        Promised { waiting: Arc::clone(self), rows }
    }

    /// Adds a stored row, unless a later batch has deleted it.
    fn add(&self, key: &[u8], bytes: u32) {
        let (mut rows, row) = (self.0.lock(), hash_of(key));
        if rows.deleted.as_ref().is_none_or(|deleted| !deleted.contains(&row)) {
            rows.add(key, row, bytes);
        }
    }

    pub fn end_adding(&self) {
        self.0.lock().deleted = None;
    }

    /// Updates the counts for the rows that a batch writes or deletes. Must be called before the batch is queued. The
    /// function calls `length` to get the length, in bytes, of an event that the batch does not contain.
    pub(super) fn note(&self, batch: &Batch, length: impl Fn(EventId) -> u32) {
        let is_waiting = |key: &Key| is_without_bytes(key) || key.get(16) == Some(&kind::DELIVERY_DUE);
        if !batch.writes().any(|(key, _)| is_waiting(key)) {
            return;
        }
        let mut rows = self.0.lock();
        let mut lengths = HashMap::new();
        for (key, value) in batch.writes() {
            let Ok(event) = keys::id_at_end::<EventId>(key) else { continue };
            match value {
                Some(value) if key.get(16) == Some(&kind::EVENT) => {
                    lengths.insert(event, length_of(value));
                }
                _ if !is_waiting(key) => {}
                None => {
                    let row = hash_of(key);
                    if let Some(deleted) = &mut rows.deleted {
                        deleted.insert(row);
                    }
                    lengths.extend(rows.remove(key, row).map(|bytes| (event, bytes)));
                }
                Some(_) => {
                    let row = hash_of(key);
                    if let Some(deleted) = &mut rows.deleted {
                        deleted.remove(&row);
                    }
                    let bytes = match is_without_bytes(key) {
                        true => 0,
                        false => *lengths.entry(event).or_insert_with(|| length(event)),
                    };
                    rows.add(key, row, bytes);
                }
            }
        }
    }
}

/// A reservation for rows that the caller will queue. The rows count until this value is dropped.
pub struct Promised {
    waiting: Arc<Waiting>,
    rows: u64,
}

impl Promised {
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

impl Drop for Promised {
    fn drop(&mut self) {
        self.waiting.0.lock().promised -= self.rows;
    }
}

fn is_without_bytes(key: &[u8]) -> bool {
    matches!(key.get(16), Some(&(kind::MAIL_DUE | kind::NOTICE_WAITS)))
}

fn hash_of(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

pub(super) fn length_of(event: &[u8]) -> u32 {
    u32::try_from(event.len()).unwrap_or(u32::MAX)
}

impl Store {
    /// Counts the waiting rows in all batches that are queued for the business from now on. To include the rows that
    /// are already stored, the caller must call [`Store::add_waiting`]. The count ends when the last clone of the
    /// result is dropped.
    pub fn watch(&self, business: BusinessId) -> Arc<Waiting> {
        let rows = Rows { deleted: Some(HashSet::new()), ..Rows::default() };
        let waiting = Arc::new(Waiting(Mutex::new(rows)));
        let mut watched = self.0.watched.write();
        watched.retain(|_, waiting| waiting.strong_count() > 0);
        watched.insert(business, Arc::downgrade(&waiting));
        waiting
    }

    /// Counts the next stored rows of the range, at most `rows_max`, and returns the rest of the range. Before this
    /// call, all batches that were queued before [`Store::watch`] must have been applied. When no range is left, the
    /// caller must call [`Waiting::end_adding`].
    pub fn add_waiting(
        &self,
        waiting: &Waiting,
        range: KeyRange,
        rows_max: usize,
    ) -> Result<Option<KeyRange>, StoreError> {
        let (mut last, mut found) = (None, 0);
        for pair in self.scan(&range, Order::Ascending).take(rows_max) {
            let key = pair?.0;
            (last, found) = (Some(Key::new(&key)), found + 1);
            if is_without_bytes(&key) {
                waiting.add(&key, 0);
                continue;
            }
            let event = keys::business_of(&key).and_then(|of| self.event_bytes(of, keys::id_at_end(&key)?));
            // The row counts even if its event is unreadable.
            waiting.add(&key, self.usable(&key, event)?.unwrap_or(0));
        }
        Ok(last.filter(|_| found == rows_max).map(|last| range.after(last)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::{Amount, EventId, Timestamp, WebhookId};
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::super::MemoryBackend;
    use super::*;

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

        // The test puts, deletes and moves rows, usually without waiting until the store has applied the batch. Between
        // these changes, it adds the stored rows to the count, at most two at a time. At the end, the count must equal
        // the number of rows.
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
                        store.wait_durable(business()).await.unwrap();
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
                        store.wait_durable(business()).await.unwrap();
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
    async fn mails_are_counted_separately_from_deliveries() {
        let store = store();
        let mail = |number: u8, due: u8| {
            keys::mail_due(
                business(),
                Timestamp::from_millis(due.into()),
                Uuid::from_u128(number.into()).into(),
            )
        };
        let change = |put: &[Key], deleted: &[Key]| {
            let mut batch = Batch::new();
            put.iter().for_each(|row| batch.put(*row, Vec::new()));
            deleted.iter().for_each(|row| batch.delete(*row));
            submit(&store, batch);
        };
        change(&[mail(1, 1), mail(2, 1), mail(3, 1), key(1, 1, 1)], &[]);
        store.wait_durable(business()).await.unwrap();
        let waiting = store.watch(business());
        store.wait_durable(business()).await.unwrap();
        // One mail is postponed and one is sent during the count.
        change(&[mail(1, 9)], &[mail(1, 1), mail(2, 1)]);
        let mut left = Some(keys::mails_due(business()));
        while let Some(range) = left {
            left = store.add_waiting(&waiting, range, 1).unwrap();
        }
        waiting.end_adding();
        assert_eq!((waiting.mails(), waiting.amount().rows), (2, 0));
        change(&[mail(4, 1)], &[mail(3, 1)]);
        assert_eq!(waiting.mails(), 2);
    }

    #[tokio::test]
    async fn a_reservation_counts_until_it_is_dropped() {
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
    async fn only_the_newest_watch_of_a_business_counts() {
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
        store.wait_durable(business()).await.unwrap();
        assert_eq!(store.add_waiting(&second, all(), 9).unwrap(), None);
        assert_eq!(second.amount(), Amount { rows: 2, bytes: 10 });
        drop((first, second));
        put(3);
    }
}
