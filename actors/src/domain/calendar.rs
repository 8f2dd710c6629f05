//! Opening hours, special days and breaks laid on the real time line of a zone: which instants are start times (contract
//! §3, Availability, conditions 1 and 2; §5, Clock changes).
//!
//! Local time exists only here and in `wall`. What always holds:
//!
//! - whether an instant is a start time is decided by [`Laid::fit`] alone, for a list of days and for one booking;
//! - a window is never empty; breaks close nothing and move no step: nothing may lie across one, that is all;
//! - nothing panics far outside the years that can be booked: instants saturate there and windows become empty.

use std::ops::{Range, RangeInclusive};

use chrono::{Datelike, Days, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use chrono_tz::Tz;

use super::spans::{Along, Spans};
use super::wall::{Stretch, Wall};
use super::{
    Business, Day, LocalTime, LocalWindow, SlotReason, SpecialDays, StaffHours, Timestamp, WeeklyBreaks,
    WeeklyHours,
};

/// From one start time to the next, on the wall clock.
const STEP: TimeDelta = TimeDelta::minutes(30);

/// How far the local date of an instant can be from the date of the window it lies in: one day for a window that
/// runs past midnight, and one for a clock change, which moves the clock by at most a day.
const REACH: Days = Days::new(2);

/// When a business is open in its zone.
#[derive(Clone, Copy, Debug)]
pub struct Calendar<'a> {
    hours: &'a WeeklyHours,
    breaks: &'a WeeklyBreaks,
    special: &'a SpecialDays,
    zone: Tz,
}

/// The calendar of some dates, laid on the real time line.
#[derive(Clone, Debug)]
pub struct Laid {
    /// The dates whose instants may be asked for.
    dates: RangeInclusive<NaiveDate>,
    /// Those whose windows can hold such an instant, or what begins at one.
    around: RangeInclusive<NaiveDate>,
    wall: Wall,
    windows: Vec<Window>,
    open: Spans,
    breaks: Spans,
}

/// The window of one date in real time, with its steps.
#[derive(Clone, Copy, Debug)]
struct Window {
    stretch: Stretch,
    /// The wall clock from which the steps are counted.
    base: NaiveDateTime,
}

/// When it is open and when there are breaks, asked about one time after the other.
struct OpenAlong<'a> {
    open: Along<'a>,
    breaks: Along<'a>,
}

/// From when to when a local date of a zone lasts.
pub fn day_bounds(zone: Tz, date: NaiveDate) -> Range<Timestamp> {
    let wall = Wall::new(zone);
    let end = date.succ_opt().map_or(Timestamp::MAX, |next| wall.day_start(next));
    wall.day_start(date)..end
}

/// The first instant behind this one at which the wall clock of a zone shows a time of a day; where a clock change skips
/// it, the first after the gap.
pub fn next_at(zone: Tz, time: LocalTime, after: Timestamp) -> Timestamp {
    Wall::new(zone).next_at(time, after)
}

impl<'a> Calendar<'a> {
    /// The calendar of a business with these special days.
    pub fn new(business: &'a Business, special: &'a SpecialDays) -> Self {
        let Business { hours, breaks, zone, .. } = business;
        Self { hours, breaks, special, zone: *zone }
    }

    /// The date on the wall calendar at an instant.
    pub fn local_date(&self, at: Timestamp) -> NaiveDate {
        Wall::new(self.zone).local(at).date()
    }

    /// From the first instant of the date to the first instant of the next one; empty for a date that the zone
    /// skipped when it moved across the date line.
    pub fn day_bounds(&self, date: NaiveDate) -> Range<Timestamp> {
        day_bounds(self.zone, date)
    }

    /// From when to when what opens on a date, be it by the week or as the date is special, can hold anything: all of the
    /// date, and on to where the last window closes.
    pub fn reach_of(&self, date: NaiveDate) -> Range<Timestamp> {
        let (wall, day) = (Wall::new(self.zone), self.day_bounds(date));
        let special = self.special.get(&date).map_or(&[][..], |day| day.hours.windows());
        let windows = self.hours.on(day_of(date)).chain(special.iter().copied());
        let closes = windows.filter_map(|window| Some(wall.stretch(date, window)?.closes));
        day.start..closes.fold(day.end, Timestamp::max)
    }

    /// The calendar around what begins on these local dates and takes so long.
    pub fn lay(&self, dates: RangeInclusive<NaiveDate>, longest: TimeDelta) -> Laid {
        let first = (*dates.start()).max(self.local_date(Timestamp::MIN));
        let last = (*dates.end()).min(self.local_date(Timestamp::MAX));
        let until = self.local_date(self.day_bounds(last).end + longest);
        let around = first.checked_sub_days(REACH).unwrap_or(NaiveDate::MIN)
            ..=until.checked_add_days(REACH).unwrap_or(NaiveDate::MAX);
        // Windows and breaks of the last date may end on the one behind it.
        let wall = Wall::over(self.zone, days(&around).chain(around.end().succ_opt()));
        let windows: Vec<Window> = days(&around)
            .flat_map(|date| {
                self.windows_on(date).filter_map(|window| wall.stretch(date, window)).collect::<Vec<_>>()
            })
            // When the opening time is skipped, the steps are counted from where the window really opens.
            .map(|stretch| Window { stretch, base: wall.local(stretch.opens) })
            .collect();
        let open =
            Spans::of(windows.iter().map(|window| window.stretch.opens..window.stretch.closes).collect());
        let breaks = laid(&wall, &around, |day| self.breaks.on(day));
        Laid { dates: first..=last, around, wall, windows, open, breaks }
    }

