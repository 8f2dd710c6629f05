//! Opening hours laid on the real time line of a zone: which instants are start times (contract §3, Availability,
//! conditions 1 and 2; §5, Clock changes).
//!
//! This is the only place where local time exists. What always holds in it:
//!
//! - whether an instant is a start time is decided by `Calendar::fit` alone, for a list of days and for one booking;
//! - a window is never empty, and on the time line windows keep the order of their dates, by opening and by closing;
//! - nothing panics far outside the years that can be booked: instants saturate there and windows become empty.

use std::ops::{Range, RangeInclusive};

use chrono::{
    Datelike, Days, FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta,
    TimeZone,
};
use chrono_tz::{GapInfo, Tz, TzOffset};

use super::{Day, LocalTime, SlotReason, Timestamp, WeeklyHours};

/// From one start time to the next, on the wall clock.
const STEP: TimeDelta = TimeDelta::minutes(30);

/// How far the local date of an instant can be from the date of the window it lies in: one day for a window that
/// runs past midnight, and one for a clock change, which moves the clock by at most a day.
const REACH: Days = Days::new(2);

/// The opening hours of a business in its zone.
#[derive(Clone, Copy, Debug)]
pub struct Calendar<'a> {
    hours: &'a WeeklyHours,
    zone: Tz,
}

/// The window of one date as a stretch of real time, `[opens, closes)`, never empty.
struct Window {
    /// The date whose hours these are; a clock change can move the opening itself to a later one.
    date: NaiveDate,
    /// The first instant of it.
    opens: Timestamp,
    /// The first instant after it.
    closes: Timestamp,
    /// The wall clock from which the steps are counted.
    base: NaiveDateTime,
}

impl<'a> Calendar<'a> {
    /// The hours as the clocks of the zone show them.
    pub fn new(hours: &'a WeeklyHours, zone: Tz) -> Self {
        Self { hours, zone }
    }

    /// The date on the wall calendar at an instant.
    pub fn local_date(&self, at: Timestamp) -> NaiveDate {
        self.local(at).date()
    }

    /// From the first instant of the date to the first instant of the next one; empty for a date that the zone
    /// skipped when it moved across the date line.
    pub fn day_bounds(&self, date: NaiveDate) -> Range<Timestamp> {
        let end = date.succ_opt().map_or(Timestamp::MAX, |next| self.day_start(next));
        self.day_start(date)..end
    }

    /// The first instant behind this one at which the wall clock shows a time of a day; of a time that a clock change
    /// skips, the first instant after the gap, and of one that it repeats, the first. A date that the zone skipped has
    /// none.
    pub fn next_at(&self, time: LocalTime, after: Timestamp) -> Timestamp {
        let on = |date: NaiveDate| Some((date, self.earliest(wall_clock(date, time)?)));
        let days = self.local_date(after).iter_days().filter_map(on);
        let mut instants = days.filter(|(date, at)| self.local_date(*at) == *date).map(|(_, at)| at);
        instants.find(|at| *at > after).unwrap_or(Timestamp::MAX)
    }

