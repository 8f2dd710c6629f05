//! Opening hours, special days and breaks, converted to instants. A *window* is a range of opening hours. Its *grid*
//! consists of the times at steps of 30 minutes from its opening. Invariants:
//!
//! - Only this module and `wall` convert between local times and instants.
//! - Only [`Timeline::fit`] decides whether an instant is a start time, both for lists and for bookings.
//! - A window is never empty. An appointment never overlaps a break, but breaks do not shift the grid of start times.
//! - Outside the bookable years, instants saturate and windows become empty, without a panic.

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

/// The maximum number of days between the local date of an instant and the date of the window that contains
/// the instant. One day is for windows that end after midnight, and one for clock changes.
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
    /// The dates whose windows may overlap an appointment that starts on one of `dates`.
    around: RangeInclusive<NaiveDate>,
    wall: Wall,
    windows: Vec<Window>,
    pub(super) open: Spans,
    pub(super) breaks: Spans,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    stretch: Stretch,
    /// The wall-clock time at which the grid begins.
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

/// Returns the first instant after `after` at which clocks show this time. If clocks skip this time, returns the
/// instant of the clock change.
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

    /// Returns the instants of a date. The result is empty if the zone skipped the date when it moved across the date
    /// line.
    pub fn day_bounds(&self, date: NaiveDate) -> Range<Timestamp> {
        day_bounds(self.zone, date)
    }

    /// Returns the range from the start of a date to its end. If an opening window begins on the date and ends after
    /// midnight, the range ends with this window. On a special day, this applies to the windows of the special day and
    /// also to the weekly windows that they replace.
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
            // If a clock change skips the opening time, the grid begins when the business actually opens.
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

    /// Returns the opening hours of a date. If the date is a special day, returns its hours. Otherwise, returns the
    /// hours of the weekday.
    pub fn windows_on(&self, date: NaiveDate) -> impl Iterator<Item = LocalWindow> {
        let special = self.special.get(&date);
        let weekly = special.is_none().then(|| self.hours.on(day_of(date)));
        let windows = special.map_or(&[][..], |day| day.hours.windows());
        windows.iter().copied().chain(weekly.into_iter().flatten())
    }
}

impl Window {
    fn holds(&self, instant: Timestamp) -> bool {
        (self.stretch.opens..self.stretch.closes).contains(&instant)
    }

    fn is_on_grid(&self, wall: NaiveDateTime) -> bool {
        let elapsed = wall - self.base;
        // If the clocks are set back soon after the opening, they show times before the opening time again, although
        // the window is already open. These times are not on the grid.
        elapsed >= TimeDelta::zero() && elapsed.num_milliseconds() % STEP.num_milliseconds() == 0
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
        // A clock change can repeat an hour, and can make two windows overlap. Some starts are then out of order or
        // occur twice.
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// Checks that the hours, the breaks and the grid permit an appointment of this duration at `start`.
    ///
    /// # Errors
    /// Returns the first reason that applies: [`SlotReason::ClosedThatDay`] or [`SlotReason::OutsideHours`], then
    /// [`SlotReason::Break`], then [`SlotReason::OffGrid`].
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

    /// True if an instant is within opening hours but not on their grid.
    pub fn is_off_grid(&self, start: Timestamp) -> bool {
        let wall = self.wall.local(start);
        let mut around = self.windows.iter().filter(|window| window.holds(start)).peekable();
        around.peek().is_some() && around.all(|window| !window.is_on_grid(wall))
    }

    /// True if `[start, end)` is within opening hours and overlaps no break. `start` must be on one of the dates of
    /// this timeline.
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

    /// Checks that `start` is a start time of this window. `wall` is the local time that clocks show at `start`.
    fn fit(
        &self,
        cursor: &mut OpenCursor<'_>,
        window: &Window,
        (wall, start): (NaiveDateTime, Timestamp),
        duration: TimeDelta,
    ) -> Result<(), SlotReason> {
        let end = start + duration;
        if !window.holds(start) || cursor.open.cover(start, end).is_err() {
            return Err(SlotReason::OutsideHours);
        }
        if cursor.breaks.meet(start, end).is_some() {
            return Err(SlotReason::Break);
        }
        if window.is_on_grid(wall) { Ok(()) } else { Err(SlotReason::OffGrid) }
    }

    /// Returns each local time of the grid with the instant at which clocks show it. If clocks show it twice, it is
    /// returned with each of the two instants; the second instant may be after the end of the window.
    fn grid(&self, window: &Window) -> impl Iterator<Item = (NaiveDateTime, Timestamp)> {
        let (base, closes, last) = (window.base, window.stretch.closes, *self.dates.end());
        // The grid times of earlier dates are skipped by a calculation instead of a loop.
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
