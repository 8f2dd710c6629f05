//! The naive model. It lists every minute of real time with the local time that clocks show.

use chrono::{DateTime, NaiveDate, TimeDelta};
use domain::availability::{Slot, Terms};
use domain::{AppointmentId, Day, DayHours, LocalWindow, SlotReason, Timestamp};

use crate::case::Case;
use crate::units::{DAY_MINUTES, MARGIN_DAYS, MINUTE_MILLIS, appointment_id, minute};

/// The start and end of an appointment in minutes since 1970, its staff member, and its buffers in minutes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Booking {
    pub(crate) staff: usize,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) buffers: (i64, i64),
}

/// The naive model, with one entry for each minute of real time around the requested dates.
pub(crate) struct Model<'a> {
    pub(crate) case: &'a Case,
    /// The first minute of the model, in minutes since 1970-01-01 00:00 UTC.
    pub(crate) origin: i64,
    /// For each minute, its local time, in minutes since 1970-01-01 00:00 local time.
    pub(crate) wall: Vec<i64>,
    /// Each local day with the index of its first minute, in the order of these minutes.
    pub(crate) days: Vec<(i64, usize)>,
    /// For each minute, whether it is in a window of the opening hours.
    pub(crate) open: Vec<bool>,
    /// For each minute, whether it is on the 30-minute grid of a window of the opening hours.
    pub(crate) step: Vec<bool>,
    /// For each minute, whether it is in a break.
    pub(crate) pause: Vec<bool>,
    /// The local days that have a window.
    pub(crate) opening: Vec<i64>,
    /// For each staff member and minute, whether the staff member's own hours include the minute.
    pub(crate) at_work: Vec<Vec<bool>>,
    /// For each staff member and minute, whether the staff member has time off.
    pub(crate) off: Vec<Vec<bool>>,
    /// For each staff member and minute, whether the staff member has time off or a calendar shows a busy time.
    pub(crate) away: Vec<Vec<bool>>,
    pub(crate) bookings: Vec<Booking>,
    pub(crate) now: Timestamp,
}

fn day_number(date: NaiveDate) -> i64 {
    date.signed_duration_since(NaiveDate::from_ymd_opt(1970, 1, 1).unwrap()).num_days()
}

fn on_day(windows: &[DayHours], day: i64) -> impl Iterator<Item = LocalWindow> {
    // 1 January 1970 was a Thursday.
    let name = Day::ALL[(day + 4).rem_euclid(7) as usize];
    windows.iter().filter(move |window| window.day == name).map(DayHours::window)
}

impl<'a> Model<'a> {
    pub(crate) fn new(case: &'a Case) -> Self {
        let (first, last) = (day_number(case.first), day_number(case.last));
        let origin = (first - MARGIN_DAYS) * DAY_MINUTES;
        let end = (last + 1 + MARGIN_DAYS) * DAY_MINUTES;
        let show = |at: i64| {
            let utc = DateTime::from_timestamp(at * 60, 0).unwrap();
            utc.with_timezone(&case.zone).naive_local().and_utc().timestamp().div_euclid(60)
        };
        let wall: Vec<i64> = (origin..end).map(show).collect();
        let mut days: Vec<(i64, usize)> = Vec::new();
        for (at, shown) in wall.iter().enumerate() {
            let day = shown.div_euclid(DAY_MINUTES);
            if days.last().is_none_or(|(last, _)| *last < day) {
                days.push((day, at));
            }
        }
        let nothing = vec![false; wall.len()];
        let now = minute(origin) + TimeDelta::milliseconds(case.now);
        let mut model = Self {
            case,
            origin,
            wall,
            days,
            open: nothing.clone(),
            step: nothing.clone(),
            pause: nothing.clone(),
            opening: Vec::new(),
            at_work: vec![nothing.clone(); case.staff.len()],
            off: vec![nothing.clone(); case.staff.len()],
            away: Vec::new(),
            bookings: Vec::new(),
            now,
        };
        // The model has enough margin for every minute that the loop looks up.
        for day in first - 3..=last + 3 {
            model.open_day(day);
            for pause in on_day(&case.breaks, day) {
                let minutes = model.minutes_of(day, pause);
                model.pause[minutes].fill(true);
            }
            for (number, member) in case.staff.iter().enumerate() {
                for window in on_day(member.hours.as_deref().unwrap_or_default(), day) {
                    let minutes = model.minutes_of(day, window);
                    model.at_work[number][minutes].fill(true);
                }
            }
        }
        for (number, member) in case.staff.iter().enumerate() {
            if member.hours.is_none() {
                model.at_work[number].fill(true);
            }
        }
        for &(staff, start, minutes) in &case.off {
            if !case.staff.is_empty() {
                let (start, end) = (start as usize, (start + minutes) as usize);
                model.off[staff % case.staff.len()][start..end].fill(true);
            }
        }
        model.away.clone_from(&model.off);
        for &(staff, start, minutes) in &case.calendars {
            if !case.staff.is_empty() {
                let (start, end) = (start as usize, (start + minutes) as usize);
                model.away[staff % case.staff.len()][start..end].fill(true);
            }
        }
        for &(staff, start, minutes, buffers) in &case.bookings {
            if !case.staff.is_empty() {
                let (staff, start) = (staff % case.staff.len(), origin + start);
                let booking = Booking { staff, start, end: start + minutes, buffers };
                if model.is_free(staff, booking.start, booking.end) {
                    model.bookings.push(booking);
                }
            }
        }
        model
    }

