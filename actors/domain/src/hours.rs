//! Weekly opening hours and breaks, and special days. A *window* is a range of opening hours. A special day has windows
//! of its own.
//!
//! Invariants: no window is empty, and no two windows of a list overlap.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::words::words;
use super::{ProblemCode, Timestamp};

words! {
    Day {
        Sunday = "sunday",
        Monday = "monday",
        Tuesday = "tuesday",
        Wednesday = "wednesday",
        Thursday = "thursday",
        Friday = "friday",
        Saturday = "saturday",
    }
}

/// A wall-clock time, in minutes after midnight. It ranges from 0 to 1440 (`24:00`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalTime(u16);

impl LocalTime {
    pub const DAY_MINUTES: u16 = 1440;

    /// Parses `HH:MM`. Accepts `00:00` to `23:59`, and `24:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: &[u8; 5] = text.as_bytes().try_into().ok()?;
        let digit = |at: usize| bytes[at].is_ascii_digit().then(|| u16::from(bytes[at] - b'0'));
        let (hour, minute) = (digit(0)? * 10 + digit(1)?, digit(3)? * 10 + digit(4)?);
        let minutes = hour * 60 + minute;
        (bytes[2] == b':' && minute < 60 && minutes <= Self::DAY_MINUTES).then_some(Self(minutes))
    }

    pub fn from_minutes(minutes: u16) -> Option<Self> {
        (minutes <= Self::DAY_MINUTES).then_some(Self(minutes))
    }

    pub fn minutes(self) -> u16 {
        self.0
    }
}

impl std::fmt::Display for LocalTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl Serialize for LocalTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LocalTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("a local time must be HH:MM"))
    }
}

/// A range of opening hours on one date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Window")]
pub struct LocalWindow {
    /// The start, a local time `HH:MM`, at most `23:59`.
    pub open: LocalTime,
    /// The end, a local time `HH:MM`. A time before `open` is on the next day.
    pub close: LocalTime,
}

impl LocalWindow {
    pub fn wall_minutes(&self) -> u16 {
        let (open, close) = (self.open.minutes(), self.close.minutes());
        if close > open { close - open } else { close + LocalTime::DAY_MINUTES - open }
    }

    /// Returns the start and the end in minutes after midnight of the opening day. The end may be on the next day.
    fn in_day(&self) -> (u32, u32) {
        let start = u32::from(self.open.minutes());
        (start, start + u32::from(self.wall_minutes()))
    }

    fn problem(&self, [open, close]: [&'static str; 2]) -> Option<(&'static str, ProblemCode)> {
        if self.open.minutes() == LocalTime::DAY_MINUTES {
            Some((open, ProblemCode::OpensAtTheEnd))
        } else if self.open == self.close {
            Some((close, ProblemCode::SameAs(open)))
        } else {
            None
        }
    }
}

/// The opening hours of one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OpeningHours")]
pub struct DayHours {
    /// The day on which the hours begin.
    pub day: Day,
    /// The start, a local time `HH:MM`, at most `23:59`.
    pub open: LocalTime,
    /// The end, a local time `HH:MM`. A time before `open` is on the next day.
    pub close: LocalTime,
}

impl DayHours {
    pub fn window(&self) -> LocalWindow {
        LocalWindow { open: self.open, close: self.close }
    }

