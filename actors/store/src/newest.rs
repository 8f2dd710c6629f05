//! The newest entry of a business's audit log.
//!
//! Each change to records adds an audit entry. At that moment, the id and the stamp of the entry are the newest of the
//! business. The entry also contains the usage of the business: how many rows and bytes it has. So the newest entry
//! contains the newest id, the newest stamp and the current usage.

use domain::{AuditId, BusinessId, ResourceId, Timestamp, Usage};

use super::keys::kind;
use super::records::AuditRecord;
use super::{Order, Store, StoreError, keys};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestEntry {
    pub id: AuditId,
    pub at: Timestamp,
    pub usage: Option<Usage>,
}

impl Store {
    /// Returns the newest entry of the audit log. If the entry cannot be decoded, `at` is the time in its id.
    pub fn newest_entry(&self, of: BusinessId) -> Result<Option<NewestEntry>, StoreError> {
        let log = keys::of_kind(of, kind::AUDIT);
        // A long value is stored in pieces. `Store::scan` skips a damaged entry whose pieces do not belong together,
        // but the newest entry is needed even if it is damaged. So this scan reads the stored rows without assembling
        // their values.
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
