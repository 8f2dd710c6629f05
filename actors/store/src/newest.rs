//! The newest entry of a business's audit log: with it every change tells how far ids and stamps have come, and how much
//! the business keeps.

use domain::{AuditId, BusinessId, ResourceId, Timestamp, Usage};

use super::keys::kind;
use super::records::AuditRecord;
use super::{Order, Store, StoreError, keys};

/// What the newest entry tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestEntry {
    /// Its id, the greatest of the business.
    pub id: AuditId,
    /// A stamp that no change of the business is later than: its own, the newest.
    pub at: Timestamp,
    /// How much the business keeps, if it tells that.
    pub usage: Option<Usage>,
}

impl Store {
    /// Reads the newest entry. One that does not decode is set aside, and its key still tells enough: it was minted no
    /// earlier than its stamp.
    ///
    /// # Errors
    /// When reading fails.
    pub fn newest_entry(&self, of: BusinessId) -> Result<Option<NewestEntry>, StoreError> {
        let log = keys::of_kind(of, kind::AUDIT);
        // By its row: a value whose pieces do not belong together is no pair.
        for row in self.rows().scan(&log, Order::Descending) {
            let key = row?.0;
            let Some(id) = self.usable(&key, keys::id_at_end::<AuditId>(&key))? else { continue };
            let record = self.find::<AuditRecord>(&keys::audit(of, id))?;
            let (at, usage) = match record {
                Some(AuditRecord { entry, usage }) => (entry.at, usage),
                None => (id.minted_at(), None),
            };
            return Ok(Some(NewestEntry { id, at, usage }));
        }
        Ok(None)
    }
}
