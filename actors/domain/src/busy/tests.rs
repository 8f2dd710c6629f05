use uuid::Uuid;

use super::*;

impl Busy {
    pub(crate) fn len(&self) -> usize {
        self.by_staff.values().map(BTreeMap::len).sum()
    }

    /// True if the staff member can be booked in `[start, end)`. The appointment `except` is ignored.
    fn is_free(
        &self,
        staff: StaffId,
        start: Timestamp,
        end: Timestamp,
        except: Option<AppointmentId>,
    ) -> bool {
        meets(&self.for_all, start, end).is_none() && self.has_none(staff, start, end, except)
    }
}

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_millis(minutes * 60_000)
}

fn staff(number: u128) -> StaffId {
    Uuid::from_u128(number).into()
}

fn id(number: u128) -> AppointmentId {
    Uuid::from_u128(number).into()
}

fn buffers((before, after): (u32, u32)) -> Buffers {
    Buffers::new(before, after).unwrap()
}

fn hold(number: u128, start: i64, end: i64, around: (u32, u32)) -> Hold {
    let service = Uuid::from_u128(99).into();
    Hold { id: id(number), start: at(start), end: at(end), service, buffers: buffers(around) }
}

fn wanted(minutes: i64, around: Option<(u32, u32)>) -> BusyQuery {
    BusyQuery::new(TimeDelta::minutes(minutes), around.map(buffers))
}

/// Looks up one time, and returns the conflict that is found.
fn clash(busy: &Busy, number: u128, (start, end): (i64, i64), around: Option<(u32, u32)>) -> Option<Clash> {
    busy.cursor(staff(number)).clash(at(start), &wanted(end - start, around)).map(|(clash, _)| clash)
}

fn held(spans: &[(i64, i64)]) -> Busy {
    let mut busy = Busy::default();
    for (number, (start, end)) in (1..).zip(spans) {
        busy.insert(staff(1), hold(number, *start, *end, (0, 0)));
    }
    busy
}

#[test]
fn an_adjacent_time_is_free_and_an_overlapping_minute_is_not() {
    let busy = held(&[(60, 90), (120, 150)]);
    let free = |start, end| busy.is_free(staff(1), at(start), at(end), None);
    for (start, end) in [(30, 60), (90, 120), (150, 300), (0, 1)] {
        assert!(free(start, end), "{start}-{end}");
    }
    for (start, end) in [(30, 61), (89, 95), (90, 121), (60, 90), (61, 62), (0, 300), (149, 150)] {
        assert!(!free(start, end), "{start}-{end}");
    }
    assert!(busy.is_free(staff(2), at(0), at(300), None));
}

#[test]
fn the_moved_appointment_does_not_conflict_with_itself() {
    let busy = held(&[(60, 90), (90, 120), (120, 150)]);
    let free = |start, end, number| busy.is_free(staff(1), at(start), at(end), Some(id(number)));
    assert!(free(95, 115, 2));
    assert!(free(120, 200, 3));
    assert!(!free(80, 110, 2));
    assert!(!free(95, 125, 2));
    assert!(!free(95, 115, 9));
}

#[test]
fn only_appointments_that_start_in_the_range_count() {
    let busy = held(&[(50, 70), (70, 100), (119, 150), (150, 151)]);
    assert_eq!(busy.minutes_starting_in(staff(1), at(60)..at(120)), 30 + 31);
    assert_eq!(busy.minutes_starting_in(staff(1), at(120)..at(60)), 0);
    assert_eq!(busy.minutes_starting_in(staff(1), at(70)..at(70)), 0);
    assert_eq!(busy.minutes_starting_in(staff(2), at(60)..at(120)), 0);
}

