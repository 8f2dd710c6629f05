//! Whether one staff member can take a time: within their own hours, not absent, and free including buffers.
//!
//! Invariant: [`Taker::look`] alone decides this, for listings and for bookings. It is fast for times in
//! ascending order; other orders give the same results.

use super::spans::Along;
use super::{
    Blocked, Busy, BusyOf, Clash, Laid, SlotReason, Spans, StaffHours, StaffId, StaffMember, Timestamp,
    Wanted,
};

const SAME_HOURS_MAX: usize = 16;

/// The hours of staff members as instants. Equal hours are computed once.
pub(super) struct OwnHours<'a> {
    laid: &'a Laid,
    known: Vec<KnownHours<'a>>,
}

struct KnownHours<'a> {
    hours: &'a StaffHours,
    spans: Spans,
    is_done_with: bool,
}

#[derive(Clone, Copy)]
pub(super) struct HoursPlace(usize);

pub(super) struct Taker<'a> {
    hours: Option<Along<'a>>,
    /// Absences and appointments, loaded at the first query within their hours.
    held: Option<(Option<Along<'a>>, BusyOf<'a>)>,
    id: StaffId,
    blocked: &'a Blocked,
    busy: &'a Busy,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) reason: SlotReason,
    /// They also cannot take a later start before this instant.
    pub(super) until: Timestamp,
}

impl<'a> OwnHours<'a> {
    pub(super) fn of(laid: &'a Laid) -> Self {
        Self { laid, known: Vec::new() }
    }

    /// `None` for a staff member who is present during all opening hours.
    pub(super) fn place_of(&mut self, member: &'a StaffMember) -> Option<HoursPlace> {
        let hours = member.hours.as_ref()?;
        let first = self.known.len().saturating_sub(SAME_HOURS_MAX);
        let known = self.known[first..].iter().position(|known| known.hours == hours);
        Some(HoursPlace(known.map_or_else(
            || {
                let spans = self.laid.staff_hours(hours);
                self.known.push(KnownHours { hours, spans, is_done_with: false });
                self.known.len() - 1
            },
            |at| first + at,
        )))
    }

    pub(super) fn be_done_with(&mut self, HoursPlace(at): HoursPlace) {
        self.known[at].is_done_with = true;
    }

    pub(super) fn are_done_with(&self, HoursPlace(at): HoursPlace) -> bool {
        self.known[at].is_done_with
    }
}

impl<'a> Taker<'a> {
    pub(super) fn new(
        id: StaffId,
        hours: Option<(&'a OwnHours<'_>, HoursPlace)>,
        blocked: &'a Blocked,
        busy: &'a Busy,
    ) -> Self {
        let hours = hours.map(|(all, HoursPlace(at))| all.known[at].spans.along());
        Self { hours, held: None, id, blocked, busy }
    }

    pub(super) fn was_never_there(&self) -> bool {
        self.held.is_none()
    }

    pub(super) fn look(&mut self, start: Timestamp, wanted: &Wanted) -> Result<(), Kept> {
        let kept = |reason, until| Err(Kept { reason, until });
        let end = wanted.end(start);
        if let Some(Err(until)) = self.hours.as_mut().map(|hours| hours.cover(start, end)) {
            return kept(SlotReason::StaffOff, until);
        }
        // An absence conflicts with a buffer, but closing hours and breaks do not.
        let (from, to) = wanted.around(start);
        let (away, busy) = self
            .held
            .get_or_insert_with(|| (self.blocked.spans(self.id).map(Spans::along), self.busy.of(self.id)));
        let off = away.as_mut().and_then(|away| away.meet(from, to));
        let back = off.map(|off| Timestamp::from_millis(off.end.millis() + start.millis() - from.millis()));
        if let Some(back) = back
            && away.is_some_and(|mut away| away.meet(start, end).is_some())
        {
            return kept(SlotReason::StaffOff, back);
        }
        match (busy.clash(start, wanted), back) {
            (Some((Clash::Appointment, until)), _) => kept(SlotReason::Taken, until),
            (Some((Clash::Buffer, until)), _) | (None, Some(until)) => kept(SlotReason::Buffer, until),
            (None, None) => Ok(()),
        }
    }
}
