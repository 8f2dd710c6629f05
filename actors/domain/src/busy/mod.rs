//! An index of the active appointments of a business by staff member. If the staff member of an appointment
//! is unknown, its time is blocked for all staff members.
//!
//! Invariant: no appointment is empty, and no two appointments of a staff member overlap. Violations panic in release
//! builds too.

use std::collections::{BTreeMap, HashMap, VecDeque, btree_map};
use std::iter::Peekable;
use std::ops::Range;

use chrono::TimeDelta;

use super::{Appointment, AppointmentId, Buffers, ServiceId, StaffId, Timestamp};

#[derive(Clone, Debug, Default)]
pub struct Busy {
    /// The appointments of each staff member by start. Their ends have the same order, because appointments do not
    /// overlap.
    by_staff: HashMap<StaffId, BTreeMap<Timestamp, Hold>>,
    /// The times that are blocked for all staff members. The key is the start, the value is the end. The map is nearly
    /// always empty.
    for_all: BTreeMap<Timestamp, Timestamp>,
    /// The longest buffer, in milliseconds. It bounds the search for appointments whose buffers extend into a
    /// range.
    reach: i64,
    /// The duration of the longest appointment, in milliseconds. It bounds the search for appointments that began
    /// before a range.
    lasting: i64,
}

#[derive(Clone, Copy, Debug)]
pub struct Hold {
    pub id: AppointmentId,
    pub start: Timestamp,
    pub end: Timestamp,
    pub service: ServiceId,
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

/// A query for an appointment with this duration and these buffers. The start of the appointment is passed separately.
#[derive(Clone, Copy, Debug)]
pub struct BusyQuery {
    lasts_millis: i64,
    buffers: Option<Buffers>,
    except: Option<AppointmentId>,
}

impl BusyQuery {
    pub fn new(duration: TimeDelta, buffers: Option<Buffers>) -> Self {
        Self { lasts_millis: duration.num_milliseconds(), buffers, except: None }
    }

    pub fn except(self, except: Option<AppointmentId>) -> Self {
        Self { except, ..self }
    }

    pub fn end(&self, start: Timestamp) -> Timestamp {
        Timestamp::from_millis(start.millis() + self.lasts_millis)
    }

    pub fn around(&self, start: Timestamp) -> (Timestamp, Timestamp) {
        let span = (start, self.end(start));
        self.buffers.map_or(span, |buffers| buffers.around(span))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    Appointment,
    /// The appointments themselves do not overlap. They overlap only if their buffers are included.
    Buffer,
}

impl Busy {
    /// Adds an appointment. Panics if it is empty or overlaps another appointment of the staff member. Buffers may
    /// overlap.
    pub fn insert(&mut self, staff: StaffId, hold: Hold) {
        let Hold { id, start, end, buffers, .. } = hold;
        assert!(start < end, "appointment {id} ends at {end}, which is not after its start {start}");
        assert!(
            self.has_none(staff, start, end, None),
            "appointment {id} at {start} overlaps another appointment of staff member {staff}"
        );
        self.by_staff.entry(staff).or_default().insert(start, hold);
        self.reach = self.reach.max(buffers.longest().num_milliseconds());
        self.lasting = self.lasting.max((end - start).num_milliseconds());
    }

    pub fn remove(&mut self, staff: StaffId, start: Timestamp, id: AppointmentId) {
        let held = self.by_staff.get_mut(&staff).and_then(|held| held.remove(&start));
        assert!(
            held.is_some_and(|held| held.id == id),
            "appointment {id} is not in the index of staff member {staff} at {start}"
        );
    }

    /// Blocks the time `[start, end)` of an appointment for all staff members. The caller uses this function if the
    /// staff member of the appointment is unknown.
    pub fn hold_for_all(&mut self, start: Timestamp, end: Timestamp) {
        let until = self.for_all.entry(start).or_insert(end);
        *until = end.max(*until);
    }

    fn has_none(
        &self,
        staff: StaffId,
        start: Timestamp,
        end: Timestamp,
        except: Option<AppointmentId>,
    ) -> bool {
        let Some(held) = self.by_staff.get(&staff) else { return true };
        // Appointments do not overlap, so the last one that starts before `end` also has the latest end.
        let mut before = held.range(..end).rev().map(|(_, held)| held);
        before.find(|held| Some(held.id) != except).is_none_or(|held| held.end <= start)
    }

    pub fn cursor(&self, staff: StaffId) -> BusyCursor<'_> {
        let held = self.by_staff.get(&staff);
        BusyCursor { busy: self, held, last_start: Timestamp::MIN, rest: None, near: VecDeque::new() }
    }

    /// Returns the appointments that overlap the range, sorted by start for each staff member. If `of` is
    /// `None`, returns the appointments of all staff members.
    pub fn meeting(
        &self,
        Range { start, end }: Range<Timestamp>,
        of: Option<StaffId>,
    ) -> impl Iterator<Item = (StaffId, Hold)> {
        let all =
            self.by_staff.iter().filter(move |(staff, _)| start < end && of.is_none_or(|of| of == **staff));
        all.flat_map(move |(staff, held)| {
            let under_way = held.range(..start).next_back().filter(|(_, held)| held.end > start);
            under_way.into_iter().chain(held.range(start..end)).map(|(_, hold)| (*staff, *hold))
        })
    }

