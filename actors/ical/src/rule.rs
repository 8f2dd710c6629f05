//! Recurrence rules (RFC 5545, section 3.3.10), in local times.
//!
//! A rule without `COUNT` is expanded from the beginning of the window, so an old rule costs no more than a
//! new one. A rule with `COUNT` is expanded from its first occurrence. Invariant: each expansion ends,
//! because the number of [`Steps`] is limited and every examined day or time takes a step.

use std::ops::{ControlFlow, Range};

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Weekday};

use crate::steps::{Steps, Stop};
use crate::values::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Frequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
    Secondly,
}

impl Frequency {
    /// The length of a period in seconds, if all periods have the same length and are shorter than a day.
    fn seconds(self) -> Option<i64> {
        match self {
            Self::Hourly => Some(3_600),
            Self::Minutely => Some(60),
            Self::Secondly => Some(1),
            Self::Yearly | Self::Monthly | Self::Weekly | Self::Daily => None,
        }
    }
}

/// The values of one part of a rule, such as `BYHOUR`, in ascending order. An empty list permits every value.
type Numbers = Vec<i32>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    frequency: Frequency,
    interval: i64,
    count: Option<u64>,
    /// The last instant or date of the rule. [`Rule::expand`] ignores this value, because the value may be in UTC and
    /// the expansion is in local time. The caller of [`Rule::expand`] drops later occurrences.
    pub(crate) until: Option<Value>,
    week_start: Weekday,
    months: Numbers,
    weeks: Numbers,
    year_days: Numbers,
    month_days: Numbers,
    /// Weekdays, each with its position in the month or year. The position 0 means all positions.
    weekdays: Vec<(i32, Weekday)>,
    hours: Numbers,
    minutes: Numbers,
    seconds: Numbers,
    positions: Numbers,
}

