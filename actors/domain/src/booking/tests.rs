mod team;

use std::collections::BTreeMap;

use super::*;
use crate::{
    Blocked, Buffers, Business, Busy, Day, DayHours, LocalTime, Locale, Named, Service, SlotReason,
    SpecialDays, StaffMember, WeeklyBreaks, WeeklyHours,
};

/// A business that is open every day from 09:00 to 18:00 UTC, with a one-hour service and two staff members.
struct Shop {
    business: Business,
    services: BTreeMap<ServiceId, Box<Service>>,
    staff: BTreeMap<StaffId, Box<StaffMember>>,
    special: SpecialDays,
    busy: Busy,
    blocked: Blocked,
}

const ANYONE: Party = Party::Integration { allow_pending: true };
const TEAM: Party = Party::Team { ignore_buffers: false, ignore_calendars: false, any_minute: false };
const STRICT: Party = Party::Integration { allow_pending: false };

fn id<I: From<uuid::Uuid>>(n: u128) -> I {
    uuid::Uuid::from_u128(n).into()
}

/// Returns this hour of Monday, 2 March 2026, in UTC.
fn hour(hour: i64) -> Timestamp {
    Timestamp::from_millis(1_772_409_600_000 + hour * 3_600_000)
}

fn shop(booking_mode: BookingMode) -> Shop {
    let window = |day| DayHours {
        day,
        open: LocalTime::parse("09:00").unwrap(),
        close: LocalTime::parse("18:00").unwrap(),
    };
    let stamps = (hour(0), hour(0));
    let business = Business {
        id: id(1),
        name: "Shop".into(),
        zone: chrono_tz::UTC,
        locale: Locale::En,
        website_url: None,
        booking_mode,
        hours: WeeklyHours::new(Day::ALL.iter().copied().map(window).collect()).unwrap(),
        breaks: WeeklyBreaks::default(),
        phone_region: "US".into(),
        suspended: false,
        customer_word: crate::CustomerWord::Client,
        grid_minutes: crate::GRID_MINUTES_DEFAULT,
        created_at: stamps.0,
        updated_at: stamps.1,
    };
    let service = Service {
        id: id(10),
        name: "Cut".into(),
        description: String::new(),
        duration_minutes: 60,
        active: true,
        buffers: Buffers::default(),
        min_notice_minutes: 0,
        max_advance_days: None,
        price: None,
        category: None,
        position: 0,
        color: None,
        created_at: stamps.0,
        updated_at: stamps.1,
    };
    let member = |n: u128| StaffMember {
        id: id(n),
        name: format!("Staff {n}"),
        active: true,
        zone: chrono_tz::UTC,
        service_ids: vec![service.id],
        hours: None,
        position: 0,
        color: None,
        created_at: stamps.0,
        updated_at: stamps.1,
    };
    let staff = [20, 21].map(|n| (id(n), Box::new(member(n)))).into();
    Shop {
        business,
        services: [(service.id, Box::new(service))].into(),
        staff,
        special: SpecialDays::new(),
        busy: Busy::default(),
        blocked: Blocked::default(),
    }
}

impl Shop {
    fn schedule(&self) -> Schedule<'_> {
        Schedule {
            business: &self.business,
            special: &self.special,
            services: &self.services,
            staff: &self.staff,
            busy: &self.busy,
            blocked: &self.blocked,
            now: hour(8),
        }
    }

    fn book(
        &mut self,
        n: u128,
        at: Timestamp,
        party: Party,
    ) -> Result<(Appointment, Option<EventType>), Refusal> {
        let request = BookRequest {
            service_id: id(10),
            starts_at: at,
            staff_id: None,
            source: Source::Api,
            party,
            duration: None,
        };
        let booked = book(&self.schedule(), &request, id(n), id(30), hour(8))?;
        let (appointment, _) = &booked;
        self.busy.insert(appointment.staff_id, appointment.into());
        Ok(booked)
    }

    fn reschedule(&self, before: &Appointment, to: Timestamp, party: Party) -> Result<Outcome, Refusal> {
        reschedule(
            &self.schedule(),
            before,
            &MoveRequest { starts_at: to, staff_id: None, party, duration: None },
            hour(8),
        )
    }
}

fn changed(outcome: Outcome) -> (Appointment, Option<EventType>) {
    match outcome {
        Outcome::Changed { after, event } => (after, event),
        Outcome::Unchanged => panic!("nothing changed"),
    }
}

#[test]
fn the_booking_mode_applies_to_integrations_only() {
    use AppointmentStatus::{Confirmed, Pending};
    let status = |mode, party| shop(mode).book(1, hour(9), party).map(|(appointment, _)| appointment.status);
    assert_eq!(status(BookingMode::Instant, STRICT), Ok(Confirmed));
    assert_eq!(status(BookingMode::Request, STRICT), Err(Refusal::BookingRequiresConfirmation));
    assert_eq!(status(BookingMode::Request, ANYONE), Ok(Pending));
    assert_eq!(status(BookingMode::Off, ANYONE), Err(Refusal::BookingDisabled));
    for mode in BookingMode::ALL {
        assert_eq!(status(*mode, TEAM), Ok(Confirmed));
    }
}