    /// Every start time, for a service this long, that falls on one of the local dates `first` to `last`, both
    /// included; sorted, each instant once.
    pub fn starts(&self, first: NaiveDate, last: NaiveDate, duration: TimeDelta) -> Vec<Timestamp> {
        let first = first.max(self.local_date(Timestamp::MIN));
        let last = last.min(self.local_date(Timestamp::MAX));
        let mut starts = Vec::new();
        for window in self.windows(first..=last) {
            let grid = self.grid(&window, first..=last);
            starts.extend(
                grid.filter(|(wall, start)| self.fit(&window, (*wall, *start), duration).is_ok())
                    .map(|(_, start)| start),
            );
        }
        // A clock change can make two windows overlap in real time, and a repeated hour comes out of order.
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// Whether the instant is a start time for a service this long.
    ///
    /// # Errors
    /// [`SlotReason::OffGrid`] when the whole service lies within open time but begins between two steps, else
    /// [`SlotReason::OutsideHours`].
    pub fn check(&self, start: Timestamp, duration: TimeDelta) -> Result<(), SlotReason> {
        let wall = self.local(start);
        let mut reason = SlotReason::OutsideHours;
        for window in self.windows(wall.date()..=wall.date()) {
            match self.fit(&window, (wall, start), duration) {
                Ok(()) => return Ok(()),
                // Another window that holds the instant may have it on its grid.
                Err(SlotReason::OffGrid) => reason = SlotReason::OffGrid,
                Err(_) => {}
            }
        }
        Err(reason)
    }

    /// The one predicate: whether the instant, at which the wall clock shows this time, is a start time of this window.
    fn fit(
        &self,
        window: &Window,
        (wall, start): (NaiveDateTime, Timestamp),
        duration: TimeDelta,
    ) -> Result<(), SlotReason> {
        if !(window.opens..window.closes).contains(&start) || !self.stays_open(window, start + duration) {
            return Err(SlotReason::OutsideHours);
        }
        let elapsed = wall - window.base;
        // Behind the base is where the clock was set back to a time before the opening.
        let on_grid =
            elapsed >= TimeDelta::zero() && elapsed.num_milliseconds() % STEP.num_milliseconds() == 0;
        if on_grid { Ok(()) } else { Err(SlotReason::OffGrid) }
    }

    /// Whether it stays open from this window up to `until`, through windows that begin before the last one ended.
    fn stays_open(&self, window: &Window, until: Timestamp) -> bool {
        let (mut date, mut closes) = (window.date, window.closes);
        while closes < until {
            // No window of this date or a later one opens before the date begins.
            let Some(next) = date.succ_opt().filter(|next| self.day_start(*next) <= closes) else {
                return false;
            };
            // A date without a window does not break the chain by itself: it may be one that the zone skipped.
            if let Some(following) = self.window(next) {
                if following.opens > closes {
                    return false;
                }
                closes = closes.max(following.closes);
            }
            date = next;
        }
        true
    }

    /// The steps of this window on these local dates, as the wall clock shows them, each with the instants at which it
    /// does; the last ones may lie past its end.
    fn grid(
        &self,
        window: &Window,
        dates: RangeInclusive<NaiveDate>,
    ) -> impl Iterator<Item = (NaiveDateTime, Timestamp)> + use<'_, 'a> {
        let (base, closes, last) = (window.base, window.closes, *dates.end());
        // Steps of earlier dates are many, and looking up offsets is what costs.
        let earlier =
            (dates.start().and_time(NaiveTime::MIN) - base).num_milliseconds().max(0).cast_unsigned();
        let steps = earlier.div_ceil(STEP.num_milliseconds().cast_unsigned());
        let first = i32::try_from(steps).ok().and_then(|steps| base.checked_add_signed(STEP * steps));
        std::iter::successors(first, |step| step.checked_add_signed(STEP))
            .take_while(move |step| step.date() <= last)
            .map(|step| (step, self.zone.offset_from_local_datetime(&step)))
            .take_while(move |(step, offsets)| self.first_of(*step, offsets) < closes)
            .flat_map(|(step, offsets)| {
                // A repeated time is two instants, a skipped one is none.
                let again = offsets.latest().filter(|_| matches!(offsets, MappedLocalTime::Ambiguous(..)));
                let all = offsets.earliest().into_iter().chain(again);
                all.map(move |offset| (step, instant(step, offset.fix())))
            })
    }

    /// The windows that can hold an instant of these local dates, in order.
    fn windows(&self, dates: RangeInclusive<NaiveDate>) -> impl Iterator<Item = Window> + use<'_, 'a> {
        let first = dates.start().checked_sub_days(REACH).unwrap_or(NaiveDate::MIN);
        let last = dates.end().checked_add_days(REACH).unwrap_or(NaiveDate::MAX);
        first.iter_days().take_while(move |date| *date <= last).filter_map(|date| self.window(date))
    }

    /// The window of a date, unless the business is closed or a clock change swallows it whole.
    fn window(&self, date: NaiveDate) -> Option<Window> {
        let day = Day::ALL[date.weekday().num_days_from_sunday() as usize];
        let hours = self.hours.on(day)?;
        let open = wall_clock(date, hours.open)?;
        let close = open.checked_add_signed(TimeDelta::minutes(i64::from(hours.wall_minutes())))?;
        let opens = self.earliest(open);
        let closes = self.latest(close);
        // When the opening time is skipped, the steps are counted from where the window really opens.
        let base = self.local(opens);
        (opens < closes).then_some(Window { date, opens, closes, base })
    }

    /// The first instant of a date.
    fn day_start(&self, date: NaiveDate) -> Timestamp {
        self.earliest(date.and_time(NaiveTime::MIN))
    }

    /// The first instant at which the wall clock shows this time; for one that is skipped, the first after the gap.
    fn earliest(&self, wall: NaiveDateTime) -> Timestamp {
        self.first_of(wall, &self.zone.offset_from_local_datetime(&wall))
    }

    /// The same for a time whose offsets are known.
    fn first_of(&self, wall: NaiveDateTime, offsets: &MappedLocalTime<TzOffset>) -> Timestamp {
        let offset = offsets.earliest();
        offset.map_or_else(|| self.after_gap(wall), |offset| instant(wall, offset.fix()))
    }

    /// The last instant at which the wall clock shows this time; for one that is skipped, the first after the gap.
    fn latest(&self, wall: NaiveDateTime) -> Timestamp {
        let offset = self.zone.offset_from_local_datetime(&wall).latest();
        offset.map_or_else(|| self.after_gap(wall), |offset| instant(wall, offset.fix()))
    }

    /// The first instant after the gap that this skipped time lies in.
    fn after_gap(&self, wall: NaiveDateTime) -> Timestamp {
        // Where the gap begins and which offset ended there say when it was; its end may be an ambiguous time.
        let begin = GapInfo::new(&wall, &self.zone).and_then(|gap| gap.begin);
        let (skipped, before) = begin.expect("a local time that does not exist follows one that does");
        instant(skipped, before.fix())
    }

    /// What the wall clock shows at an instant.
    fn local(&self, at: Timestamp) -> NaiveDateTime {
        at.utc().with_timezone(&self.zone).naive_local()
    }
}

/// A wall-clock time of a date; `24:00` is the next midnight.
fn wall_clock(date: NaiveDate, time: LocalTime) -> Option<NaiveDateTime> {
    date.and_time(NaiveTime::MIN).checked_add_signed(TimeDelta::minutes(i64::from(time.minutes())))
}

/// The instant at which the wall clock shows this time under this offset.
fn instant(wall: NaiveDateTime, offset: FixedOffset) -> Timestamp {
    let wall_millis = wall.and_utc().timestamp_millis();
    Timestamp::from_millis(wall_millis - i64::from(offset.local_minus_utc()) * 1_000)
}

#[cfg(test)]
mod tests;
