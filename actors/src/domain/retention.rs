//! How long a business keeps what has happened: the operator's to set. What is not set is kept for ever.

use std::ops::RangeInclusive;

use chrono::TimeDelta;
use uuid::Uuid;

use super::{SteadyTime, Timestamp};

/// How many days something may be kept.
pub const RETENTION_DAYS: RangeInclusive<u32> = 1..=36_500;
/// For how many days entries of the audit log are kept at least.
pub const AUDIT_DAYS_MIN: u32 = 90;

/// For how many days a business keeps what has happened; `None` for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Calls, from when they were saved.
    pub calls_days: Option<u32>,
    /// Messages, from when they were taken.
    pub messages_days: Option<u32>,
    /// Entries of the audit log. The newest stays, however old it is.
    pub audit_days: Option<u32>,
    /// Appointments, from their end.
    pub appointments_days: Option<u32>,
    /// What was so when it was set; `None` where it never was.
    pub set: Option<RetentionSet>,
}

/// What was so when somebody set how long things are kept, who took the stamps of what was there at their word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionSet {
    /// What time it was.
    pub at: Timestamp,
    /// How far steady time had come.
    pub steady: SteadyTime,
    /// What was there already has a smaller id.
    pub before: Uuid,
}

impl Retention {
    /// The longest time that anything is kept which is not kept for ever.
    pub fn longest(&self) -> Option<TimeDelta> {
        let days = [self.calls_days, self.messages_days, self.audit_days, self.appointments_days];
        days.into_iter().flatten().max().map(|days| TimeDelta::days(i64::from(days)))
    }
}

impl RetentionSet {
    /// What time it is as steady time tells it, counted from when this was set.
    pub fn told_by(&self, steady: SteadyTime) -> Timestamp {
        self.at + (steady - self.steady)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_is_that_of_what_is_not_kept_for_ever() {
        let none = Retention::default();
        assert_eq!(none.longest(), None);
        let some = Retention { calls_days: Some(30), audit_days: Some(90), ..none };
        assert_eq!(some.longest(), Some(TimeDelta::days(90)));
    }

    #[test]
    fn steady_time_tells_the_time_from_when_it_was_set() {
        let set = RetentionSet {
            at: Timestamp::from_millis(5_000),
            steady: SteadyTime::from_millis(100),
            before: Uuid::nil(),
        };
        assert_eq!(set.told_by(SteadyTime::from_millis(1_100)), Timestamp::from_millis(6_000));
    }
}