#[test]
fn a_pending_request_blocks_its_time_and_is_announced_when_it_is_confirmed() {
    let mut shop = shop(BookingMode::Request);
    let (pending, event) = shop.book(1, hour(9), ANYONE).unwrap();
    assert_eq!(event, None);
    shop.book(2, hour(9), ANYONE).unwrap();
    assert_eq!(shop.book(3, hour(9), ANYONE), Err(Refusal::SlotUnavailable(SlotReason::Taken)));
    let (confirmed, event) = changed(confirm(&pending, hour(8)).unwrap());
    assert_eq!(event, Some(EventType::AppointmentBooked));
    assert_eq!(confirm(&confirmed, hour(8)), Ok(Outcome::Unchanged));
}

#[test]
fn a_move_that_needs_confirmation_is_announced_when_it_is_confirmed() {
    let mut shop = shop(BookingMode::Request);
    let (booked, event) = shop.book(1, hour(9), TEAM).unwrap();
    assert_eq!(event, Some(EventType::AppointmentBooked));
    let (moved, event) = changed(shop.reschedule(&booked, hour(10), ANYONE).unwrap());
    assert_eq!((moved.status, event), (AppointmentStatus::Pending, None));
    let (_, event) = changed(confirm(&moved, hour(8)).unwrap());
    assert_eq!(event, Some(EventType::AppointmentRescheduled));
    let (declined, event) = changed(decline(&moved, hour(8)).unwrap());
    assert_eq!(
        (declined.status, event),
        (AppointmentStatus::Declined, Some(EventType::AppointmentCancelled))
    );
    let (moved, event) = changed(shop.reschedule(&booked, hour(10), TEAM).unwrap());
    assert_eq!(
        (moved.status, event),
        (AppointmentStatus::Confirmed, Some(EventType::AppointmentRescheduled))
    );
}

#[test]
fn an_unannounced_request_ends_without_an_event() {
    let mut shop = shop(BookingMode::Request);
    let (pending, _) = shop.book(1, hour(9), ANYONE).unwrap();
    assert_eq!(changed(cancel(&pending, hour(8))).1, None);
    assert_eq!(changed(decline(&pending, hour(8)).unwrap()).1, None);
    let (moved, event) = changed(shop.reschedule(&pending, hour(10), TEAM).unwrap());
    assert_eq!((moved.status, event), (AppointmentStatus::Confirmed, Some(EventType::AppointmentBooked)));
}

#[test]
fn a_final_status_never_changes() {
    let mut shop = shop(BookingMode::Instant);
    let (booked, _) = shop.book(1, hour(9), STRICT).unwrap();
    let (cancelled, event) = changed(cancel(&booked, hour(8)));
    assert_eq!(event, Some(EventType::AppointmentCancelled));
    assert_eq!(cancel(&cancelled, hour(9)), Outcome::Unchanged);
    assert!(matches!(
        shop.reschedule(&cancelled, cancelled.starts_at, STRICT),
        Err(Refusal::Conflict { .. })
    ));
    assert!(matches!(confirm(&cancelled, hour(8)), Err(Refusal::Conflict { .. })));
    assert!(matches!(decline(&cancelled, hour(8)), Err(Refusal::Conflict { .. })));
    assert!(matches!(decline(&booked, hour(8)), Err(Refusal::Conflict { .. })));
    let over = Appointment { starts_at: hour(6), ends_at: hour(7), ..booked };
    assert!(matches!(shop.reschedule(&over, hour(10), STRICT), Err(Refusal::Conflict { .. })));
    assert!(matches!(cancel(&over, hour(8)), Outcome::Changed { .. }), "a past appointment can be cancelled");
}

#[test]
fn a_move_keeps_id_staff_and_duration_and_does_not_conflict_with_itself() {
    let mut shop = shop(BookingMode::Instant);
    let (booked, _) = shop.book(1, hour(9), STRICT).unwrap();
    shop.services.get_mut(&id(10)).unwrap().duration_minutes = 30;
    let half_past = hour(9) + chrono::TimeDelta::minutes(30);
    let (moved, event) = changed(shop.reschedule(&booked, half_past, STRICT).unwrap());
    assert_eq!((moved.id, moved.staff_id, moved.duration()), (booked.id, booked.staff_id, booked.duration()));
    assert_eq!(event, Some(EventType::AppointmentRescheduled));
    shop.business.booking_mode = BookingMode::Off;
    assert_eq!(shop.reschedule(&booked, booked.starts_at, STRICT), Ok(Outcome::Unchanged));
    assert_eq!(shop.reschedule(&booked, half_past, STRICT), Err(Refusal::BookingDisabled));
}

