//! A conversion under way: reading rows and writing what they come to.

use crate::domain::{BusinessId, ResourceId};
use crate::store::keys::installation_kind;
use crate::store::{Batch, Key, KeyRange, Order, Store, StoreError, keys};

/// How many rows are read at once.
const ROWS_PER_PAGE: usize = 512;
/// How many bytes of changes are queued before they are waited for.
const BYTES_IN_FLIGHT_MAX: usize = 1 << 20;
/// After how many converted records progress is logged.
const RECORDS_PER_LINE: u64 = 50_000;

/// A conversion under way.
pub(super) struct Conversion<'a> {
    pub(super) store: &'a Store,
    /// How many bytes were queued since it was waited for them last.
    in_flight: usize,
    /// How many records the step has converted.
    records: u64,
    /// The format that the step converts to.
    to: u16,
}

impl<'a> Conversion<'a> {
    pub(super) fn of(store: &'a Store) -> Self {
        Self { store, in_flight: 0, records: 0, to: 0 }
    }

    /// A step to this format begins.
    pub(super) fn begin(&mut self, to: u16) {
        (self.to, self.records) = (to, 0);
    }

    /// Every business, one after the other.
    pub(super) async fn each_business(
        &mut self,
        mut rows: impl FnMut(BusinessId) -> KeyRange,
        mut row: impl FnMut(&Store, BusinessId, &Key, &[u8]) -> Result<Batch, StoreError>,
    ) -> Result<(), StoreError> {
        let mut businesses = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
        while let Some((key, _)) = self.store.scan(&businesses, Order::Ascending).next().transpose()? {
            businesses = businesses.after(Key::new(&key));
            let of = keys::id_at_end(&key)?;
            self.walk(of, rows(of), &mut row).await?;
        }
        Ok(())
    }

    /// Reads a range page by page, and writes what each row comes to.
    async fn walk(
        &mut self,
        of: BusinessId,
        mut range: KeyRange,
        row: &mut impl FnMut(&Store, BusinessId, &Key, &[u8]) -> Result<Batch, StoreError>,
    ) -> Result<(), StoreError> {
        loop {
            let page = self.store.scan(&range, Order::Ascending).take(ROWS_PER_PAGE);
            let page = page.collect::<Result<Vec<_>, _>>()?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            range = range.after(Key::new(last));
            for (key, value) in &page {
                let batch = row(self.store, of, &Key::new(key), value)?;
                if !batch.is_empty() {
                    self.write(batch).await?;
                    self.count(of);
                }
            }
        }
    }

    fn count(&mut self, of: BusinessId) {
        self.records += 1;
        if self.records.is_multiple_of(RECORDS_PER_LINE) {
            tracing::info!(
                upgrade.to = self.to,
                upgrade.records = self.records,
                business.id = %of.uuid(),
                "the store is still being upgraded"
            );
        }
    }

    /// Has a batch written.
    pub(super) async fn write(&mut self, batch: Batch) -> Result<(), StoreError> {
        self.in_flight += batch.bytes();
        self.store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        if self.in_flight >= BYTES_IN_FLIGHT_MAX {
            self.settle().await?;
        }
        tokio::task::yield_now().await;
        Ok(())
    }

    /// Waits until all that was written is on the disk.
    pub(super) async fn settle(&mut self) -> Result<(), StoreError> {
        self.in_flight = 0;
        self.store.settled(BusinessId::INSTALLATION).await
    }
}
