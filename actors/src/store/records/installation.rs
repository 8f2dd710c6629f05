//! What the store says of itself.

use serde::{Deserialize, Serialize};

use super::instant;
use crate::domain::Timestamp;
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// The format of the whole store: the layout of the keys and what belongs together. A store of an earlier one is
/// converted when it is opened, one of a later one refused.
pub const STORE_FORMAT: u16 = 6;

/// What stands in the place of the format while a store is being converted: no version knows it, so none takes what is
/// half of one format and half of another for whole.
pub const STORE_FORMAT_IN_UPGRADE: u16 = u16::MAX;

/// What the store says of itself, written when it is created.
#[derive(Clone, PartialEq, Eq)]
pub struct MetaRecord {
    /// The format of the store, which whoever opens it has to look at first.
    pub format: u16,
    /// The secret from which the service derives its own keys.
    pub secret: [u8; 32],
    /// When the store was created.
    pub created_at: Timestamp,
}

impl std::fmt::Debug for MetaRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetaRecord")
            .field("format", &self.format)
            .field("created_at", &self.created_at)
            .finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
struct MetaRecordV1 {
    format: u16,
    secret: [u8; 32],
    created_at: i64,
}

record!(MetaRecord, "meta", 1 => MetaRecordV1);

impl Layout<MetaRecord> for MetaRecordV1 {
    fn freeze(value: &MetaRecord) -> Self {
        Self { format: value.format, secret: value.secret, created_at: value.created_at.millis() }
    }

    fn thaw(self, record: &'static str) -> Result<MetaRecord, StoreError> {
        Ok(MetaRecord {
            format: self.format,
            secret: self.secret,
            created_at: instant(record, self.created_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use super::*;

    #[test]
    fn the_meta_record_has_these_bytes_and_hides_its_secret() {
        let created_at = Timestamp::from_millis(1_772_442_000_000);
        let meta = MetaRecord { format: STORE_FORMAT, secret: [0xa1; 32], created_at };
        check(
            &meta,
            "0106a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1a1fd00358d5b39030000",
        );
        assert!(!format!("{meta:?}").contains("161"), "{meta:?}");
    }
}
