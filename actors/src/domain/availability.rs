//! Which times can be booked, and who takes them (contract §3, Availability; §5, Auto-assignment).
//!
//! What always holds: a time is listed by [`Schedule::slots`] exactly when [`Schedule::assign`] finds someone for it under
//! the same [`Terms`], because both put the same questions: later than now and within what the service allows, a start
//! time of the [`Calendar`], an active service, and someone who is there and free. Only the booking mode of an
//! integration is left to the caller of `assign`, which has other answers for it.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use chrono::{Days, NaiveDate, NaiveTime, TimeDelta};

use super::taker::{HoursPlace, Kept, OwnHours, Taker};
use super::{
    Appointment, AppointmentId, Blocked, BookingMode, Buffers, Business, Busy, Calendar, Laid, Problem,
    ProblemCode, Refusal, Service, ServiceId, SlotReason, SpecialDays, StaffId, StaffMember, Timestamp,
    Wanted,
};

/// The UTC years in which a time can be booked. The rules of the time zones are not known further ahead, so a start
/// outside is a malformed request.
pub const BOOKABLE_YEARS: RangeInclusive<i32> = 1970..=2199;

/// The instants of those years.
fn bookable_years() -> Range<Timestamp> {
    let begins =
        |year| NaiveDate::from_ymd_opt(year, 1, 1).map(|date| date.and_time(NaiveTime::MIN).and_utc().into());
    let (first, last) = (*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());
    begins(first).unwrap_or(Timestamp::MIN)..begins(last + 1).unwrap_or(Timestamp::MAX)
}

/// How many calendar days one listing may span, both ends counted.
pub const AVAILABILITY_DAYS_MAX: i64 = 7;

/// Everything that decides which times can be booked.
#[derive(Clone, Copy)]
pub struct Schedule<'a> {
    /// The business, for its hours, its breaks, its zone and its booking mode.
    pub business: &'a Business,
    /// The dates on which it has other hours.
    pub special: &'a SpecialDays,
    /// Its services.
    pub services: &'a BTreeMap<ServiceId, Box<Service>>,
    /// Its staff members.
    pub staff: &'a BTreeMap<StaffId, Box<StaffMember>>,
    /// When they are busy.
    pub busy: &'a Busy,
    /// When they are away.
    pub blocked: &'a Blocked,
    /// The instant at which the question is put.
    pub now: Timestamp,
}

/// What binds whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// An integration: everything.
    Integration,
    /// The team: neither the booking mode nor how early or late a service can be booked.
    Team {
        /// Whether it books into what appointments keep free around them.
        ignore_buffers: bool,
    },
}

/// Which appointments a change concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concerned {
    /// Those that lie in this time, were it in part.
    pub during: Range<Timestamp>,
    /// Those with this staff member; `None` for everybody's.
    pub staff: Option<StaffId>,
    /// Those of this service; `None` for every one's.
    pub service: Option<ServiceId>,
}

impl Concerned {
    /// All of them.
    pub const EVERYONE: Self = Self { during: Timestamp::MIN..Timestamp::MAX, staff: None, service: None };

    /// Those with one staff member.
    pub fn staff(staff: StaffId) -> Self {
        Self { staff: Some(staff), ..Self::EVERYONE }
    }

    /// Those of one service.
    pub fn service(service: ServiceId) -> Self {
        Self { service: Some(service), ..Self::EVERYONE }
    }

    /// Those in this time alone.
    pub fn during(self, during: Range<Timestamp>) -> Self {
        Self { during, ..self }
    }
}

/// A time that can be booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// When it starts.
    pub starts_at: Timestamp,
    /// When the service would end.
    pub ends_at: Timestamp,
}

/// A time that somebody wants.
#[derive(Clone, Copy, Debug)]
pub struct SlotRequest {
    /// For which service.
    pub service: ServiceId,
    /// With whom; `None` for anyone.
    pub staff: Option<StaffId>,
    /// From when.
    pub start: Timestamp,
    /// For how long; a moved appointment keeps the duration that was booked.
    pub duration: TimeDelta,
    /// What it keeps free around it; a moved appointment keeps what was booked.
    pub buffers: Buffers,
    /// The appointment that is being moved, whose own time does not stand in its way.
    pub except: Option<AppointmentId>,
    /// What binds whoever asks.
    pub terms: Terms,
}

/// From when to when a service can be booked by whom its terms bind.
struct Ahead {
    /// It must be later than this.
    now: Timestamp,
    /// Not before this.
    notice: Timestamp,
    /// At most on this local date, which begins at this instant.
    last: Option<(NaiveDate, Timestamp)>,
}

impl<'a> Schedule<'a> {
    /// Every time on the local dates `first` to `last`, both included, that can be booked under these terms; in order,
    /// each once. None for an integration while the booking mode is off.
    ///
    /// # Errors
    /// As [`Self::usable`].
    pub fn slots(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        (first, last): (NaiveDate, NaiveDate),
        terms: Terms,
    ) -> Result<Vec<Slot>, Refusal> {
        let booked = self.usable(service, staff)?;
        let (duration, buffers) = (booked.duration(), booked.buffers);
        let wanted = SlotRequest { service, staff, start: self.now, duration, buffers, except: None, terms };
        Ok(self.listed(booked, &wanted, (first, last)))
    }

