//! Who is busy when: the active (pending or confirmed) appointments of one business, by staff member, and the times at
//! which nobody may be booked since nobody knows who is busy.
//!
//! What always holds: no appointment is empty and no two of one staff member overlap. A caller that would break this
//! has broken a rule already, so it is asserted, in release too.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use chrono::TimeDelta;

use super::{Appointment, AppointmentId, Buffers, ServiceId, StaffId, Timestamp};

/// The time that active appointments hold; touching is not overlapping.
#[derive(Clone, Debug, Default)]
pub struct Busy {
    /// By start. Because they never overlap, the order of the ends is the same.
    by_staff: HashMap<StaffId, BTreeMap<Timestamp, Held>>,
    len: usize,
    /// What is held for all, since nobody knows for whom: by start, until when; few, or none at all.
    for_all: BTreeMap<Timestamp, Timestamp>,
    /// No appointment that is held has a longer buffer: so far is looked for those that reach somewhere.
    reach: TimeDelta,
}

/// What is kept of an appointment beside its start.
#[derive(Clone, Copy, Debug)]
struct Held {
    end: Timestamp,
    id: AppointmentId,
    service: ServiceId,
    buffers: Buffers,
}

/// The time that an appointment holds, with what it was booked with.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    /// Which appointment.
    pub id: AppointmentId,
    /// When it starts.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// What is booked.
    pub service: ServiceId,
    /// What it keeps free around it.
    pub buffers: Buffers,
}

impl From<&Appointment> for Hold {
    fn from(appointment: &Appointment) -> Self {
        Self {
            id: appointment.id,
            start: appointment.starts_at,
            end: appointment.ends_at,
            service: appointment.service_id,
            buffers: appointment.buffers,
        }
    }
}

/// What stands in the way of an appointment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// Another appointment.
    Appointment,
    /// Only what one of them keeps free around it.
    Buffer,
}

