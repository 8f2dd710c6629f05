//! Bookings by the team at times that are not bookable.
//!
//! Invariants:
//!
//! - The staff member of an overriding booking is active and offers the service. The booking never overlaps another
//!   active appointment of this staff member, even if that appointment is in the past.
//! - [`Schedule::overridden`] lists a rule if and only if [`Schedule::assign`] would refuse the time because of this
//!   rule. The list is therefore empty for a time that the team can book without overriding.

use super::super::words::words;
use super::{Appointment, BusyQuery, Schedule, SlotReason, SlotRequest, StaffId, TimeDelta};

/// The maximum time that the start of an overriding booking may be in the past.
pub const OVERRIDE_PAST: TimeDelta = TimeDelta::days(30);

words! {
    /// A rule about bookable times that the team can override when it books.
    Overridden {
        Past = "past",
        OpeningHours = "opening_hours",
        SpecialDay = "special_day",
        Break = "break",
        Grid = "grid",
        StaffHours = "staff_hours",
        TimeOff = "time_off",
        /// A busy time of a connected calendar.
        Calendar = "calendar",
        Buffer = "buffer",
    }
}

impl Schedule<'_> {
    /// Like [`Schedule::assign`], but applies only the rules that cannot be overridden. The `busy` of the
    /// schedule must contain the appointments around the requested time, even if this time is in the past.
    pub fn assign_overriding(&self, request: &SlotRequest, staff: StaffId) -> Result<StaffId, SlotReason> {
        let SlotRequest { service, start, duration, except, .. } = *request;
        if start < self.now - OVERRIDE_PAST {
            return Err(SlotReason::Past);
        }
        if !self.services.get(&service).is_some_and(|service| service.active) {
            return Err(SlotReason::ServiceInactive);
        }
        if self.candidates(service, Some(staff)).next().is_none() {
            return Err(SlotReason::StaffUnavailable);
        }
        let query = BusyQuery::new(duration, None).except(except);
        match self.busy.cursor(staff).clash(start, &query) {
            Some(_) => Err(SlotReason::Taken),
            None => Ok(staff),
        }
    }

    /// Returns the rules that this appointment overrides. The appointment is not compared with itself.
    pub fn overridden(&self, booked: &Appointment) -> Vec<Overridden> {
        let Appointment { starts_at: start, ends_at: end, staff_id, .. } = *booked;
        let calendar = self.calendar();
        let timeline = calendar.timeline_around(start, booked.duration());
        let hours = self.staff.get(&staff_id).and_then(|member| member.hours.as_ref());
        let away = self.blocked.spans(staff_id);
        let is_away = |(from, to)| away.is_some_and(|away| away.meet(from, to));
        let query = BusyQuery::new(booked.duration(), Some(booked.buffers)).except(Some(booked.id));
        let is_off = self.blocked.times_off(staff_id).is_some_and(|off| off.meet(start, end));
        let is_in_calendar = self.blocked.calendars_of(staff_id).any(|busy| busy.meet(start, end));
        let is_near = self.busy.cursor(staff_id).clash(start, &query).is_some();
        let is_open = timeline.open.cover(start, end);
        let is_special = self.special.contains_key(&timeline.local_date(start));
        Overridden::ALL
            .iter()
            .copied()
            .filter(|rule| match rule {
                Overridden::Past => start <= self.now,
                Overridden::OpeningHours => !is_open && !is_special,
                Overridden::SpecialDay => !is_open && is_special,
                Overridden::Break => timeline.breaks.meet(start, end),
                Overridden::Grid => timeline.is_off_grid(start),
                Overridden::StaffHours => {
                    hours.is_some_and(|hours| !timeline.staff_hours(hours).cover(start, end))
                }
                Overridden::TimeOff => is_off,
                Overridden::Calendar => is_in_calendar,
                Overridden::Buffer => is_near || !is_off && !is_in_calendar && is_away(query.around(start)),
            })
            .collect()
    }
}
