//! A conversion in progress: it reads rows and writes the converted rows.

use domain::{BusinessId, ResourceId};
use store::keys::installation_kind;
use store::{Batch, BulkWriter, Key, KeyRange, Order, Store, StoreError, keys};

const RECORDS_PER_LINE: u64 = 50_000;

pub(super) struct Conversion<'a> {
    pub(super) store: &'a Store,
    pub(super) writer: BulkWriter,
    records: u64,
    to: u16,
}

impl<'a> Conversion<'a> {
    pub(super) fn of(store: &'a Store) -> Self {
        Self { store, writer: BulkWriter::new(store, BusinessId::INSTALLATION), records: 0, to: 0 }
    }

    pub(super) fn begin(&mut self, to: u16) {
        (self.to, self.records) = (to, 0);
    }

    /// Converts the rows in a range of each business, one business after the other. Includes the businesses of
    /// unfinished imports: the index of businesses does not contain them, but the list of imports does.
    pub(super) async fn each_business(
        &mut self,
        mut rows: impl FnMut(BusinessId) -> KeyRange,
        mut row: impl FnMut(&Store, BusinessId, &Key, &[u8]) -> Result<Batch, StoreError>,
    ) -> Result<(), StoreError> {
        let Self { store, writer, records, to } = self;
        for list in [installation_kind::BUSINESS_INDEX, installation_kind::MOVING] {
            let mut businesses = keys::of_kind(BusinessId::INSTALLATION, list);
            while let Some((key, _)) = store.scan(&businesses, Order::Ascending).next().transpose()? {
                businesses = businesses.after(Key::new(&key));
                let of = keys::id_at_end(&key)?;
                let is_done = list == installation_kind::MOVING
                    && (of == BusinessId::INSTALLATION
                        || store.get_raw(&keys::business_index(of))?.is_some());
                if is_done {
                    continue;
                }
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
        }
        Ok(())
    }
}

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
