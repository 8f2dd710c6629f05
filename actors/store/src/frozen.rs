//! Reads ranges of the store as of one point in time, in any order, while commits continue.
//!
//! Invariants:
//!
//! - A read returns the rows of the store after one durable commit, the *point*.
//! - The committer saves the old value of a row before it overwrites the row. The reader first reads the row, then
//!   looks for a saved value.
//! - The reader can release a range that it has read ([`Frozen::release`]). Values in a released range are not saved.
//!   If too many values were saved, the read fails.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::BusinessId;

use super::pieces::PIECE;
use super::tap::Tap;
use super::{Key, KeyRange, Order, Pairs, Rows, Store, StoreError, keys};

const ROWS_PER_PAGE: usize = 64;

pub struct Frozen {
    store: Store,
    tap: Arc<Tap>,
    of: Vec<BusinessId>,
}

impl Store {
    /// Begins a point-in-time read. `kinds` contains pairs of a business and a kind of rows. The read includes the rows
    /// of these kinds in these businesses, and the pieces of their long values.
    ///
    /// # Errors
    /// Returns [`StoreError::SnapshotsTaken`] while too many point-in-time reads are open,
    /// [`StoreError::BusinessSetAside`], or [`StoreError::Stopped`].
    pub async fn freeze(&self, kinds: &[(BusinessId, u8)]) -> Result<Frozen, StoreError> {
        let of: Vec<_> = kinds.iter().map(|(of, _)| *of).collect();
        of.iter().try_for_each(|of| self.check_business(*of))?;
        let ranges = kinds.iter().flat_map(|(of, kind)| both(*of, *kind));
        let (tap, _) = self.begin_tap(ranges.collect()).await?;
        Ok(Frozen { store: self.clone(), tap, of })
    }
}

fn both(of: BusinessId, kind: u8) -> [KeyRange; 2] {
    [kind, kind | PIECE].map(|kind| keys::of_kind(of, kind))
}

impl Frozen {
    pub fn release(&self, of: BusinessId, kind: u8) {
        for range in both(of, kind) {
            self.tap.pass(range);
        }
    }

    /// Fails if a business whose rows are read was set aside after the read began, because its rows may be lost.
    fn check(&self) -> Result<(), StoreError> {
        self.of.iter().try_for_each(|of| self.store.check_business(*of))
    }

    /// Returns the rows of the next part of the range `left`, and removes this part from `left`. After the last
    /// part, `left` is empty.
    fn page(&self, left: &mut KeyRange, order: Order) -> Result<Vec<(Key, Vec<u8>)>, StoreError> {
        let (mut rows, mut read) = (BTreeMap::new(), *left);
        for row in self.store.rows().scan(left, order).take(ROWS_PER_PAGE) {
            let (key, value) = row?;
            let key = Key::new(&key);
            rows.insert(key, value);
            if rows.len() == ROWS_PER_PAGE {
                match order {
                    Order::Ascending => read.to = left.after(key).from,
                    Order::Descending => read.from = key,
                }
            }
        }
        match order {
            Order::Ascending => left.from = read.to,
            Order::Descending => left.to = read.from,
        }
        self.check()?;
        for (key, before) in self.tap.within(read)? {
            match before {
                Some(value) => rows.insert(key, value),
                None => rows.remove(&key),
            };
        }
        let rows = rows.into_iter();
        Ok(if order == Order::Ascending { rows.collect() } else { rows.rev().collect() })
    }
}

impl Rows for Frozen {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let now = self.store.rows().get(key)?;
        self.check()?;
        Ok(self.tap.get(key)?.unwrap_or(now))
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        let mut left = *range;
        let pages = std::iter::from_fn(move || (!left.is_empty()).then(|| self.page(&mut left, order)));
        Box::new(pages.flat_map(|page| {
            let (rows, failed) = match page {
                Ok(rows) => (rows, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            rows.into_iter().map(|(key, value)| Ok((key.to_vec(), value))).chain(failed.map(Err))
        }))
    }
}

#[cfg(test)]
mod tests {
    use domain::ResourceId;

    use super::super::{Batch, MemoryBackend, Pair, whole_value};
    use super::*;

    const KIND: u8 = 0x50;
    const OTHER: u8 = 0x40;

    fn business() -> BusinessId {
        uuid::Uuid::from_u128(7).into()
    }

    async fn write(store: &Store, kind: u8, number: u8, value: Option<Vec<u8>>) {
        let key = Key::new(business().uuid().as_bytes()).with(&[kind, number]);
        let mut batch = Batch::default();
        match value {
            Some(value) => batch.put(key, value),
            None => batch.delete_whole(key, 9_000),
        }
        store.submit(business(), batch, Box::new(|| ()));
        store.wait_durable(business()).await.unwrap();
    }

    fn whole(rows: &dyn Rows, kind: u8, order: Order) -> Vec<Pair> {
        let read = rows.scan(&keys::of_kind(business(), kind), order).map(|row| {
            let (key, row) = row.unwrap();
            let value = whole_value(rows, &key, row).unwrap().unwrap();
            (key, value)
        });
        read.collect()
    }

    #[tokio::test]
    async fn later_writes_do_not_change_the_rows_and_pieces_of_the_read() {
        let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
        for number in 0..200 {
            write(&store, KIND, number, Some(vec![number; 9_000])).await;
            write(&store, OTHER, number, Some(vec![1])).await;
        }
        let before = whole(store.rows(), KIND, Order::Ascending);
        let frozen = store.freeze(&[(business(), KIND)]).await.unwrap();
        let all = keys::of_kind(business(), KIND);
        // Between the steps of the scan, rows become longer or shorter, or are deleted and created again,
        // both before and after the position of the scan.
        let values = [Some(vec![0xee; 12_000]), Some(vec![1]), None, Some(vec![0xdd; 5_000])];
        for (at, row) in frozen.scan(&all, Order::Ascending).enumerate() {
            let (key, row) = row.unwrap();
            for number in [at as u8, (at as u8).wrapping_mul(31), 255 - at as u8] {
                let value = values[usize::from(number) % 4].clone();
                write(&store, KIND, number, value).await;
                write(&store, OTHER, number, None).await;
            }
            let value = whole_value(&frozen, &key, row).unwrap().unwrap();
            assert!((key, value) == before[at], "row {at}");
        }
        assert!(whole(&frozen, KIND, Order::Ascending) == before);
        let back: Vec<Pair> = before.iter().rev().cloned().collect();
        assert!(whole(&frozen, KIND, Order::Descending) == back);
        // The store saves old values only for the kinds that were frozen and are not released yet.
        assert!(whole(&frozen, OTHER, Order::Ascending).len() < 200);
        assert!(frozen.tap.bytes().unwrap() > 0);
        frozen.release(business(), KIND);
        assert_eq!(frozen.tap.bytes(), Some(0));
        write(&store, KIND, 3, None).await;
        assert_eq!(frozen.tap.bytes(), Some(0));
    }
}
