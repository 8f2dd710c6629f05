//! Tests the rules for the team: attendance, durations, and times that are not bookable.

use super::*;
use crate::availability::{Overridden, Slot};
use crate::{BlockedKey, DayWindows, Hold, LocalWindow, SpecialDay};

const MINUTE: TimeDelta = TimeDelta::minutes(1);

#[test]
fn attendance_belongs_to_confirmed_appointments_from_their_day_or_start_on() {
    use AppointmentStatus::{Cancelled, Confirmed, Declined, Pending};
    use Attendance::{Arrived, Completed, NoShow};
    let mut shop = shop(BookingMode::Instant);
    shop.business.zone = chrono_tz::Europe::Paris;
    let (booked, _) = shop.book(1, hour(24 + 9), TEAM).unwrap();
    let check = |status, attendance, now| {
        let schedule = Schedule { now, ..shop.schedule() };
        check_attendance(&schedule, &Appointment { status, ..booked.clone() }, attendance).is_ok()
    };
    for attendance in Attendance::ALL.iter().copied() {
        for status in [Pending, Declined, Cancelled] {
            assert!(!check(status, attendance, hour(48)), "{status} {attendance}");
        }
    }
    for (attendance, from) in [(Arrived, hour(23)), (Completed, hour(33)), (NoShow, hour(33))] {
        let too_early = Timestamp::from_millis(from.millis() - 1);
        assert!(!check(Confirmed, attendance, too_early), "{attendance}");
        assert!(check(Confirmed, attendance, from), "{attendance}");
        assert!(check(Confirmed, attendance, hour(10_000)), "{attendance}");
    }
}

#[test]
fn moves_and_cancellations_remove_the_attendance() {
    let mut shop = shop(BookingMode::Instant);
    let (booked, _) = shop.book(1, hour(9), TEAM).unwrap();
    let attended = Appointment { attendance: Some(Attendance::Arrived), ..booked };
    assert_eq!(shop.reschedule(&attended, hour(9), TEAM), Ok(Outcome::Unchanged));
    assert_eq!(confirm(&attended, hour(9)), Ok(Outcome::Unchanged));
    for outcome in [shop.reschedule(&attended, hour(10), TEAM).unwrap(), cancel(&attended, hour(9))] {
        assert_eq!(changed(outcome).0.attendance, None);
    }
}

impl Shop {
    /// Changes the start and the duration of an appointment. The duration is in minutes.
    fn resize(
        &self,
        before: &Appointment,
        (to, minutes): (Timestamp, i64),
        party: Party,
    ) -> Result<Outcome, Refusal> {
        let duration = Some(MINUTE * i32::try_from(minutes).unwrap());
        let request = MoveRequest { starts_at: to, staff_id: Some(before.staff_id), party, duration };
        reschedule(&self.schedule(), before, &request, hour(8))
    }
}

#[test]
fn the_team_sets_the_duration_within_bookable_time() {
    let mut shop = shop(BookingMode::Instant);
    shop.staff.remove(&id(21));
    let request = |from, minutes| BookRequest {
        service_id: id(10),
        starts_at: from,
        staff_id: None,
        source: Source::Dashboard,
        party: TEAM,
        duration: Some(TimeDelta::minutes(minutes)),
    };
    let booked = |shop: &Shop, from, minutes| {
        book(&shop.schedule(), &request(from, minutes), id(9), id(30), hour(8))
            .map(|(booked, _)| booked.ends_at)
    };
    let refused = |reason| Err(Refusal::SlotUnavailable(reason));
    assert_eq!(booked(&shop, hour(9), 5), Ok(hour(9) + MINUTE * 5));
    assert_eq!(booked(&shop, hour(9), 540), Ok(hour(18)));
    assert_eq!(booked(&shop, hour(9), 541), refused(SlotReason::OutsideHours));
    let (first, _) = shop.book(1, hour(10), TEAM).unwrap();
    shop.book(2, hour(12), TEAM).unwrap();
    assert_eq!(booked(&shop, hour(9), 61), refused(SlotReason::Taken));
    assert_eq!(shop.resize(&first, (hour(10), 60), TEAM), Ok(Outcome::Unchanged));
    let (longer, event) = changed(shop.resize(&first, (hour(10), 120), TEAM).unwrap());
    assert_eq!((longer.starts_at, longer.ends_at), (hour(10), hour(12)));
    assert_eq!(event, Some(EventType::AppointmentRescheduled));
    let taken = Err(Refusal::SlotUnavailable(SlotReason::Taken));
    assert_eq!(shop.resize(&first, (hour(10), 121), TEAM), taken);
    assert_eq!(
        shop.resize(&first, (hour(11), 60), TEAM).map(|outcome| changed(outcome).0.ends_at),
        Ok(hour(12))
    );
    // An appointment that is moved afterwards keeps the changed duration.
    let (moved, _) = changed(shop.reschedule(&longer, hour(14), TEAM).unwrap());
    assert_eq!(moved.ends_at, hour(16));
}

