//! Bookable times, and the choice of the staff member for an appointment.
//!
//! Invariant: [`Schedule::slots`] lists a time if and only if [`Schedule::assign`] finds a staff member for this time
//! under the same [`Terms`]. There are two exceptions:
//!
//! - `slots` checks the booking mode. `assign` does not: the caller of `assign` checks the mode, because a refusal for
//!   the booking mode has its own error code.
//! - With `any_minute`, `assign` also accepts times between those that `slots` lists.

mod overriding;

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use chrono::{Days, NaiveDate, NaiveTime, TimeDelta};

use super::taker::{Candidate, Obstacle, OwnHours};
use super::{
    Appointment, AppointmentId, Blocked, BookingMode, Buffers, Business, Busy, BusyQuery, Calendar, Problem,
    ProblemCode, Refusal, Service, ServiceId, SlotReason, Spans, SpecialDays, StaffId, StaffMember, Timeline,
    Timestamp,
};

pub use self::overriding::{OVERRIDE_PAST, Overridden};

/// The UTC years in which appointments can start. The rules of time zones are not known for later years.
pub const BOOKABLE_YEARS: RangeInclusive<i32> = 1970..=2199;

fn bookable_years() -> Range<Timestamp> {
    let begins =
        |year| NaiveDate::from_ymd_opt(year, 1, 1).map(|date| date.and_time(NaiveTime::MIN).and_utc().into());
    let (first, last) = (*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());
    begins(first).unwrap_or(Timestamp::MIN)..begins(last + 1).unwrap_or(Timestamp::MAX)
}

pub const AVAILABILITY_DAYS_MAX: i64 = 7;

#[derive(Clone, Copy)]
pub struct Schedule<'a> {
    pub business: &'a Business,
    pub special: &'a SpecialDays,
    pub services: &'a BTreeMap<ServiceId, Box<Service>>,
    pub staff: &'a BTreeMap<StaffId, Box<StaffMember>>,
    pub busy: &'a Busy,
    pub blocked: &'a Blocked,
    pub now: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    Integration,
    /// The team may book regardless of the booking mode and of the service's minimum notice and maximum advance.
    Team {
        ignore_buffers: bool,
        /// Whether the busy times of connected calendars are ignored.
        ignore_calendars: bool,
        /// Whether an appointment can start at any whole minute, and not only on the grid of the opening hours.
        any_minute: bool,
    },
}

/// Selects the appointments that a change to settings can affect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concerned {
    pub during: Range<Timestamp>,
    pub staff: Option<StaffId>,
    pub service: Option<ServiceId>,
}

impl Concerned {
    pub const EVERYONE: Self = Self { during: Timestamp::MIN..Timestamp::MAX, staff: None, service: None };

    pub fn staff(staff: StaffId) -> Self {
        Self { staff: Some(staff), ..Self::EVERYONE }
    }

    pub fn service(service: ServiceId) -> Self {
        Self { service: Some(service), ..Self::EVERYONE }
    }

