//! Reads and writes large parts of a store in bounded steps.
//!
//! Invariant: memory holds at most one page of rows at a time. The queued writes exceed [`BYTES_IN_FLIGHT_MAX`] by at
//! most one batch. [`BulkWriter::wait_durable`] waits until all queued batches are durable.

use domain::BusinessId;

use super::{Batch, Key, KeyRange, Order, Pair, Store, StoreError};

const ROWS_PER_PAGE: usize = 512;
/// When this many bytes are queued, the [`BulkWriter`] waits until all its batches are durable.
const BYTES_IN_FLIGHT_MAX: usize = 1 << 20;

pub struct Pages(KeyRange);

impl Pages {
    pub fn of(range: KeyRange) -> Self {
        Self(range)
    }

    /// Returns the next rows in key order. An empty list means the end of the range.
    pub fn next(&mut self, store: &Store) -> Result<Vec<Pair>, StoreError> {
        let page = store.scan(&self.0, Order::Ascending).take(ROWS_PER_PAGE);
        let page = page.collect::<Result<Vec<_>, _>>()?;
        if let Some((last, _)) = page.last() {
            self.0 = self.0.after(Key::new(last));
        }
        Ok(page)
    }
}

pub struct BulkWriter {
    store: Store,
    of: BusinessId,
    in_flight: usize,
}

impl BulkWriter {
    pub fn new(store: &Store, of: BusinessId) -> Self {
        Self { store: store.clone(), of, in_flight: 0 }
    }

    /// Queues a batch. If the queue is then full, waits until all queued batches are durable, and returns true.
    /// Otherwise returns false.
    ///
    /// # Errors
    /// Returns [`StoreError::Stopped`] when the store fails or closes.
    ///
    /// # Panics
    /// Panics if the batch is longer than [`super::CHANGE_BYTES_MAX`].
    pub async fn write(&mut self, batch: Batch) -> Result<bool, StoreError> {
        if batch.is_empty() {
            return Ok(false);
        }
        self.in_flight += batch.bytes();
        self.store.submit(self.of, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        let full = self.in_flight >= BYTES_IN_FLIGHT_MAX;
        if full {
            self.wait_durable().await?;
        }
        Ok(full)
    }

    pub async fn wait_durable(&mut self) -> Result<(), StoreError> {
        self.in_flight = 0;
        self.store.wait_durable(self.of).await
    }

    /// Calls `row` for each row of the range and writes the batch that `row` returns. If a batch writes a row
    /// that the scan has not reached yet, `row` may also be called for the new row.
    pub async fn rewrite(
        &mut self,
        range: KeyRange,
        mut row: impl FnMut(&Key, &[u8]) -> Result<Batch, StoreError>,
    ) -> Result<(), StoreError> {
        let mut pages = Pages::of(range);
        loop {
            let page = pages.next(&self.store)?;
            if page.is_empty() {
                return Ok(());
            }
            for (key, value) in &page {
                let batch = row(&Key::new(key), value)?;
                self.write(batch).await?;
            }
            tokio::task::yield_now().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::ResourceId;

    use super::super::{MemoryBackend, keys};
    use super::*;

    #[tokio::test]
    async fn each_row_is_rewritten_once_and_the_queued_bytes_are_bounded() {
        let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
        let of = BusinessId::from(uuid::Uuid::from_u128(7));
        let rows = 2 * ROWS_PER_PAGE + 1;
        let key = |number: usize| Key::new(of.uuid().as_bytes()).with(&[0x50]).with(&number.to_be_bytes());
        let mut writer = BulkWriter::new(&store, of);
        let mut waited = 0;
        for number in 0..rows {
            let mut batch = Batch::default();
            batch.put(key(number), vec![0; 3_000]);
            waited += usize::from(writer.write(batch).await.unwrap());
        }
        assert_eq!(waited, rows * (3_000 + key(0).len()) / BYTES_IN_FLIGHT_MAX);
        writer.wait_durable().await.unwrap();
        assert!(store.is_settled(of));
        let mut seen = Vec::new();
        let all = keys::all(of);
        let moved = writer.rewrite(all, |key, value| {
            seen.push(*key);
            assert_eq!(value.len(), 3_000);
            let mut batch = Batch::default();
            batch.delete(*key);
            Ok(batch)
        });
        moved.await.unwrap();
        writer.wait_durable().await.unwrap();
        assert_eq!(seen, (0..rows).map(key).collect::<Vec<_>>());
        assert!(Pages::of(all).next(&store).unwrap().is_empty());
    }
}
