//! The time of a daily mail: 08:00 in the business's zone (contract, second part, §3). The module is pure.

use chrono_tz::Tz;
use domain::{LocalTime, Timestamp, next_at};

const HOUR: &str = "08:00";

/// The time of the daily mail about an event of now.
pub fn next_daily(zone: Tz, now: Timestamp) -> Timestamp {
    let hour = LocalTime::parse(HOUR).expect("it is a time of the day");
    next_at(zone, hour, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daily_mail_goes_out_at_eight_by_the_wall_clock_through_clock_changes() {
        for (zone, now, expected) in [
            ("Europe/Paris", "2026-01-10T06:59:59Z", "2026-01-10T07:00:00.000Z"),
            ("Europe/Paris", "2026-01-10T07:00:00Z", "2026-01-11T07:00:00.000Z"),
            // The clock moves forward in the night to 29 March and back in the night to 25 October.
            ("Europe/Paris", "2026-03-28T08:00:00Z", "2026-03-29T06:00:00.000Z"),
            ("Europe/Paris", "2026-10-24T07:00:00Z", "2026-10-25T07:00:00.000Z"),
            ("America/New_York", "2026-06-01T12:00:00Z", "2026-06-02T12:00:00.000Z"),
            ("Asia/Kolkata", "2026-06-01T00:00:00Z", "2026-06-01T02:30:00.000Z"),
            // Samoa had no 30 December 2011.
            ("Pacific/Apia", "2011-12-29T18:00:00Z", "2011-12-30T18:00:00.000Z"),
            // Pyongyang's clocks were set back half an hour on 15 August 2015, at midnight.
            ("Asia/Pyongyang", "2015-08-14T12:00:00Z", "2015-08-14T23:30:00.000Z"),
        ] {
            let next = next_daily(zone.parse().unwrap(), Timestamp::parse(now).unwrap());
            assert_eq!(next.to_string(), expected, "{zone} {now}");
        }
    }
}
