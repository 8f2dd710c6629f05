//! How far the round has come that looks through the businesses nobody uses.

use serde::{Deserialize, Serialize};

use super::{IdBytes, bytes_of, id_of, instant};
use crate::domain::{BusinessId, SteadyTime};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// How far the round has come that looks through the businesses nobody uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRecord {
    /// When it began, in steady time.
    pub began: SteadyTime,
    /// The business that was looked at last, if one was.
    pub after: Option<BusinessId>,
    /// Whether it has come to the end.
    pub is_through: bool,
}

#[derive(Serialize, Deserialize)]
struct RoundRecordV1 {
    began: i64,
    after: Option<IdBytes>,
    is_through: bool,
}

record!(RoundRecord, "round", 1 => RoundRecordV1);

impl Layout<RoundRecord> for RoundRecordV1 {
    fn freeze(value: &RoundRecord) -> Self {
        Self { began: value.began.millis(), after: value.after.map(bytes_of), is_through: value.is_through }
    }

    fn thaw(self, record: &'static str) -> Result<RoundRecord, StoreError> {
        Ok(RoundRecord {
            began: SteadyTime::from_millis(instant(record, self.began)?.millis()),
            after: self.after.map(id_of),
            is_through: self.is_through,
        })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::testing::{check, check_damage};
    use super::*;

    #[test]
    fn a_round_record_has_these_bytes() {
        let began = SteadyTime::from_millis(1_772_442_000_000);
        let begun = RoundRecord { began, after: None, is_through: false };
        check(&begun, "01fd00358d5b39030000 00 00");
        let after = Some(BusinessId::from(Uuid::from_bytes([0xb5; 16])));
        let ended = RoundRecord { began, after, is_through: true };
        check(&ended, &format!("01fd00358d5b39030000 01 {} 01", "b5".repeat(16)));
        check_damage(&ended, |bytes| bytes[9] = 0x7f);
    }
}
