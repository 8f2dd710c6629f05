//! Local times: `2026-03-02 9:00`, `tomorrow 9:00`, `tue 9:00`, `2026-03-02`, `today`. The name of a weekday
//! means its next date, which may be today.
//!
//! Invariant: a local time that a clock change skips or repeats is refused, with the possible instants.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc, Weekday};
use chrono_tz::Tz;

use crate::local_time::{self, WallClockError};

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::cli) enum TimeError {
    #[error(
        "write a local time such as '2026-03-02 9:00', 'tomorrow 9:00' or 'tue 9:00', or an instant such as 2026-03-02T09:00:00Z"
    )]
    NoInstant,
    #[error("write a day such as 2026-03-02, yesterday, today, tomorrow or tue")]
    NoDay,
    #[error("{local} does not exist in {zone} because of a clock change: write {before} or {after}")]
    Skipped { local: String, zone: Tz, before: String, after: String },
    #[error("{local} occurs twice in {zone} because of a clock change: write {first} or {second}")]
    Twice { local: String, zone: Tz, first: String, second: String },
}

/// Whether the text is an instant with an offset, which needs no time zone.
pub(in crate::cli) fn is_exact(text: &str) -> bool {
    DateTime::parse_from_rfc3339(text.trim()).is_ok()
}

/// The instant of a local time, with its offset.
pub(in crate::cli) fn instant(text: &str, zone: Tz, now: DateTime<Utc>) -> Result<String, TimeError> {
    let (day, time) = day_and_time(text, zone, now)?;
    at(day.and_time(time.ok_or(TimeError::NoInstant)?), zone, false)
}

/// Like [`instant`], but also accepts a day without a time. The result is then the instant at which the day begins.
pub(in crate::cli) fn instant_or_day(text: &str, zone: Tz, now: DateTime<Utc>) -> Result<String, TimeError> {
    let (day, time) = day_and_time(text, zone, now)?;
    at(day.and_time(time.unwrap_or(NaiveTime::MIN)), zone, time.is_none())
}