    pub fn starting_at(&self, start: Timestamp) -> impl Iterator<Item = (StaffId, AppointmentId)> + use<'_> {
        self.by_staff.iter().filter_map(move |(staff, held)| held.get(&start).map(|held| (*staff, held.id)))
    }

    pub fn minutes_starting_in(&self, staff: StaffId, range: Range<Timestamp>) -> i64 {
        // `BTreeMap::range` panics if the range is reversed.
        let Some(held) = self.by_staff.get(&staff).filter(|_| !range.is_empty()) else { return 0 };
        held.range(range).map(|(start, held)| (held.end - *start).num_minutes()).sum()
    }

    /// Removes old entries, to limit the memory. An appointment is removed if it starts before this instant. A time
    /// that is blocked for all staff members is removed if it ends at or before this instant.
    pub fn forget_before(&mut self, instant: Timestamp) {
        self.by_staff.retain(|_, held| {
            *held = held.split_off(&instant);
            !held.is_empty()
        });
        self.for_all.retain(|_, until| *until > instant);
    }
}

const STEPS_MAX: usize = 8;

fn meets(for_all: &BTreeMap<Timestamp, Timestamp>, start: Timestamp, end: Timestamp) -> Option<Timestamp> {
    for_all.range(..end).map(|(_, until)| *until).find(|until| *until > start)
}

/// Finds conflicts of one staff member. Queries in ascending order are fast. A query for an earlier time than the
/// previous query is slower, because it needs a search.
#[derive(Clone, Debug)]
pub struct BusyCursor<'a> {
    busy: &'a Busy,
    held: Option<&'a BTreeMap<Timestamp, Hold>>,
    last_start: Timestamp,
    near: VecDeque<Near>,
    rest: Option<Peekable<btree_map::Range<'a, Timestamp, Hold>>>,
}

#[derive(Clone, Copy, Debug)]
struct Near {
    id: AppointmentId,
    start: Timestamp,
    end: Timestamp,
    around: (Timestamp, Timestamp),
}

impl BusyCursor<'_> {
    /// Returns the conflict, and the first later start that avoids it. The time between two appointments must
    /// be at least the sum of the buffers between them.
    pub fn clash(&mut self, start: Timestamp, query: &BusyQuery) -> Option<(Clash, Timestamp)> {
        let (end, (from, to)) = (query.end(start), query.around(start));
        // Returns the first start after a conflict that ends at `other`. If the new appointment has a buffer before it,
        // this buffer begins at `other`, and the appointment begins after the buffer.
        let until =
            |other: Timestamp| Timestamp::from_millis(other.millis() + start.millis() - from.millis());
        let for_all = &self.busy.for_all;
        if let Some(other) = meets(for_all, start, end) {
            return Some((Clash::Appointment, until(other)));
        }
        let mut clash = meets(for_all, from, to).map(|other| (Clash::Buffer, until(other)));
        let heeds_buffers = query.buffers.is_some();
        for near in self.near(from, to).filter(|near| Some(near.id) != query.except) {
            let around = if heeds_buffers { near.around } else { (near.start, near.end) };
            if around.0 < to && from < around.1 {
                let is_taken = near.start < end && start < near.end;
                let what = if is_taken { Clash::Appointment } else { Clash::Buffer };
                clash = Some((what, until(around.1)));
                if is_taken {
                    break;
                }
            }
        }
        clash
    }

    /// Returns all appointments that overlap `[from, to)` if their buffers are included, and possibly other
    /// appointments.
    fn near(&mut self, from: Timestamp, to: Timestamp) -> impl Iterator<Item = &Near> {
        // Appointments outside this range cannot reach `[from, to)` with their buffers.
        let Busy { reach, lasting, .. } = *self.busy;
        let (first, last) = (from.millis() - reach, to.millis() + reach);
        let Self { held, last_start, near, rest, .. } = self;
        let Some(held) = held else { return near.iter() };
        let from_on = || held.range(Timestamp::from_millis(first - lasting)..).peekable();
        if from < *last_start || rest.is_none() {
            near.clear();
            *rest = Some(from_on());
        }
        *last_start = from;
        while near.front().is_some_and(|near| near.end.millis() <= first) {
            near.pop_front();
        }
        let Some(rest) = rest else { return near.iter() };
        let is_over = |(_, held): &(&Timestamp, &Hold)| held.end.millis() <= first;
        let is_passed = (0..STEPS_MAX).all(|_| rest.next_if(is_over).is_some());
        if is_passed {
            *rest = from_on();
            while rest.next_if(is_over).is_some() {}
        }
        while let Some((_, &Hold { id, start, end, buffers, .. })) =
            rest.next_if(|(start, _)| start.millis() < last)
        {
            near.push_back(Near { id, start, end, around: buffers.around((start, end)) });
        }
        near.iter()
    }
}

#[cfg(test)]
mod tests;
