//! How long a business keeps what has happened.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{IdBytes, instant};
use crate::domain::{AUDIT_DAYS_MIN, RETENTION_DAYS, Retention, RetentionSet, SteadyTime};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct RetentionRecordV1 {
    calls_days: Option<u32>,
    messages_days: Option<u32>,
    audit_days: Option<u32>,
    appointments_days: Option<u32>,
    /// What time it was when that was set, how far steady time had come, and a greater id than any before.
    set: Option<(i64, i64, IdBytes)>,
}

record!(Retention, "retention", 1 => RetentionRecordV1);

impl Layout<Retention> for RetentionRecordV1 {
    fn freeze(value: &Retention) -> Self {
        let set = |set: RetentionSet| (set.at.millis(), set.steady.millis(), set.before.into_bytes());
        Self {
            calls_days: value.calls_days,
            messages_days: value.messages_days,
            audit_days: value.audit_days,
            appointments_days: value.appointments_days,
            set: value.set.map(set),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Retention, StoreError> {
        let Self { calls_days, messages_days, audit_days, appointments_days, set } = self;
        let days = [calls_days, messages_days, audit_days, appointments_days];
        let too_few = audit_days.is_some_and(|days| days < AUDIT_DAYS_MIN);
        if too_few || days.into_iter().flatten().any(|days| !RETENTION_DAYS.contains(&days)) {
            return Err(StoreError::damaged(record, "it is kept for a number of days that cannot be"));
        }
        let set = set.map(|(at, steady, before)| {
            Ok(RetentionSet {
                at: instant(record, at)?,
                steady: SteadyTime::from_millis(instant(record, steady)?.millis()),
                before: Uuid::from_bytes(before),
            })
        });
        Ok(Retention { calls_days, messages_days, audit_days, appointments_days, set: set.transpose()? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage};
    use super::*;
    use crate::domain::Timestamp;

    #[test]
    fn a_retention_has_these_bytes() {
        check(&Retention::default(), "010000000000");
        let set = RetentionSet {
            at: Timestamp::from_millis(300),
            steady: SteadyTime::from_millis(1),
            before: Uuid::from_bytes([0xa1; 16]),
        };
        let some = Retention {
            calls_days: Some(30),
            messages_days: None,
            audit_days: Some(365),
            appointments_days: Some(1),
            set: Some(set),
        };
        check(&some, "01011e0001fb6d01010101fb580202a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1");
        check_damage(&some, |bytes| bytes[2] = 0);
        check_damage(&Retention { audit_days: Some(89), ..some }, |_| {});
        check_damage(&Retention { calls_days: Some(36_501), ..some }, |_| {});
    }
}
