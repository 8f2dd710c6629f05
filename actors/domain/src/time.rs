//! Instants in whole milliseconds of UTC (RFC 3339, fixed width), and times of the *steady clock*, which counts the
//! elapsed time independently of the wall clock.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Add, Sub};

use chrono::{DateTime, Datelike, TimeDelta, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Milliseconds since 1970-01-01T00:00:00Z, always within the years 0000 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampError;

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be an RFC 3339 date-time with an offset or Z, such as 2026-03-02T09:00:00Z")
    }
}

impl std::error::Error for TimestampError {}

impl Timestamp {
    pub const MIN: Self = Self(-62_167_219_200_000);
    pub const MAX: Self = Self(253_402_300_799_999);

    pub const fn from_millis(millis: i64) -> Self {
        if millis < Self::MIN.0 {
            Self::MIN
        } else if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Parses RFC 3339 with an offset or `Z`. Ignores digits after the millisecond.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        // chrono also accepts separators that RFC 3339 does not allow.
        if !matches!(text.as_bytes().get(10), Some(b'T' | b't')) {
            return Err(TimestampError);
        }
        let instant = DateTime::parse_from_rfc3339(text).map_err(|_| TimestampError)?;
        let millis = instant.timestamp_millis();
        if (Self::MIN.0..=Self::MAX.0).contains(&millis) { Ok(Self(millis)) } else { Err(TimestampError) }
    }

    pub fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }

    fn write(self) -> [u8; 24] {
        let utc = self.utc();
        let mut out = *b"0000-00-00T00:00:00.000Z";
        let mut put = |at: usize, width: usize, mut value: u32| {
            for digit in out[at..at + width].iter_mut().rev() {
                *digit = b'0' + (value % 10) as u8;
                value /= 10;
            }
        };
        put(0, 4, utc.year().unsigned_abs());
        put(5, 2, utc.month());
        put(8, 2, utc.day());
        put(11, 2, utc.hour());
        put(14, 2, utc.minute());
        put(17, 2, utc.second());
        put(20, 3, self.0.rem_euclid(1_000) as u32);
        out
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(instant: DateTime<Utc>) -> Self {
        Self::from_millis(instant.timestamp_millis())
    }
}

macro_rules! arithmetic {
    ($($type:ty),*) => {$(
        impl Add<TimeDelta> for $type {
            type Output = Self;

            fn add(self, delta: TimeDelta) -> Self {
                Self::from_millis(self.0.saturating_add(delta.num_milliseconds()))
            }
        }

        impl Sub<TimeDelta> for $type {
            type Output = Self;

            fn sub(self, delta: TimeDelta) -> Self {
                Self::from_millis(self.0.saturating_sub(delta.num_milliseconds()))
            }
        }

        impl Sub for $type {
            type Output = TimeDelta;

            fn sub(self, earlier: Self) -> TimeDelta {
                TimeDelta::milliseconds(self.0 - earlier.0)
            }
        }
    )*};
}

arithmetic!(Timestamp, SteadyTime);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.write()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|_| de::Error::invalid_value(de::Unexpected::Str(&text), &"an instant"))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.write()).unwrap_or_default())
    }
}

/// A time of the steady clock, in milliseconds. At the first start of the store, the steady clock began with
/// the time of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SteadyTime(i64);

impl SteadyTime {
    const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

    pub const fn from_millis(millis: i64) -> Self {
        Self(Timestamp::from_millis(millis).millis())
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Returns the number of the day. Negative days count as day 0.
    pub fn day(self) -> u32 {
        u32::try_from(self.0.div_euclid(Self::DAY_MILLIS)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_with_a_fixed_width_in_utc() {
        let written = |text: &str| Timestamp::parse(text).unwrap().to_string();
        assert_eq!(written("2026-03-02T10:00:00+01:00"), "2026-03-02T09:00:00.000Z");
        assert_eq!(written("2026-03-02t09:00:00.1239z"), "2026-03-02T09:00:00.123Z");
        assert_eq!(written("1969-12-31T23:59:59.999Z"), "1969-12-31T23:59:59.999Z");
        assert_eq!(Timestamp::MIN.to_string(), "0000-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn other_forms_than_rfc_3339_are_refused() {
        for bad in [
            "",
            "2026-03-02",
            "2026-03-02T09:00:00",
            "2026-03-02 09:00:00Z",
            "2026-02-30T09:00:00Z",
            "1772442000",
            "2026-03-02T25:00:00Z",
            "+12026-03-02T09:00:00Z",
            "0000-01-01T00:00:00+01:00",
            "2026-03-02T09:00Z",
            "2026-03-02T09:00:00Z ",
            "9999-12-31T23:59:59-01:00",
        ] {
            assert_eq!(Timestamp::parse(bad), Err(TimestampError), "{bad}");
        }
    }

    #[test]
    fn arithmetic_saturates_at_the_writable_instants() {
        assert_eq!(Timestamp::MAX + TimeDelta::days(1), Timestamp::MAX);
        assert_eq!(Timestamp::MIN - TimeDelta::days(1), Timestamp::MIN);
        assert_eq!(Timestamp::from_millis(i64::MAX), Timestamp::MAX);
    }

    #[test]
    fn steady_time_has_days_of_24_hours() {
        let last = SteadyTime::from_millis(20_514 * 86_400_000 - 1);
        assert_eq!((last.day(), (last + TimeDelta::milliseconds(1)).day()), (20_513, 20_514));
        assert_eq!((last - TimeDelta::days(1) - last).num_hours(), -24);
        assert_eq!(SteadyTime::from_millis(-1).day(), 0);
        assert_eq!(SteadyTime::from_millis(i64::MAX).millis(), Timestamp::MAX.millis());
    }
}