impl Rule {
    /// Parses a rule. Ignores `X-` parts. Accepts the parts of RFC 7529 (`RSCALE` and `SKIP`) only with default values.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rule = Self {
            frequency: Frequency::Yearly,
            interval: 1,
            count: None,
            until: None,
            week_start: Weekday::Mon,
            months: Vec::new(),
            weeks: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            weekdays: Vec::new(),
            hours: Vec::new(),
            minutes: Vec::new(),
            seconds: Vec::new(),
            positions: Vec::new(),
        };
        let mut frequency = None;
        for part in text.split(';').filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().to_ascii_uppercase();
            match name.trim().to_ascii_uppercase().as_str() {
                "FREQ" => frequency = Some(parse_frequency(&value)?),
                "INTERVAL" => rule.interval = positive(&value)?.into(),
                "COUNT" => rule.count = Some(positive(&value)?.into()),
                "UNTIL" => rule.until = Some(Value::parse(&value)?),
                "WKST" => rule.week_start = weekday(&value)?,
                "BYMONTH" => rule.months = numbers(&value, 1..=12, false)?,
                "BYWEEKNO" => rule.weeks = numbers(&value, 1..=53, true)?,
                "BYYEARDAY" => rule.year_days = numbers(&value, 1..=366, true)?,
                "BYMONTHDAY" => rule.month_days = numbers(&value, 1..=31, true)?,
                "BYDAY" => rule.weekdays = parse_weekdays(&value)?,
                "BYHOUR" => rule.hours = numbers(&value, 0..=23, false)?,
                "BYMINUTE" => rule.minutes = numbers(&value, 0..=59, false)?,
                "BYSECOND" => rule.seconds = numbers(&value, 0..=59, false)?,
                "BYSETPOS" => rule.positions = numbers(&value, 1..=366, true)?,
                "RSCALE" if value == "GREGORIAN" => {}
                "SKIP" if value == "OMIT" => {}
                name if name.starts_with("X-") => {}
                _ => return None,
            }
        }
        rule.frequency = frequency?;
        Some(rule)
    }

    /// Takes the parts that the rule does not state, such as the hour, from its first occurrence.
    fn completed(&self, start: NaiveDateTime) -> Self {
        let mut rule = self.clone();
        let frequency = self.frequency;
        let days_given = [&rule.weeks, &rule.year_days, &rule.month_days].iter().any(|days| !days.is_empty());
        if !days_given && rule.weekdays.is_empty() {
            match frequency {
                Frequency::Yearly => {
                    if rule.months.is_empty() {
                        rule.months = vec![number(start.month())];
                    }
                    rule.month_days = vec![number(start.day())];
                }
                Frequency::Monthly => rule.month_days = vec![number(start.day())],
                Frequency::Weekly => rule.weekdays = vec![(0, start.weekday())],
                _ => {}
            }
        } else if !rule.weeks.is_empty()
            && rule.weekdays.is_empty()
            && rule.month_days.is_empty()
            && rule.year_days.is_empty()
        {
            rule.weekdays = vec![(0, start.weekday())];
        }
        for (list, value, finest) in [
            (&mut rule.hours, start.hour(), Frequency::Daily),
            (&mut rule.minutes, start.minute(), Frequency::Hourly),
            (&mut rule.seconds, start.second(), Frequency::Minutely),
        ] {
            if list.is_empty() && frequency <= finest {
                *list = vec![number(value)];
            }
        }
        rule
    }

    /// Calls the function `found` with each local time of the rule that is in the window, in ascending order.
    /// `start` is the first occurrence of the rule.
    pub(crate) fn expand(
        &self,
        start: NaiveDateTime,
        window: &Range<NaiveDateTime>,
        steps: &mut Steps,
        found: &mut dyn FnMut(NaiveDateTime, &mut Steps) -> ControlFlow<Stop>,
    ) -> ControlFlow<Stop> {
        let rule = self.completed(start);
        let expansion = Expansion { rule: &rule, start, window, left: self.count };
        match self.frequency.seconds() {
            None => expansion.by_days(steps, found),
            Some(period) => expansion.by_times(period, steps, found),
        }
    }

    fn permits(&self, day: NaiveDate) -> bool {
        let within = |list: &Numbers, value: i32, length: i32| {
            list.is_empty() || has(list, value) || has(list, value - length - 1)
        };
        let (year, in_year) = (day.year(), number(day.ordinal()));
        (self.months.is_empty() || has(&self.months, number(day.month())))
            && within(&self.year_days, in_year, days_in_year(year))
            && within(&self.month_days, number(day.day()), number(day.num_days_in_month().into()))
            && (self.weeks.is_empty() || {
                let (week, weeks) = week_of(day, self.week_start);
                within(&self.weeks, week, weeks)
            })
            && (self.weekdays.is_empty() || self.permits_weekday(day))
    }

    fn permits_weekday(&self, day: NaiveDate) -> bool {
        // The position of the day in its month or year, and the number of days in that month or year.
        let counted = match self.frequency {
            Frequency::Yearly if self.months.is_empty() => {
                Some((number(day.ordinal()), days_in_year(day.year())))
            }
            Frequency::Yearly | Frequency::Monthly => {
                Some((number(day.day()), number(day.num_days_in_month().into())))
            }
            _ => None,
        };
        self.weekdays.iter().filter(|(_, weekday)| *weekday == day.weekday()).any(|&(nth, _)| {
            let Some((at, length)) = counted else { return true };
            nth == 0 || nth == (at - 1) / 7 + 1 || nth == -((length - at) / 7 + 1)
        })
    }

    /// If the rule permits this time, returns 0. If the rule excludes the whole day of this time, returns the number of
    /// seconds in a day. If it excludes only the hour, the minute or the second of this time, returns 3,600, 60 or 1.
    fn left_out(&self, time: NaiveDateTime) -> i64 {
        let permits = |list: &Numbers, value| list.is_empty() || has(list, number(value));
        if !self.permits(time.date()) {
            86_400
        } else if !permits(&self.hours, time.hour()) {
            3_600
        } else if self.frequency >= Frequency::Minutely && !permits(&self.minutes, time.minute()) {
            60
        } else {
            i64::from(self.frequency == Frequency::Secondly && !permits(&self.seconds, time.second()))
        }
    }

    /// Returns the times of the rule in one day, in seconds from the beginning of the day. If the rule recurs hourly or
    /// more often, returns the times in one hour, minute or second instead.
    fn offsets(&self) -> Vec<i64> {
        let list = |list: &Numbers, given: bool| if given { list.clone() } else { vec![0] };
        let mut offsets = Vec::new();
        for hour in list(&self.hours, self.frequency <= Frequency::Daily) {
            for minute in list(&self.minutes, self.frequency <= Frequency::Hourly) {
                for second in list(&self.seconds, self.frequency <= Frequency::Minutely) {
                    offsets.push(i64::from(hour) * 3_600 + i64::from(minute) * 60 + i64::from(second));
                }
            }
        }
        offsets
    }
}

