//! Availability against a model that knows nothing of how it is computed: the model walks every minute of real time
//! around the asked dates, reads the wall clock at each, and applies the contract's words to that list.
//!
//! The model never maps local time to an instant. When a window or a break opens or closes is found by looking for the
//! minute at which the wall clock shows it. Every offset of the zones below is whole minutes in the years below.
//!
//! `MODEL_CASES=30000 cargo test --release --test availability_model` looks at so many cases.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use actors::domain::availability::{Concerned, Schedule, Slot, SlotRequest, Terms};
use actors::domain::{
    AppointmentId, Blocked, BlockedKey, BookingMode, Buffers, Business, Busy, Day, DayHours, DayWindows,
    Hold, LocalTime, LocalWindow, Locale, Service, ServiceId, SlotReason, SpecialDay, SpecialDays,
    StaffHours, StaffId, StaffMember, Timestamp, WeeklyBreaks, WeeklyHours,
};
use chrono::{DateTime, Days, NaiveDate, TimeDelta};
use chrono_tz::Tz;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::FileFailurePersistence;
use uuid::Uuid;

const MINUTE_MILLIS: i64 = 60_000;
const DAY_MINUTES: i64 = 1_440;

/// Dates on which the clocks of a zone changed: forward and back, by half an hour to a day, at and across midnight.
const CHANGES: &[(Tz, &[&str])] = &[
    (Tz::America__New_York, &["2026-03-08", "2026-11-01", "2006-04-02"]),
    (Tz::America__Havana, &["2026-03-08", "2026-11-01"]),
    (Tz::America__St_Johns, &["2010-03-14", "2010-11-07", "1988-04-03"]),
    (Tz::America__Caracas, &["2007-12-09", "2016-05-01"]),
    (Tz::America__Santiago, &["2026-04-05", "2026-09-06"]),
    (Tz::Antarctica__Troll, &["2026-03-29", "2026-10-25"]),
    (Tz::Asia__Beirut, &["2026-03-29", "2026-10-25"]),
    (Tz::Asia__Kathmandu, &["1986-01-01"]),
    (Tz::Asia__Pyongyang, &["2015-08-15", "2018-05-05"]),
    (Tz::Australia__Lord_Howe, &["2026-04-05", "2026-10-04", "1981-03-01"]),
    (Tz::Europe__Paris, &["2026-03-29", "2026-10-25"]),
    (Tz::Pacific__Apia, &["2011-12-30", "2011-09-24", "2012-04-01"]),
    (Tz::Pacific__Kwajalein, &["1993-08-21"]),
];

fn minute(number: i64) -> Timestamp {
    Timestamp::from_millis(number * MINUTE_MILLIS)
}

fn service_id() -> ServiceId {
    Uuid::from_u128(1).into()
}

fn staff_id(number: usize) -> StaffId {
    Uuid::from_u128(100 + number as u128).into()
}

fn appointment_id(number: usize) -> AppointmentId {
    Uuid::from_u128(10_000 + number as u128).into()
}

/// What a case draws at random.
#[derive(Clone, Debug)]
struct Case {
    zone: Tz,
    first: NaiveDate,
    last: NaiveDate,
    hours: Vec<DayHours>,
    /// Dates, in days from the first one asked for, and what opens on them instead.
    special: BTreeMap<i64, Vec<LocalWindow>>,
    breaks: Vec<DayHours>,
    duration: i64,
    /// Minutes before and after that the service keeps free.
    buffers: (i64, i64),
    min_notice: i64,
    max_advance: Option<i64>,
    terms: Terms,
    staff: Vec<Member>,
    asked: Option<usize>,
    /// Staff member, start in minutes from the model's first minute, minutes, buffers; overlapping ones are left out.
    bookings: Vec<(usize, i64, i64, (i64, i64))>,
    /// Staff member, start in minutes from the model's first minute, minutes.
    off: Vec<(usize, i64, i64)>,
    /// Milliseconds after the model's first minute.
    now: i64,
    /// Where else to ask, in milliseconds after the model's first minute.
    probes: Vec<i64>,
}