    pub fn during(self, during: Range<Timestamp>) -> Self {
        Self { during, ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
}

#[derive(Clone, Copy, Debug)]
pub struct SlotRequest {
    pub service: ServiceId,
    pub staff: Option<StaffId>,
    pub start: Timestamp,
    /// The duration. A moved appointment keeps its duration unless the team changes it, and always keeps its
    /// buffers.
    pub duration: TimeDelta,
    pub buffers: Buffers,
    /// The appointment that is being moved, if any. It does not conflict with itself.
    pub except: Option<AppointmentId>,
    pub terms: Terms,
}

struct BookingRange {
    now: Timestamp,
    notice: Timestamp,
    last: Option<(NaiveDate, Timestamp)>,
}

impl<'a> Schedule<'a> {
    /// Returns the bookable times from the first to the last local date, sorted. With the booking mode `off`, a request
    /// with [`Terms::Integration`] gets no times.
    pub fn slots(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        days: (NaiveDate, NaiveDate),
        terms: Terms,
    ) -> Result<Vec<Slot>, Refusal> {
        self.slots_lasting(service, staff, days, terms, None)
    }

    /// Like [`Self::slots`], but with a duration that may differ from the service's.
    pub fn slots_lasting(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        days: (NaiveDate, NaiveDate),
        terms: Terms,
        duration: Option<TimeDelta>,
    ) -> Result<Vec<Slot>, Refusal> {
        let booked = self.usable(service, staff)?;
        Ok(self.listed(booked, &self.request(booked, staff, terms, duration), days))
    }

    /// Returns the active services that can be booked at this time. Each is checked with its own duration.
    pub fn services_at(&self, start: Timestamp, staff: Option<StaffId>, terms: Terms) -> Vec<ServiceId> {
        let active = self.services.values().map(Box::as_ref).filter(|service| service.active);
        let fits = |service: &&Service| {
            self.assign(&SlotRequest { start, ..self.request(service, staff, terms, None) }).is_ok()
        };
        active.filter(fits).map(|service| service.id).collect()
    }

    /// Returns the staff member to whom an appointment at this time would be assigned. The appointment has the duration
    /// of the service.
    pub fn taker(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        start: Timestamp,
        terms: Terms,
    ) -> Option<StaffId> {
        let booked = self.services.get(&service)?;
        self.assign(&SlotRequest { start, ..self.request(booked, staff, terms, None) }).ok()
    }

    fn request(
        &self,
        booked: &Service,
        staff: Option<StaffId>,
        terms: Terms,
        duration: Option<TimeDelta>,
    ) -> SlotRequest {
        SlotRequest {
            service: booked.id,
            staff,
            start: self.now,
            duration: duration.unwrap_or(booked.duration()),
            buffers: booked.buffers,
            except: None,
            terms,
        }
    }

    /// Returns the times to which an appointment can be moved. If the new `duration` is `None`, the
    /// appointment keeps its duration. The appointment does not conflict with itself.
    pub fn slots_to_move(
        &self,
        moved: &Appointment,
        staff: StaffId,
        days: (NaiveDate, NaiveDate),
        terms: Terms,
        duration: Option<TimeDelta>,
    ) -> Result<Vec<Slot>, Refusal> {
        let booked = self.usable(moved.service_id, Some(staff))?;
        let duration = duration.unwrap_or(moved.duration());
        let request = SlotRequest {
            service: moved.service_id,
            staff: Some(staff),
            start: self.now,
            duration,
            buffers: moved.buffers,
            except: Some(moved.id),
            terms,
        };
        let mut slots = self.listed(booked, &request, days);
        let is_now = (moved.staff_id, moved.starts_at, moved.ends_at);
        slots.retain(|slot| (staff, slot.starts_at, slot.ends_at) != is_now);
        Ok(slots)
    }

    fn listed(
        &self,
        booked: &Service,
        request: &SlotRequest,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Vec<Slot> {
        let SlotRequest { service, staff, duration, buffers, except, terms, .. } = *request;
        if terms == Terms::Integration && self.business.booking_mode == BookingMode::Off {
            return Vec::new();
        }
        let timeline = self.calendar().timeline(first..=last, duration);
        let ahead = self.ahead(booked, terms);
        let mut starts = timeline.starts(duration);
        let years = bookable_years();
        starts.retain(|start| years.contains(start) && ahead.check(&timeline, *start).is_ok());
        let query = BusyQuery::new(duration, terms.applicable_buffers(buffers)).except(except);
        // Each staff member is checked only at the times at which no earlier staff member is available.
        let (mut hours, mut left) = (OwnHours::new(&timeline), starts.clone());
        for member in self.candidates(service, staff) {
            if left.is_empty() {
                break;
            }
            let own = hours.index_of(member);
            if own.is_some_and(|own| hours.is_past(own)) {
                continue;
            }
            let mut candidate = self.candidate(member, own, &hours, terms);
            let mut hopeless = Timestamp::MIN;
            left.retain(|start| {
                *start < hopeless
                    || candidate.check(*start, &query).map_err(|obstacle| hopeless = obstacle.until).is_err()
            });
            if let Some(own) = own.filter(|_| candidate.was_never_present()) {
                hours.mark_past(own);
            }
        }
        let mut left = left.into_iter().peekable();
        starts.retain(|start| left.next_if_eq(start).is_none());
        starts.into_iter().map(|start| Slot { starts_at: start, ends_at: start + duration }).collect()
    }

    /// Returns the requested staff member. If none is requested, returns the free staff member with the fewest booked
    /// minutes on the local day of the start. Among several such staff members, returns the one with the lowest id.
    ///
    /// # Errors
    /// Returns the first reason that applies: [`SlotReason::Past`], then a reason from the business's calendar, then a
    /// reason from the service. If only the staff members are unavailable, returns the reason of the staff member who
    /// is closest to being available.
    pub fn assign(&self, request: &SlotRequest) -> Result<StaffId, SlotReason> {
        let SlotRequest { service, staff, start, duration, buffers, except, terms } = *request;
        if start <= self.now {
            return Err(SlotReason::Past);
        }
        let calendar = self.calendar();
        let timeline = calendar.timeline_around(start, duration);
        match timeline.check(start, duration) {
            Err(SlotReason::OffGrid) if terms.takes_minute(start) => {}
            checked => checked?,
        }
        let Some(booked) = self.services.get(&service).filter(|service| service.active) else {
            return Err(SlotReason::ServiceInactive);
        };
        self.ahead(booked, terms).check(&timeline, start)?;
        let mut candidates = self.candidates(service, staff).peekable();
        if candidates.peek().is_none() {
            let named = staff.is_some();
            return Err(if named { SlotReason::StaffUnavailable } else { SlotReason::NobodyOffersIt });
        }
        let query = BusyQuery::new(duration, terms.applicable_buffers(buffers)).except(except);
        let day = calendar.day_bounds(timeline.local_date(start));
        let (mut hours, mut free, mut nearest) = (OwnHours::new(&timeline), Vec::new(), SlotReason::StaffOff);
        for member in candidates {
            let own = hours.index_of(member);
            match self.candidate(member, own, &hours, terms).check(start, &query) {
                Ok(()) => free.push(member.id),
                Err(Obstacle { reason, .. }) if nearness(reason) > nearness(nearest) => nearest = reason,
                Err(_) => {}
            }
        }
        let least = free.into_iter().min_by_key(|staff| self.busy.minutes_starting_in(*staff, day.clone()));
        least.ok_or(nearest)
    }

    /// True if the business is open and has no break from `start` to `end`, and the staff member works during this
    /// time, has no blocked time in it, and offers the service. The service must be active. Other appointments, the
    /// grid of start times and the minimum notice are not checked.
    fn is_inside(
        &self,
        (staff, start, end): (StaffId, Timestamp, Timestamp),
        of: ServiceId,
        (timeline, hours): &mut (Timeline, BTreeMap<StaffId, Spans>),
    ) -> bool {
        let Some(member) = self.staff.get(&staff).filter(|member| member.offers(of)) else { return false };
        self.services.get(&of).is_some_and(|service| service.active)
            && timeline.holds(start, end)
            && member.hours.as_ref().is_none_or(|own| {
                hours.entry(staff).or_insert_with(|| timeline.staff_hours(own)).cover(start, end)
            })
            && !self.blocked.spans(staff).is_some_and(|away| away.meet(start, end))
    }

    /// Returns the active future appointments that `concerned` selects and that are outside bookable time, sorted by
    /// start.
    pub fn outside(&self, concerned: &Concerned) -> Vec<AppointmentId> {
        let Concerned { during, staff, service } = concerned;
        let calendar = self.calendar();
        // A cache. For each range of dates, it contains the timeline, and the hours of staff members on these dates.
        let mut days: BTreeMap<(NaiveDate, NaiveDate), (Timeline, BTreeMap<StaffId, Spans>)> =
            BTreeMap::new();
        // The local date on which the previous appointment starts, and the bounds of this date. The appointments of a
        // staff member are sorted, so the next appointment is usually on the same date.
        let mut day: Option<(NaiveDate, Range<Timestamp>)> = None;
        let mut outside = Vec::new();
        let concerned = self.busy.meeting(during.clone(), *staff);
        for (staff, hold) in concerned.filter(|(_, hold)| hold.start > self.now) {
            if service.is_some_and(|service| service != hold.service) {
                continue;
            }
            let is_within = |bounds: &Range<Timestamp>| bounds.start <= hold.start && hold.end < bounds.end;
            let dates = match &day {
                Some((date, bounds)) if is_within(bounds) => (*date, *date),
                _ => {
                    let date = calendar.local_date(hold.start);
                    day = Some((date, calendar.day_bounds(date)));
                    (date, calendar.local_date(hold.end))
                }
            };
            let on_day = days.entry(dates).or_insert_with(|| {
                (calendar.timeline(dates.0..=dates.1, hold.end - hold.start), BTreeMap::new())
            });
            if !self.is_inside((staff, hold.start, hold.end), hold.service, on_day) {
                outside.push((hold.start, hold.id));
            }
        }
        outside.sort_unstable();
        outside.into_iter().map(|(_, id)| id).collect()
    }

    fn ahead(&self, service: &Service, terms: Terms) -> BookingRange {
        let anytime = BookingRange { now: self.now, notice: Timestamp::MIN, last: None };
        if terms != Terms::Integration {
            return anytime;
        }
        let last = service.max_advance_days.and_then(|days| {
            let calendar = self.calendar();
            let last = calendar.local_date(self.now).checked_add_days(Days::new(u64::from(days)))?;
            Some((last, calendar.day_bounds(last).start))
        });
        BookingRange { notice: self.now + service.min_notice(), last, ..anytime }
    }

    /// Returns the service if it can be booked with this staff member.
    ///
    /// # Errors
    /// Returns [`Refusal::Invalid`] with every problem of `service_id` and `staff_id`.
    pub fn usable(&self, service: ServiceId, staff: Option<StaffId>) -> Result<&Service, Refusal> {
        let known = self.services.get(&service);
        let usable = known.filter(|service| service.active);
        let mut problems = Vec::new();
        if usable.is_none() {
            problems.push(Problem::new("service_id", ProblemCode::NoActiveService));
        }
        if let Some(staff) = staff {
            match self.staff.get(&staff).filter(|member| member.active) {
                None => problems.push(Problem::new("staff_id", ProblemCode::NoActiveStaff)),
                // If the service is unknown, no staff member offers it. A second problem would only confuse the caller.
                Some(member) if known.is_some() && !member.offers(service) => {
                    problems.push(Problem::new("staff_id", ProblemCode::NotOffered));
                }
                Some(_) => {}
            }
        }
        usable.filter(|_| problems.is_empty()).map(Box::as_ref).ok_or(Refusal::Invalid(problems))
    }

    fn calendar(&self) -> Calendar<'a> {
        Calendar::new(self.business, self.special)
    }

    fn candidates(
        &self,
        service: ServiceId,
        asked: Option<StaffId>,
    ) -> impl Iterator<Item = &'a StaffMember> {
        let named = asked.and_then(|staff| self.staff.get(&staff));
        let anyone = self.staff.values().filter(move |_| asked.is_none());
        named.into_iter().chain(anyone).map(Box::as_ref).filter(move |member| member.offers(service))
    }

    fn candidate<'b>(
        &self,
        member: &StaffMember,
        own: Option<usize>,
        hours: &'b OwnHours<'_>,
        terms: Terms,
    ) -> Candidate<'b>
    where
        'a: 'b,
    {
        let blocked = (self.blocked, !terms.ignores_calendars());
        Candidate::new(member.id, own.map(|own| (hours, own)), blocked, self.busy)
    }
}