#[test]
fn only_appointments_that_start_at_the_instant_are_found() {
    let mut busy = held(&[(60, 90), (90, 120)]);
    busy.insert(staff(2), hold(7, 60, 120, (0, 0)));
    let starting = |minute| {
        let mut found: Vec<_> = busy.starting_at(at(minute)).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(starting(60), [(staff(1), id(1)), (staff(2), id(7))]);
    assert_eq!(starting(90), [(staff(1), id(2))]);
    assert_eq!(starting(61), []);
}

#[test]
fn a_removed_time_is_free_again_and_the_past_is_forgotten() {
    let mut busy = held(&[(60, 90), (90, 120), (120, 150)]);
    busy.remove(staff(1), at(90), id(2));
    assert!(busy.is_free(staff(1), at(90), at(120), None));
    assert_eq!(busy.len(), 2);
    busy.forget_before(at(120));
    assert_eq!(busy.len(), 1);
    assert!(!busy.is_free(staff(1), at(120), at(121), None));
    busy.forget_before(at(121));
    assert_eq!(busy.len(), 0);
}

#[test]
#[should_panic(expected = "overlaps another")]
fn two_appointments_of_one_staff_member_never_overlap() {
    held(&[(60, 90), (89, 100)]);
}

#[test]
#[should_panic(expected = "not after its start")]
fn an_appointment_is_never_empty() {
    held(&[(60, 60)]);
}

#[test]
#[should_panic(expected = "is not in the index")]
fn removing_an_unknown_appointment_panics() {
    held(&[(60, 90)]).remove(staff(1), at(60), id(2));
}

#[test]
fn the_buffers_of_neighbours_add_up_to_the_minute() {
    let mut busy = Busy::default();
    busy.insert(staff(1), hold(1, 600, 630, (20, 10)));
    let clash = |start, end, around| clash(&busy, 1, (start, end), Some(around));
    assert_eq!(clash(645, 660, (5, 0)), None);
    assert_eq!(clash(644, 660, (5, 0)), Some(Clash::Buffer));
    assert_eq!(clash(640, 660, (0, 240)), None);
    assert_eq!(clash(639, 660, (0, 0)), Some(Clash::Buffer));
    assert_eq!(clash(500, 570, (0, 10)), None);
    assert_eq!(clash(500, 571, (0, 10)), Some(Clash::Buffer));
    assert_eq!(clash(500, 601, (0, 0)), Some(Clash::Appointment));
    assert_eq!(clash(629, 700, (0, 0)), Some(Clash::Appointment));
    let moved = wanted(30, Some((9, 9))).except(Some(id(1)));
    assert_eq!(busy.cursor(staff(1)).clash(at(600), &moved), None);
    assert_eq!(busy.cursor(staff(2)).clash(at(600), &wanted(30, Some((9, 9)))), None);
}

#[test]
fn a_long_buffer_extends_beyond_an_appointment_inside_it() {
    let mut busy = Busy::default();
    busy.insert(staff(1), hold(1, 600, 630, (0, 240)));
    busy.insert(staff(1), hold(2, 630, 640, (0, 0)));
    busy.insert(staff(1), hold(3, 990, 1000, (0, 0)));
    busy.insert(staff(1), hold(4, 1000, 1030, (200, 0)));
    let clash = |start, end| clash(&busy, 1, (start, end), Some((0, 0)));
    assert_eq!(clash(869, 880), Some(Clash::Buffer), "the buffer of the first appointment ends at 870");
    assert_eq!(clash(800, 801), Some(Clash::Buffer), "the buffer of the last appointment begins at 800");
    assert_eq!(clash(300, 600), None);
    assert_eq!(clash(1030, 1040), None);
}

#[test]
fn a_time_blocked_for_all_conflicts_with_every_staff_member_and_buffer() {
    let mut busy = held(&[(60, 90)]);
    busy.hold_for_all(at(80), at(120));
    for (number, start, end, around, expected) in [
        (1, 90, 100, (0, 0), Some(Clash::Appointment)),
        (2, 119, 130, (0, 0), Some(Clash::Appointment)),
        (2, 120, 130, (0, 0), None),
        (2, 130, 140, (11, 0), Some(Clash::Buffer)),
        (2, 60, 75, (0, 6), Some(Clash::Buffer)),
        (2, 60, 75, (0, 5), None),
    ] {
        assert_eq!(clash(&busy, number, (start, end), Some(around)), expected, "{start}-{end}");
    }
    assert!(!busy.is_free(staff(2), at(90), at(100), None) && busy.is_free(staff(2), at(120), at(130), None));
    // An appointment may be added during a time that is blocked for all staff members.
    busy.insert(staff(2), hold(9, 100, 110, (0, 0)));
    busy.forget_before(at(119));
    assert!(!busy.is_free(staff(2), at(119), at(120), None));
    busy.forget_before(at(120));
    assert!(busy.is_free(staff(2), at(119), at(120), None));
}

#[test]
fn appointments_that_overlap_the_range_are_included() {
    let busy = held(&[(0, 60), (60, 90), (120, 150)]);
    let ids = |from, to, of| -> Vec<AppointmentId> {
        busy.meeting(at(from)..at(to), of).map(|(_, hold)| hold.id).collect()
    };
    assert_eq!(ids(60, 1_000, None), [id(2), id(3)]);
    assert_eq!(ids(89, 121, Some(staff(1))), [id(2), id(3)]);
    assert_eq!(ids(89, 120, None), [id(2)]);
    assert_eq!(ids(90, 1_000, None), [id(3)]);
    assert_eq!(ids(0, 1_000, Some(staff(2))), []);
    assert_eq!(
        (ids(130, 130, None), ids(140, 130, None)),
        (vec![], vec![]),
        "an empty range must contain no appointment"
    );
}

/// Returns an index with appointments that touch, are far apart, are long or have overlapping buffers. Some times are
/// blocked for all staff members.
fn many() -> Busy {
    let mut busy = Busy::default();
    let mut start = 0;
    for number in 0..300_u128 {
        let nth = i64::try_from(number).unwrap();
        start += [0, 5, 30, 0, 200, 45, 0][number as usize % 7];
        let end = start + [30, 15, 60, 5, 600, 30][number as usize % 6];
        let around = (u32::try_from(nth * 7 % 40).unwrap(), u32::try_from(nth * 11 % 90).unwrap());
        busy.insert(staff(1), hold(number, start, end, around));
        start = end;
    }
    for nth in 0..9 {
        busy.hold_for_all(at(nth * 3_000), at(nth * 3_000 + 40 + nth * 10));
    }
    busy
}

#[test]
fn results_do_not_depend_on_earlier_queries() {
    let busy = many();
    for asked in [wanted(30, None), wanted(45, Some((10, 15))), wanted(5, Some((0, 240)))] {
        let mut along = busy.cursor(staff(1));
        let far = (0..400).map(|nth| nth * 9_973 % 33_000 - 500);
        for minute in (-500..33_000).step_by(5).chain((0..33_000).rev().step_by(301)).chain(far) {
            let fresh = busy.cursor(staff(1)).clash(at(minute), &asked);
            assert_eq!(along.clash(at(minute), &asked), fresh, "{minute}");
        }
    }
}

#[test]
fn no_appointment_can_start_before_the_end_of_a_conflict() {
    let busy = many();
    let mut seen = 0;
    for asked in [wanted(30, None), wanted(45, Some((10, 15))), wanted(5, Some((240, 0)))] {
        for minute in (-300..33_000).step_by(7) {
            let Some((_, until)) = busy.cursor(staff(1)).clash(at(minute), &asked) else { continue };
            assert!(until > at(minute), "{minute}");
            let later = (1..).map(|more| at(minute + more)).take_while(|later| *later < until);
            for start in later {
                assert!(busy.cursor(staff(1)).clash(start, &asked).is_some(), "{minute} {start}");
                seen += 1;
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}
