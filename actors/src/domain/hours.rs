//! Opening hours of a week (spec §2; contract of `PATCH /business`).
//!
//! A [`WeeklyHours`] names each day at most once, no window is empty, and the windows of two days never overlap.

use super::words::words;

words! {
    /// A day of the week.
    Day {
        /// Sunday.
        Sunday = "sunday",
        /// Monday.
        Monday = "monday",
        /// Tuesday.
        Tuesday = "tuesday",
        /// Wednesday.
        Wednesday = "wednesday",
        /// Thursday.
        Thursday = "thursday",
        /// Friday.
        Friday = "friday",
        /// Saturday.
        Saturday = "saturday",
    }
}

/// A wall-clock time, in minutes after midnight, 0 to 1440 (`24:00`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalTime(u16);

impl LocalTime {
    /// Minutes of a day, which is `24:00`.
    pub const DAY_MINUTES: u16 = 1440;

    /// Reads `HH:MM`, `00:00` to `23:59` or `24:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: &[u8; 5] = text.as_bytes().try_into().ok()?;
        let digit = |at: usize| bytes[at].is_ascii_digit().then(|| u16::from(bytes[at] - b'0'));
        let (hour, minute) = (digit(0)? * 10 + digit(1)?, digit(3)? * 10 + digit(4)?);
        let minutes = hour * 60 + minute;
        (bytes[2] == b':' && minute < 60 && minutes <= Self::DAY_MINUTES).then_some(Self(minutes))
    }

    /// A time so many minutes after midnight, at most [`Self::DAY_MINUTES`].
    pub fn from_minutes(minutes: u16) -> Option<Self> {
        (minutes <= Self::DAY_MINUTES).then_some(Self(minutes))
    }

    /// Minutes after midnight.
    pub fn minutes(self) -> u16 {
        self.0
    }
}

impl std::fmt::Display for LocalTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

/// The window of one day. `close` not later than `open` runs past midnight into the next day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayHours {
    /// The day on which the window opens.
    pub day: Day,
    /// When it opens.
    pub open: LocalTime,
    /// When it closes.
    pub close: LocalTime,
}

impl DayHours {
    /// How long the window is on the wall clock, in minutes.
    pub fn wall_minutes(&self) -> u16 {
        let (open, close) = (self.open.minutes(), self.close.minutes());
        if close > open { close - open } else { close + LocalTime::DAY_MINUTES - open }
    }

    /// The window in minutes since the start of Sunday; the end may lie in the next week.
    fn in_week(&self) -> (u32, u32) {
        let start = self.day as u32 * u32::from(LocalTime::DAY_MINUTES) + u32::from(self.open.minutes());
        (start, start + u32::from(self.wall_minutes()))
    }
}

/// What is wrong with one of the windows of a week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoursProblem {
    /// The window's place in the request, from 0.
    pub index: usize,
    /// The field that is wrong: `day`, `open` or `close`.
    pub field: &'static str,
    /// What is wrong.
    pub message: String,
}

/// The opening hours of a week; a day that is not listed is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeeklyHours(Vec<DayHours>);

impl WeeklyHours {
    /// The greatest number of windows: one a day.
    pub const WINDOWS_MAX: usize = 7;

    /// Takes the windows in any order and keeps them from Sunday to Saturday.
    ///
    /// # Errors
    /// Every window that opens at `24:00`, is empty, names a day again, or overlaps one before it.
    pub fn new(days: Vec<DayHours>) -> Result<Self, Vec<HoursProblem>> {
        const WEEK_MINUTES: u32 = 7 * LocalTime::DAY_MINUTES as u32;
        let mut problems = Vec::new();
        let mut problem =
            |index, field, message: String| problems.push(HoursProblem { index, field, message });
        for (index, hours) in days.iter().enumerate() {
            if hours.open.minutes() == LocalTime::DAY_MINUTES {
                problem(index, "open", "must be 00:00 to 23:59".into());
            } else if hours.open == hours.close {
                problem(index, "close", "must differ from open; the whole day is 00:00 to 24:00".into());
            } else if days[..index].iter().any(|other| other.day == hours.day) {
                problem(index, "day", format!("{} is listed twice", hours.day));
            } else {
                let (start, end) = hours.in_week();
                let overlapped = days[..index].iter().find(|other| {
                    let (from, to) = other.in_week();
                    // One window may run past Saturday midnight into the week's first day.
                    [0, WEEK_MINUTES].iter().any(|shift| {
                        (start < to + shift && from + shift < end)
                            || (start + shift < to && from < end + shift)
                    })
                });
                if let Some(other) = overlapped {
                    problem(index, "open", format!("the window overlaps that of {}", other.day));
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut days = days;
        days.sort_by_key(|hours| hours.day);
        Ok(Self(days))
    }

    /// The windows from Sunday to Saturday.
    pub fn days(&self) -> &[DayHours] {
        &self.0
    }

    /// The window that opens on this day.
    pub fn on(&self, day: Day) -> Option<DayHours> {
        self.0.iter().copied().find(|hours| hours.day == day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(day: Day, open: &str, close: &str) -> DayHours {
        DayHours { day, open: LocalTime::parse(open).unwrap(), close: LocalTime::parse(close).unwrap() }
    }

    fn check(days: &[(Day, &str, &str)]) -> Vec<(usize, &'static str)> {
        let days = days.iter().map(|(day, open, close)| window(*day, open, close)).collect();
        match WeeklyHours::new(days) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.into_iter().map(|problem| (problem.index, problem.field)).collect(),
        }
    }

    #[test]
    fn a_local_time_is_two_digits_a_colon_and_two_digits() {
        for (text, minutes) in [("00:00", 0), ("09:30", 570), ("23:59", 1439), ("24:00", 1440)] {
            let time = LocalTime::parse(text).unwrap();
            assert_eq!((time.minutes(), time.to_string().as_str()), (minutes, text));
        }
        for bad in
            ["", "9:30", "09:60", "24:01", "25:00", "99:99", "09-30", "09:3", "+9:30", "09:30 ", "٠٩:٣٠"]
        {
            assert_eq!(LocalTime::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn windows_of_a_week_are_neither_empty_nor_twice_nor_overlapping() {
        use Day::*;
        assert_eq!(check(&[]), []);
        assert_eq!(check(&[(Monday, "00:00", "24:00"), (Tuesday, "00:00", "24:00")]), []);
        assert_eq!(check(&[(Monday, "18:00", "02:00"), (Tuesday, "02:00", "10:00")]), []);
        assert_eq!(check(&[(Monday, "18:00", "00:00"), (Tuesday, "00:00", "10:00")]), []);
        assert_eq!(check(&[(Monday, "24:00", "02:00")]), [(0, "open")]);
        assert_eq!(check(&[(Monday, "09:00", "09:00")]), [(0, "close")]);
        assert_eq!(check(&[(Monday, "09:00", "10:00"), (Monday, "11:00", "12:00")]), [(1, "day")]);
        assert_eq!(check(&[(Monday, "18:00", "02:01"), (Tuesday, "02:00", "10:00")]), [(1, "open")]);
        assert_eq!(check(&[(Tuesday, "02:00", "10:00"), (Monday, "18:00", "02:01")]), [(1, "open")]);
        assert_eq!(check(&[(Saturday, "18:00", "02:01"), (Sunday, "02:00", "10:00")]), [(1, "open")]);
        assert_eq!(check(&[(Sunday, "02:00", "10:00"), (Saturday, "18:00", "02:01")]), [(1, "open")]);
        assert_eq!(check(&[(Sunday, "02:00", "10:00"), (Saturday, "18:00", "02:00")]), []);
    }
}