/// Returns a request that overrides the rules. It books an hour with staff member 20.
fn overriding(starts_at: Timestamp) -> BookRequest {
    BookRequest {
        service_id: id(10),
        starts_at,
        staff_id: Some(id(20)),
        source: Source::Dashboard,
        party: Party::Override,
        duration: None,
    }
}

/// Books with an override, and returns the rules that were overridden.
fn overridden(shop: &Shop, request: &BookRequest) -> Result<Vec<Overridden>, Refusal> {
    let (booked, event) = book(&shop.schedule(), request, id(9), id(30), hour(8))?;
    assert_eq!((booked.status, event), (AppointmentStatus::Confirmed, Some(EventType::AppointmentBooked)));
    assert_eq!(Some(booked.staff_id), request.staff_id);
    let rules = shop.schedule().overridden(&booked);
    let bookable =
        book(&shop.schedule(), &BookRequest { party: TEAM, ..request.clone() }, id(9), id(30), hour(8));
    assert_eq!(rules.is_empty(), bookable.is_ok(), "{rules:?} {bookable:?}");
    Ok(rules)
}

#[test]
fn an_override_lists_each_rule_that_the_time_breaks() {
    use Overridden::{Break, Buffer, Calendar, Grid, OpeningHours, Past, StaffHours, TimeOff};
    let mut shop = shop(BookingMode::Off);
    let time = |text| LocalTime::parse(text).unwrap();
    shop.services.get_mut(&id(10)).unwrap().buffers = Buffers::new(30, 0).unwrap();
    shop.services.get_mut(&id(10)).unwrap().min_notice_minutes = 600;
    let window = |open, close| LocalWindow { open: time(open), close: time(close) };
    let date = hour(0).utc().date_naive();
    let at = |hours: i64, minutes: i32| hour(hours) + MINUTE * minutes;
    let check = |shop: &Shop, starts_at, expected: &[Overridden]| {
        assert_eq!(overridden(shop, &overriding(starts_at)).unwrap(), expected, "{starts_at}");
    };
    check(&shop, hour(9), &[]);
    check(&shop, at(9, 1), &[Grid]);
    check(&shop, hour(20), &[OpeningHours]);
    check(&shop, at(17, 30), &[OpeningHours]);
    check(&shop, hour(8), &[Past, OpeningHours]);
    check(&shop, hour(-24 + 9), &[Past]);
    let monday = DayHours { day: Day::Monday, open: time("12:00"), close: time("13:00") };
    shop.business.breaks = WeeklyBreaks::new(vec![monday]).unwrap();
    check(&shop, at(11, 31), &[Break, Grid]);
    let member = shop.staff.get_mut(&id(20)).unwrap();
    member.hours = Some(crate::StaffHours::new(vec![DayHours { open: time("09:00"), ..monday }]).unwrap());
    check(&shop, hour(13), &[StaffHours]);
    shop.blocked.insert(BlockedKey { staff_id: id(20), starts_at: hour(10), id: id(40) }, at(10, 15));
    check(&shop, hour(10), &[TimeOff]);
    check(&shop, at(10, 30), &[Buffer]);
    shop.blocked.set_calendar(id(20), id(41), crate::Spans::merge(vec![at(10, 30)..at(10, 45)]));
    check(&shop, at(10, 30), &[Calendar]);
    check(&shop, hour(10), &[TimeOff, Calendar]);
    shop.blocked.remove_calendar(id(20), id(41));
    shop.busy.insert(id(20), Hold { start: at(8, 0), end: at(8, 45), ..hold(&shop) });
    check(&shop, hour(9), &[Buffer]);
    let hours = DayWindows::new(vec![window("10:00", "11:00")]).unwrap();
    let stamps = (hour(0), hour(0));
    let day = SpecialDay { date, hours, note: None, created_at: stamps.0, updated_at: stamps.1 };
    shop.special.insert(date, day);
    check(&shop, hour(9), &[Overridden::SpecialDay, Buffer]);
}

/// Books an appointment at 14:00 for another contact. Returns its entry for the index of busy times.
fn hold(shop: &Shop) -> Hold {
    let (booked, _) = book(&shop.schedule(), &overriding(hour(14)), id(8), id(31), hour(8)).unwrap();
    (&booked).into()
}

#[test]
fn an_override_keeps_the_rules_of_staff_service_and_overlap() {
    let mut shop = shop(BookingMode::Instant);
    let refused = |reason| Err(Refusal::SlotUnavailable(reason));
    for (request, path) in [
        (BookRequest { staff_id: None, ..overriding(hour(9)) }, "staff_id"),
        (overriding(hour(9) + TimeDelta::seconds(1)), "starts_at"),
        (BookRequest { staff_id: Some(id(22)), ..overriding(hour(9)) }, "staff_id"),
        (BookRequest { service_id: id(11), ..overriding(hour(9)) }, "service_id"),
    ] {
        let Err(Refusal::Invalid(problems)) = overridden(&shop, &request) else { panic!("{request:?}") };
        assert_eq!(problems.into_iter().map(|problem| problem.path).collect::<Vec<_>>(), [path]);
    }
    shop.busy.insert(id(20), Hold { start: hour(6), end: hour(7), ..hold(&shop) });
    for (minutes, is_free) in [(-60, true), (-59, false), (0, false), (59, false), (60, true)] {
        let came = overridden(&shop, &overriding(hour(6) + MINUTE * minutes));
        assert_eq!(came.is_ok(), is_free, "{minutes} {came:?}");
    }
    let other = BookRequest { staff_id: Some(id(21)), ..overriding(hour(6)) };
    assert!(overridden(&shop, &other).is_ok());
    let month = hour(8) - TimeDelta::days(30);
    assert!(overridden(&shop, &overriding(month)).is_ok());
    assert_eq!(overridden(&shop, &overriding(month - MINUTE)), refused(SlotReason::Past));
}

