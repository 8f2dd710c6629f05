//! Converts a test case into the types of the domain crate.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::availability::{Schedule, Slot, SlotRequest};
use domain::{
    Blocked, BlockedKey, BookingMode, Buffers, Business, Busy, DayWindows, Hold, Locale, Service, ServiceId,
    SlotReason, Spans, SpecialDay, SpecialDays, StaffHours, StaffId, StaffMember, Timestamp, WeeklyBreaks,
    WeeklyHours,
};
use uuid::Uuid;

use crate::case::{Case, Member};
use crate::model::{Booking, Model};
use crate::units::{appointment_id, minute, service_id, staff_id};

#[derive(Clone)]
pub(crate) struct World {
    pub(crate) business: Business,
    pub(crate) special: SpecialDays,
    pub(crate) services: BTreeMap<ServiceId, Box<Service>>,
    pub(crate) staff: BTreeMap<StaffId, Box<StaffMember>>,
    pub(crate) busy: Busy,
    pub(crate) blocked: Blocked,
    pub(crate) now: Timestamp,
}

impl World {
    pub(crate) fn new(model: &Model<'_>) -> Self {
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
            customer_word: domain::CustomerWord::Client,
            grid_minutes: domain::GRID_MINUTES_DEFAULT,
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
            category: None,
            position: 0,
            color: None,
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
            position: 0,
            color: None,
            created_at: then,
            updated_at: then,
        };
        let staff =
            case.staff.iter().enumerate().map(member).map(|member| (member.id, Box::new(member))).collect();
        let mut busy = Busy::default();
        for (number, booking) in model.bookings.iter().enumerate() {
            busy.insert(staff_id(booking.staff), hold(number, booking));
        }
        let mut blocked = Blocked::default();
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
        for (number, &(staff, start, minutes)) in case.calendars.iter().enumerate() {
            if !case.staff.is_empty() {
                let start = model.origin + start;
                let busy = Spans::merge(vec![minute(start)..minute(start + minutes)]);
                let calendar = Uuid::from_u128(number as u128).into();
                blocked.set_calendar(staff_id(staff % case.staff.len()), calendar, busy);
            }
        }
        let special = case.special.iter().map(|(days, windows)| {
            let date = case.first + TimeDelta::days(*days);
            let hours = DayWindows::new(windows.clone()).unwrap();
            (date, SpecialDay { date, hours, note: None, created_at: then, updated_at: then })
        });
        let services = [(service.id, Box::new(service))].into();
        Self { business, special: special.collect(), services, staff, busy, blocked, now: model.now }
    }

    pub(crate) fn schedule(&self) -> Schedule<'_> {
        let Self { business, special, services, staff, busy, blocked, now } = self;
        Schedule { business, special, services, staff, busy, blocked, now: *now }
    }

    pub(crate) fn slots(&self, case: &Case) -> Vec<Slot> {
        let days = (case.first, case.last);
        self.schedule().slots(service_id(), case.asked.map(staff_id), days, case.terms).unwrap()
    }

    pub(crate) fn assign(&self, case: &Case, start: Timestamp) -> Result<StaffId, SlotReason> {
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
}

fn buffers((before, after): (i64, i64)) -> Buffers {
    Buffers::new(u32::try_from(before).unwrap(), u32::try_from(after).unwrap()).unwrap()
}

pub(crate) fn hold(number: usize, booking: &Booking) -> Hold {
    let (start, end) = (minute(booking.start), minute(booking.end));
    let buffers = buffers(booking.buffers);
    Hold { id: appointment_id(number), start, end, service: service_id(), buffers }
}
