//! Who is busy when: the active (pending or confirmed) appointments of one business, by staff member, and the times at
//! which nobody may be booked since nobody knows who is busy.
//!
//! What always holds: no appointment is empty and no two of one staff member overlap. A caller that would break this
//! has broken a rule already, so it is asserted, in release too.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::{AppointmentId, StaffId, Timestamp};

/// The time that active appointments hold; touching is not overlapping.
#[derive(Clone, Debug, Default)]
pub struct Busy {
    /// By start. Because they never overlap, the order of the ends is the same.
    by_staff: HashMap<StaffId, BTreeMap<Timestamp, Held>>,
    len: usize,
    /// By start, until when; few, or none at all.
    blocked: BTreeMap<Timestamp, Timestamp>,
}

/// What is kept of an appointment beside its start.
#[derive(Clone, Copy, Debug)]
struct Held {
    end: Timestamp,
    id: AppointmentId,
}

impl Busy {
    /// Nobody is busy.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds `[start, end)` for an appointment.
    ///
    /// # Panics
    /// When that is empty, or overlaps another appointment of this staff member.
    pub fn insert(&mut self, staff: StaffId, start: Timestamp, end: Timestamp, id: AppointmentId) {
        assert!(start < end, "appointment {id} ends at {end}, not after its start {start}");
        assert!(
            self.has_none(staff, start, end, None),
            "appointment {id} at {start} overlaps another of staff member {staff}"
        );
        self.by_staff.entry(staff).or_default().insert(start, Held { end, id });
        self.len += 1;
    }

    /// Lets go of the time of an appointment.
    ///
    /// # Panics
    /// When this appointment does not hold time of this staff member from `start` on.
    pub fn remove(&mut self, staff: StaffId, start: Timestamp, id: AppointmentId) {
        let held = self.by_staff.get_mut(&staff).and_then(|held| held.remove(&start));
        assert!(
            held.is_some_and(|held| held.id == id),
            "appointment {id} does not hold {start} of staff member {staff}"
        );
        self.len -= 1;
    }

    /// Keeps everybody from being booked in `[start, end)`: something is booked there, and nobody knows with whom.
    pub fn block(&mut self, start: Timestamp, end: Timestamp) {
        let until = self.blocked.entry(start).or_insert(end);
        *until = end.max(*until);
    }

    /// Whether a staff member may be booked in `[start, end)`, their appointment `except` left out of account.
    pub fn is_free(
        &self,
        staff: StaffId,
        start: Timestamp,
        end: Timestamp,
        except: Option<AppointmentId>,
    ) -> bool {
        let blocked = self.blocked.range(..end).any(|(_, until)| *until > start);
        !blocked && self.has_none(staff, start, end, except)
    }

    /// Whether a staff member has no appointment in `[start, end)`, apart from `except`.
    fn has_none(
        &self,
        staff: StaffId,
        start: Timestamp,
        end: Timestamp,
        except: Option<AppointmentId>,
    ) -> bool {
        let Some(held) = self.by_staff.get(&staff) else { return true };
        // Of those that start before `end`, the last one ends last.
        let mut before = held.range(..end).rev().map(|(_, held)| held);
        before.find(|held| Some(held.id) != except).is_none_or(|held| held.end <= start)
    }

    /// The appointments that start at this very instant, each with its staff member; in no order.
    pub fn starting_at(&self, start: Timestamp) -> impl Iterator<Item = (StaffId, AppointmentId)> + use<'_> {
        self.by_staff.iter().filter_map(move |(staff, held)| held.get(&start).map(|held| (*staff, held.id)))
    }

    /// How many minutes the appointments of a staff member last that start within the range.
    pub fn minutes_starting_in(&self, staff: StaffId, range: Range<Timestamp>) -> i64 {
        // A range that ends before it starts makes a `BTreeMap` panic.
        let Some(held) = self.by_staff.get(&staff).filter(|_| !range.is_empty()) else { return 0 };
        held.range(range).map(|(start, held)| (held.end - *start).num_minutes()).sum()
    }

    /// Drops every appointment that starts before the instant, which bounds what is kept in memory.
    pub fn forget_before(&mut self, instant: Timestamp) {
        self.by_staff.retain(|_, held| {
            *held = held.split_off(&instant);
            !held.is_empty()
        });
        self.len = self.by_staff.values().map(BTreeMap::len).sum();
        self.blocked.retain(|_, until| *until > instant);
    }

    /// How many appointments there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no appointment.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    fn staff(number: u128) -> StaffId {
        Uuid::from_u128(number).into()
    }

    fn id(number: u128) -> AppointmentId {
        Uuid::from_u128(number).into()
    }

    fn held(spans: &[(i64, i64)]) -> Busy {
        let mut busy = Busy::new();
        for (number, (start, end)) in (1..).zip(spans) {
            busy.insert(staff(1), at(*start), at(*end), id(number));
        }
        busy
    }

    #[test]
    fn touching_is_free_and_overlapping_by_a_minute_is_not() {
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
    fn the_appointment_that_is_moved_does_not_stand_in_its_own_way() {
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
    fn of_an_instant_only_what_starts_at_it_is_found() {
        let mut busy = held(&[(60, 90), (90, 120)]);
        busy.insert(staff(2), at(60), at(120), id(7));
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
        assert!(busy.is_empty());
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
    #[should_panic(expected = "does not hold")]
    fn only_what_is_held_is_removed() {
        held(&[(60, 90)]).remove(staff(1), at(60), id(2));
    }
}