    /// The same of the times with a staff member to which an appointment can be moved. Its own time does not stand in
    /// its way; its duration and buffers stay as they were booked.
    ///
    /// # Errors
    /// As [`Self::usable`].
    pub fn slots_to_move(
        &self,
        moved: &Appointment,
        staff: StaffId,
        days: (NaiveDate, NaiveDate),
        terms: Terms,
    ) -> Result<Vec<Slot>, Refusal> {
        let booked = self.usable(moved.service_id, Some(staff))?;
        let wanted = SlotRequest {
            service: moved.service_id,
            staff: Some(staff),
            start: self.now,
            duration: moved.duration(),
            buffers: moved.buffers,
            except: Some(moved.id),
            terms,
        };
        let mut slots = self.listed(booked, &wanted, days);
        slots.retain(|slot| (staff, slot.starts_at) != (moved.staff_id, moved.starts_at));
        Ok(slots)
    }

    /// Every time on these dates at which what is wanted can start.
    fn listed(
        &self,
        booked: &Service,
        wanted: &SlotRequest,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Vec<Slot> {
        let SlotRequest { service, staff, duration, buffers, except, terms, .. } = *wanted;
        if terms == Terms::Integration && self.business.booking_mode == BookingMode::Off {
            return Vec::new();
        }
        let laid = self.calendar().lay(first..=last, duration);
        let ahead = self.ahead(booked, terms);
        let mut starts = laid.starts(duration);
        let years = bookable_years();
        starts.retain(|start| years.contains(start) && ahead.check(&laid, *start).is_ok());
        let wanted = Wanted::new(duration, terms.heeded(buffers)).except(except);
        // One staff member after the other, each with the times that nobody before them can take.
        let (mut hours, mut left) = (OwnHours::of(&laid), starts.clone());
        for member in self.takers(service, staff) {
            if left.is_empty() {
                break;
            }
            let own = hours.place_of(member);
            if own.is_some_and(|own| hours.are_done_with(own)) {
                continue;
            }
            let mut taker = self.taker(member, own, &hours);
            let mut hopeless = Timestamp::MIN;
            left.retain(|start| {
                *start < hopeless
                    || taker.look(*start, &wanted).map_err(|kept| hopeless = kept.until).is_err()
            });
            if let Some(own) = own.filter(|_| taker.was_never_there()) {
                hours.be_done_with(own);
            }
        }
        let mut left = left.into_iter().peekable();
        starts.retain(|start| left.next_if_eq(start).is_none());
        starts.into_iter().map(|start| Slot { starts_at: start, ends_at: start + duration }).collect()
    }

    /// Who takes the time: the one asked for, else of those who are free the one with the fewest minutes of active
    /// appointments that start on that local day, and of several the one with the lowest id.
    ///
    /// # Errors
    /// The first reason, in the order of [`SlotReason::Past`], the calendar's, the service's, the staff's. Of several
    /// staff members it is that of whoever comes nearest to taking it.
    pub fn assign(&self, request: &SlotRequest) -> Result<StaffId, SlotReason> {
        let SlotRequest { service, staff, start, duration, buffers, except, terms } = *request;
        if start <= self.now {
            return Err(SlotReason::Past);
        }
        let calendar = self.calendar();
        let laid = calendar.lay_around(start, duration);
        laid.check(start, duration)?;
        let Some(booked) = self.services.get(&service).filter(|service| service.active) else {
            return Err(SlotReason::ServiceInactive);
        };
        self.ahead(booked, terms).check(&laid, start)?;
        let mut takers = self.takers(service, staff).peekable();
        if takers.peek().is_none() {
            let named = staff.is_some();
            return Err(if named { SlotReason::StaffUnavailable } else { SlotReason::NobodyOffersIt });
        }
        let wanted = Wanted::new(duration, terms.heeded(buffers)).except(except);
        let day = calendar.day_bounds(laid.local_date(start));
        let (mut hours, mut free, mut nearest) = (OwnHours::of(&laid), Vec::new(), SlotReason::StaffOff);
        for member in takers {
            let own = hours.place_of(member);
            match self.taker(member, own, &hours).look(start, &wanted) {
                Ok(()) => free.push(member.id),
                Err(Kept { reason, .. }) if nearness(reason) > nearness(nearest) => nearest = reason,
                Err(_) => {}
            }
        }
        // Of equal ones the first is taken, and they come in the order of their ids.
        let least = free.into_iter().min_by_key(|staff| self.busy.minutes_starting_in(*staff, day.clone()));
        least.ok_or(nearest)
    }

    /// Whether an appointment lies where one could be booked, apart from what other appointments hold, from steps and
    /// from how early it had to be booked.
    fn is_inside(
        &self,
        (staff, start, end): (StaffId, Timestamp, Timestamp),
        of: ServiceId,
        laid: &Laid,
    ) -> bool {
        let Some(member) = self.staff.get(&staff).filter(|member| member.offers(of)) else { return false };
        self.services.get(&of).is_some_and(|service| service.active)
            && laid.holds(start, end)
            && member.hours.as_ref().is_none_or(|hours| laid.staff_hours(hours).cover(start, end))
            && !self.blocked.spans(staff).is_some_and(|away| away.meet(start, end))
    }

    /// Of the active appointments to come that are concerned, those that do not lie where one could be booked, by their
    /// starts.
    pub fn outside(&self, concerned: &Concerned) -> Vec<AppointmentId> {
        let Concerned { during, staff, service } = concerned;
        let calendar = self.calendar();
        let mut days: BTreeMap<(NaiveDate, NaiveDate), Laid> = BTreeMap::new();
        let mut outside = Vec::new();
        let concerned = self.busy.meeting(during.clone(), *staff);
        for (staff, hold) in concerned.filter(|(_, hold)| hold.start > self.now) {
            if service.is_some_and(|service| service != hold.service) {
                continue;
            }
            let dates = (calendar.local_date(hold.start), calendar.local_date(hold.end));
            let laid =
                days.entry(dates).or_insert_with(|| calendar.lay(dates.0..=dates.1, hold.end - hold.start));
            if !self.is_inside((staff, hold.start, hold.end), hold.service, laid) {
                outside.push((hold.start, hold.id));
            }
        }
        outside.sort_unstable();
        outside.into_iter().map(|(_, id)| id).collect()
    }

    /// From when to when a service can be booked under these terms.
    fn ahead(&self, service: &Service, terms: Terms) -> Ahead {
        let anytime = Ahead { now: self.now, notice: Timestamp::MIN, last: None };
        if terms != Terms::Integration {
            return anytime;
        }
        let last = service.max_advance_days.and_then(|days| {
            let calendar = self.calendar();
            let last = calendar.local_date(self.now).checked_add_days(Days::new(u64::from(days)))?;
            Some((last, calendar.day_bounds(last).start))
        });
        Ahead { notice: self.now + service.min_notice(), last, ..anytime }
    }

    /// The service, when it and the staff member, if one is named, can be used for a booking.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with everything that is wrong with `service_id` and `staff_id`.
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
                // Nobody offers an unknown service; to say so of this one would mislead.
                Some(member) if known.is_some() && !member.offers(service) => {
                    problems.push(Problem::new("staff_id", ProblemCode::NotOffered));
                }
                Some(_) => {}
            }
        }
        usable.filter(|_| problems.is_empty()).map(Box::as_ref).ok_or(Refusal::Invalid(problems))
    }

    /// When the business is open, in its zone.
    fn calendar(&self) -> Calendar<'a> {
        Calendar::new(self.business, self.special)
    }

    /// The active staff members who offer the service, or only the one asked for, in the order of their ids.
    fn takers(&self, service: ServiceId, asked: Option<StaffId>) -> impl Iterator<Item = &'a StaffMember> {
        let named = asked.and_then(|staff| self.staff.get(&staff));
        let anyone = self.staff.values().filter(move |_| asked.is_none());
        named.into_iter().chain(anyone).map(Box::as_ref).filter(move |member| member.offers(service))
    }

    fn taker<'b>(&self, member: &StaffMember, own: Option<HoursPlace>, hours: &'b OwnHours<'_>) -> Taker<'b>
    where
        'a: 'b,
    {
        Taker::new(member.id, own.map(|own| (hours, own)), self.blocked, self.busy)
    }
}