/// A staff member as a case draws them.
#[derive(Clone, Debug)]
struct Member {
    active: bool,
    offers: bool,
    hours: Option<Vec<DayHours>>,
}

impl Member {
    fn takes(&self) -> bool {
        self.active && self.offers
    }
}

/// A stretch of time that a staff member is booked for, in minutes since 1970, and minutes before and after.
#[derive(Clone, Copy, Debug)]
struct Booking {
    staff: usize,
    start: i64,
    end: i64,
    buffers: (i64, i64),
}

/// The naive model: one entry for each minute of real time around the asked dates.
struct Model<'a> {
    case: &'a Case,
    /// The first minute, since 1970.
    origin: i64,
    /// What the wall clock shows, in minutes since 1970-01-01 00:00 local.
    wall: Vec<i64>,
    /// The days in the order in which the clock first shows them, and the minutes at which it does.
    days: Vec<(i64, usize)>,
    /// Whether some window is open.
    open: Vec<bool>,
    /// Whether a step of some open window falls on it.
    step: Vec<bool>,
    /// Whether it lies in a break.
    pause: Vec<bool>,
    /// The days on which something opens.
    opening: Vec<i64>,
    /// Of each staff member, whether they are at work by their own hours.
    at_work: Vec<Vec<bool>>,
    /// Of each staff member, whether they have time off.
    off: Vec<Vec<bool>>,
    bookings: Vec<Booking>,
    now: Timestamp,
}

fn day_number(date: NaiveDate) -> i64 {
    date.signed_duration_since(NaiveDate::from_ymd_opt(1970, 1, 1).unwrap()).num_days()
}

/// The windows that open on a day.
fn on_day(windows: &[DayHours], day: i64) -> impl Iterator<Item = LocalWindow> {
    // 1 January 1970 was a Thursday.
    let name = Day::ALL[(day + 4).rem_euclid(7) as usize];
    windows.iter().filter(move |window| window.day == name).map(DayHours::window)
}

impl<'a> Model<'a> {
    /// Days that are walked on each side: zones are up to 14 hours off, windows reach a day, services another.
    const MARGIN_DAYS: i64 = 5;

    fn new(case: &'a Case) -> Self {
        let (first, last) = (day_number(case.first), day_number(case.last));
        let origin = (first - Self::MARGIN_DAYS) * DAY_MINUTES;
        let end = (last + 1 + Self::MARGIN_DAYS) * DAY_MINUTES;
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
            bookings: Vec::new(),
            now,
        };
        // A day inside the margin, so that every minute looked for lies within what is walked.
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

    /// The minute at which the clock shows this: the first or the last one, or the first after the gap that skips it.
    fn minute_showing(&self, wall: i64, first: bool) -> usize {
        let shows = |shown: &i64| *shown == wall;
        let found = if first { self.wall.iter().position(shows) } else { self.wall.iter().rposition(shows) };
        found.unwrap_or_else(|| self.wall.iter().position(|shown| *shown > wall).unwrap())
    }

    /// The minutes of a window that opens on a day.
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

    /// Whether both appointments keep free what they shall, and the staff member is there to keep it.
    fn keeps_free(&self, staff: usize, start: i64, end: i64) -> bool {
        let (before, after) = self.case.buffers;
        let clear = |other: &Booking| {
            other.staff != staff
                || end + after + other.buffers.0 <= other.start
                || other.end + other.buffers.1 + before <= start
        };
        let minute = |at: i64| (at - self.origin) as usize;
        self.bookings.iter().all(clear)
            && !self.off[staff][minute(start - before)..minute(end + after)].contains(&true)
    }

