//! A business in memory, as the input of the rules.

use std::collections::BTreeMap;

use chrono::{NaiveDate, TimeDelta};
use domain::availability::{Schedule, Slot, Terms};
use domain::{
    Blocked, BlockedKey, BookingMode, Buffers, Business, Busy, Day, DayHours, DayWindows, Hold, LocalTime,
    LocalWindow, Locale, Service, ServiceId, SpecialDay, SpecialDays, StaffHours, StaffId, StaffMember,
    Timestamp, WeeklyBreaks,
};
use uuid::Uuid;

use crate::support::always;

pub(crate) const STAFF: [usize; 3] = [1, 10, 100];
const UPCOMING: [usize; 3] = [0, 1_000, 100_000];
pub(crate) const SERVICE_MINUTES: u32 = 30;

pub(crate) fn now() -> Timestamp {
    Timestamp::parse("2026-03-02T08:00:00Z").unwrap()
}

/// Returns a Monday. Clocks change on Sunday, the 29th of the same month.
pub(crate) fn first_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 23).unwrap()
}

pub(crate) fn id<I: From<Uuid>>(number: usize) -> I {
    Uuid::from_u128(number as u128).into()
}

/// Returns the buffers that [`World::with_diary`] gives to each service.
pub(crate) fn diary_buffers() -> Buffers {
    Buffers::new(10, 15).unwrap()
}

/// A business with staff members. From the first day on, every other half hour of each member is booked.
pub(crate) struct World {
    business: Business,
    services: BTreeMap<ServiceId, Box<Service>>,
    staff: BTreeMap<StaffId, Box<StaffMember>>,
    special: SpecialDays,
    busy: Busy,
    blocked: Blocked,
}

impl World {
    pub(crate) fn new(staff: usize, upcoming: usize) -> Self {
        let business = Business {
            id: id(1),
            name: "Salon Lumière".into(),
            zone: chrono_tz::Europe::Paris,
            locale: Locale::Fr,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: always(),
            breaks: WeeklyBreaks::default(),
            phone_region: "FR".into(),
            suspended: false,
            customer_word: domain::CustomerWord::Client,
            grid_minutes: domain::GRID_MINUTES_DEFAULT,
            created_at: now(),
            updated_at: now(),
        };
        let service = Service {
            id: id(2),
            name: "Coupe".into(),
            description: String::new(),
            duration_minutes: SERVICE_MINUTES,
            active: true,
            buffers: Buffers::default(),
            min_notice_minutes: 0,
            max_advance_days: None,
            price: None,
            category: None,
            position: 0,
            color: None,
            created_at: now(),
            updated_at: now(),
        };
        let member = |number: usize| StaffMember {
            id: id(100 + number),
            name: format!("Personne {number}"),
            active: true,
            zone: chrono_tz::Europe::Paris,
            service_ids: vec![service.id],
            hours: None,
            position: 0,
            color: None,
            created_at: now(),
            updated_at: now(),
        };
        let mut busy = Busy::default();
        let first = first_day().and_hms_opt(0, 0, 0).unwrap().and_utc().timestamp_millis();
        for number in 0..upcoming {
            let start = Timestamp::from_millis(first) + TimeDelta::hours((number / staff) as i64);
            let end = start + TimeDelta::minutes(i64::from(SERVICE_MINUTES));
            let (service, buffers) = (id(2), Buffers::default());
            busy.insert(
                id(100 + number % staff),
                Hold { id: id(1_000 + number), start, end, service, buffers },
            );
        }
        let staff = (0..staff).map(member).map(|member| (member.id, Box::new(member))).collect();
        let services = BTreeMap::from([(service.id, Box::new(service))]);
        Self { business, services, staff, special: SpecialDays::new(), busy, blocked: Blocked::default() }
    }

    /// Adds half-hour appointments on the days around the first day. There are 1 to 2½ hours between their starts, so
    /// that there is room for buffers. `buffers` are the buffers of these appointments.
    pub(crate) fn with_appointments(mut self, buffers: Buffers) -> Self {
        let mut number = 0;
        for (nth, staff) in self.staff.keys().enumerate() {
            let mut start = Timestamp::from_millis(
                (first_day() - TimeDelta::days(3)).and_hms_opt(0, 0, 0).unwrap().and_utc().timestamp_millis(),
            );
            let last = start + TimeDelta::days(14);
            while start < last {
                number += 1;
                let end = start + TimeDelta::minutes(i64::from(SERVICE_MINUTES));
                self.busy
                    .insert(*staff, Hold { id: id(1_000 + number), start, end, service: id(2), buffers });
                start = end + TimeDelta::minutes(60 + 30 * ((number * 7 + nth * 5) % 4) as i64);
            }
        }
        self
    }

    /// Adds breaks, special days, staff hours, time off, buffers, a minimum notice and a maximum advance.
    pub(crate) fn with_diary(mut self) -> Self {
        let daily = |open: u16, close: u16| -> Vec<DayHours> {
            let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
            Day::ALL.iter().map(|day| DayHours { day: *day, open: time(open), close: time(close) }).collect()
        };
        self.business.breaks = WeeklyBreaks::new([daily(720, 780), daily(180, 190)].concat()).unwrap();
        let windows = vec![
            LocalWindow { open: daily(0, 600)[0].open, close: daily(0, 600)[0].close },
            LocalWindow { open: daily(660, 1_440)[0].open, close: daily(660, 1_440)[0].close },
        ];
        for ahead in [1, 4] {
            let date = first_day() + TimeDelta::days(ahead);
            let hours = DayWindows::new(windows.clone()).unwrap();
            let day = SpecialDay { date, hours, note: None, created_at: now(), updated_at: now() };
            self.special.insert(date, day);
        }
        let hours = StaffHours::new([daily(0, 720), daily(720, 1_430)].concat()).unwrap();
        for (number, member) in self.staff.values_mut().enumerate() {
            member.hours = Some(hours.clone());
            for off in 0..10 {
                let starts_at = now() + TimeDelta::days(10 * off + number as i64 % 9);
                let key = BlockedKey { staff_id: member.id, starts_at, id: id(50_000 + off as usize) };
                self.blocked.insert(key, starts_at + TimeDelta::days(1));
            }
        }
        for service in self.services.values_mut() {
            service.buffers = diary_buffers();
            service.min_notice_minutes = 60;
            service.max_advance_days = Some(90);
        }
        self
    }

    pub(crate) fn slots(&self, service: ServiceId, days: (NaiveDate, NaiveDate)) -> Vec<Slot> {
        self.schedule().slots(service, None, days, Terms::Integration).unwrap()
    }

    pub(crate) fn schedule(&self) -> Schedule<'_> {
        let Self { business, services, staff, special, busy, blocked } = self;
        Schedule { business, special, services, staff, busy, blocked, now: now() }
    }
}

/// Returns a business for each combination of a number of staff members and a number of appointments.
pub(crate) fn worlds() -> impl Iterator<Item = (String, World)> {
    let pairs = STAFF.iter().flat_map(|staff| UPCOMING.iter().map(move |upcoming| (*staff, *upcoming)));
    pairs
        .map(|(staff, upcoming)| (format!("{staff} staff, {upcoming} upcoming"), World::new(staff, upcoming)))
}
