//! Rules of the team: attendance, durations, and times that are not bookable.

use super::*;

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
    /// Changes the start and the duration, in minutes, of an appointment.
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
    // A later move keeps the changed duration.
    let (moved, _) = changed(shop.reschedule(&longer, hour(14), TEAM).unwrap());
    assert_eq!(moved.ends_at, hour(16));
}
