//! Which times can be booked, and who takes them (contract §3, Availability; §5, Auto-assignment).
//!
//! What always holds: a time is listed by [`Schedule::slots`] exactly when [`Schedule::assign`] finds someone for it,
//! because both put the same four questions: later than now, a start time of the [`Calendar`], an active service, and
//! someone free. Only the booking mode is left to the caller of `assign`, since the team's own bookings ignore it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use chrono::{Datelike, NaiveDate, TimeDelta};

use super::{
    AppointmentId, BookingMode, Business, Busy, Calendar, Problem, Refusal, Service, ServiceId, SlotReason,
    StaffId, StaffMember, Timestamp,
};

/// The UTC years in which a time can be booked. The rules of the time zones are not known further ahead, so a start
/// outside is a malformed request.
pub const BOOKABLE_YEARS: RangeInclusive<i32> = 1970..=2199;

/// How many calendar days one listing may span, both ends counted.
pub const AVAILABILITY_DAYS_MAX: i64 = 7;

/// Everything that decides which times can be booked.
#[derive(Clone, Copy)]
pub struct Schedule<'a> {
    /// The business, for its hours, its zone and its booking mode.
    pub business: &'a Business,
    /// Its services.
    pub services: &'a BTreeMap<ServiceId, Service>,
    /// Its staff members.
    pub staff: &'a BTreeMap<StaffId, StaffMember>,
    /// When they are busy.
    pub busy: &'a Busy,
    /// The instant at which the question is put.
    pub now: Timestamp,
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
    /// The appointment that is being moved, whose own time does not stand in its way.
    pub except: Option<AppointmentId>,
}

impl Schedule<'_> {
    /// Every time on the local dates `first` to `last`, both included, that can be booked; in order, each once. None
    /// while the booking mode is off.
    ///
    /// # Errors
    /// As [`Self::usable`].
    pub fn slots(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Result<Vec<Slot>, Refusal> {
        let duration = self.usable(service, staff)?.duration();
        if self.business.booking_mode == BookingMode::Off {
            return Ok(Vec::new());
        }
        let takers: Vec<StaffId> = self.takers(service, staff).collect();
        if takers.is_empty() {
            return Ok(Vec::new());
        }
        let starts = self.calendar().starts(first, last, duration);
        let slots = starts.into_iter().map(|start| Slot { starts_at: start, ends_at: start + duration });
        Ok(slots
            .filter(|slot| {
                let free = |staff| self.busy.is_free(staff, slot.starts_at, slot.ends_at, None);
                self.is_ahead(slot.starts_at)
                    && BOOKABLE_YEARS.contains(&slot.starts_at.utc().year())
                    && takers.iter().copied().any(free)
            })
            .collect())
    }

    /// Who takes the time: the one asked for, else of those who are free the one with the fewest minutes of active
    /// appointments that start on that local day, and of several the one with the lowest id.
    ///
    /// # Errors
    /// The first reason, in the order of [`SlotReason::Past`], the calendar's, the service's, the staff's.
    pub fn assign(&self, request: &SlotRequest) -> Result<StaffId, SlotReason> {
        let SlotRequest { service, staff, start, duration, except } = *request;
        if !self.is_ahead(start) {
            return Err(SlotReason::Past);
        }
        let calendar = self.calendar();
        calendar.check(start, duration)?;
        if !self.services.get(&service).is_some_and(|service| service.active) {
            return Err(SlotReason::ServiceInactive);
        }
        let mut takers = self.takers(service, staff).peekable();
        if takers.peek().is_none() {
            let named = staff.is_some();
            return Err(if named { SlotReason::StaffUnavailable } else { SlotReason::NobodyOffersIt });
        }
        let day = calendar.day_bounds(calendar.local_date(start));
        takers
            .filter(|staff| self.busy.is_free(*staff, start, start + duration, except))
            // Of equal ones the first is taken, and they come in the order of their ids.
            .min_by_key(|staff| self.busy.minutes_starting_in(*staff, day.clone()))
            .ok_or(SlotReason::Taken)
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
            problems.push(Problem::new("service_id", "names no active service"));
        }
        if let Some(staff) = staff {
            match self.staff.get(&staff).filter(|member| member.active) {
                None => problems.push(Problem::new("staff_id", "names no active staff member")),
                // Nobody offers an unknown service; to say so of this one would mislead.
                Some(member) if known.is_some() && !member.offers(service) => {
                    problems.push(Problem::new(
                        "staff_id",
                        "names a staff member who does not offer the service",
                    ));
                }
                Some(_) => {}
            }
        }
        usable.filter(|_| problems.is_empty()).ok_or(Refusal::Invalid(problems))
    }

    /// The opening hours in the business's zone.
    fn calendar(&self) -> Calendar<'_> {
        Calendar::new(&self.business.hours, self.business.zone)
    }

    /// Whether a time can still be booked.
    fn is_ahead(&self, start: Timestamp) -> bool {
        start > self.now
    }

    /// The active staff members who offer the service, or only the one asked for, in the order of their ids.
    fn takers(&self, service: ServiceId, asked: Option<StaffId>) -> impl Iterator<Item = StaffId> {
        let named = asked.and_then(|staff| self.staff.get(&staff));
        let anyone = self.staff.values().filter(move |_| asked.is_none());
        named.into_iter().chain(anyone).filter(move |member| member.offers(service)).map(|member| member.id)
    }
}

#[cfg(test)]
mod tests;