    /// The calendar around a stretch of time.
    pub fn lay_around(&self, start: Timestamp, duration: TimeDelta) -> Laid {
        let date = self.local_date(start);
        self.lay(date..=date, duration)
    }

    /// The windows that open on a date.
    fn windows_on(&self, date: NaiveDate) -> impl Iterator<Item = LocalWindow> {
        let special = self.special.get(&date);
        let weekly = special.is_none().then(|| self.hours.on(day_of(date)));
        let windows = special.map_or(&[][..], |day| day.hours.windows());
        windows.iter().copied().chain(weekly.into_iter().flatten())
    }
}

impl Laid {
    /// Every start time, for a service this long, that falls on one of the dates; sorted, each instant once.
    pub fn starts(&self, duration: TimeDelta) -> Vec<Timestamp> {
        let (mut starts, mut along) = (Vec::new(), self.along());
        for window in &self.windows {
            let fits = |&(wall, start): &(NaiveDateTime, Timestamp)| {
                self.fit(&mut along, window, (wall, start), duration).is_ok()
            };
            starts.extend(self.grid(window).filter(fits).map(|(_, start)| start));
        }
        // A clock change can make two windows overlap in real time, and a repeated hour comes out of order.
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// Whether the instant, which lies on one of the dates, is a start time for a service this long.
    ///
    /// # Errors
    /// What is in the way of the whole service first: [`SlotReason::ClosedThatDay`] or [`SlotReason::OutsideHours`],
    /// then [`SlotReason::Break`]; then [`SlotReason::OffGrid`] when it begins between two steps.
    pub fn check(&self, start: Timestamp, duration: TimeDelta) -> Result<(), SlotReason> {
        let wall = self.wall.local(start);
        let (mut reason, mut along) = (SlotReason::OutsideHours, self.along());
        for window in &self.windows {
            match self.fit(&mut along, window, (wall, start), duration) {
                Ok(()) => return Ok(()),
                Err(SlotReason::OutsideHours) => {}
                // Another window that holds the instant may have it on its grid.
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

    /// Whether all of `[start, end)`, which begins on one of the dates, lies within open time and across no break.
    pub fn holds(&self, start: Timestamp, end: Timestamp) -> bool {
        self.open.cover(start, end) && !self.breaks.meet(start, end)
    }

    /// When it is open, around the dates.
    pub fn open(&self) -> &Spans {
        &self.open
    }

    /// When there are breaks, around the dates.
    pub fn breaks(&self) -> &Spans {
        &self.breaks
    }

    /// The hours of a staff member, which are those of the business's clocks, on the same time line.
    pub fn staff_hours(&self, hours: &StaffHours) -> Spans {
        laid(&self.wall, &self.around, |day| hours.on(day))
    }

    /// The date on the wall calendar at an instant.
    pub fn local_date(&self, at: Timestamp) -> NaiveDate {
        self.wall.local(at).date()
    }

    /// For looking at one time after the other.
    fn along(&self) -> OpenAlong<'_> {
        OpenAlong { open: self.open.along(), breaks: self.breaks.along() }
    }

    /// The one predicate: whether the instant, at which the wall clock shows this time, is a start time of this window.
    fn fit(
        &self,
        along: &mut OpenAlong<'_>,
        window: &Window,
        (wall, start): (NaiveDateTime, Timestamp),
        duration: TimeDelta,
    ) -> Result<(), SlotReason> {
        let Stretch { opens, closes } = window.stretch;
        let end = start + duration;
        // It may go on through windows that begin before the last one ends.
        if !(opens..closes).contains(&start) || along.open.cover(start, end).is_err() {
            return Err(SlotReason::OutsideHours);
        }
        if along.breaks.meet(start, end).is_some() {
            return Err(SlotReason::Break);
        }
        let elapsed = wall - window.base;
        // Behind the base is where the clock was set back to a time before the opening.
        let on_grid =
            elapsed >= TimeDelta::zero() && elapsed.num_milliseconds() % STEP.num_milliseconds() == 0;
        if on_grid { Ok(()) } else { Err(SlotReason::OffGrid) }
    }

    /// The steps of this window on the dates, as the wall clock shows them, each with the instants at which it does; the
    /// last ones may lie past its end.
    fn grid(&self, window: &Window) -> impl Iterator<Item = (NaiveDateTime, Timestamp)> {
        let (base, closes, last) = (window.base, window.stretch.closes, *self.dates.end());
        // Steps of earlier dates are many.
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
                // A repeated time is two instants, a skipped one is none.
                let again = showing.latest().filter(|_| matches!(showing, MappedLocalTime::Ambiguous(..)));
                showing.earliest().into_iter().chain(again).map(move |start| (step, start))
            })
    }
}

/// The time that the windows of these dates cover, by the day of the week.
fn laid<W: Iterator<Item = LocalWindow>>(
    wall: &Wall,
    dates: &RangeInclusive<NaiveDate>,
    on: impl Fn(Day) -> W,
) -> Spans {
    let mut stretches = Vec::new();
    for date in days(dates) {
        let found = on(day_of(date)).filter_map(|window| wall.stretch(date, window));
        stretches.extend(found.map(|stretch| stretch.opens..stretch.closes));
    }
    Spans::of(stretches)
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
