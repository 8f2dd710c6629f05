//! A random case: a business, its diary, its staff, its appointments, and the request.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use domain::availability::Terms;
use domain::{Day, DayHours, DayWindows, LocalTime, LocalWindow, StaffHours, WeeklyBreaks, WeeklyHours};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::units::{DAY_MINUTES, MARGIN_DAYS, MINUTE_MILLIS};

/// For each zone, dates on which clocks change. Clocks go forward on some of these dates, and back
/// on others. The size of a change ranges from half an hour to a whole day. Some changes start at midnight, and some
/// cross midnight.
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

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) zone: Tz,
    pub(crate) first: NaiveDate,
    pub(crate) last: NaiveDate,
    pub(crate) hours: Vec<DayHours>,
    /// The windows of special days. The key is the number of days from the first requested date.
    pub(crate) special: BTreeMap<i64, Vec<LocalWindow>>,
    pub(crate) breaks: Vec<DayHours>,
    pub(crate) duration: i64,
    /// The buffers of the service in minutes, before and after.
    pub(crate) buffers: (i64, i64),
    pub(crate) min_notice: i64,
    pub(crate) max_advance: Option<i64>,
    pub(crate) terms: Terms,
    pub(crate) staff: Vec<Member>,
    pub(crate) asked: Option<usize>,
    /// The booked appointments: the staff member, the start in minutes after the model's first minute, the length in
    /// minutes, and the buffers. Appointments that overlap earlier ones are omitted.
    pub(crate) bookings: Vec<(usize, i64, i64, (i64, i64))>,
    /// The time off: the staff member, the start in minutes after the model's first minute, and the length in minutes.
    pub(crate) off: Vec<(usize, i64, i64)>,
    /// The busy times of connected calendars, in the same form as the time off.
    pub(crate) calendars: Vec<(usize, i64, i64)>,
    /// The current time, in milliseconds after the model's first minute.
    pub(crate) now: i64,
    /// Additional times to request, in milliseconds after the model's first minute.
    pub(crate) probes: Vec<i64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) active: bool,
    pub(crate) offers: bool,
    pub(crate) hours: Option<Vec<DayHours>>,
}

impl Member {
    pub(crate) fn takes(&self) -> bool {
        self.active && self.offers
    }
}

/// Generates a time of day in minutes after midnight. Half of the results are near clock changes.
fn time_of_day() -> impl Strategy<Value = u16> {
    prop_oneof![
        3 => (0_u16..20).prop_map(|quarter| quarter * 15),
        2 => (84_u16..=96).prop_map(|quarter| quarter * 15),
        2 => (0_u16..=96).prop_map(|quarter| quarter * 15),
        2 => 0_u16..300,
        1 => 0_u16..=1440,
    ]
}

/// Generates valid weekly windows. Some weeks are always open. Some windows open when the previous window closes, or a
/// little later.
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

/// Draws a random number of windows, and returns those that are valid together. `tried` is the range of the number of
/// drawn windows. A window is dropped if `valid` rejects it together with the windows that were kept so far.
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

/// Generates special days near the requested dates. Their windows replace the weekly windows.
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

/// Generates buffers, minimum notice, maximum advance, and the terms of the requester.
fn limits() -> impl Strategy<Value = ((i64, i64), i64, Option<i64>, Terms)> {
    let notice = prop_oneof![2 => Just(0), 1 => select(vec![15, 60, 120, 1_440]), 1 => 0_i64..10_000];
    let advance = prop_oneof![2 => Just(None), 1 => (1_i64..9).prop_map(Some)];
    let terms = prop_oneof![
        4 => Just(Terms::Integration),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(ignore_buffers, ignore_calendars)| Terms::Team {
            ignore_buffers,
            ignore_calendars,
            any_minute: false,
        }),
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

pub(crate) fn case() -> impl Strategy<Value = Case> {
    let margin = MARGIN_DAYS * DAY_MINUTES;
    (zone_and_date(), 0_u64..7).prop_flat_map(move |((zone, first), more)| {
        let around = (more as i64 + 1) * DAY_MINUTES;
        let staff = (vec(member(), 0..=4), prop::bool::weighted(0.3));
        let starts = || margin - DAY_MINUTES..margin + around + DAY_MINUTES;
        let bookings = vec((0_usize..4, starts(), 5_i64..=600, some_buffers()), 0..40);
        let off = || vec((0_usize..4, starts(), prop_oneof![5_i64..=120, 5_i64..=2_880]), 0..6);
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
        let who = (staff, any::<Option<Index>>(), bookings, off(), off());
        (when, what, who, now, vec(probe, 40)).prop_map(move |(when, what, who, now, probes)| {
            let (hours, special, breaks) = when;
            let (duration, (buffers, min_notice, max_advance, terms)) = what;
            let ((mut staff, have_same_hours), asked, bookings, off, calendars) = who;
            if let Some((first, others)) = staff.split_first_mut().filter(|_| have_same_hours) {
                others.iter_mut().for_each(|other| other.hours.clone_from(&first.hours));
            }
            // Only staff members who offer the service are requested. A request for another staff member is refused
            // before any time is checked.
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
                calendars,
                now,
                probes,
            }
        })
    })
}
