//! Checks whether a staff member can be booked at a time. The time must be within the hours of the staff member, and no
//! absence or appointment may overlap the time or its buffers.
//!
//! Invariant: only [`Candidate::check`] makes this check, for listings and for bookings. The check is fast for times in
//! ascending order, and slower in other orders.

use super::spans::SpansCursor;
use super::{
    Blocked, Busy, BusyCursor, BusyQuery, Clash, SlotReason, Spans, StaffHours, StaffId, StaffMember,
    Timeline, Timestamp,
};

const SAME_HOURS_MAX: usize = 16;

pub(super) struct OwnHours<'a> {
    timeline: &'a Timeline,
    known: Vec<KnownHours<'a>>,
}

struct KnownHours<'a> {
    hours: &'a StaffHours,
    spans: Spans,
    is_past: bool,
}

pub(super) struct Candidate<'a> {
    hours: Option<SpansCursor<'a>>,
    /// The absences and appointments. They are looked up at the first query that is within the hours of the staff
    /// member.
    held: Option<(Option<SpansCursor<'a>>, BusyCursor<'a>)>,
    id: StaffId,
    blocked: &'a Blocked,
    heeds_calendars: bool,
    busy: &'a Busy,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Obstacle {
    pub(super) reason: SlotReason,
    pub(super) until: Timestamp,
}

impl<'a> OwnHours<'a> {
    pub(super) fn new(timeline: &'a Timeline) -> Self {
        Self { timeline, known: Vec::new() }
    }

    /// Returns the index of the staff member's own hours. Returns `None` if the staff member is present during all
    /// opening hours.
    pub(super) fn index_of(&mut self, member: &'a StaffMember) -> Option<usize> {
        let hours = member.hours.as_ref()?;
        let first = self.known.len().saturating_sub(SAME_HOURS_MAX);
        let known = self.known[first..].iter().position(|known| known.hours == hours);
        if let Some(at) = known {
            return Some(first + at);
        }
        let spans = self.timeline.staff_hours(hours);
        self.known.push(KnownHours { hours, spans, is_past: false });
        Some(self.known.len() - 1)
    }

    pub(super) fn mark_past(&mut self, at: usize) {
        self.known[at].is_past = true;
    }

    pub(super) fn is_past(&self, at: usize) -> bool {
        self.known[at].is_past
    }
}

impl<'a> Candidate<'a> {
    pub(super) fn new(
        id: StaffId,
        hours: Option<(&'a OwnHours<'_>, usize)>,
        (blocked, heeds_calendars): (&'a Blocked, bool),
        busy: &'a Busy,
    ) -> Self {
        let hours = hours.map(|(all, at)| all.known[at].spans.cursor());
        Self { hours, held: None, id, blocked, heeds_calendars, busy }
    }

    pub(super) fn was_never_present(&self) -> bool {
        self.held.is_none()
    }

    pub(super) fn check(&mut self, start: Timestamp, query: &BusyQuery) -> Result<(), Obstacle> {
        let obstacle = |reason, until| Err(Obstacle { reason, until });
        let end = query.end(start);
        if let Some(Err(until)) = self.hours.as_mut().map(|hours| hours.cover(start, end)) {
            return obstacle(SlotReason::StaffOff, until);
        }
        // A buffer must not overlap an absence, but it may extend into a break or past closing time.
        let (from, to) = query.around(start);
        let (away, busy) = self.held.get_or_insert_with(|| {
            let heeded = if self.heeds_calendars { Blocked::spans } else { Blocked::times_off };
            (heeded(self.blocked, self.id).map(Spans::cursor), self.busy.cursor(self.id))
        });
        let off = away.as_mut().and_then(|away| away.meet(from, to));
        let back = off.map(|off| Timestamp::from_millis(off.end.millis() + start.millis() - from.millis()));
        if let Some(back) = back
            && away.is_some_and(|mut away| away.meet(start, end).is_some())
        {
            return obstacle(SlotReason::StaffOff, back);
        }
        match (busy.clash(start, query), back) {
            (Some((Clash::Appointment, until)), _) => obstacle(SlotReason::Taken, until),
            (Some((Clash::Buffer, until)), _) | (None, Some(until)) => obstacle(SlotReason::Buffer, until),
            (None, None) => Ok(()),
        }
    }
}
