//! The progress of steady time.

use domain::{SteadyTime, Timestamp};
use uuid::Uuid;

use crate::codec::{fields, record};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockRecord {
    pub steady: SteadyTime,
    /// The believed wall time at that moment.
    pub wall: Timestamp,
    /// The newest stamp in the store; [`Timestamp::MIN`] without one.
    pub newest: Timestamp,
    /// The boot in which the record was written. `None` if the machine has no ids of boots.
    pub boot: Option<Boot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boot {
    pub id: Uuid,
    /// The time since the boot in milliseconds, including suspension.
    pub passed: i64,
}

record!(ClockRecord, "clock", { 1: steady, wall, newest; 2: boot = None } check |clock| {
    if clock.boot.is_some_and(|boot| boot.passed < 0) {
        Err("the time since the boot is negative")
    } else {
        Ok(())
    }
});

fields! { Boot { id, passed } }

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, check_old};
    use super::*;

    #[test]
    fn a_clock_record_has_these_bytes() {
        let record = ClockRecord {
            steady: SteadyTime::from_millis(1_772_442_000_000),
            wall: Timestamp::from_millis(-1),
            newest: Timestamp::from_millis(300),
            boot: None,
        };
        check(&record, "02 fd00358d5b39030000 01 fb5802 00");
        check_old(&record, "01 fd00358d5b39030000 01 fb5802");
        check_damage(&record, |bytes| bytes[9] = 0x7f);
        let boot = Some(Boot { id: Uuid::from_bytes([0xb0; 16]), passed: 5_000 });
        let booted = ClockRecord { boot, ..record };
        check(&booted, &format!("02 fd00358d5b39030000 01 fb5802 01 {} fb1027", "b0".repeat(16)));
        // The low byte of the time since the boot: an odd number encodes a negative time.
        check_damage(&booted, |bytes| bytes[32] = 0x11);
    }
}
