//! The retention of a business: the number of days for which its rows are kept. `None` keeps them permanently.

use std::ops::RangeInclusive;

use chrono::TimeDelta;
use uuid::Uuid;

use super::{SteadyTime, Timestamp};

pub const RETENTION_DAYS: RangeInclusive<u32> = 1..=36_500;
pub const AUDIT_DAYS_MIN: u32 = 90;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// The days are counted from the creation of the call.
    pub calls_days: Option<u32>,
    /// The days are counted from the creation of the message.
    pub messages_days: Option<u32>,
    /// The days are counted from the audited change. The newest entry is always kept.
    pub audit_days: Option<u32>,
    /// The days are counted from the end of the appointment.
    pub appointments_days: Option<u32>,
    pub set: Option<RetentionSet>,
}

/// The moment at which the retention was set. Setting the retention also confirms that the timestamps of the rows
/// that exist at this moment are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionSet {
    pub at: Timestamp,
    pub steady: SteadyTime,
    /// An id that is greater than the ids of all rows that existed when the retention was set.
    pub before: Uuid,
}

impl Retention {
    pub fn longest(&self) -> Option<TimeDelta> {
        let days = [self.calls_days, self.messages_days, self.audit_days, self.appointments_days];
        days.into_iter().flatten().max().map(|days| TimeDelta::days(i64::from(days)))
    }
}

impl RetentionSet {
    /// Converts a time of the steady clock to a [`Timestamp`]. At the instant `at`, the steady clock showed `steady`.
    pub fn time_at(&self, steady: SteadyTime) -> Timestamp {
        self.at + (steady - self.steady)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_retention_is_the_longest_finite_one() {
        let none = Retention::default();
        assert_eq!(none.longest(), None);
        let some = Retention { calls_days: Some(30), audit_days: Some(90), ..none };
        assert_eq!(some.longest(), Some(TimeDelta::days(90)));
    }

    #[test]
    fn steady_time_is_counted_from_the_setting_of_the_retention() {
        let set = RetentionSet {
            at: Timestamp::from_millis(5_000),
            steady: SteadyTime::from_millis(100),
            before: Uuid::nil(),
        };
        assert_eq!(set.time_at(SteadyTime::from_millis(1_100)), Timestamp::from_millis(6_000));
    }
}
