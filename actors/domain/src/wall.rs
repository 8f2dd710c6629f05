//! The wall clock of a zone: conversion between local times and instants.
//! chrono-tz supplies the zone data.
//!
//! A lookup of an offset is expensive, so [`Wall::over`] looks up the offsets of the given dates once.
//! Invariant: if both midnights of a date have the same offset, all times of the date have this offset,
//! because no zone changes its clocks twice within a day. On other dates, the offset is looked up for each
//! time of day.

use chrono::{
    FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, TimeZone, Timelike,
};
use chrono_tz::{GapInfo, Tz};

use super::{LocalTime, LocalWindow, Timestamp};

#[derive(Clone, Debug)]
pub(super) struct Wall {
    zone: Tz,
    first: NaiveDate,
    /// The first instant of each date from `first` on. The entry of a date is `None` if the date may have more than one
    /// offset.
    midnights: Vec<Option<Timestamp>>,
}

/// The instants `[opens, closes)` of a window. The range is never empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) opens: Timestamp,
    pub(super) closes: Timestamp,
}

impl Wall {
    pub(super) fn new(zone: Tz) -> Self {
        Self { zone, first: NaiveDate::MIN, midnights: Vec::new() }
    }

    pub(super) fn over(zone: Tz, dates: impl Iterator<Item = NaiveDate>) -> Self {
        let mut dates = dates.peekable();
        let Some(&first) = dates.peek() else { return Self::new(zone) };
        let at_midnight = |date: NaiveDate| {
            let midnight = date.and_time(NaiveTime::MIN);
            let offset = zone.offset_from_local_datetime(&midnight).single()?.fix();
            Some((offset, instant(midnight, offset)))
        };
        let mut begins = at_midnight(first);
        let midnights = dates.map(|date| {
            let ends = date.succ_opt().and_then(at_midnight);
            let (offset, midnight) = std::mem::replace(&mut begins, ends)?;
            ends.filter(|(after, _)| *after == offset).map(|_| midnight)
        });
        Self { zone, first, midnights: midnights.collect() }
    }

    /// Returns the first instant of the date that is `later` days after `date`. Returns `None` if that date
    /// may have more than one offset.
    fn midnight(&self, date: NaiveDate, later: u16) -> Option<Timestamp> {
        let at = (date - self.first).num_days() + i64::from(later);
        *self.midnights.get(usize::try_from(at).ok()?)?
    }

    /// Returns the instant that is `minutes` of local time after midnight of `date`. This instant may be on a later
    /// local date. Returns `None` if the UTC offset may change on the local date of this instant.
    fn counted(&self, date: NaiveDate, minutes: u16) -> Option<Timestamp> {
        let (days, minutes) = (minutes / LocalTime::DAY_MINUTES, minutes % LocalTime::DAY_MINUTES);
        Some(Timestamp::from_millis(self.midnight(date, days)?.millis() + i64::from(minutes) * 60_000))
    }

    pub(super) fn local(&self, at: Timestamp) -> NaiveDateTime {
        at.utc().with_timezone(&self.zone).naive_local()
    }

    /// Returns the instants at which clocks show this time: two for a repeated time, none for a skipped time.
    pub(super) fn showing(&self, wall: NaiveDateTime) -> MappedLocalTime<Timestamp> {
        match self.midnight(wall.date(), 0) {
            Some(midnight) => {
                let (seconds, nanos) = (wall.num_seconds_from_midnight(), wall.nanosecond());
                let millis = i64::from(seconds) * 1_000 + i64::from(nanos / 1_000_000);
                MappedLocalTime::Single(Timestamp::from_millis(midnight.millis() + millis))
            }
            None => {
                let offsets = self.zone.offset_from_local_datetime(&wall);
                offsets.map(|offset| instant(wall, offset.fix()))
            }
        }
    }

    /// Returns the first instant at which clocks show this time. If clocks skip this time, returns the instant of the
    /// clock change.
    pub(super) fn earliest(&self, wall: NaiveDateTime) -> Timestamp {
        self.first_of(wall, &self.showing(wall))
    }

    pub(super) fn first_of(&self, wall: NaiveDateTime, showing: &MappedLocalTime<Timestamp>) -> Timestamp {
        showing.earliest().unwrap_or_else(|| self.after_gap(wall))
    }

    /// Returns the last instant at which clocks show this time. If clocks skip this time, returns the instant of the
    /// clock change.
    pub(super) fn latest(&self, wall: NaiveDateTime) -> Timestamp {
        self.showing(wall).latest().unwrap_or_else(|| self.after_gap(wall))
    }

    pub(super) fn day_start(&self, date: NaiveDate) -> Timestamp {
        self.earliest(date.and_time(NaiveTime::MIN))
    }