#[test]
fn the_times_listed_for_a_move_are_exactly_those_that_a_move_accepts() {
    let mut shop = shop(BookingMode::Instant);
    let (booked, _) = shop.book(1, hour(9), STRICT).unwrap();
    let (_, _) = shop.book(2, hour(9), STRICT).unwrap();
    let beside = shop.book(3, hour(11), STRICT).unwrap().0;
    assert_eq!(beside.staff_id, booked.staff_id);
    let day = booked.starts_at.utc().date_naive();
    let terms = STRICT.terms();
    let listed = shop.schedule().slots_to_move(&booked, booked.staff_id, (day, day), terms, None).unwrap();
    let listed: Vec<Timestamp> = listed.into_iter().map(|slot| slot.starts_at).collect();
    let half_hours =
        (0..48).map(|half| day.and_hms_opt(half / 2, half % 2 * 30, 0).unwrap().and_utc().into());
    let can: Vec<Timestamp> = half_hours
        .filter(|to| matches!(shop.reschedule(&booked, *to, STRICT), Ok(Outcome::Changed { .. })))
        .collect();
    assert_eq!(listed, can);
    assert!(
        listed.contains(&(hour(9) + chrono::TimeDelta::minutes(30))),
        "an appointment must not conflict with itself"
    );
}

#[test]
fn every_problem_of_a_request_is_named() {
    let mut shop = shop(BookingMode::Instant);
    let far = Timestamp::parse("2200-01-01T09:00:00Z").unwrap();
    let request = BookRequest {
        service_id: id(11),
        starts_at: far,
        staff_id: Some(id(22)),
        source: Source::Api,
        party: STRICT,
        duration: None,
    };
    let others = vec![Problem::new("contact_id", ProblemCode::NotOfTheBusiness(Named::Contact))];
    let Err(Refusal::Invalid(problems)) = check_booking(&shop.schedule(), &request, others) else {
        panic!("the booking was accepted");
    };
    let paths: Vec<_> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["starts_at", "service_id", "staff_id", "contact_id"]);
    let (booked, _) = shop.book(1, hour(9), STRICT).unwrap();
    let to = MoveRequest { starts_at: far, staff_id: Some(id(22)), party: STRICT, duration: None };
    let Err(Refusal::Invalid(problems)) = reschedule(&shop.schedule(), &booked, &to, hour(8)) else {
        panic!("the move was accepted");
    };
    assert_eq!(problems.len(), 1);
}

#[test]
fn buffers_are_fixed_when_booked_and_a_move_keeps_them() {
    let mut shop = shop(BookingMode::Instant);
    let buffers = Buffers::new(15, 60).unwrap();
    shop.services.get_mut(&id(10)).unwrap().buffers = buffers;
    shop.staff.remove(&id(21));
    let (booked, _) = shop.book(1, hour(9), STRICT).unwrap();
    assert_eq!(booked.buffers, buffers);
    shop.services.get_mut(&id(10)).unwrap().buffers = Buffers::default();
    assert_eq!(shop.book(2, hour(10), TEAM), Err(Refusal::SlotUnavailable(SlotReason::Buffer)));
    let refused = shop.book(2, hour(10), STRICT);
    assert_eq!(
        refused,
        Err(Refusal::SlotUnavailable(SlotReason::Taken)),
        "an integration must see the reason `taken` instead of `buffer`"
    );
    let squeezed = shop
        .book(2, hour(10), Party::Team { ignore_buffers: true, ignore_calendars: false, any_minute: false })
        .unwrap()
        .0;
    assert_eq!(squeezed.buffers, Buffers::default());
    assert_eq!(
        shop.book(
            3,
            hour(9),
            Party::Team { ignore_buffers: true, ignore_calendars: false, any_minute: false }
        )
        .unwrap_err(),
        Refusal::SlotUnavailable(SlotReason::Taken),
        "appointments must not overlap, even when buffers are ignored"
    );
    let (moved, _) = changed(shop.reschedule(&booked, hour(14), STRICT).unwrap());
    assert_eq!(moved.buffers, buffers);
    assert_eq!(
        shop.reschedule(&booked, hour(11), STRICT),
        Err(Refusal::SlotUnavailable(SlotReason::Taken)),
        "the buffer of 15 minutes before 11:00 overlaps another appointment"
    );
}

#[test]
fn notice_and_advance_bind_integrations_and_not_the_team() {
    let mut shop = shop(BookingMode::Instant);
    shop.services.get_mut(&id(10)).unwrap().min_notice_minutes = 120;
    shop.services.get_mut(&id(10)).unwrap().max_advance_days = Some(1);
    let refused = |reason| Err(Refusal::SlotUnavailable(reason));
    assert_eq!(shop.book(1, hour(9), STRICT), refused(SlotReason::TooShortNotice));
    assert_eq!(shop.book(1, hour(48 + 9), STRICT), refused(SlotReason::TooFarAhead));
    let (booked, _) = shop.book(1, hour(10), STRICT).unwrap();
    assert_eq!(
        shop.reschedule(&booked, hour(9), STRICT),
        Err(Refusal::SlotUnavailable(SlotReason::TooShortNotice))
    );
    shop.book(2, hour(9), TEAM).unwrap();
    shop.book(3, hour(48 + 9), TEAM).unwrap();
    assert!(shop.reschedule(&booked, hour(48 + 10), TEAM).is_ok());
}