    /// Whether a staff member can take a time of theirs.
    fn look(&self, staff: usize, start: i64) -> Result<(), SlotReason> {
        let end = start + self.case.duration;
        let minutes = (start - self.origin) as usize..(end - self.origin) as usize;
        if self.at_work[staff][minutes.clone()].contains(&false) || self.off[staff][minutes].contains(&true) {
            Err(SlotReason::StaffOff)
        } else if !self.is_free(staff, start, end) {
            Err(SlotReason::Taken)
        } else if self.case.terms != (Terms::Team { ignore_buffers: true })
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

    /// Who takes the time that starts so many milliseconds after the model's first minute.
    fn assign(&self, millis: i64) -> Result<usize, SlotReason> {
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

    /// The appointments to come that lie outside of when they could be booked, whatever the steps.
    fn outside(&self) -> Vec<AppointmentId> {
        let mut outside: Vec<(i64, AppointmentId)> = Vec::new();
        for (number, booking) in self.bookings.iter().enumerate() {
            let minutes = (booking.start - self.origin) as usize..(booking.end - self.origin) as usize;
            let inside = self.case.staff[booking.staff].takes()
                && !self.open[minutes.clone()].contains(&false)
                && !self.pause[minutes.clone()].contains(&true)
                && !self.at_work[booking.staff][minutes.clone()].contains(&false)
                && !self.off[booking.staff][minutes].contains(&true);
            if !inside && minute(booking.end) > self.now {
                outside.push((booking.start, appointment_id(number)));
            }
        }
        outside.sort_unstable();
        outside.into_iter().map(|(_, id)| id).collect()
    }

    /// The minutes of the staff member's bookings that start on the local day of a minute.
    fn minutes_on_day_of(&self, staff: usize, at: usize) -> i64 {
        let day = self.wall[at].div_euclid(DAY_MINUTES);
        let bounds = self.first_minute_of(day)..self.first_minute_of(day + 1);
        let of_day =
            self.bookings.iter().filter(|other| other.staff == staff && bounds.contains(&other.start));
        of_day.map(|other| other.end - other.start).sum()
    }

    /// The first minute that belongs to a day or, for one that was skipped, to a later one.
    fn first_minute_of(&self, day: i64) -> i64 {
        let (_, minute) = self.days.iter().find(|(reached, _)| *reached >= day).unwrap();
        self.origin + *minute as i64
    }

    /// Every minute of the asked dates that can be booked.
    fn slots(&self) -> Vec<Slot> {
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

/// The same case as the program sees it.
#[derive(Clone)]
struct World {
    business: Business,
    special: SpecialDays,
    services: BTreeMap<ServiceId, Service>,
    staff: BTreeMap<StaffId, StaffMember>,
    busy: Busy,
    blocked: Blocked,
    now: Timestamp,
}

impl World {
    fn new(model: &Model<'_>) -> Self {
        let (case, then) = (model.case, minute(0));
        let business = Business {
            id: Uuid::from_u128(9).into(),
            name: "Model".into(),
            zone: case.zone,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: WeeklyHours::new(case.hours.clone()).unwrap(),
            breaks: WeeklyBreaks::new(case.breaks.clone()).unwrap(),
            phone_region: "US".into(),
            suspended: false,
            created_at: then,
            updated_at: then,
        };
        let service = Service {
            id: service_id(),
            name: "Service".into(),
            description: String::new(),
            duration_minutes: u32::try_from(case.duration).unwrap(),
            active: true,
            buffers: buffers(case.buffers),
            min_notice_minutes: u32::try_from(case.min_notice).unwrap(),
            max_advance_days: case.max_advance.map(|days| u32::try_from(days).unwrap()),
            price: None,
            created_at: then,
            updated_at: then,
        };
        let member = |(number, drawn): (usize, &Member)| StaffMember {
            id: staff_id(number),
            name: format!("Member {number}"),
            active: drawn.active,
            zone: case.zone,
            service_ids: if drawn.offers { vec![service_id()] } else { Vec::new() },
            hours: drawn.hours.clone().map(|hours| StaffHours::new(hours).unwrap()),
            created_at: then,
            updated_at: then,
        };
        let staff = case.staff.iter().enumerate().map(member).map(|member| (member.id, member)).collect();
        let mut busy = Busy::new();
        for (number, booking) in model.bookings.iter().enumerate() {
            busy.insert(staff_id(booking.staff), hold(number, booking));
        }
        let mut blocked = Blocked::new();
        for (number, &(staff, start, minutes)) in case.off.iter().enumerate() {
            if !case.staff.is_empty() {
                let start = model.origin + start;
                let key = BlockedKey {
                    staff_id: staff_id(staff % case.staff.len()),
                    starts_at: minute(start),
                    id: Uuid::from_u128(number as u128).into(),
                };
                blocked.insert(key, minute(start + minutes));
            }
        }
        let special = case.special.iter().map(|(days, windows)| {
            let date = case.first + TimeDelta::days(*days);
            let hours = DayWindows::new(windows.clone()).unwrap();
            (date, SpecialDay { date, hours, note: None, created_at: then, updated_at: then })
        });
        let services = [(service.id, service)].into();
        Self { business, special: special.collect(), services, staff, busy, blocked, now: model.now }
    }

    fn schedule(&self) -> Schedule<'_> {
        let Self { business, special, services, staff, busy, blocked, now } = self;
        Schedule { business, special, services, staff, busy, blocked, now: *now }
    }

    fn slots(&self, case: &Case) -> Vec<Slot> {
        let days = (case.first, case.last);
        self.schedule().slots(service_id(), case.asked.map(staff_id), days, case.terms).unwrap()
    }

    fn assign(&self, case: &Case, start: Timestamp) -> Result<StaffId, SlotReason> {
        self.schedule().assign(&SlotRequest {
            service: service_id(),
            staff: case.asked.map(staff_id),
            start,
            duration: TimeDelta::minutes(case.duration),
            buffers: buffers(case.buffers),
            except: None,
            terms: case.terms,
        })
    }

    /// The same business, open and staffed whenever somebody could be asked for.
    fn always_open(&self) -> Self {
        let whole = |day: &Day| DayHours {
            day: *day,
            open: LocalTime::from_minutes(0).unwrap(),
            close: LocalTime::from_minutes(LocalTime::DAY_MINUTES).unwrap(),
        };
        let mut world = self.clone();
        world.business.hours = WeeklyHours::new(Day::ALL.iter().map(whole).collect()).unwrap();
        world.business.breaks = WeeklyBreaks::default();
        world.special.clear();
        world.blocked = Blocked::new();
        for member in world.staff.values_mut() {
            (member.active, member.hours) = (true, None);
            member.service_ids = vec![service_id()];
        }
        world
    }
}

fn buffers((before, after): (i64, i64)) -> Buffers {
    Buffers::new(u32::try_from(before).unwrap(), u32::try_from(after).unwrap()).unwrap()
}

fn hold(number: usize, booking: &Booking) -> Hold {
    let (start, end) = (minute(booking.start), minute(booking.end));
    let buffers = buffers(booking.buffers);
    Hold { id: appointment_id(number), start, end, service: service_id(), buffers }
}

/// Minutes after midnight; half of them where clocks change.
fn time_of_day() -> impl Strategy<Value = u16> {
    prop_oneof![
        3 => (0_u16..20).prop_map(|quarter| quarter * 15),
        2 => (84_u16..=96).prop_map(|quarter| quarter * 15),
        2 => (0_u16..=96).prop_map(|quarter| quarter * 15),
        2 => 0_u16..300,
        1 => 0_u16..=1440,
    ]
}

/// Windows that are valid together; some weeks are always open, and some windows open when the one before closes, or
/// a little later.
fn hours() -> impl Strategy<Value = Vec<DayHours>> {
    const MIDNIGHT: u16 = LocalTime::DAY_MINUTES;
    let after_last = prop_oneof![4 => Just(None), 2 => Just(Some(0)), 1 => Just(Some(15)), 1 => (1_u16..60).prop_map(Some)];
    let window = (time_of_day(), time_of_day(), after_last, prop::bool::weighted(0.9));
    let drawn = vec(window, 7).prop_map(|windows| {
        let mut hours: Vec<DayHours> = Vec::new();
        for (day, (open, close, after_last, listed)) in Day::ALL.iter().zip(windows) {
            let overnight =
                hours.last().filter(|last| last.close <= last.open || last.close.minutes() == MIDNIGHT);
            let following =
                overnight.zip(after_last).map(|(last, after)| (last.close.minutes() + after) % MIDNIGHT);
            let open = LocalTime::from_minutes(following.unwrap_or(open)).unwrap();
            let close = LocalTime::from_minutes(close).unwrap();
            let mut with = hours.clone();
            with.push(DayHours { day: *day, open, close });
            if listed && WeeklyHours::new(with.clone()).is_ok() {
                hours = with;
            }
        }
        hours
    });
    let whole = |day: &Day| DayHours {
        day: *day,
        open: LocalTime::from_minutes(0).unwrap(),
        close: LocalTime::from_minutes(MIDNIGHT).unwrap(),
    };
    let always: Vec<DayHours> = Day::ALL.iter().map(whole).collect();
    prop_oneof![9 => drawn, 1 => Just(always)]
}

/// Windows of any days that are valid together by this rule, of which so many are tried.
fn windows(
    tried: RangeInclusive<usize>,
    valid: fn(Vec<DayHours>) -> bool,
) -> impl Strategy<Value = Vec<DayHours>> {
    let short = (time_of_day(), prop_oneof![Just(30), Just(60), 1_u16..90])
        .prop_map(|(open, minutes)| (open, (open + minutes) % LocalTime::DAY_MINUTES));
    let ends = prop_oneof![2 => short, 1 => (time_of_day(), time_of_day())];
    let window = (select(Day::ALL), ends);
    vec(window, tried).prop_map(move |drawn| {
        let mut kept: Vec<DayHours> = Vec::new();
        for (day, (open, close)) in drawn {
            let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
            let mut with = kept.clone();
            with.push(DayHours { day, open: time(open), close: time(close) });
            if valid(with.clone()) {
                kept = with;
            }
        }
        kept
    })
}

fn breaks() -> impl Strategy<Value = Vec<DayHours>> {
    let some = windows(0..=12, |breaks| WeeklyBreaks::new(breaks).is_ok());
    prop_oneof![1 => Just(Vec::new()), 2 => some]
}

fn staff_hours() -> impl Strategy<Value = Option<Vec<DayHours>>> {
    let long = (time_of_day(), 240_u16..=1_440).prop_map(|(open, minutes)| (open, (open + minutes) % 1_440));
    let most = vec(long, 7).prop_map(|drawn| {
        let mut kept: Vec<DayHours> = Vec::new();
        for (day, (open, close)) in Day::ALL.iter().zip(drawn) {
            let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
            let mut with = kept.clone();
            with.push(DayHours { day: *day, open: time(open), close: time(close) });
            if StaffHours::new(with.clone()).is_ok() {
                kept = with;
            }
        }
        Some(kept)
    });
    let some = windows(0..=28, |hours| StaffHours::new(hours).is_ok()).prop_map(Some);
    prop_oneof![3 => Just(None), 2 => most, 1 => some]
}

/// What some dates around those asked for have instead of what the week opens.
fn special_days() -> impl Strategy<Value = BTreeMap<i64, Vec<LocalWindow>>> {
    let window = (time_of_day(), time_of_day()).prop_map(|(open, close)| LocalWindow {
        open: LocalTime::from_minutes(open).unwrap(),
        close: LocalTime::from_minutes(close).unwrap(),
    });
    let day = vec(window, 0..=4).prop_map(|drawn| {
        let mut kept: Vec<LocalWindow> = Vec::new();
        for window in drawn {
            let mut with = kept.clone();
            with.push(window);
            if DayWindows::new(with.clone()).is_ok() {
                kept = with;
            }
        }
        kept
    });
    prop_oneof![
        2 => Just(BTreeMap::new()),
        3 => proptest::collection::btree_map(-2_i64..=9, day, 0..5),
    ]
}

fn some_buffers() -> impl Strategy<Value = (i64, i64)> {
    let minutes = || prop_oneof![3 => Just(0), 2 => select(vec![5, 10, 15, 30]), 1 => 0_i64..=240];
    (minutes(), minutes())
}

/// Buffers, notice, advance and who asks.
fn limits() -> impl Strategy<Value = ((i64, i64), i64, Option<i64>, Terms)> {
    let notice = prop_oneof![2 => Just(0), 1 => select(vec![15, 60, 120, 1_440]), 1 => 0_i64..10_000];
    let advance = prop_oneof![2 => Just(None), 1 => (1_i64..9).prop_map(Some)];
    let terms = prop_oneof![
        4 => Just(Terms::Integration),
        1 => Just(Terms::Team { ignore_buffers: false }),
        1 => Just(Terms::Team { ignore_buffers: true }),
    ];
    (some_buffers(), notice, advance, terms)
}

fn member() -> impl Strategy<Value = Member> {
    (prop::bool::weighted(0.8), prop::bool::weighted(0.8), staff_hours())
        .prop_map(|(active, offers, hours)| Member { active, offers, hours })
}

fn zone_and_date() -> impl Strategy<Value = (Tz, NaiveDate)> {
    select(CHANGES).prop_flat_map(|(zone, changes)| {
        let change = (select(changes), 0_u64..=3)
            .prop_map(|(date, before)| date.parse::<NaiveDate>().unwrap() - Days::new(before));
        let any =
            (0_u64..16 * 365).prop_map(|days| NaiveDate::from_ymd_opt(2020, 1, 1).unwrap() + Days::new(days));
        (Just(zone), prop_oneof![4 => change, 1 => any])
    })
}

fn durations() -> impl Strategy<Value = i64> {
    const ANY: RangeInclusive<i64> = 5..=1440;
    prop_oneof![4 => select(vec![5, 15, 30, 45, 60, 90]), 2 => 5_i64..=300, 1 => ANY, 1 => Just(1440)]
}

fn case() -> impl Strategy<Value = Case> {
    let margin = Model::MARGIN_DAYS * DAY_MINUTES;
    (zone_and_date(), 0_u64..7).prop_flat_map(move |((zone, first), more)| {
        let around = (more as i64 + 1) * DAY_MINUTES;
        let staff = vec(member(), 0..=4);
        let starts = || margin - DAY_MINUTES..margin + around + DAY_MINUTES;
        let bookings = vec((0_usize..4, starts(), 5_i64..=600, some_buffers()), 0..40);
        let off = vec((0_usize..4, starts(), prop_oneof![5_i64..=120, 5_i64..=2_880]), 0..6);
        let now = prop_oneof![
            2 => Just(0),
            1 => (margin - DAY_MINUTES) * MINUTE_MILLIS..(margin + around) * MINUTE_MILLIS,
            1 => (margin..margin + around).prop_map(|minutes| minutes / 15 * 15 * MINUTE_MILLIS),
        ];
        let probe = prop_oneof![
            (margin - DAY_MINUTES..margin + around + DAY_MINUTES).prop_map(|minutes| minutes * MINUTE_MILLIS),
            (margin..margin + around).prop_map(|minutes| minutes / 15 * 15 * MINUTE_MILLIS),
            margin * MINUTE_MILLIS..(margin + around) * MINUTE_MILLIS,
        ];
        let when = (hours(), special_days(), breaks());
        let what = (durations(), limits());
        let who = (staff, any::<Option<Index>>(), bookings, off);
        (when, what, who, now, vec(probe, 40)).prop_map(move |(when, what, who, now, probes)| {
            let (hours, special, breaks) = when;
            let (duration, (buffers, min_notice, max_advance, terms)) = what;
            let (staff, asked, bookings, off) = who;
            // Only someone who offers the service can be asked for; the rest is refused before any time is looked
            // at.
            let offering: Vec<usize> = (0..staff.len()).filter(|at| staff[*at].takes()).collect();
            let asked = asked.filter(|_| !offering.is_empty()).map(|index| *index.get(&offering));
            let last = first + Days::new(more);
            Case {
                zone,
                first,
                last,
                hours,
                special,
                breaks,
                duration,
                buffers,
                min_notice,
                max_advance,
                terms,
                staff,
                asked,
                bookings,
                off,
                now,
                probes,
            }
        })
    })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: std::env::var("MODEL_CASES").map_or(512, |cases| cases.parse().unwrap()),
        max_shrink_iters: 2_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "tests/availability_model.regressions",
        ))),
        ..ProptestConfig::default()
    }
}

