//! Rules of the team.

use super::*;

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