impl Terms {
    /// What whoever asks is told of a reason: integrations not what the team keeps free, nor when anybody is away.
    pub fn told(self, reason: SlotReason) -> SlotReason {
        match (self, reason) {
            (Self::Integration, SlotReason::Buffer) => SlotReason::Taken,
            (Self::Integration, SlotReason::StaffOff) => SlotReason::NobodyAvailable,
            _ => reason,
        }
    }

    /// What is kept free around an appointment, where that binds.
    fn heeded(self, buffers: Buffers) -> Option<Buffers> {
        (self != Self::Team { ignore_buffers: true }).then_some(buffers)
    }
}

impl Ahead {
    fn check(&self, laid: &Laid, start: Timestamp) -> Result<(), SlotReason> {
        if start <= self.now {
            return Err(SlotReason::Past);
        }
        if start < self.notice {
            return Err(SlotReason::TooShortNotice);
        }
        match self.last {
            // Before that day begins, no clock shows a later one.
            Some((last, begins)) if start >= begins && laid.local_date(start) > last => {
                Err(SlotReason::TooFarAhead)
            }
            _ => Ok(()),
        }
    }
}

/// How near somebody comes to taking a time, by what keeps them from it: free but for a buffer, there, or not there.
fn nearness(reason: SlotReason) -> u8 {
    match reason {
        SlotReason::Buffer => 2,
        SlotReason::Taken => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