struct Expansion<'a> {
    /// The completed rule.
    rule: &'a Rule,
    start: NaiveDateTime,
    window: &'a Range<NaiveDateTime>,
    /// The number of further occurrences that `COUNT` allows. It is `None` if the rule has no `COUNT`.
    left: Option<u64>,
}

type Found<'a> = &'a mut dyn FnMut(NaiveDateTime, &mut Steps) -> ControlFlow<Stop>;

impl Expansion<'_> {
    /// Returns the time at which the expansion begins.
    fn begin(&self) -> NaiveDateTime {
        if self.left.is_some() { self.start } else { self.start.max(self.window.start) }
    }

    fn by_days(mut self, steps: &mut Steps, found: Found<'_>) -> ControlFlow<Stop> {
        let (rule, start, begin) = (self.rule, self.start.date(), self.begin().date());
        let offsets = rule.offsets();
        let week = |day: NaiveDate| day.week(rule.week_start).first_day();
        let month = |day: NaiveDate| i64::from(day.year()) * 12 + i64::from(day.month0());
        let passed = match rule.frequency {
            Frequency::Yearly => i64::from(begin.year() - start.year()),
            Frequency::Monthly => month(begin) - month(start),
            Frequency::Weekly => (week(begin) - week(start)).num_weeks(),
            _ => (begin - start).num_days(),
        };
        let mut period = passed / rule.interval;
        loop {
            steps.take(1)?;
            let Some(ahead) = period.checked_mul(rule.interval) else { return ControlFlow::Continue(()) };
            let first = match rule.frequency {
                Frequency::Yearly => first_of_month((i64::from(start.year()) + ahead).saturating_mul(12)),
                Frequency::Monthly => first_of_month(month(start) + ahead),
                Frequency::Weekly => later(week(start), ahead.saturating_mul(7)),
                _ => later(start, ahead),
            };
            let Some(first) = first.filter(|first| *first <= self.window.end.date()) else {
                return ControlFlow::Continue(());
            };
            let days = self.days(first, steps)?;
            let mut emit = |expansion: &mut Self, day: NaiveDate, offset: i64, steps: &mut Steps| {
                expansion.emit(day.and_time(NaiveTime::MIN) + TimeDelta::seconds(offset), steps, found)
            };
            if rule.positions.is_empty() {
                for &day in days.iter().filter(|day| **day >= begin) {
                    for &offset in &offsets {
                        if emit(&mut self, day, offset, steps)? {
                            return ControlFlow::Continue(());
                        }
                    }
                }
            } else {
                for at in chosen(&rule.positions, days.len() * offsets.len()) {
                    if emit(&mut self, days[at / offsets.len()], offsets[at % offsets.len()], steps)? {
                        return ControlFlow::Continue(());
                    }
                }
            }
            period += 1;
        }
    }

    /// Returns the permitted days of the period that begins at `first`.
    fn days(&self, first: NaiveDate, steps: &mut Steps) -> ControlFlow<Stop, Vec<NaiveDate>> {
        let rule = self.rule;
        let months = match rule.frequency {
            Frequency::Yearly if rule.months.is_empty() => (1..=12).collect(),
            Frequency::Yearly => rule.months.clone(),
            Frequency::Monthly if rule.months.is_empty() || has(&rule.months, number(first.month())) => {
                vec![number(first.month())]
            }
            Frequency::Monthly => Vec::new(),
            Frequency::Weekly => return Self::permitted(rule, first, 7, steps),
            _ => return Self::permitted(rule, first, 1, steps),
        };
        let mut days = Vec::new();
        for month in months {
            let first = u32::try_from(month).ok().and_then(|month| first.with_month(month));
            if let Some(first) = first {
                days.append(&mut Self::permitted(rule, first, first.num_days_in_month(), steps)?);
            }
        }
        ControlFlow::Continue(days)
    }

    fn permitted(
        rule: &Rule,
        first: NaiveDate,
        days: u8,
        steps: &mut Steps,
    ) -> ControlFlow<Stop, Vec<NaiveDate>> {
        steps.take(days.into())?;
        let days = first.iter_days().take(days.into());
        ControlFlow::Continue(days.filter(|day| rule.permits(*day)).collect())
    }

    /// Expands a rule whose periods are shorter than a day. `seconds` is the length of a period.
    fn by_times(mut self, seconds: i64, steps: &mut Steps, found: Found<'_>) -> ControlFlow<Stop> {
        let rule = self.rule;
        let offsets = rule.offsets();
        let floor = |time: NaiveDateTime, seconds: i64| {
            time - TimeDelta::seconds(i64::from(time.num_seconds_from_midnight()) % seconds)
        };
        let base = floor(self.start, seconds);
        let step = rule.interval * seconds;
        let mut period = (self.begin() - base).num_seconds() / step;
        loop {
            steps.take(1)?;
            let ahead = period.checked_mul(step).and_then(TimeDelta::try_seconds);
            let time = ahead.and_then(|ahead| base.checked_add_signed(ahead));
            let Some(time) = time.filter(|time| *time < self.window.end) else {
                return ControlFlow::Continue(());
            };
            let left_out = rule.left_out(time);
            if left_out > seconds {
                let next = floor(time, left_out) + TimeDelta::seconds(left_out);
                period = ((next - base).num_seconds() + step - 1) / step;
                continue;
            }
            if left_out == 0 {
                let positions = &rule.positions;
                let all = || (0..offsets.len()).collect();
                let chosen = if positions.is_empty() { all() } else { chosen(positions, offsets.len()) };
                for at in chosen {
                    if self.emit(time + TimeDelta::seconds(offsets[at]), steps, found)? {
                        return ControlFlow::Continue(());
                    }
                }
            }
            period += 1;
        }
    }

    /// Counts an occurrence, and calls `found` if it is in the window. Returns true if no further occurrence is needed.
    fn emit(&mut self, time: NaiveDateTime, steps: &mut Steps, found: Found<'_>) -> ControlFlow<Stop, bool> {
        steps.take(1)?;
        if time < self.start {
            return ControlFlow::Continue(false);
        }
        if time >= self.window.end {
            return ControlFlow::Continue(true);
        }
        if time >= self.window.start {
            found(time, steps)?;
        }
        let Some(left) = &mut self.left else { return ControlFlow::Continue(false) };
        *left = left.saturating_sub(1);
        ControlFlow::Continue(*left == 0)
    }
}