/// Asks for a time in both worlds; the answers must be the same one.
fn ask(model: &Model<'_>, world: &World, listed: &[Slot], millis: i64) -> Result<(), TestCaseError> {
    let start = minute(model.origin) + TimeDelta::milliseconds(millis);
    let answer = world.assign(model.case, start);
    prop_assert_eq!(answer, model.assign(millis).map(staff_id), "{}", start);
    let date = start.utc().with_timezone(&model.case.zone).date_naive();
    if (model.case.first..=model.case.last).contains(&date) {
        let is_listed = listed.iter().any(|slot| slot.starts_at == start);
        prop_assert_eq!(answer.is_ok(), is_listed, "{}", start);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_time_is_listed_exactly_when_it_can_be_booked(case in case(), picks in vec(any::<Index>(), 3)) {
        let mut model = Model::new(&case);
        let mut world = World::new(&model);
        let mut listed = world.slots(&case);
        prop_assert_eq!(&listed, &model.slots());

        // Every listed time and its neighbours, and times anywhere.
        for slot in &listed {
            let millis = (slot.starts_at - minute(model.origin)).num_milliseconds();
            for off in [0, 1, MINUTE_MILLIS, -MINUTE_MILLIS, 15 * MINUTE_MILLIS, 30 * MINUTE_MILLIS, -30 * MINUTE_MILLIS] {
                ask(&model, &world, &listed, millis + off)?;
            }
        }
        for millis in &case.probes {
            ask(&model, &world, &listed, *millis)?;
        }

        // What is booked is gone for whoever took it, and back when it is given up.
        for pick in picks {
            let before = listed;
            if before.is_empty() {
                return Ok(());
            }
            let slot = *pick.get(&before);
            let staff = world.assign(&case, slot.starts_at).unwrap();
            let id = appointment_id(model.bookings.len());
            let number = (0..case.staff.len()).find(|number| staff_id(*number) == staff).unwrap();
            let start = slot.starts_at.millis() / MINUTE_MILLIS;
            let booking = Booking { staff: number, start, end: start + case.duration, buffers: case.buffers };
            world.busy.insert(staff, hold(model.bookings.len(), &booking));
            model.bookings.push(booking);
            listed = world.slots(&case);
            prop_assert_eq!(&listed, &model.slots());
            prop_assert!(listed.iter().all(|slot| before.contains(slot)));
            world.busy.remove(staff, slot.starts_at, id);
            prop_assert_eq!(&world.slots(&case), &before);
            world.busy.insert(staff, hold(model.bookings.len() - 1, &booking));
        }

        // What lies outside now, if everything was open before.
        let before = world.always_open();
        let outside = world.schedule().outside_since(&before.schedule(), Concerned::Everyone);
        prop_assert_eq!(outside, model.outside());
    }
}
