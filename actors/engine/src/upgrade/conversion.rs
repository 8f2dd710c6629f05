//! A conversion under way: reading rows and writing what they come to.

use domain::{BusinessId, ResourceId};
use store::keys::installation_kind;
use store::{Batch, BulkWriter, Key, KeyRange, Order, Store, StoreError, keys};

/// After how many converted records progress is logged.
const RECORDS_PER_LINE: u64 = 50_000;

/// A conversion under way.
pub(super) struct Conversion<'a> {
    pub(super) store: &'a Store,
    writer: BulkWriter,
    /// How many records the step has converted.
    records: u64,
    /// The format that the step converts to.
    to: u16,
}

impl<'a> Conversion<'a> {
    pub(super) fn of(store: &'a Store) -> Self {
        Self { store, writer: BulkWriter::new(store, BusinessId::INSTALLATION), records: 0, to: 0 }
    }

    /// A step to this format begins.
    pub(super) fn begin(&mut self, to: u16) {
        (self.to, self.records) = (to, 0);
    }

    /// Every business, one after the other: what each row of its range comes to is written.
    pub(super) async fn each_business(
        &mut self,
        mut rows: impl FnMut(BusinessId) -> KeyRange,
        mut row: impl FnMut(&Store, BusinessId, &Key, &[u8]) -> Result<Batch, StoreError>,
    ) -> Result<(), StoreError> {
        let Self { store, writer, records, to } = self;
        let mut businesses = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
        while let Some((key, _)) = store.scan(&businesses, Order::Ascending).next().transpose()? {
            businesses = businesses.after(Key::new(&key));
            let of = keys::id_at_end(&key)?;
            let converted = writer.rewrite(rows(of), |key, value| {
                let batch = row(store, of, key, value)?;
                if !batch.is_empty() {
                    *records += 1;
                    tell(*records, *to, of);
                }
                Ok(batch)
            });
            converted.await?;
        }
        Ok(())
    }

    /// Has a batch written.
    pub(super) async fn write(&mut self, batch: Batch) -> Result<(), StoreError> {
        self.writer.write(batch).await.map(drop)
    }

    /// Waits until all that was written is on the disk.
    pub(super) async fn settle(&mut self) -> Result<(), StoreError> {
        self.writer.settle().await
    }
}

/// Logs now and then how far a step has come.
fn tell(records: u64, to: u16, of: BusinessId) {
    if records.is_multiple_of(RECORDS_PER_LINE) {
        tracing::info!(
            upgrade.to = to,
            upgrade.records = records,
            business.id = %of.uuid(),
            "the store is still being upgraded"
        );
    }
}
