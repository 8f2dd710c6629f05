//! Whether one staff member can take a time: they are there by their own hours, they are not away, and they are free, with
//! what is kept free around it.
//!
//! What always holds: [`Taker::look`] alone decides it, for every time of a listing and for the one of a booking. It is
//! quick for times in their order, and gives the same answers in any other.

use super::spans::Along;
use super::{
    Blocked, Busy, BusyOf, Clash, Laid, SlotReason, Spans, StaffHours, StaffId, StaffMember, Timestamp,
    Wanted,
};

/// How many hours of staff members are looked through for the same ones: mostly many have the same.
const SAME_HOURS_MAX: usize = 16;

/// The hours of staff members on the time line of a calendar, each laid once for all who have them.
pub(super) struct OwnHours<'a> {
    laid: &'a Laid,
    known: Vec<KnownHours<'a>>,
}

struct KnownHours<'a> {
    hours: &'a StaffHours,
    spans: Spans,
    /// Whether all that is asked about from now on lies outside.
    is_done_with: bool,
}

/// Which of the hours of staff members somebody's are.
#[derive(Clone, Copy)]
pub(super) struct HoursPlace(usize);

/// Someone who offers the service, asked about one time after the other.
pub(super) struct Taker<'a> {
    /// Their own hours, if they have some.
    hours: Option<Along<'a>>,
    /// When they are away and when they are busy, once somebody asks for a time within their hours.
    held: Option<(Option<Along<'a>>, BusyOf<'a>)>,
    id: StaffId,
    blocked: &'a Blocked,
    busy: &'a Busy,
}

/// What keeps somebody from taking a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// Why.
    pub(super) reason: SlotReason,
    /// They can take nothing of the kind that starts later, but before this.
    pub(super) until: Timestamp,
}

impl<'a> OwnHours<'a> {
    /// Nobody's yet.
    pub(super) fn of(laid: &'a Laid) -> Self {
        Self { laid, known: Vec::new() }
    }

    /// The place of a staff member's hours; `None` for one who is there whenever the business is open.
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

    /// From now on everything that is asked about lies outside these hours.
    pub(super) fn be_done_with(&mut self, HoursPlace(at): HoursPlace) {
        self.known[at].is_done_with = true;
    }

    /// Whether it does.
    pub(super) fn are_done_with(&self, HoursPlace(at): HoursPlace) -> bool {
        self.known[at].is_done_with
    }
}

impl<'a> Taker<'a> {
    /// A staff member with what keeps them from taking times.
    pub(super) fn new(
        id: StaffId,
        hours: Option<(&'a OwnHours<'_>, HoursPlace)>,
        blocked: &'a Blocked,
        busy: &'a Busy,
    ) -> Self {
        let hours = hours.map(|(all, HoursPlace(at))| all.known[at].spans.along());
        Self { hours, held: None, id, blocked, busy }
    }

    /// Whether nothing that was asked about lay within their hours.
    pub(super) fn was_never_there(&self) -> bool {
        self.held.is_none()
    }

    /// Whether they are there and free for all of a time on the dates of the calendar.
    pub(super) fn look(&mut self, start: Timestamp, wanted: &Wanted) -> Result<(), Kept> {
        let kept = |reason, until| Err(Kept { reason, until });
        let end = wanted.end(start);
        if let Some(Err(until)) = self.hours.as_mut().map(|hours| hours.cover(start, end)) {
            return kept(SlotReason::StaffOff, until);
        }
        // Whoever is away cannot be kept free; a closed shop and a break keep them free all the same.
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