    /// Returns the index of the first or the last minute with this local time. If clocks skip this time, returns the
    /// index of the first minute after the skip.
    fn minute_showing(&self, wall: i64, first: bool) -> usize {
        let shows = |shown: &i64| *shown == wall;
        let found = if first { self.wall.iter().position(shows) } else { self.wall.iter().rposition(shows) };
        found.unwrap_or_else(|| self.wall.iter().position(|shown| *shown > wall).unwrap())
    }

    /// Returns the indexes of the minutes in a window that opens on this day.
    fn minutes_of(&self, day: i64, window: LocalWindow) -> std::ops::Range<usize> {
        let (open, close) = (i64::from(window.open.minutes()), i64::from(window.close.minutes()));
        let midnight = day * DAY_MINUTES;
        let close = if close < open { close + DAY_MINUTES } else { close };
        let (opens, closes) =
            (self.minute_showing(midnight + open, true), self.minute_showing(midnight + close, false));
        opens..closes.max(opens)
    }

    fn open_day(&mut self, day: i64) {
        let special = self.case.special.get(&(day - day_number(self.case.first)));
        let windows = special.cloned().unwrap_or_else(|| on_day(&self.case.hours, day).collect());
        for window in windows {
            let minutes = self.minutes_of(day, window);
            let opens = minutes.start;
            if !minutes.is_empty() {
                self.opening.push(self.wall[opens].div_euclid(DAY_MINUTES));
            }
            for at in minutes {
                let steps = self.wall[at] - self.wall[opens];
                self.open[at] = true;
                self.step[at] |= steps >= 0 && steps % 30 == 0;
            }
        }
    }

    fn is_free(&self, staff: usize, start: i64, end: i64) -> bool {
        self.bookings.iter().all(|other| other.staff != staff || end <= other.start || other.end <= start)
    }

    /// True if the time between the new appointment and each booked appointment is at least the sum of their buffers,
    /// and the staff member is not absent during the new appointment and its buffers.
    fn keeps_free(&self, staff: usize, start: i64, end: i64) -> bool {
        let (before, after) = self.case.buffers;
        let clear = |other: &Booking| {
            other.staff != staff
                || end + after + other.buffers.0 <= other.start
                || other.end + other.buffers.1 + before <= start
        };
        let minute = |at: i64| (at - self.origin) as usize;
        self.bookings.iter().all(clear)
            && !self.absences()[staff][minute(start - before)..minute(end + after)].contains(&true)
    }

    /// Returns the absences that count in this case. If `ignore_calendars` is set, busy times of calendars do not
    /// count.
    fn absences(&self) -> &[Vec<bool>] {
        match self.case.terms {
            Terms::Team { ignore_calendars: true, .. } => &self.off,
            _ => &self.away,
        }
    }

    /// Checks that a staff member can be booked at `start`. Otherwise returns the reason.
    fn look(&self, staff: usize, start: i64) -> Result<(), SlotReason> {
        let end = start + self.case.duration;
        let minutes = (start - self.origin) as usize..(end - self.origin) as usize;
        if self.at_work[staff][minutes.clone()].contains(&false)
            || self.absences()[staff][minutes].contains(&true)
        {
            Err(SlotReason::StaffOff)
        } else if !self.is_free(staff, start, end) {
            Err(SlotReason::Taken)
        } else if !matches!(self.case.terms, Terms::Team { ignore_buffers: true, .. })
            && !self.keeps_free(staff, start, end)
        {
            Err(SlotReason::Buffer)
        } else {
            Ok(())
        }
    }

    fn takers(&self) -> Vec<usize> {
        let all = 0..self.case.staff.len();
        all.filter(|staff| {
            self.case.asked.is_none_or(|asked| asked == *staff) && self.case.staff[*staff].takes()
        })
        .collect()
    }

