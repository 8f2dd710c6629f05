//! Opening hours, special days and breaks as instants of a zone.
//!
//! Invariants:
//!
//! - local time exists only here and in `wall`;
//! - [`Timeline::fit`] alone decides whether an instant is a start time, for listings and for bookings;
//! - a window is never empty; an appointment never overlaps a break, but breaks do not shift the grid of
//!   start times;
//! - instants outside the bookable years saturate, windows become empty, and nothing panics.

use std::ops::{Range, RangeInclusive};

use chrono::{Datelike, Days, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use chrono_tz::Tz;

use super::spans::{Spans, SpansCursor};
use super::wall::{Stretch, Wall};
use super::{
    Business, Day, LocalTime, LocalWindow, SlotReason, SpecialDays, StaffHours, Timestamp, WeeklyBreaks,
    WeeklyHours,
};

const STEP: TimeDelta = TimeDelta::minutes(30);

/// From an instant's local date to that of its window: a day past midnight, and one for a clock change.
const REACH: Days = Days::new(2);

#[derive(Clone, Copy, Debug)]
pub struct Calendar<'a> {
    hours: &'a WeeklyHours,
    breaks: &'a WeeklyBreaks,
    special: &'a SpecialDays,
    zone: Tz,
}

#[derive(Clone, Debug)]
pub struct Timeline {
    dates: RangeInclusive<NaiveDate>,
    /// The dates whose windows can overlap a service that starts on one of `dates`.
    around: RangeInclusive<NaiveDate>,
    wall: Wall,
    windows: Vec<Window>,
    pub(super) open: Spans,
    pub(super) breaks: Spans,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    stretch: Stretch,
    /// The wall-clock time from which the grid is counted.
    base: NaiveDateTime,
}

struct OpenCursor<'a> {
    open: SpansCursor<'a>,
    breaks: SpansCursor<'a>,
}

pub fn day_bounds(zone: Tz, date: NaiveDate) -> Range<Timestamp> {
    let wall = Wall::new(zone);
    let end = date.succ_opt().map_or(Timestamp::MAX, |next| wall.day_start(next));
    wall.day_start(date)..end
}

/// The first later instant that shows this time of day. If it is skipped, the first after the gap.
pub fn next_at(zone: Tz, time: LocalTime, after: Timestamp) -> Timestamp {
    Wall::new(zone).next_at(time, after)
}

impl<'a> Calendar<'a> {
    pub fn new(business: &'a Business, special: &'a SpecialDays) -> Self {
        let Business { hours, breaks, zone, .. } = business;
        Self { hours, breaks, special, zone: *zone }
    }

    pub fn local_date(&self, at: Timestamp) -> NaiveDate {
        Wall::new(self.zone).local(at).date()
    }

    /// Empty for a date that the zone skipped at a move across the date line.
    pub fn day_bounds(&self, date: NaiveDate) -> Range<Timestamp> {
        day_bounds(self.zone, date)
    }

    /// The date, extended to the end of the last weekly or special window that opens on it.
    pub fn reach_of(&self, date: NaiveDate) -> Range<Timestamp> {
        let (wall, day) = (Wall::new(self.zone), self.day_bounds(date));
        let special = self.special.get(&date).map_or(&[][..], |day| day.hours.windows());
        let windows = self.hours.on(day_of(date)).chain(special.iter().copied());
        let closes = windows.filter_map(|window| Some(wall.stretch(date, window)?.closes));
        day.start..closes.fold(day.end, Timestamp::max)
    }

    pub fn timeline(&self, dates: RangeInclusive<NaiveDate>, longest: TimeDelta) -> Timeline {
        let first = (*dates.start()).max(self.local_date(Timestamp::MIN));
        let last = (*dates.end()).min(self.local_date(Timestamp::MAX));
        let until = self.local_date(self.day_bounds(last).end + longest);
        let around = first.checked_sub_days(REACH).unwrap_or(NaiveDate::MIN)
            ..=until.checked_add_days(REACH).unwrap_or(NaiveDate::MAX);
        let wall = Wall::over(self.zone, days(&around).chain(around.end().succ_opt()));
        let windows: Vec<Window> = days(&around)
            .flat_map(|date| {
                self.windows_on(date).filter_map(|window| wall.stretch(date, window)).collect::<Vec<_>>()
            })
            // If a clock change skips the opening time, the grid starts at the actual opening.
            .map(|stretch| Window { stretch, base: wall.local(stretch.opens) })
            .collect();
        let open =
            Spans::merge(windows.iter().map(|window| window.stretch.opens..window.stretch.closes).collect());
        let breaks = spans(&wall, &around, |day| self.breaks.on(day));
        Timeline { dates: first..=last, around, wall, windows, open, breaks }
    }

    pub fn timeline_around(&self, start: Timestamp, duration: TimeDelta) -> Timeline {
        let date = self.local_date(start);
        self.timeline(date..=date, duration)
    }

    fn windows_on(&self, date: NaiveDate) -> impl Iterator<Item = LocalWindow> {
        let special = self.special.get(&date);
        let weekly = special.is_none().then(|| self.hours.on(day_of(date)));
        let windows = special.map_or(&[][..], |day| day.hours.windows());
        windows.iter().copied().chain(weekly.into_iter().flatten())
    }
}

