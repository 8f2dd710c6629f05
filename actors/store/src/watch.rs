//! Watches the waiting rows of a business. See [`Waiting`].

use std::sync::Arc;

use domain::BusinessId;

use super::keys::kind;
use super::waiting::Waiting;
use super::{Key, KeyRange, Order, Store, StoreError, keys};

impl Store {
    /// Watches the waiting rows of a business until the last handle is dropped. Rows in the store are not counted until
    /// [`Store::add_waiting`].
    pub fn watch(&self, business: BusinessId) -> Arc<Waiting> {
        let waiting = Arc::new(Waiting::watching());
        let mut watched = self.0.watched.write();
        watched.retain(|_, waiting| waiting.strong_count() > 0);
        watched.insert(business, Arc::downgrade(&waiting));
        waiting
    }

    /// Counts the next rows in the store, at most `rows_max`, and returns the rest of the range; `None` when all rows
    /// are counted. Everything that was queued before the watching began must be applied. After the last range, the
    /// caller calls [`Waiting::end_adding`].
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
            if keys::kind_of(&key)? == kind::MAIL_DUE {
                waiting.add_mail(&key);
                continue;
            }
            let event = keys::business_of(&key).and_then(|of| self.event_bytes(of, keys::id_at_end(&key)?));
            waiting.add(&key, self.usable(&key, event)?.unwrap_or(0)); // its row is there, whatever of the event
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

    use super::super::{Batch, MemoryBackend};
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

        // Rows are put, deleted and moved during the count, some before the store has applied the earlier ones. At the
        // end, the count is that of the rows.
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
    async fn mails_are_counted_by_their_rows_whatever_else_waits() {
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
        store.settled(business()).await.unwrap();
        let waiting = store.watch(business());
        store.settled(business()).await.unwrap();
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
