//! Availability against a model that knows nothing of how it is computed: the model walks every minute of real time
//! around the asked dates, reads the wall clock at each, and applies the contract's words to that list.
//!
//! The model never maps local time to an instant. When a window opens or closes is found by looking for the minute at
//! which the wall clock shows it. Every offset of the zones below is whole minutes in the years below.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use actors::domain::availability::{Schedule, Slot, SlotRequest};
use actors::domain::{
    AppointmentId, BookingMode, Business, Busy, Day, DayHours, LocalTime, Locale, Service, ServiceId,
    SlotReason, StaffId, StaffMember, Timestamp, WeeklyHours,
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
    duration: i64,
    /// Active, offers the service.
    staff: Vec<(bool, bool)>,
    asked: Option<usize>,
    /// Staff member, start in minutes from the model's first minute, minutes; overlapping ones are left out.
    bookings: Vec<(usize, i64, i64)>,
    /// Milliseconds after the model's first minute.
    now: i64,
    /// Where else to ask, in milliseconds after the model's first minute.
    probes: Vec<i64>,
}

/// A stretch of time that a staff member is booked for, in minutes since 1970.
#[derive(Clone, Copy, Debug)]
struct Booking {
    staff: usize,
    start: i64,
    end: i64,
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
    bookings: Vec<Booking>,
    now: Timestamp,
}

fn day_number(date: NaiveDate) -> i64 {
    date.signed_duration_since(NaiveDate::from_ymd_opt(1970, 1, 1).unwrap()).num_days()
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
            step: nothing,
            bookings: Vec::new(),
            now,
        };
        // A day inside the margin, so that every minute looked for lies within what is walked.
        for day in first - 3..=last + 3 {
            model.open_day(day);
        }
        for &(staff, start, minutes) in &case.bookings {
            if !case.staff.is_empty() {
                let (staff, start) = (staff % case.staff.len(), origin + start);
                let booking = Booking { staff, start, end: start + minutes };
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

    fn open_day(&mut self, day: i64) {
        // 1 January 1970 was a Thursday.
        let name = Day::ALL[(day + 4).rem_euclid(7) as usize];
        let Some(hours) = self.case.hours.iter().find(|hours| hours.day == name) else { return };
        let (open, close) = (i64::from(hours.open.minutes()), i64::from(hours.close.minutes()));
        let midnight = day * DAY_MINUTES;
        let close = if close < open { close + DAY_MINUTES } else { close };
        let (opens, closes) =
            (self.minute_showing(midnight + open, true), self.minute_showing(midnight + close, false));
        for at in opens..closes.max(opens) {
            let steps = self.wall[at] - self.wall[opens];
            self.open[at] = true;
            self.step[at] |= steps >= 0 && steps % 30 == 0;
        }
    }

    fn is_free(&self, staff: usize, start: i64, end: i64) -> bool {
        self.bookings.iter().all(|other| other.staff != staff || end <= other.start || other.end <= start)
    }

    fn offers(&self, staff: usize) -> bool {
        self.case.staff.get(staff) == Some(&(true, true))
    }

    fn takers(&self) -> Vec<usize> {
        let all = 0..self.case.staff.len();
        all.filter(|staff| self.case.asked.is_none_or(|asked| asked == *staff) && self.offers(*staff))
            .collect()
    }

    /// Who takes the time that starts so many milliseconds after the model's first minute.
    fn assign(&self, millis: i64) -> Result<usize, SlotReason> {
        if minute(self.origin) + TimeDelta::milliseconds(millis) <= self.now {
            return Err(SlotReason::Past);
        }
        let at = millis.div_euclid(MINUTE_MILLIS) as usize;
        let whole = millis % MINUTE_MILLIS == 0;
        let until = at + self.case.duration as usize + usize::from(!whole);
        if !self.open[at..until].iter().all(|open| *open) {
            return Err(SlotReason::OutsideHours);
        }
        if !(whole && self.step[at]) {
            return Err(SlotReason::OffGrid);
        }
        let takers = self.takers();
        if takers.is_empty() {
            let named = self.case.asked.is_some();
            return Err(if named { SlotReason::StaffUnavailable } else { SlotReason::NobodyOffersIt });
        }
        let start = self.origin + at as i64;
        let free = takers.into_iter().filter(|staff| self.is_free(*staff, start, start + self.case.duration));
        free.min_by_key(|staff| (self.minutes_on_day_of(*staff, at), *staff)).ok_or(SlotReason::Taken)
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
struct World {
    business: Business,
    services: BTreeMap<ServiceId, Service>,
    staff: BTreeMap<StaffId, StaffMember>,
    busy: Busy,
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
            created_at: then,
            updated_at: then,
        };
        let member = |(number, &(active, offers)): (usize, &(bool, bool))| StaffMember {
            id: staff_id(number),
            name: format!("Member {number}"),
            active,
            zone: case.zone,
            service_ids: if offers { vec![service_id()] } else { Vec::new() },
            created_at: then,
            updated_at: then,
        };
        let staff = case.staff.iter().enumerate().map(member).map(|member| (member.id, member)).collect();
        let mut busy = Busy::new();
        for (number, booking) in model.bookings.iter().enumerate() {
            busy.insert(
                staff_id(booking.staff),
                minute(booking.start),
                minute(booking.end),
                appointment_id(number),
            );
        }
        Self { business, services: [(service.id, service)].into(), staff, busy, now: model.now }
    }

    fn schedule(&self) -> Schedule<'_> {
        let Self { business, services, staff, busy, now } = self;
        Schedule { business, services, staff, busy, now: *now }
    }

    fn slots(&self, case: &Case) -> Vec<Slot> {
        self.schedule().slots(service_id(), case.asked.map(staff_id), case.first, case.last).unwrap()
    }

    fn assign(&self, case: &Case, start: Timestamp) -> Result<StaffId, SlotReason> {
        let duration = TimeDelta::minutes(case.duration);
        let staff = case.asked.map(staff_id);
        self.schedule().assign(&SlotRequest { service: service_id(), staff, start, duration, except: None })
    }
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
        let staff = vec((prop::bool::weighted(0.8), prop::bool::weighted(0.8)), 0..=4);
        let bookings =
            vec((0_usize..4, margin - DAY_MINUTES..margin + around + DAY_MINUTES, 5_i64..=600), 0..40);
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
        (hours(), durations(), staff, any::<Option<Index>>(), bookings, now, vec(probe, 40)).prop_map(
            move |(hours, duration, staff, asked, bookings, now, probes)| {
                // Only someone who offers the service can be asked for; the rest is refused before any time is looked
                // at.
                let offering: Vec<usize> = (0..staff.len()).filter(|at| staff[*at] == (true, true)).collect();
                let asked = asked.filter(|_| !offering.is_empty()).map(|index| *index.get(&offering));
                let last = first + Days::new(more);
                Case { zone, first, last, hours, duration, staff, asked, bookings, now, probes }
            },
        )
    })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 512,
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
            world.busy.insert(staff, slot.starts_at, slot.ends_at, id);
            let number = (0..case.staff.len()).find(|number| staff_id(*number) == staff).unwrap();
            let start = slot.starts_at.millis() / MINUTE_MILLIS;
            model.bookings.push(Booking { staff: number, start, end: start + case.duration });
            listed = world.slots(&case);
            prop_assert_eq!(&listed, &model.slots());
            prop_assert!(listed.iter().all(|slot| before.contains(slot)));
            world.busy.remove(staff, slot.starts_at, id);
            prop_assert_eq!(&world.slots(&case), &before);
            world.busy.insert(staff, slot.starts_at, slot.ends_at, id);
        }
    }
}