impl Timeline {
    pub fn starts(&self, duration: TimeDelta) -> Vec<Timestamp> {
        let (mut starts, mut cursor) = (Vec::new(), self.cursor());
        for window in &self.windows {
            let fits = |&(wall, start): &(NaiveDateTime, Timestamp)| {
                self.fit(&mut cursor, window, (wall, start), duration).is_ok()
            };
            starts.extend(self.grid(window).filter(fits).map(|(_, start)| start));
        }
        // A clock change can make two windows overlap, and a repeated hour is out of order.
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// Whether the instant is a start time. Errors: the first of [`SlotReason::ClosedThatDay`] or
    /// [`SlotReason::OutsideHours`], [`SlotReason::Break`], [`SlotReason::OffGrid`].
    pub fn check(&self, start: Timestamp, duration: TimeDelta) -> Result<(), SlotReason> {
        let wall = self.wall.local(start);
        let (mut reason, mut cursor) = (SlotReason::OutsideHours, self.cursor());
        for window in &self.windows {
            match self.fit(&mut cursor, window, (wall, start), duration) {
                Ok(()) => return Ok(()),
                Err(SlotReason::OutsideHours) => {}
                Err(other) => reason = other,
            }
        }
        let opens_that_day = |window: &Window| window.base.date() == wall.date();
        if reason == SlotReason::OutsideHours
            && !self.open.meet(start, start + TimeDelta::milliseconds(1))
            && !self.windows.iter().any(opens_that_day)
        {
            reason = SlotReason::ClosedThatDay;
        }
        Err(reason)
    }

    /// Whether `[start, end)`, which begins on one of the dates, is within open time and overlaps no break.
    pub fn holds(&self, start: Timestamp, end: Timestamp) -> bool {
        self.open.cover(start, end) && !self.breaks.meet(start, end)
    }

    pub fn staff_hours(&self, hours: &StaffHours) -> Spans {
        spans(&self.wall, &self.around, |day| hours.on(day))
    }

    pub fn local_date(&self, at: Timestamp) -> NaiveDate {
        self.wall.local(at).date()
    }

    fn cursor(&self) -> OpenCursor<'_> {
        OpenCursor { open: self.open.cursor(), breaks: self.breaks.cursor() }
    }

    /// Whether the instant, at which the wall clock shows `wall`, is a start time of this window.
    fn fit(
        &self,
        cursor: &mut OpenCursor<'_>,
        window: &Window,
        (wall, start): (NaiveDateTime, Timestamp),
        duration: TimeDelta,
    ) -> Result<(), SlotReason> {
        let Stretch { opens, closes } = window.stretch;
        let end = start + duration;
        if !(opens..closes).contains(&start) || cursor.open.cover(start, end).is_err() {
            return Err(SlotReason::OutsideHours);
        }
        if cursor.breaks.meet(start, end).is_some() {
            return Err(SlotReason::Break);
        }
        let elapsed = wall - window.base;
        // A clock that is set back can show a time before the opening.
        let on_grid =
            elapsed >= TimeDelta::zero() && elapsed.num_milliseconds() % STEP.num_milliseconds() == 0;
        if on_grid { Ok(()) } else { Err(SlotReason::OffGrid) }
    }

    /// Each time of the grid with its instants. The last ones can be after the window's end.
    fn grid(&self, window: &Window) -> impl Iterator<Item = (NaiveDateTime, Timestamp)> {
        let (base, closes, last) = (window.base, window.stretch.closes, *self.dates.end());
        // Skips the grid times of earlier dates without iterating.
        let earlier = self.dates.start().and_time(NaiveTime::MIN) - base;
        let steps = earlier
            .num_milliseconds()
            .max(0)
            .cast_unsigned()
            .div_ceil(STEP.num_milliseconds().cast_unsigned());
        let first = i32::try_from(steps).ok().and_then(|steps| base.checked_add_signed(STEP * steps));
        std::iter::successors(first, |step| step.checked_add_signed(STEP))
            .take_while(move |step| step.date() <= last)
            .map(|step| (step, self.wall.showing(step)))
            .take_while(move |(step, showing)| self.wall.first_of(*step, showing) < closes)
            .flat_map(|(step, showing)| {
                let again = showing.latest().filter(|_| matches!(showing, MappedLocalTime::Ambiguous(..)));
                showing.earliest().into_iter().chain(again).map(move |start| (step, start))
            })
    }
}

fn spans<W: Iterator<Item = LocalWindow>>(
    wall: &Wall,
    dates: &RangeInclusive<NaiveDate>,
    on: impl Fn(Day) -> W,
) -> Spans {
    let mut stretches = Vec::new();
    for date in days(dates) {
        let found = on(day_of(date)).filter_map(|window| wall.stretch(date, window));
        stretches.extend(found.map(|stretch| stretch.opens..stretch.closes));
    }
    Spans::merge(stretches)
}

fn days(dates: &RangeInclusive<NaiveDate>) -> impl Iterator<Item = NaiveDate> + use<> {
    let last = *dates.end();
    dates.start().iter_days().take_while(move |date| *date <= last)
}

fn day_of(date: NaiveDate) -> Day {
    Day::ALL[date.weekday().num_days_from_sunday() as usize]
}

#[cfg(test)]
mod tests;