/// Returns the indices that `BYSETPOS` selects from a set of this size, in ascending order.
fn chosen(positions: &Numbers, size: usize) -> Vec<usize> {
    let at = |position: &i32| {
        let distance = usize::try_from(position.unsigned_abs()).ok()?;
        let at = if *position > 0 { distance.checked_sub(1) } else { size.checked_sub(distance) };
        at.filter(|at| *at < size)
    };
    let mut chosen: Vec<_> = positions.iter().filter_map(at).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn has(list: &Numbers, value: i32) -> bool {
    list.binary_search(&value).is_ok()
}

/// Converts a part of a date or time. The value always fits, so the fallback is never used.
fn number(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

fn days_in_year(year: i32) -> i32 {
    if NaiveDate::from_ymd_opt(year, 2, 29).is_some() { 366 } else { 365 }
}

/// `months` is 12 times the year, plus the month counted from 0.
fn first_of_month(months: i64) -> Option<NaiveDate> {
    let month = u32::try_from(months.rem_euclid(12)).ok()? + 1;
    NaiveDate::from_ymd_opt(i32::try_from(months.div_euclid(12)).ok()?, month, 1)
}

fn later(day: NaiveDate, days: i64) -> Option<NaiveDate> {
    day.checked_add_signed(TimeDelta::try_days(days)?)
}

/// Returns the number of the week that contains the day, and the number of weeks in the year to which that week
/// belongs. Week 1 is the first week with at least four days in the year.
fn week_of(day: NaiveDate, week_start: Weekday) -> (i32, i32) {
    let first_day = |day: NaiveDate| day.week(week_start).first_day();
    let first_week = |year| NaiveDate::from_ymd_opt(year, 1, 4).map_or(NaiveDate::MIN, first_day);
    let week = first_day(day);
    let year = (week + TimeDelta::days(3)).year();
    let weeks = |from: NaiveDate, to: NaiveDate| i32::try_from((to - from).num_weeks()).unwrap_or(i32::MAX);
    (weeks(first_week(year), week) + 1, weeks(first_week(year), first_week(year + 1)))
}

fn parse_frequency(text: &str) -> Option<Frequency> {
    Some(match text {
        "YEARLY" => Frequency::Yearly,
        "MONTHLY" => Frequency::Monthly,
        "WEEKLY" => Frequency::Weekly,
        "DAILY" => Frequency::Daily,
        "HOURLY" => Frequency::Hourly,
        "MINUTELY" => Frequency::Minutely,
        "SECONDLY" => Frequency::Secondly,
        _ => return None,
    })
}

fn positive(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| *number > 0)
}

/// Parses a list of numbers in this range. `signed` also permits the negatives of these numbers.
fn numbers(text: &str, range: std::ops::RangeInclusive<i32>, signed: bool) -> Option<Numbers> {
    let permitted = |number: &i32| {
        range.contains(number)
            || (signed && number.checked_neg().is_some_and(|number| range.contains(&number)))
    };
    let number = |text: &str| text.trim().parse().ok().filter(permitted);
    let mut numbers: Numbers = text.split(',').map(number).collect::<Option<_>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "MO" => Weekday::Mon,
        "TU" => Weekday::Tue,
        "WE" => Weekday::Wed,
        "TH" => Weekday::Thu,
        "FR" => Weekday::Fri,
        "SA" => Weekday::Sat,
        "SU" => Weekday::Sun,
        _ => return None,
    })
}

fn parse_weekdays(text: &str) -> Option<Vec<(i32, Weekday)>> {
    let day = |text: &str| {
        let text = text.trim();
        let (nth, day) = text.split_at_checked(text.len().checked_sub(2)?)?;
        let nth = if nth.is_empty() { 0 } else { nth.parse().ok().filter(|nth: &i32| *nth != 0)? };
        ((-53..=53).contains(&nth)).then_some((nth, weekday(day)?))
    };
    let mut days: Vec<_> = text.split(',').map(day).collect::<Option<_>>()?;
    days.sort_unstable_by_key(|(nth, day)| (*nth, day.num_days_from_monday()));
    days.dedup();
    Some(days)
}