impl Terms {
    /// Replaces the reasons that integrations must not see (buffers and absences) by more general ones.
    pub fn visible_reason(self, reason: SlotReason) -> SlotReason {
        match (self, reason) {
            (Self::Integration, SlotReason::Buffer) => SlotReason::Taken,
            (Self::Integration, SlotReason::StaffOff) => SlotReason::NobodyAvailable,
            _ => reason,
        }
    }

    fn applicable_buffers(self, buffers: Buffers) -> Option<Buffers> {
        (!matches!(self, Self::Team { ignore_buffers: true, .. })).then_some(buffers)
    }

    /// Whether the terms allow a start at this time even if the time is not on the grid.
    fn takes_minute(self, start: Timestamp) -> bool {
        matches!(self, Self::Team { any_minute: true, .. }) && start.millis() % 60_000 == 0
    }

    fn ignores_calendars(self) -> bool {
        matches!(self, Self::Team { ignore_calendars: true, .. })
    }
}

impl BookingRange {
    fn check(&self, timeline: &Timeline, start: Timestamp) -> Result<(), SlotReason> {
        if start <= self.now {
            return Err(SlotReason::Past);
        }
        if start < self.notice {
            return Err(SlotReason::TooShortNotice);
        }
        match self.last {
            Some((last, begins)) if start >= begins && timeline.local_date(start) > last => {
                Err(SlotReason::TooFarAhead)
            }
            _ => Ok(()),
        }
    }
}

/// Returns how close the staff member is to being available: 2 if only a buffer conflicts, 1 if another appointment
/// conflicts, otherwise 0.
fn nearness(reason: SlotReason) -> u8 {
    match reason {
        SlotReason::Buffer => 2,
        SlotReason::Taken => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