    /// Returns the next instant at which clocks show this time. On a date that has the time twice, only the first
    /// instant counts. If clocks skip the time, the instant of the clock change counts. Dates that the zone skipped are
    /// ignored.
    pub(super) fn next_at(&self, time: LocalTime, after: Timestamp) -> Timestamp {
        let on = |date: NaiveDate| Some((date, self.earliest(wall_clock(date, time)?)));
        let days = self.local(after).date().iter_days().filter_map(on);
        let mut instants = days.filter(|(date, at)| self.local(*at).date() == *date).map(|(_, at)| at);
        instants.find(|at| *at > after).unwrap_or(Timestamp::MAX)
    }

    /// Converts a window to instants. Returns `None` if a clock change skips the whole window. If the clocks show the
    /// opening time twice, the window opens at the first instant. If the clocks show the closing time twice, the window
    /// closes at the last instant. An opening or closing time that the clocks skip is replaced by the instant of the
    /// clock change.
    pub(super) fn stretch(&self, date: NaiveDate, window: LocalWindow) -> Option<Stretch> {
        let (first, minutes) = (window.open.minutes(), window.wall_minutes());
        if let (Some(opens), Some(closes)) = (self.counted(date, first), self.counted(date, first + minutes))
        {
            return Some(Stretch { opens, closes });
        }
        let open = wall_clock(date, window.open)?;
        let close = open.checked_add_signed(TimeDelta::minutes(i64::from(minutes)))?;
        let (opens, closes) = (self.earliest(open), self.latest(close));
        (opens < closes).then_some(Stretch { opens, closes })
    }

    fn after_gap(&self, wall: NaiveDateTime) -> Timestamp {
        // The clock change is computed from the first skipped local time and the UTC offset before the change. The
        // first local time after the skipped times is not used: if the clocks are set back soon after the change, they
        // show this time twice.
        let begin = GapInfo::new(&wall, &self.zone).and_then(|gap| gap.begin);
        let (skipped, before) = begin.expect("a gap has a beginning");
        instant(skipped, before.fix())
    }
}

fn wall_clock(date: NaiveDate, time: LocalTime) -> Option<NaiveDateTime> {
    date.and_time(NaiveTime::MIN).checked_add_signed(TimeDelta::minutes(i64::from(time.minutes())))
}

fn instant(wall: NaiveDateTime, offset: FixedOffset) -> Timestamp {
    let wall_millis = wall.and_utc().timestamp_millis();
    Timestamp::from_millis(wall_millis - i64::from(offset.local_minus_utc()) * 1_000)
}

#[cfg(test)]
mod tests {
    use chrono_tz::TZ_VARIANTS;

    use super::*;

    /// Checking all hours of all bookable dates would take minutes. The test therefore checks noon of every fifth date
    /// in the years with the most clock changes.
    #[test]
    fn a_date_with_one_offset_at_both_midnights_has_it_all_day_in_every_zone() {
        let year = |year| NaiveDate::from_ymd_opt(year, 1, 1).unwrap();
        for zone in TZ_VARIANTS {
            let dates = year(1970).iter_days().take_while(|date| *date < year(2040));
            // The first date depends on the length of the zone's name, so that it varies between zones.
            for date in dates.skip(zone.name().len() % 5).step_by(5) {
                let wall = Wall::over(zone, std::iter::once(date));
                let Some(midnight) = wall.midnight(date, 0) else { continue };
                let noon = date.and_hms_opt(12, 0, 0).unwrap();
                let found = zone.offset_from_local_datetime(&noon).single();
                let noon = found.map(|found| instant(noon, found.fix()));
                assert_eq!(noon, Some(midnight + TimeDelta::hours(12)), "{zone} {date}");
            }
        }
    }

    #[test]
    fn results_do_not_depend_on_offsets_looked_up_before() {
        for (zone, date) in [
            (Tz::Europe__Paris, "2026-03-29"),
            (Tz::Europe__Paris, "2026-10-25"),
            (Tz::America__Havana, "2026-11-01"),
            (Tz::Australia__Lord_Howe, "2026-04-05"),
            (Tz::Pacific__Apia, "2011-12-30"),
            (Tz::Asia__Kathmandu, "1986-01-01"),
            (Tz::Africa__Casablanca, "2026-02-15"),
        ] {
            let date: NaiveDate = date.parse().unwrap();
            let first = date - chrono::Days::new(3);
            let (plain, known) = (Wall::new(zone), Wall::over(zone, first.iter_days().take(7)));
            assert!(
                known.midnights.iter().any(Option::is_some) && known.midnights.iter().any(Option::is_none)
            );
            for minute in 0..8 * 24 * 60 {
                let wall = first.and_time(NaiveTime::MIN) + TimeDelta::minutes(minute);
                assert_eq!(known.showing(wall), plain.showing(wall), "{zone} {wall}");
                assert_eq!(known.earliest(wall), plain.earliest(wall), "{zone} {wall}");
                assert_eq!(known.latest(wall), plain.latest(wall), "{zone} {wall}");
            }
        }
    }
}
