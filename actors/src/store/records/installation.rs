//! What the store says of itself.

use serde::{Deserialize, Serialize};

use super::instant;
use crate::domain::Timestamp;
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// The format of the whole store: the layout of the keys and what belongs together. A store of another format than
/// those from [`STORE_FORMAT_OLDEST`] on is refused when this record is read.
pub const STORE_FORMAT: u16 = 3;

/// The oldest format that is read as it is. Format 2 lacks what this one adds (newer versions of records, long values
/// in small pieces, rows of clocks, ages and budgets), so a store of it becomes one of this format by being marked so.
pub const STORE_FORMAT_OLDEST: u16 = 2;

/// What the store says of itself, written when it is created.
#[derive(Clone, PartialEq, Eq)]
pub struct MetaRecord {
    /// The secret from which the service derives its own keys.
    pub secret: [u8; 32],
    /// When the store was created.
    pub created_at: Timestamp,
}

impl std::fmt::Debug for MetaRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetaRecord").field("created_at", &self.created_at).finish_non_exhaustive()
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
        Self { format: STORE_FORMAT, secret: value.secret, created_at: value.created_at.millis() }
    }

    fn thaw(self, record: &'static str) -> Result<MetaRecord, StoreError> {
        if !(STORE_FORMAT_OLDEST..=STORE_FORMAT).contains(&self.format) {
            return Err(StoreError::Format { found: self.format, known: STORE_FORMAT });
        }
        Ok(MetaRecord { secret: self.secret, created_at: instant(record, self.created_at)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use super::*;
    use crate::store::Record;

    #[test]
    fn the_meta_record_has_these_bytes_and_hides_its_secret() {
        let meta = MetaRecord { secret: [0xa1; 32], created_at: Timestamp::from_millis(1_772_442_000_000) };
        check(
            &meta,
            "0103a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1a1fd00358d5b39030000",
        );
        assert!(!format!("{meta:?}").contains("161"), "{meta:?}");
    }

    #[test]
    fn a_store_of_another_format_is_refused() {
        let meta = MetaRecord { secret: [0; 32], created_at: Timestamp::from_millis(0) };
        let mut bytes = meta.encode();
        for format in [1, 4] {
            bytes[1] = format;
            let found = u16::from(format);
            assert!(
                matches!(MetaRecord::decode(&bytes), Err(StoreError::Format { found: is, known: 3 }) if is == found)
            );
        }
        bytes[1] = 2;
        assert_eq!(MetaRecord::decode(&bytes).unwrap(), meta);
    }
}
