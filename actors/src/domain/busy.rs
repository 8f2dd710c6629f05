//! Who is busy when: the active (pending or confirmed) appointments of one business, by staff member, and the times at
//! which nobody may be booked since nobody knows who is busy.
//!
//! What always holds: no appointment is empty and no two of one staff member overlap. A caller that would break this
//! has broken a rule already, so it is asserted, in release too.

use std::collections::{BTreeMap, HashMap, VecDeque, btree_map};
use std::iter::Peekable;
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
    /// No appointment that is held has a longer buffer, in milliseconds: so far is looked for those that reach somewhere.
    reach: i64,
    /// None lasts longer, in milliseconds: so far back is looked for those that are under way.
    lasting: i64,
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

/// What is wanted of a staff member's time, apart from when.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    lasts_millis: i64,
    /// What is kept free around it, if that and what others keep free stands in the way.
    buffers: Option<Buffers>,
    except: Option<AppointmentId>,
}

impl Wanted {
    /// So much time, with so much kept free around it, where what is kept free binds.
    pub fn new(duration: TimeDelta, buffers: Option<Buffers>) -> Self {
        Self { lasts_millis: duration.num_milliseconds(), buffers, except: None }
    }

    /// The same for an appointment that is moved, whose own time does not stand in its way.
    pub fn except(self, except: Option<AppointmentId>) -> Self {
        Self { except, ..self }
    }

    /// When it ends, if it starts then.
    pub fn end(&self, start: Timestamp) -> Timestamp {
        Timestamp::from_millis(start.millis() + self.lasts_millis)
    }

    /// From when to when the staff member must be free, if it starts then.
    pub fn around(&self, start: Timestamp) -> (Timestamp, Timestamp) {
        let span = (start, self.end(start));
        self.buffers.map_or(span, |buffers| buffers.around(span))
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
        self.reach = self.reach.max(buffers.longest().num_milliseconds());
        self.lasting = self.lasting.max((end - start).num_milliseconds());
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
        meets(&self.for_all, start, end).is_none() && self.has_none(staff, start, end, except)
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

    /// When one staff member is busy, for questions about one time after the other.
    pub fn of(&self, staff: StaffId) -> BusyOf<'_> {
        let held = self.by_staff.get(&staff);
        BusyOf { busy: self, held, asked: Timestamp::MIN, rest: None, near: VecDeque::new() }
    }

    /// The appointments that lie in `[start, end)`, were it in part, of one staff member or of all, each member's in order.
    pub fn meeting(
        &self,
        Range { start, end }: Range<Timestamp>,
        of: Option<StaffId>,
    ) -> impl Iterator<Item = (StaffId, Hold)> {
        // One at most goes on at the start: the last that starts before it. An empty range holds none.
        let all =
            self.by_staff.iter().filter(move |(staff, _)| start < end && of.is_none_or(|of| of == **staff));
        all.flat_map(move |(staff, held)| {
            let under_way = held.range(..start).next_back().filter(|(_, held)| held.end > start);
            under_way.into_iter().chain(held.range(start..end)).map(|(start, held)| {
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

/// How many appointments are passed one by one before it is searched for the next that matters.
const STEPS_MAX: usize = 8;

/// Whether any of what is held for all meets `[start, end)`, and until when.
fn meets(for_all: &BTreeMap<Timestamp, Timestamp>, start: Timestamp, end: Timestamp) -> Option<Timestamp> {
    for_all.range(..end).map(|(_, until)| *until).find(|until| *until > start)
}

/// When one staff member is busy. Each question goes on from where the one before was answered; questions in another order
/// have the same answers, and cost a search.
#[derive(Clone, Debug)]
pub struct BusyOf<'a> {
    busy: &'a Busy,
    held: Option<&'a BTreeMap<Timestamp, Held>>,
    /// From when on was asked last.
    asked: Timestamp,
    /// The appointments that were looked at last, in order, and those behind them.
    near: VecDeque<Near>,
    rest: Option<Peekable<btree_map::Range<'a, Timestamp, Held>>>,
}

/// An appointment, and what it keeps free, that itself included.
#[derive(Clone, Copy, Debug)]
struct Near {
    id: AppointmentId,
    start: Timestamp,
    end: Timestamp,
    around: (Timestamp, Timestamp),
}

impl BusyOf<'_> {
    /// What stands in the way of what is wanted from `start` on, and until when it stands in the way of whatever starts
    /// later. The buffers of neighbours add up: each appointment keeps its own time free of the other's.
    pub fn clash(&mut self, start: Timestamp, wanted: &Wanted) -> Option<(Clash, Timestamp)> {
        let (end, (from, to)) = (wanted.end(start), wanted.around(start));
        // Until then something else stands in the way of what begins with what is kept free before it.
        let until =
            |other: Timestamp| Timestamp::from_millis(other.millis() + start.millis() - from.millis());
        let for_all = &self.busy.for_all;
        if let Some(other) = meets(for_all, start, end) {
            return Some((Clash::Appointment, until(other)));
        }
        let mut clash = meets(for_all, from, to).map(|other| (Clash::Buffer, until(other)));
        let heeds_buffers = wanted.buffers.is_some();
        for near in self.near(from, to).filter(|near| Some(near.id) != wanted.except) {
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

    /// Every appointment that can keep some of `[from, to)` free, and perhaps others.
    fn near(&mut self, from: Timestamp, to: Timestamp) -> impl Iterator<Item = &Near> {
        // Whatever starts later keeps nothing free so early, and whatever ended earlier nothing so late.
        let Busy { reach, lasting, .. } = *self.busy;
        let (first, last) = (from.millis() - reach, to.millis() + reach);
        let Self { held, asked, near, rest, .. } = self;
        let Some(held) = held else { return near.iter() };
        let from_on = || held.range(Timestamp::from_millis(first - lasting)..).peekable();
        if from < *asked || rest.is_none() {
            near.clear();
            *rest = Some(from_on());
        }
        *asked = from;
        while near.front().is_some_and(|near| near.end.millis() <= first) {
            near.pop_front();
        }
        let Some(rest) = rest else { return near.iter() };
        let is_over = |(_, held): &(&Timestamp, &Held)| held.end.millis() <= first;
        let is_passed = (0..STEPS_MAX).all(|_| rest.next_if(is_over).is_some());
        if is_passed {
            *rest = from_on();
            while rest.next_if(is_over).is_some() {}
        }
        while let Some((&start, &Held { end, id, buffers, .. })) =
            rest.next_if(|(start, _)| start.millis() < last)
        {
            near.push_back(Near { id, start, end, around: buffers.around((start, end)) });
        }
        near.iter()
    }
}

#[cfg(test)]
mod tests;