fn day_and_time(
    text: &str,
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<(NaiveDate, Option<NaiveTime>), TimeError> {
    let text = text.trim();
    let at_t = || text.starts_with(|first: char| first.is_ascii_digit()).then(|| text.split_once(['T', 't']));
    let (day, time) = match text.split_once(' ').or_else(|| at_t().flatten()) {
        Some((day, time)) => (day, Some(clock(time.trim()).ok_or(TimeError::NoInstant)?)),
        None => (text, None),
    };
    Ok((date(day, zone, now).ok_or(TimeError::NoInstant)?, time))
}

/// The date of a typed day, plus a number of days.
pub(in crate::cli) fn day(
    text: &str,
    later_by: u64,
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<String, TimeError> {
    let day = date(text.trim(), zone, now).and_then(|day| day.checked_add_days(Days::new(later_by)));
    day.map(|day| day.format("%Y-%m-%d").to_string()).ok_or(TimeError::NoDay)
}

fn date(text: &str, zone: Tz, now: DateTime<Utc>) -> Option<NaiveDate> {
    let today = now.with_timezone(&zone).date_naive();
    match text.to_lowercase().as_str() {
        "today" => Some(today),
        "tomorrow" => today.succ_opt(),
        "yesterday" => today.pred_opt(),
        text => match text.parse::<Weekday>() {
            Ok(weekday) => {
                let later_by = weekday.days_since(today.weekday());
                today.checked_add_days(Days::new(later_by.into()))
            }
            Err(_) => NaiveDate::parse_from_str(text, "%Y-%m-%d").ok(),
        },
    }
}

fn clock(text: &str) -> Option<NaiveTime> {
    ["%H:%M", "%H:%M:%S"].iter().find_map(|form| NaiveTime::parse_from_str(text, form).ok())
}

/// Returns the instant of a local time. If `day` is false and a clock change skips or repeats the local time, returns
/// an error.
///
/// If `day` is true, `local` must be midnight, and a clock change causes no error. If midnight occurs twice, the result
/// is the first of the two instants. If midnight is skipped, it is converted with the UTC offset before the change.
fn at(local: NaiveDateTime, zone: Tz, day: bool) -> Result<String, TimeError> {
    let told = local.format("%Y-%m-%d %H:%M").to_string();
    match local_time::instant(local, zone) {
        Ok(instant) => Ok(form(&instant)),
        Err(WallClockError::Twice(first, _)) if day => Ok(form(&first)),
        Err(WallClockError::Twice(first, second)) => {
            Err(TimeError::Twice { local: told, zone, first: form(&first), second: form(&second) })
        }
        Err(WallClockError::Skipped(_, later)) if day => Ok(form(&later)),
        Err(WallClockError::Skipped(earlier, later)) => {
            Err(TimeError::Skipped { local: told, zone, before: form(&earlier), after: form(&later) })
        }
    }
}

fn form(instant: &DateTime<Tz>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARIS: Tz = Tz::Europe__Paris;

    fn now() -> DateTime<Utc> {
        // In Paris, this instant is on March 3.
        "2026-03-02T23:30:00Z".parse().unwrap()
    }

    #[test]
    fn a_local_time_becomes_an_instant_with_its_offset() {
        for (text, expected) in [
            ("2026-03-02 09:00", "2026-03-02T09:00:00+01:00"),
            ("2026-03-02T9:00", "2026-03-02T09:00:00+01:00"),
            ("2026-07-01 18:30:15", "2026-07-01T18:30:15+02:00"),
            (" Tomorrow  9:00 ", "2026-03-04T09:00:00+01:00"),
            ("today 9:00", "2026-03-03T09:00:00+01:00"),
            ("Tue 9:00", "2026-03-03T09:00:00+01:00"),
            ("monday 9:00", "2026-03-09T09:00:00+01:00"),
        ] {
            assert_eq!(instant(text, PARIS, now()).as_deref(), Ok(expected), "{text}");
            assert_eq!(instant_or_day(text, PARIS, now()).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(instant("2026-03-02 9:00", Tz::UTC, now()).unwrap(), "2026-03-02T09:00:00Z");
        for text in ["", "9:00", "noon", "2026-02-30 9:00", "2026-03-02 25:00", "2026-03-02 9"] {
            assert_eq!(instant(text, PARIS, now()), Err(TimeError::NoInstant), "{text}");
            assert_eq!(instant_or_day(text, PARIS, now()), Err(TimeError::NoInstant), "{text}");
        }
    }

    #[test]
    fn only_a_filter_accepts_a_day_without_a_time() {
        for (text, expected) in [
            ("yesterday", "2026-03-02T00:00:00+01:00"),
            ("tue", "2026-03-03T00:00:00+01:00"),
            ("2026-07-01", "2026-07-01T00:00:00+02:00"),
        ] {
            assert_eq!(instant_or_day(text, PARIS, now()).as_deref(), Ok(expected), "{text}");
            assert_eq!(instant(text, PARIS, now()), Err(TimeError::NoInstant), "{text}");
        }
    }

    #[test]
    fn an_instant_is_not_changed() {
        assert!(is_exact("2026-03-02T09:00:00Z") && is_exact("2026-03-02T09:00:00.5+01:00"));
        assert!(!is_exact("2026-03-02T09:00:00") && !is_exact("2026-03-02 09:00"));
    }

    #[test]
    fn a_skipped_or_repeated_local_time_is_refused_with_the_possible_instants() {
        assert_eq!(
            instant("2026-10-25 2:30", PARIS, now()).unwrap_err().to_string(),
            "2026-10-25 02:30 occurs twice in Europe/Paris because of a clock change: \
             write 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00"
        );
        assert_eq!(
            instant("2026-03-29 2:30", PARIS, now()).unwrap_err().to_string(),
            "2026-03-29 02:30 does not exist in Europe/Paris because of a clock change: \
             write 2026-03-29T01:30:00+01:00 or 2026-03-29T03:30:00+02:00"
        );
    }

    #[test]
    fn a_day_has_a_beginning_even_if_midnight_is_skipped_or_repeated() {
        let cairo = Tz::Africa__Cairo;
        assert_eq!(instant_or_day("2024-04-26", cairo, now()).unwrap(), "2024-04-26T01:00:00+03:00");
        let havana = Tz::America__Havana;
        assert_eq!(instant_or_day("2026-11-01", havana, now()).unwrap(), "2026-11-01T00:00:00-04:00");
    }

    #[test]
    fn a_day_is_in_the_zone_of_the_business() {
        for (text, later_by, expected) in
            [("today", 0, "2026-03-03"), ("tomorrow", 6, "2026-03-10"), ("2026-2-27", 2, "2026-03-01")]
        {
            assert_eq!(day(text, later_by, PARIS, now()).as_deref(), Ok(expected));
        }
        assert_eq!(day("mon", 0, PARIS, now()).unwrap(), "2026-03-09");
        assert_eq!(day("lundi", 0, PARIS, now()), Err(TimeError::NoDay));
    }
}