impl Busy {
    /// Nobody is busy.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds the time of an appointment.
    ///
    /// # Panics
    /// When that is empty, or overlaps another appointment of this staff member. Buffers may: whoever books may ignore
    /// them.
    pub fn insert(&mut self, staff: StaffId, hold: Hold) {
        let Hold { id, start, end, service, buffers } = hold;
        assert!(start < end, "appointment {id} ends at {end}, not after its start {start}");
        assert!(
            self.has_none(staff, start, end, None),
            "appointment {id} at {start} overlaps another of staff member {staff}"
        );
        self.by_staff.entry(staff).or_default().insert(start, Held { end, id, service, buffers });
        self.reach = self.reach.max(buffers.longest());
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
    pub fn hold_for_all(&mut self, start: Timestamp, end: Timestamp) {
        let until = self.for_all.entry(start).or_insert(end);
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
        !meets(&self.for_all, start, end) && self.has_none(staff, start, end, except)
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

    /// When one staff member is busy.
    pub fn of(&self, staff: StaffId) -> BusyOf<'_> {
        BusyOf { held: self.by_staff.get(&staff), reach: self.reach, for_all: &self.for_all }
    }

    /// The appointments that end after an instant, of one staff member or of all, each member's in order.
    pub fn ending_after(
        &self,
        instant: Timestamp,
        of: Option<StaffId>,
    ) -> impl Iterator<Item = (StaffId, Hold)> {
        let all = self.by_staff.iter().filter(move |(staff, _)| of.is_none_or(|of| of == **staff));
        all.flat_map(move |(staff, held)| {
            // One at most goes on at the instant: the last that starts before it.
            let under_way = held.range(..instant).next_back().filter(|(_, held)| held.end > instant);
            under_way.into_iter().chain(held.range(instant..)).map(|(start, held)| {
                let Held { end, id, service, buffers } = *held;
                (*staff, Hold { id, start: *start, end, service, buffers })
            })
        })
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
        self.for_all.retain(|_, until| *until > instant);
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

/// When one staff member is busy.
#[derive(Clone, Copy, Debug)]
pub struct BusyOf<'a> {
    held: Option<&'a BTreeMap<Timestamp, Held>>,
    reach: TimeDelta,
    for_all: &'a BTreeMap<Timestamp, Timestamp>,
}

/// Whether any of what is held for all meets `[start, end)`.
fn meets(for_all: &BTreeMap<Timestamp, Timestamp>, start: Timestamp, end: Timestamp) -> bool {
    for_all.range(..end).any(|(_, until)| *until > start)
}

impl BusyOf<'_> {
    /// What stands in the way of an appointment in `[start, end)` with these buffers, apart from `except`. The buffers of
    /// neighbours add up: each appointment keeps its own time free of the other's.
    pub fn clash(
        &self,
        (start, end): (Timestamp, Timestamp),
        buffers: Buffers,
        except: Option<AppointmentId>,
    ) -> Option<Clash> {
        if meets(self.for_all, start, end) {
            return Some(Clash::Appointment);
        }
        let (from, to) = (start - buffers.before(), end + buffers.after());
        let mut clash = meets(self.for_all, from, to).then_some(Clash::Buffer);
        let Some(held) = self.held else { return clash };
        // Whatever starts later keeps nothing free so early, and whatever ended earlier nothing so late.
        let reach = self.reach;
        let near = held.range(..to + reach).rev().take_while(|(_, held)| held.end + reach > from);
        for (other, held) in near.filter(|(_, held)| Some(held.id) != except) {
            if *other < end && start < held.end {
                return Some(Clash::Appointment);
            }
            if *other - held.buffers.before() < to && from < held.end + held.buffers.after() {
                clash = Some(Clash::Buffer);
            }
        }
        clash
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

    fn buffers((before, after): (u32, u32)) -> Buffers {
        Buffers::new(before, after).unwrap()
    }

    fn hold(number: u128, start: i64, end: i64, around: (u32, u32)) -> Hold {
        let service = Uuid::from_u128(99).into();
        Hold { id: id(number), start: at(start), end: at(end), service, buffers: buffers(around) }
    }

    fn held(spans: &[(i64, i64)]) -> Busy {
        let mut busy = Busy::new();
        for (number, (start, end)) in (1..).zip(spans) {
            busy.insert(staff(1), hold(number, *start, *end, (0, 0)));
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

    #[test]
    fn the_buffers_of_neighbours_add_up_to_the_minute() {
        let mut busy = Busy::new();
        busy.insert(staff(1), hold(1, 600, 630, (20, 10)));
        let clash = |start, end, around| busy.of(staff(1)).clash((at(start), at(end)), buffers(around), None);
        assert_eq!(clash(645, 660, (5, 0)), None);
        assert_eq!(clash(644, 660, (5, 0)), Some(Clash::Buffer));
        assert_eq!(clash(640, 660, (0, 240)), None);
        assert_eq!(clash(639, 660, (0, 0)), Some(Clash::Buffer));
        assert_eq!(clash(500, 570, (0, 10)), None);
        assert_eq!(clash(500, 571, (0, 10)), Some(Clash::Buffer));
        assert_eq!(clash(500, 601, (0, 0)), Some(Clash::Appointment));
        assert_eq!(clash(629, 700, (0, 0)), Some(Clash::Appointment));
        assert_eq!(busy.of(staff(1)).clash((at(600), at(630)), buffers((9, 9)), Some(id(1))), None);
        assert_eq!(busy.of(staff(2)).clash((at(600), at(630)), buffers((9, 9)), None), None);
    }

    #[test]
    fn a_long_buffer_reaches_over_a_neighbour_that_was_booked_into_it() {
        let mut busy = Busy::new();
        busy.insert(staff(1), hold(1, 600, 630, (0, 240)));
        busy.insert(staff(1), hold(2, 630, 640, (0, 0)));
        busy.insert(staff(1), hold(3, 990, 1000, (0, 0)));
        busy.insert(staff(1), hold(4, 1000, 1030, (200, 0)));
        let clash = |start, end| busy.of(staff(1)).clash((at(start), at(end)), Buffers::default(), None);
        assert_eq!(clash(869, 880), Some(Clash::Buffer), "the first one holds until 870");
        assert_eq!(clash(800, 801), Some(Clash::Buffer), "the last one holds from 800 on");
        assert_eq!(clash(300, 600), None);
        assert_eq!(clash(1030, 1040), None);
    }

    #[test]
    fn what_is_held_for_all_stands_in_the_way_of_everybody_with_what_they_keep_free() {
        let mut busy = held(&[(60, 90)]);
        busy.hold_for_all(at(80), at(120));
        for (number, start, end, around, clash) in [
            (1, 90, 100, (0, 0), Some(Clash::Appointment)),
            (2, 119, 130, (0, 0), Some(Clash::Appointment)),
            (2, 120, 130, (0, 0), None),
            (2, 130, 140, (11, 0), Some(Clash::Buffer)),
            (2, 60, 75, (0, 6), Some(Clash::Buffer)),
            (2, 60, 75, (0, 5), None),
        ] {
            let found = busy.of(staff(number)).clash((at(start), at(end)), buffers(around), None);
            assert_eq!(found, clash, "{start}-{end}");
        }
        assert!(
            !busy.is_free(staff(2), at(90), at(100), None) && busy.is_free(staff(2), at(120), at(130), None)
        );
        // Whatever is read is held all the same.
        busy.insert(staff(2), hold(9, 100, 110, (0, 0)));
        busy.forget_before(at(119));
        assert!(!busy.is_free(staff(2), at(119), at(120), None));
        busy.forget_before(at(120));
        assert!(busy.is_free(staff(2), at(119), at(120), None));
    }

    #[test]
    fn what_ends_after_an_instant_includes_what_is_under_way() {
        let busy = held(&[(0, 60), (60, 90), (120, 150)]);
        let ids = |instant, of| -> Vec<AppointmentId> {
            busy.ending_after(at(instant), of).map(|(_, hold)| hold.id).collect()
        };
        assert_eq!(ids(60, None), [id(2), id(3)]);
        assert_eq!(ids(89, Some(staff(1))), [id(2), id(3)]);
        assert_eq!(ids(90, None), [id(3)]);
        assert_eq!(ids(0, Some(staff(2))), []);
    }
}