    /// Returns the start and the end in minutes after the start of Sunday. The end may be in the next week.
    fn in_week(&self) -> (u32, u32) {
        let midnight = self.day as u32 * u32::from(LocalTime::DAY_MINUTES);
        let (start, end) = self.window().in_day();
        (midnight + start, midnight + end)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoursProblem {
    pub index: usize,
    pub field: &'static str,
    pub code: ProblemCode,
}

fn week_problems(days: &[DayHours], per_day: usize, ends: [&'static str; 2]) -> Vec<HoursProblem> {
    const WEEK_MINUTES: u32 = 7 * LocalTime::DAY_MINUTES as u32;
    let overlap = |hours: &DayHours, other: &DayHours| {
        let ((start, end), (from, to)) = (hours.in_week(), other.in_week());
        // A window can continue from Saturday into Sunday, which is at the other end of the week.
        [0, WEEK_MINUTES].iter().any(|shift| {
            (start < to + shift && from + shift < end) || (start + shift < to && from < end + shift)
        })
    };
    let problem = |(index, hours): (usize, &DayHours)| {
        let before = &days[..index];
        let (field, code) = if let Some(problem) = hours.window().problem(ends) {
            problem
        } else if before.iter().filter(|other| other.day == hours.day).count() >= per_day {
            ("day", ProblemCode::DayListed(hours.day, per_day))
        } else {
            let other = before.iter().find(|other| overlap(hours, other))?;
            (ends[0], ProblemCode::OverlapsDay(other.day))
        };
        Some(HoursProblem { index, field, code })
    };
    days.iter().enumerate().filter_map(problem).collect()
}

/// The windows of a week. At most `PER_DAY` of them open on the same day. A day without windows is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Week<const PER_DAY: usize>(Vec<DayHours>);

pub type WeeklyHours = Week<1>;

pub type StaffHours = Week<4>;

impl<const PER_DAY: usize> Week<PER_DAY> {
    pub const WINDOWS_MAX: usize = 7 * PER_DAY;

    /// Sorts the windows by day, from Sunday to Saturday, and by opening.
    ///
    /// # Errors
    /// Returns every invalid window.
    pub fn new(days: Vec<DayHours>) -> Result<Self, Vec<HoursProblem>> {
        let problems = week_problems(&days, PER_DAY, ["open", "close"]);
        if problems.is_empty() { Ok(Self(in_order(days))) } else { Err(problems) }
    }

    pub fn days(&self) -> &[DayHours] {
        &self.0
    }

    pub fn on(&self, day: Day) -> impl Iterator<Item = LocalWindow> {
        of_day(&self.0, day)
    }
}

/// The breaks of a week. Each break lasts from `open` to `close`. Appointments never overlap a break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeeklyBreaks(Vec<DayHours>);

impl WeeklyBreaks {
    pub const BREAKS_MAX: usize = 28;

    /// Sorts the breaks by day, from Sunday to Saturday, and by start.
    ///
    /// # Errors
    /// Returns every invalid break.
    pub fn new(breaks: Vec<DayHours>) -> Result<Self, Vec<HoursProblem>> {
        let mut problems = week_problems(&breaks, Self::BREAKS_MAX, ["from", "to"]);
        if breaks.len() > Self::BREAKS_MAX {
            let code = ProblemCode::BreaksMax(Self::BREAKS_MAX);
            problems.push(HoursProblem { index: Self::BREAKS_MAX, field: "day", code });
        }
        if problems.is_empty() { Ok(Self(in_order(breaks))) } else { Err(problems) }
    }

    pub fn days(&self) -> &[DayHours] {
        &self.0
    }

    pub fn on(&self, day: Day) -> impl Iterator<Item = LocalWindow> {
        of_day(&self.0, day)
    }
}

fn in_order(mut days: Vec<DayHours>) -> Vec<DayHours> {
    days.sort_by_key(|hours| (hours.day, hours.open));
    days
}

fn of_day(days: &[DayHours], day: Day) -> impl Iterator<Item = LocalWindow> {
    let first = days.partition_point(|hours| hours.day < day);
    days[first..].iter().take_while(move |hours| hours.day == day).map(DayHours::window)
}

/// The windows of one date. They do not overlap. An empty list means that the business is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DayWindows(Vec<LocalWindow>);

impl DayWindows {
    pub const WINDOWS_MAX: usize = 4;

    pub const CLOSED: Self = Self(Vec::new());

    /// Sorts the windows by opening time.
    ///
    /// # Errors
    /// Returns every invalid window.
    pub fn new(windows: Vec<LocalWindow>) -> Result<Self, Vec<HoursProblem>> {
        let problem = |(index, window): (usize, &LocalWindow)| {
            let (start, end) = window.in_day();
            let overlapped = || {
                windows[..index].iter().position(|other| {
                    let (from, to) = other.in_day();
                    start < to && from < end
                })
            };
            let (field, code) = if index >= Self::WINDOWS_MAX {
                ("open", ProblemCode::WindowsMax(Self::WINDOWS_MAX))
            } else if let Some(problem) = window.problem(["open", "close"]) {
                problem
            } else {
                ("open", ProblemCode::OverlapsWindow(overlapped()?))
            };
            Some(HoursProblem { index, field, code })
        };
        let problems: Vec<HoursProblem> = windows.iter().enumerate().filter_map(problem).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut windows = windows;
        windows.sort_by_key(|window| window.open);
        Ok(Self(windows))
    }

    pub fn windows(&self) -> &[LocalWindow] {
        &self.0
    }
}

pub const SPECIAL_DAYS_MAX: usize = 1_000;

pub type SpecialDays = BTreeMap<NaiveDate, SpecialDay>;

/// A date on which a business is closed or has different opening hours. It does not affect a window that
/// opens on the previous day and ends on this date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecialDay {
    pub date: NaiveDate,
    /// The windows of the date. The list is empty if the business is closed.
    pub hours: DayWindows,
    /// A note of at most 200 characters.
    pub note: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
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
    fn windows_of_a_week_are_neither_empty_nor_listed_twice_nor_overlapping() {
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

    #[test]
    fn a_day_of_a_staff_member_has_at_most_four_windows() {
        let of_monday = |count: u16| {
            let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
            let nth =
                |at: u16| DayHours { day: Day::Monday, open: time(at * 120), close: time(at * 120 + 60) };
            StaffHours::new((0..count).rev().map(nth).collect())
        };
        let four = of_monday(4).unwrap();
        assert!(four.days().is_sorted_by_key(|hours| hours.open));
        assert_eq!(four.on(Day::Monday).count(), 4);
        let problems = of_monday(5).unwrap_err();
        let expected = (4, "day", &ProblemCode::DayListed(Day::Monday, 4));
        assert_eq!(problems.iter().map(|p| (p.index, p.field, &p.code)).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn a_week_has_at_most_28_breaks_and_their_problems_name_from_and_to() {
        let some = |count: u16| {
            let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
            let nth = |at: u16| DayHours {
                day: Day::ALL[usize::from(at % 7)],
                open: time(at / 7 * 60),
                close: time(at / 7 * 60 + 60),
            };
            WeeklyBreaks::new((0..count).map(nth).collect())
        };
        assert_eq!(some(28).unwrap().days().len(), WeeklyBreaks::BREAKS_MAX);
        assert_eq!(some(29).unwrap_err()[0].code, ProblemCode::BreaksMax(28));
        let fields = |breaks: &[(Day, &str, &str)]| {
            let breaks = breaks.iter().map(|(day, open, close)| window(*day, open, close)).collect();
            let found = WeeklyBreaks::new(breaks).unwrap_err();
            found.into_iter().map(|problem| (problem.index, problem.field)).collect::<Vec<_>>()
        };
        assert_eq!(fields(&[(Day::Monday, "12:00", "12:00")]), [(0, "to")]);
        assert_eq!(fields(&[(Day::Monday, "24:00", "12:00")]), [(0, "from")]);
        let twice = [(Day::Monday, "12:00", "13:00"), (Day::Monday, "12:59", "13:30")];
        assert_eq!(fields(&twice), [(1, "from")]);
    }

    #[test]
    fn the_windows_of_a_date_are_four_at_most_and_do_not_overlap() {
        let check = |windows: &[(&str, &str)]| {
            let read = |&(open, close): &(&str, &str)| window(Day::Monday, open, close).window();
            match DayWindows::new(windows.iter().map(read).collect()) {
                Ok(_) => Vec::new(),
                Err(problems) => problems.into_iter().map(|problem| (problem.index, problem.field)).collect(),
            }
        };
        let four = [("18:00", "02:00"), ("00:00", "06:00"), ("12:00", "13:00"), ("13:00", "18:00")];
        assert_eq!(check(&four), []);
        assert_eq!(check(&[&four[..], &[("07:00", "08:00")]].concat()), [(4, "open")]);
        assert_eq!(check(&[("09:00", "12:01"), ("12:00", "13:00")]), [(1, "open")]);
        assert_eq!(check(&[("09:00", "09:00"), ("24:00", "01:00")]), [(0, "close"), (1, "open")]);
        assert_eq!(check(&[]), []);
    }
}
