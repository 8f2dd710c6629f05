//! Parses yearly recurrence rules of holidays (RFC 5545, RRULE). A holiday repeats on the same date, or on
//! the same weekday of a month.

use chrono::{Datelike, NaiveDate, Weekday};

use super::ics::date;
use super::problem::ProblemKind;
use crate::words::one_line;

#[derive(Debug)]
pub(super) struct Yearly {
    on: On,
    /// The number of years from one repetition to the next.
    interval: u16,
    count: Option<usize>,
    until: NaiveDate,
}

#[derive(Clone, Copy, Debug)]
enum On {
    /// February 29 occurs in leap years only.
    Date { month: u32, day: u32 },
    /// A weekday of the month, for example the second Monday. A negative `nth` counts from the end of the
    /// month.
    Weekday { month: u32, nth: i8, weekday: Weekday },
}

impl Yearly {
    /// Parses the recurrence rule of an event. `first` is the first date of the event. The error says that
    /// the rule is not supported.
    pub(super) fn read(rule: &str, first: NaiveDate) -> Result<Self, ProblemKind> {
        Self::understood(rule, first).ok_or_else(|| ProblemKind::Repeats(one_line(rule)))
    }

    fn understood(rule: &str, first: NaiveDate) -> Option<Self> {
        let (mut yearly, mut interval, mut count, mut until) = (false, 1, None, NaiveDate::MAX);
        let (mut month, mut day, mut weekday) = (None, None, None);
        for (name, value) in parts(rule) {
            match name.as_str() {
                "FREQ" => yearly = value == "YEARLY",
                "INTERVAL" => interval = value.parse().ok().filter(|years| (1..=100).contains(years))?,
                "COUNT" => count = Some(value.parse().ok()?),
                "UNTIL" => until = date(value.get(..8)?)?,
                "WKST" => {}
                "BYMONTH" => month = Some(value.parse().ok()?),
                "BYMONTHDAY" => day = Some(value.parse().ok()?),
                "BYDAY" => weekday = Some(nth_weekday(&value)?),
                _ => return None,
            }
        }
        let on = match (month, day, weekday) {
            (Some(month), None, Some((nth, weekday))) => On::Weekday { month, nth, weekday },
            (_, _, Some(_)) => return None,
            // If the rule names a month or a day, it must be the month or day of the first date; the check
            // below refuses any other.
            (month, day, None) => {
                On::Date { month: month.unwrap_or(first.month()), day: day.unwrap_or(first.day()) }
            }
        };
        (yearly && on.in_year(first.year()) == Some(first)).then_some(Self { on, interval, count, until })
    }

    /// The last date (`UNTIL`) of a rule, even if other parts of the rule are not supported.
    pub(super) fn until(rule: &str) -> Option<NaiveDate> {
        let (_, value) = parts(rule).find(|(name, _)| name == "UNTIL")?;
        date(value.get(..8)?)
    }

    /// The dates of the rule from its first date to the end of `last_year`.
    pub(super) fn dates(&self, first: NaiveDate, last_year: i32) -> Vec<NaiveDate> {
        (first.year()..=last_year)
            .step_by(usize::from(self.interval))
            .filter_map(|year| self.on.in_year(year))
            .take(self.count.unwrap_or(usize::MAX))
            .take_while(|date| *date <= self.until)
            .collect()
    }
}

impl On {
    fn in_year(self, year: i32) -> Option<NaiveDate> {
        match self {
            Self::Date { month, day } => NaiveDate::from_ymd_opt(year, month, day),
            Self::Weekday { month, nth, weekday } => {
                let all =
                    (1..=5).map_while(|nth| NaiveDate::from_weekday_of_month_opt(year, month, weekday, nth));
                let all: Vec<NaiveDate> = all.collect();
                let index = usize::from(nth.unsigned_abs()).checked_sub(1)?;
                let index = if nth > 0 { index } else { all.len().checked_sub(index + 1)? };
                all.get(index).copied()
            }
        }
    }
}

/// The parts of a rule, in upper case, without empty parts.
fn parts(rule: &str) -> impl Iterator<Item = (String, String)> {
    rule.split(';').filter(|part| !part.trim().is_empty()).map(|part| {
        let part = part.trim().to_ascii_uppercase();
        let (name, value) = part.split_once('=').unwrap_or((&part, ""));
        (name.to_owned(), value.to_owned())
    })
}

/// Parses `4TH` or `-1MO`.
fn nth_weekday(text: &str) -> Option<(i8, Weekday)> {
    let (nth, weekday) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let index = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].iter().position(|day| *day == weekday)?;
    let weekday = Weekday::try_from(u8::try_from(index).ok()?).ok()?;
    Some((nth.parse().ok().filter(|nth: &i8| (1..=5).contains(&nth.unsigned_abs()))?, weekday))
}
