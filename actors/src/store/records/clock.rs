//! How far the steady time of a store has come.

use serde::{Deserialize, Serialize};

use super::instant;
use crate::domain::{SteadyTime, Timestamp};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// How far the steady time of a store has come, and what else was known then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockRecord {
    /// The steady time.
    pub steady: SteadyTime,
    /// What the wall clock was believed to show then.
    pub wall: Timestamp,
    /// The newest stamp in the store, [`Timestamp::MIN`] when there was none.
    pub newest: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct ClockRecordV1 {
    steady: i64,
    wall: i64,
    newest: i64,
}

record!(ClockRecord, "clock", 1 => ClockRecordV1);

impl Layout<ClockRecord> for ClockRecordV1 {
    fn freeze(value: &ClockRecord) -> Self {
        Self { steady: value.steady.millis(), wall: value.wall.millis(), newest: value.newest.millis() }
    }

    fn thaw(self, record: &'static str) -> Result<ClockRecord, StoreError> {
        Ok(ClockRecord {
            steady: SteadyTime::from_millis(instant(record, self.steady)?.millis()),
            wall: instant(record, self.wall)?,
            newest: instant(record, self.newest)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage};
    use super::*;

    #[test]
    fn a_clock_record_has_these_bytes() {
        let record = ClockRecord {
            steady: SteadyTime::from_millis(1_772_442_000_000),
            wall: Timestamp::from_millis(-1),
            newest: Timestamp::from_millis(300),
        };
        check(&record, "01fd00358d5b3903000001fb5802");
        check_damage(&record, |bytes| bytes[9] = 0x7f);
    }
}