    /// Returns the staff member who gets an appointment that starts this many milliseconds after the model's first
    /// minute.
    pub(crate) fn assign(&self, millis: i64) -> Result<usize, SlotReason> {
        let instant = minute(self.origin) + TimeDelta::milliseconds(millis);
        if instant <= self.now {
            return Err(SlotReason::Past);
        }
        let at = millis.div_euclid(MINUTE_MILLIS) as usize;
        let whole = millis % MINUTE_MILLIS == 0;
        let until = at + self.case.duration as usize + usize::from(!whole);
        let day = self.wall[at].div_euclid(DAY_MINUTES);
        if !self.open[at..until].iter().all(|open| *open) {
            let closed = !self.open[at] && !self.opening.contains(&day);
            return Err(if closed { SlotReason::ClosedThatDay } else { SlotReason::OutsideHours });
        }
        if self.pause[at..until].contains(&true) {
            return Err(SlotReason::Break);
        }
        if !(whole && self.step[at]) {
            return Err(SlotReason::OffGrid);
        }
        if self.case.terms == Terms::Integration {
            if instant - self.now < TimeDelta::minutes(self.case.min_notice) {
                return Err(SlotReason::TooShortNotice);
            }
            let today = (self.now.millis() - minute(self.origin).millis()).div_euclid(MINUTE_MILLIS);
            let today = self.wall[today as usize].div_euclid(DAY_MINUTES);
            if self.case.max_advance.is_some_and(|days| day > today + days) {
                return Err(SlotReason::TooFarAhead);
            }
        }
        let takers = self.takers();
        if takers.is_empty() {
            let named = self.case.asked.is_some();
            return Err(if named { SlotReason::StaffUnavailable } else { SlotReason::NobodyOffersIt });
        }
        let start = self.origin + at as i64;
        let looks: Vec<_> = takers.into_iter().map(|staff| (staff, self.look(staff, start))).collect();
        let free = looks.iter().filter(|(_, look)| look.is_ok()).map(|(staff, _)| *staff);
        let reasons = [SlotReason::Buffer, SlotReason::Taken, SlotReason::StaffOff];
        free.min_by_key(|staff| (self.minutes_on_day_of(*staff, at), *staff)).ok_or_else(|| {
            *reasons.iter().find(|reason| looks.iter().any(|(_, look)| *look == Err(**reason))).unwrap()
        })
    }

    /// Returns the future appointments outside bookable time. The grid of start times does not matter.
    pub(crate) fn outside(&self) -> Vec<AppointmentId> {
        let mut outside: Vec<(i64, AppointmentId)> = Vec::new();
        for (number, booking) in self.bookings.iter().enumerate() {
            let minutes = (booking.start - self.origin) as usize..(booking.end - self.origin) as usize;
            let inside = self.case.staff[booking.staff].takes()
                && !self.open[minutes.clone()].contains(&false)
                && !self.pause[minutes.clone()].contains(&true)
                && !self.at_work[booking.staff][minutes.clone()].contains(&false)
                && !self.away[booking.staff][minutes].contains(&true);
            if !inside && minute(booking.start) > self.now {
                outside.push((booking.start, appointment_id(number)));
            }
        }
        outside.sort_unstable();
        outside.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns the total minutes of the staff member's appointments that start on the local day of this minute.
    fn minutes_on_day_of(&self, staff: usize, at: usize) -> i64 {
        let day = self.wall[at].div_euclid(DAY_MINUTES);
        let bounds = self.first_minute_of(day)..self.first_minute_of(day + 1);
        let of_day =
            self.bookings.iter().filter(|other| other.staff == staff && bounds.contains(&other.start));
        of_day.map(|other| other.end - other.start).sum()
    }

    /// Returns the first minute of a day. If the day was skipped, returns the first minute of the next day that exists.
    fn first_minute_of(&self, day: i64) -> i64 {
        let (_, minute) = self.days.iter().find(|(reached, _)| *reached >= day).unwrap();
        self.origin + *minute as i64
    }

    /// Returns every bookable start time on the requested dates.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        let asked = day_number(self.case.first)..=day_number(self.case.last);
        let on_asked = |at: &usize| asked.contains(&self.wall[*at].div_euclid(DAY_MINUTES));
        let bookable = |at: &usize| self.step[*at] && self.assign(*at as i64 * MINUTE_MILLIS).is_ok();
        let slot = |at: usize| Slot {
            starts_at: minute(self.origin + at as i64),
            ends_at: minute(self.origin + at as i64 + self.case.duration),
        };
        (0..self.wall.len()).filter(on_asked).filter(bookable).map(slot).collect()
    }
}