#[test]
fn an_ended_confirmed_appointment_is_moved_only_with_an_override() {
    let mut shop = shop(BookingMode::Instant);
    let (booked, _) = book(&shop.schedule(), &overriding(hour(6)), id(9), id(30), hour(5)).unwrap();
    shop.busy.insert(booked.staff_id, (&booked).into());
    let is_ended = |came: Result<Outcome, Refusal>| {
        matches!(came, Err(Refusal::Conflict { conflict: Conflict::AppointmentEnded, .. }))
    };
    let attended = Appointment { attendance: Some(Attendance::Completed), ..booked.clone() };
    assert!(is_ended(shop.reschedule(&attended, hour(10), TEAM)));
    let (moved, event) = changed(shop.resize(&attended, (hour(6), 90), Party::Override).unwrap());
    assert_eq!((moved.ends_at, moved.attendance), (hour(7) + MINUTE * 30, None));
    assert_eq!(event, Some(EventType::AppointmentRescheduled));
    assert_eq!(shop.schedule().overridden(&moved), [Overridden::Past, Overridden::OpeningHours]);
    let pending = Appointment { status: AppointmentStatus::Pending, ..booked.clone() };
    assert!(is_ended(shop.resize(&pending, (hour(6), 90), Party::Override)));
    let elsewhere =
        MoveRequest { starts_at: hour(6), staff_id: None, party: Party::Override, duration: None };
    let came = reschedule(&shop.schedule(), &booked, &elsewhere, hour(8));
    assert_eq!(came, Err(Refusal::invalid("staff_id", ProblemCode::RequiredWith("override"))));
}

#[test]
fn the_times_listed_for_a_duration_are_exactly_those_that_the_team_can_book() {
    let mut shop = shop(BookingMode::Off);
    let (booked, _) = shop.book(1, hour(10), TEAM).unwrap();
    shop.book(2, hour(13), TEAM).unwrap();
    let day = hour(0).utc().date_naive();
    let (schedule, terms) = (shop.schedule(), TEAM.terms());
    let half_hours: Vec<_> = (0..48).map(|half| hour(0) + MINUTE * 30 * half).collect();
    for minutes in [5, 60, 90, 300] {
        let duration = Some(TimeDelta::minutes(minutes));
        let starts = |slots: Vec<Slot>| slots.into_iter().map(|slot| slot.starts_at).collect::<Vec<_>>();
        let listed = schedule.slots_lasting(id(10), Some(id(20)), (day, day), terms, duration).unwrap();
        let can_book = |starts_at: &Timestamp| {
            let request = BookRequest { party: TEAM, duration, ..overriding(*starts_at) };
            book(&schedule, &request, id(9), id(30), hour(8)).is_ok()
        };
        assert!(!listed.is_empty());
        assert_eq!(starts(listed), half_hours.iter().copied().filter(can_book).collect::<Vec<_>>());
        let listed = schedule.slots_to_move(&booked, booked.staff_id, (day, day), terms, duration).unwrap();
        let can_move = |to: &Timestamp| {
            matches!(shop.resize(&booked, (*to, minutes), TEAM), Ok(Outcome::Changed { .. }))
        };
        assert_eq!(starts(listed), half_hours.iter().copied().filter(can_move).collect::<Vec<_>>());
    }
}

#[test]
fn the_services_that_fit_a_time_have_their_own_durations() {
    let mut shop = shop(BookingMode::Off);
    let longer = Service { id: id(11), duration_minutes: 90, ..*shop.services[&id(10)].clone() };
    let inactive = Service { id: id(12), active: false, ..longer.clone() };
    for service in [longer, inactive] {
        shop.services.insert(service.id, Box::new(service));
    }
    for member in shop.staff.values_mut() {
        member.service_ids.extend([id::<ServiceId>(11), id(12)]);
    }
    let (booked, _) = shop.book(1, hour(10), TEAM).unwrap();
    let fitting = |start, staff| shop.schedule().services_at(start, staff, TEAM.terms());
    assert_eq!(fitting(hour(9), Some(booked.staff_id)), [id(10)]);
    assert_eq!(fitting(hour(9), None), [id(10), id(11)]);
    assert_eq!(fitting(hour(10), Some(booked.staff_id)), []);
    assert_eq!(fitting(hour(7), None), []);
}
