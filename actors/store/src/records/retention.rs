//! The retention periods of a business.

use domain::{AUDIT_DAYS_MIN, RETENTION_DAYS, Retention, RetentionSet};

use crate::codec::{fields, record};

record!(Retention, "retention", {
    1: calls_days, messages_days, audit_days, appointments_days, set;
} check |retention| {
    let Retention { calls_days, messages_days, audit_days, appointments_days, .. } = retention;
    let too_few = audit_days.is_some_and(|days| days < AUDIT_DAYS_MIN);
    let mut days = [calls_days, messages_days, audit_days, appointments_days].into_iter().flatten();
    if too_few || days.any(|days| !RETENTION_DAYS.contains(days)) {
        Err("its number of days is out of range")
    } else {
        Ok(())
    }
});

fields! { RetentionSet { at, steady, before } }

#[cfg(test)]
mod tests {
    use domain::{SteadyTime, Timestamp};
    use uuid::Uuid;

    use super::super::testing::{check, check_damage};
    use super::*;

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
